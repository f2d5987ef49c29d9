/// @file
/// Sums of real numbers in the shuffle model: each user's number becomes bits with binomial noise.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// How numbers of an interval are encoded. What is published as P_1D takes [0, D], and P_vec takes [-D, D] in every
/// coordinate.
/// @source Cheu, Joseph, Mao, Peng 2021, "Shuffle private stochastic convex optimization", protocols P_1D and P_vec
struct BinomialEncoder {
  double lower = 0;               ///< in [-1e290, 1e290]
  double upper = 1;               ///< in [-1e290, 1e290], above lower by at least 1e-290
  std::uint64_t granularity = 1;  ///< steps that the interval is divided in, in [1, 2^53]
  std::uint64_t noise_bits = 1;   ///< random bits of a report, in [1, 2^53 - granularity]
  double probability = 0.5;       ///< that a random bit is one, in (0, 1)
  friend bool operator==(const BinomialEncoder&, const BinomialEncoder&) = default;
};

/// One-bit messages of one user or of several, shuffled: their order tells nothing, so only the numbers are kept.
struct Bits {
  std::uint64_t ones = 0;
  std::uint64_t total = 0;
  Bits& operator+=(const Bits& others) {
    ones += others.ones;
    total += others.total;
    return *this;
  }
  friend bool operator==(const Bits&, const Bits&) = default;
};

/// One report: with t = granularity (value - lower) / (upper - lower), of granularity + noise_bits bits
/// floor(t) + Bernoulli(t - floor(t)) + Binomial(noise_bits, probability) are ones.
///
/// The binomial is exact for the double `probability`; t has a rounding error of at most granularity 2^-51. The ones
/// of all reports together are all that the shuffler releases: neighbouring data shift a
/// Binomial(reports * noise_bits, probability) by at most largest_shift.
///
/// Takes about noise_bits / 32 words of the stream.
///
/// @param value  in [lower, upper]
/// @throws InvalidArgument naming value or the field of `encoder`, before anything is drawn
Bits encode(double value, const BinomialEncoder& encoder, Stream& stream);

/// Every coordinate of `value`, each with its own label for the shuffler: bits of different coordinates do not mix.
///
/// @param value  of coordinates in [lower, upper]
/// @throws InvalidArgument naming value or the field of `encoder`, before anything is drawn
std::vector<Bits> encode(const Eigen::Ref<const Eigen::VectorXd>& value, const BinomialEncoder& encoder,
                         Stream& stream);

/// The same with a stream for the rounding to steps, and another for the noise, which can then be drawn again without
/// the value: binomial(noise_bits, probability) for each coordinate in turn.
std::vector<Bits> encode(const Eigen::Ref<const Eigen::VectorXd>& value, const BinomialEncoder& encoder,
                         Stream& rounding, Stream& noise);

/// The ones of each coordinate's report that are not noise, floor(t) + Bernoulli(t - floor(t)), as `encode` draws them
/// from `rounding`.
///
/// @param value  of coordinates in [lower, upper]
/// @throws InvalidArgument naming value or the field of `encoder`, before anything is drawn
std::vector<std::uint64_t> rounded(const Eigen::Ref<const Eigen::VectorXd>& value, const BinomialEncoder& encoder,
                                   Stream& rounding);

/// What `ones` among the noise bits of so many reports add to `decode`: (upper - lower) / granularity (ones - reports
/// noise_bits probability).
/// @throws InvalidArgument naming the field of `encoder`
double noise_of(std::uint64_t ones, std::uint64_t reports, const BinomialEncoder& encoder);

/// n lower + (upper - lower) / granularity (ones - n noise_bits probability), the unbiased estimate of the sum of the
/// values of the n users whose bits these are.
///
/// @param bits  whole reports: total is a multiple of granularity + noise_bits, at most 2^53, and ones at most total
/// @throws InvalidArgument naming total, ones or the field of `encoder`
double decode(const Bits& bits, const BinomialEncoder& encoder);

/// ((upper - lower) / granularity)^2 (f (1 - f) + noise_bits probability (1 - probability)), where f is the fraction
/// of a step by which `value` exceeds a whole number of steps.
///
/// @param value  in [lower, upper]
/// @return the variance that one report of `value` adds to `decode`; reports are independent, so theirs add up.
///         Infinite or 0 when beyond the range of a double
/// @throws InvalidArgument naming value or the field of `encoder`
double report_variance(double value, const BinomialEncoder& encoder);

/// min(granularity, ceil(granularity distance / (upper - lower)) + 1), raised where rounding may have lowered it.
///
/// @param distance  between two values, in [0, upper - lower]
/// @return the most by which the ones of two reports differ before their noise
/// @throws InvalidArgument naming distance or the field of `encoder`
/// @source Cheu, Joseph, Mao, Peng 2021, privacy of P_1D
std::uint64_t largest_shift(double distance, const BinomialEncoder& encoder);

}  // namespace dpbudget::mechanisms
