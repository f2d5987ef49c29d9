/// @file
/// The curves of releases that only some records are part of.
#pragma once

#include "dpbudget/accounting/approximate/curve.h"

namespace dpbudget::approximate {

/// A release on a secret sample: log(1 + q (e^epsilon - 1)) at q delta, for the rate q. Poisson sampling under
/// add_or_remove_one and zero_out_one, sampling without replacement under replace_one.
/// @param sampling_rate  in [0, 1]
/// @source Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorems 8 and 9
/// @source accounting/approximate/proofs.md, 3.4
CurvePtr sampled_curve(double sampling_rate, CurvePtr inner);

/// A release that the record's holder takes part in with probability `rate`, which the adversary may see: the same
/// epsilon at `rate` delta.
/// @param rate  in [0, 1]
/// @source accounting/renyi/proofs.md, 6.1
CurvePtr participating_curve(double rate, CurvePtr inner);

}  // namespace dpbudget::approximate
