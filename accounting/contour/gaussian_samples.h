/// @file
/// The transform of many sampled Gaussians that share rate and sampling, each with a noise of its own.
#pragma once

#include <vector>

#include "dpbudget/accounting/contour/noise_group.h"
#include "dpbudget/accounting/contour/sample_moments.h"
#include "dpbudget/accounting/contour/transform.h"

namespace dpbudget::contour {

/// The sum of the losses of all of `noises`. Where they are many, the moments of most are interpolated over the noise.
/// @param noises  not empty
TransformPtr gaussian_samples(const SamplePair& pair, std::vector<SampledNoise> noises);

}  // namespace dpbudget::contour
