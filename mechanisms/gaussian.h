/// @file
/// The Gaussian mechanism, and the event it amounts to.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// What a call of add_gaussian_noise did.
struct GaussianNoise {
  double noise_std = 0;           ///< standard deviation in every coordinate, in the units of the value
  std::uint64_t coordinates = 0;  ///< length of the value
  double sum_of_squares = 0;      ///< of the standard normal draws: chi-squared with `coordinates` degrees of freedom
};

/// Adds independent N(0, noise_std^2) to every coordinate of `value`, drawn from `stream` in coordinate order.
///
/// Noise is drawn in double precision: the guarantee is that of the continuous mechanism, and attacks on the low bits
/// of floating-point noise (Mironov 2012) are outside it.
///
/// @param noise_std  positive and finite
/// @throws InvalidArgument naming noise_std, before anything is drawn
GaussianNoise add_gaussian_noise(Eigen::Ref<Eigen::VectorXd> value, double noise_std, Stream& stream);

/// @param sensitivity  L2 sensitivity of the value before noise, under the adjacency of the plan that the event is for;
///                     positive and finite
/// @return the release that `done` was, with noise multiplier done.noise_std / sensitivity
/// @throws InvalidArgument naming sensitivity or noise_std
Gaussian event_of(const GaussianNoise& done, double sensitivity);

}  // namespace dpbudget::mechanisms
