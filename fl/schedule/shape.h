/// @file
/// How noise changes over a run: what each shape multiplies the base noise multiplier sigma_0 by.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace dpbudget::fl {

// Rounds r and local steps t count from 1; tau is the number of local steps of a round.

/// 1 throughout.
struct ConstantNoise {
  friend bool operator==(const ConstantNoise&, const ConstantNoise&) = default;
};

/// Scheme 1: the VARIANCE is sigma_0^2 in the first `hold` rounds, and beta^(r - hold) sigma_0^2 after them. The noise
/// is its square root.
/// @source Chang, Seif, Tandon 2022, equation (6)
struct RoundDecay {
  double beta;         ///< in (0, 1]
  std::uint64_t hold;  ///< R_th, in [0, 2^53]
  friend bool operator==(const RoundDecay&, const RoundDecay&) = default;
};

/// Scheme 2: the VARIANCE is sigma_0^2 in the first `hold` rounds, and beta^(tau (r - hold - 1) + t - 1) sigma_0^2
/// after them; the first step after the hold still has sigma_0^2.
/// @source Chang, Seif, Tandon 2022, equation (7)
struct StepDecay {
  double beta;         ///< in (0, 1]
  std::uint64_t hold;  ///< R_th, in [0, 2^53]
  friend bool operator==(const StepDecay&, const StepDecay&) = default;
};

/// The noise (not its square) is sigma_0 factor^(r - 1).
struct ExponentialDecay {
  double factor;  ///< in (0, inf); above 1 the noise grows
  friend bool operator==(const ExponentialDecay&, const ExponentialDecay&) = default;
};

/// The noise (not its square) is sigma_0 factor^floor((r - 1) / every).
struct Staircase {
  double factor;        ///< in (0, inf); above 1 the noise grows
  std::uint64_t every;  ///< rounds to a stair, in [1, 2^53]
  friend bool operator==(const Staircase&, const Staircase&) = default;
};

/// The noise is sigma_0 times a given number, for as many rounds as the table has.
struct NoiseTable {
  std::vector<double> noises;  ///< round after round, `steps` to each; all in (0, inf)
  std::uint64_t steps;         ///< 1 when a round has one noise for all of its steps, otherwise tau
  friend bool operator==(const NoiseTable&, const NoiseTable&) = default;
};

/// The noise is sigma_0 / sqrt(r).
struct InverseRoot {
  friend bool operator==(const InverseRoot&, const InverseRoot&) = default;
};

/// The noise is sigma_0 scale / (r + offset).
struct InverseDecay {
  double scale;   ///< A, in (0, inf)
  double offset;  ///< B, in [0, inf)
  friend bool operator==(const InverseDecay&, const InverseDecay&) = default;
};

/// The noise (not its square) is sigma_0 factor^k, where k of the given rounds have begun, the round itself included.
struct Milestones {
  double factor;                      ///< in (0, inf); above 1 the noise grows
  std::vector<std::uint64_t> rounds;  ///< strictly increasing, in [1, 2^53]
  friend bool operator==(const Milestones&, const Milestones&) = default;
};

/// How noise changes over the rounds.
using NoiseShape = std::variant<ConstantNoise, RoundDecay, StepDecay, ExponentialDecay, Staircase, NoiseTable,
                                InverseRoot, InverseDecay, Milestones>;

/// The first of its rounds after `round`; 2^64 - 1 where there is none.
std::uint64_t next_milestone(const Milestones& milestones, std::uint64_t round);

/// @throws InvalidArgument naming beta, hold, factor, every, scale, offset, noise or rounds, the first that is outside
/// its range
void check(const NoiseShape& shape);

}  // namespace dpbudget::fl
