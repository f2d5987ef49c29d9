/// @file
/// The transform of many sampled Gaussians that share rate and sampling, each with a noise of its own.
#pragma once

#include <vector>

#include "dpbudget/accounting/contour/sample_moments.h"
#include "dpbudget/accounting/contour/transform.h"

namespace dpbudget::contour {

/// count times a participation, at that rate, in `inside` samples of a Gaussian with that noise.
struct SampledNoise {
  double noise_multiplier = 1;  ///< in (0, inf)
  double noise_error = 0;       ///< bound on its relative error
  double inside = 1;            ///< a positive integer
  double participation = 1;     ///< in (0, 1]
  double count = 1;
};

/// The sum of the losses of all of `noises`. Where they are many, the moments of most are interpolated over the noise.
/// @param noises  not empty
TransformPtr gaussian_samples(const SamplePair& pair, std::vector<SampledNoise> noises);

}  // namespace dpbudget::contour
