/// @file
/// Plans that release nothing but Gaussians: one Gaussian, whose profile is exact.
#pragma once

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::exact {

/// @throws Unsupported when `event` releases anything but Gaussians
void require_gaussians(const Event& event);

/// A bracket around epsilon at `delta`, as narrow as rounding allows; its accountant is left open.
/// @param event  such that `gaussian_noise(event)` has a value, or that releases nothing
/// @param delta  in (0, 1)
/// @throws Unsupported when `event` releases anything but Gaussians
/// @source Balle, Wang 2018, Theorem 8; Dong, Roth, Su 2019, Corollary 3.3
Bound composed_gaussian_epsilon(const Event& event, double delta);

/// The same for delta at `epsilon`, in [0, inf).
DeltaBound composed_gaussian_delta(const Event& event, double epsilon);

}  // namespace dpbudget::exact
