/// @file
/// The noise multiplier of every local step of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dpbudget/fl/schedule/shape.h"

namespace dpbudget::fl {

/// A shape, scaled by a base noise, for rounds of a given number of local steps. The noise is whatever its user
/// measures it by: a noise multiplier (standard deviation over sensitivity) where it goes into a plan.
class NoiseSchedule {
 public:
  /// @param base_noise   sigma_0, in (0, inf)
  /// @param local_steps  tau, in [1, 2^53]
  /// @throws InvalidArgument naming the argument outside its range, or local_steps when the shape is a table that gives
  ///         another number of steps
  NoiseSchedule(NoiseShape shape, double base_noise, std::uint64_t local_steps);

  const NoiseShape& shape() const { return shape_; }
  double base_noise() const { return base_noise_; }
  std::uint64_t local_steps() const { return local_steps_; }

  /// Noise of local step `step` in round `round`: the schedule's definition, to a relative error below 1e-13.
  /// @param round  r in [1, 2^53]
  /// @param step   t in [1, local_steps]
  /// @throws InvalidArgument naming the argument outside its range, round when it lies beyond a table, or noise when
  ///         it leaves the range of normal doubles
  double noise(std::uint64_t round, std::uint64_t step) const;

  /// Whether all steps of one round have the same noise.
  bool is_flat_in_rounds() const;

  /// The sum of 1 / noise^2 over all steps of the first `rounds` rounds: closed form, except for a table.
  /// @param rounds  in [0, 2^53]
  /// @return relative error below 1e-12; 0 for no rounds
  /// @throws InvalidArgument naming rounds when they lie beyond a table, or the sum when a double does not hold it
  /// @source Chang, Seif, Tandon 2022: the brackets of Theorems 1 and 2 times tau / sigma_0^2, where hold <= rounds
  double sum_inverse_variance(std::uint64_t rounds) const;

  /// The rounds that a table has; nothing for a shape without end.
  std::optional<std::uint64_t> last_round() const;

 private:
  void check_round(std::string_view name, std::uint64_t round) const;

  NoiseShape shape_;
  double base_noise_;
  std::uint64_t local_steps_;
};

}  // namespace dpbudget::fl
