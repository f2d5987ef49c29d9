/// @file
/// Noise multipliers and the standard deviations that they stand for.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What 2 C is divided by to give the sensitivity S that the noise multiplier scales: the records of a batch, or the
/// rate s when the unit is a user.
/// @source Noble et al. 2022, section 3.2 (record) and the end of section 3 (user)
double sensitivity_divisor(const SettledRun& run, std::uint64_t sample);

/// The noise's standard deviation, noise_multiplier times 2 clip_norm / divisor, rounded up by two or three units in
/// the last place: what is executed is never a rounding below what was planned, as the run has it or as
/// record_noise_multiplier and user_noise_multiplier derive it in double.
/// @param divisor  positive
double gaussian_std(double noise_multiplier, double clip_norm, double divisor);

/// gaussian_std, which takes long to be exact, once for each of its arguments that come again. Not to be shared between
/// threads.
class GaussianStds {
 public:
  double operator()(double noise_multiplier, double clip_norm, double divisor);

 private:
  std::map<std::tuple<double, double, double>, double> known_;
};

/// Its inverse, rounded down: noise of that standard deviation is no less than the multiplier says.
double noise_multiplier_of(double std, double clip_norm, double divisor);

/// A noise multiplier as the run has it, over S, as one over 2 C / sample, which is what replacing one record changes
/// the mean by.
double record_noise_multiplier(const SettledRun& run, double noise_multiplier, std::uint64_t sample);

/// The same over 2 C, which is what replacing all records of one user changes the mean by.
double user_noise_multiplier(const SettledRun& run, double noise_multiplier, std::uint64_t sample);

}  // namespace dpbudget::fl
