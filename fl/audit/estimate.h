/// @file
/// Lower confidence bounds on epsilon from what an attack got right.
///
/// All of them are statistics in double precision: with probability `confidence` at least, over the attack's own
/// randomness, a mechanism that is (epsilon, delta)-DP does not get such a bound above its epsilon.
#pragma once

#include <cstdint>

namespace dpbudget::fl {

/// An interval for a probability, each end at its own error: P(it is below `lower`) and P(it is above `upper`) are at
/// most `error`.
struct RateInterval {
  double lower;
  double upper;
};

/// @param successes  at most `trials`
/// @param trials     of independent trials, at least 1
/// @param error      in (0, 1)
/// @source Clopper, Pearson 1934
/// @throws InvalidArgument naming the argument outside its range
RateInterval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error);

/// How often an independent test said "in", by what was true.
struct TestCounts {
  std::uint64_t in = 0;             ///< trials whose canary was in
  std::uint64_t in_called_in = 0;   ///< of these
  std::uint64_t out = 0;            ///< trials whose canary was out
  std::uint64_t out_called_in = 0;  ///< of these
};

/// Of a test that was chosen before these trials: the larger of log((t - delta) / f) and log((1 - f - delta) / (1 - t))
/// for the lower end t of the true-positive rate and the upper end f of the false-positive rate; at least 0.
/// @param delta       in [0, 1)
/// @param confidence  in (0, 1), of both rates together
/// @throws InvalidArgument naming delta, confidence or trials, where there are none of one kind
/// @source fl/audit/proofs.md, 1.1
double epsilon_of_test(const TestCounts& counts, double delta, double confidence);

/// Guesses of which canaries were in. Who abstains counts as no guess.
struct GuessCounts {
  std::uint64_t canaries = 0;  ///< each in with probability 1/2 by itself, guessed or not
  std::uint64_t guesses = 0;   ///< fixed beforehand
  std::uint64_t correct = 0;
};

/// The probability that an (epsilon, delta)-DP mechanism lets so many guesses be correct, at most:
/// beta + 2 canaries delta alpha with beta = P(W >= correct), W ~ Bin(guesses, 1 / (1 + e^-epsilon)) and alpha the
/// largest of P(correct > W >= correct - i) / i over i = 1, 2, ...
/// @source Steinke, Nasr, Jagielski 2023 (arXiv:2305.08846), Theorem 5.2
double guesses_p_value(const GuessCounts& counts, double epsilon, double delta);

/// An epsilon at which that is below 1 - confidence, next to one at which it is not; at least 0. Canaries of one run
/// may depend on each other in any way; those of several independent runs count together (fl/audit/proofs.md, 1.3).
/// @param delta       in [0, 1)
/// @param confidence  in (0, 1)
/// @throws InvalidArgument naming the argument outside its range, or correct or guesses where they are too many
double epsilon_of_guesses(const GuessCounts& counts, double delta, double confidence);

}  // namespace dpbudget::fl
