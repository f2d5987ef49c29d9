/// @file
/// Plans that release nothing but Gaussians: one Gaussian, whose profile is exact.
#pragma once

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::exact {

/// @throws Unsupported when `plan` releases anything but Gaussians
void require_gaussians(const NormalPlan& plan);

/// A bracket around epsilon at `delta`, as narrow as rounding allows; its accountant is left open.
/// @param delta  in (0, 1)
/// @throws Unsupported when `plan` releases anything but Gaussians
/// @source Balle, Wang 2018, Theorem 8; Dong, Roth, Su 2019, Corollary 3.3
Bound composed_gaussian_epsilon(const NormalPlan& plan, double delta);

/// The same for delta at `epsilon`, in [0, inf).
DeltaBound composed_gaussian_delta(const NormalPlan& plan, double epsilon);

}  // namespace dpbudget::exact
