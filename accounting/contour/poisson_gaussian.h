/// @file
/// The transform of the loss of a Poisson-subsampled Gaussian.
#pragma once

#include "dpbudget/accounting/contour/transform.h"

namespace dpbudget::contour {

/// Which of the two data sets holds the record: outcomes are drawn with it in (`remove`: P is the mixture), or without
/// (`add`: P is N(0, s^2)).
enum class Direction { remove, add };

/// The pair (1-q) N(0, s^2) + q N(1, s^2) and N(0, s^2).
struct SampledGaussian {
  double sampling_rate;     ///< q in (0, 1), right up to a unit of rounding
  double noise_multiplier;  ///< s in (0, inf)
  double noise_error = 0;   ///< bound on the relative error of s
};

/// The loss between that pair, the worst one under add_or_remove_one and zero_out_one.
/// @source Mironov, Talwar, Zhang 2019, section 3.3; Zhu, Dong, Wang 2022, Theorem 11
TransformPtr poisson_gaussian(const SampledGaussian& sampled, Direction direction);

}  // namespace dpbudget::contour
