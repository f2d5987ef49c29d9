#include "dpbudget/accounting/shuffle/vector_sum/normal_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"
#include "dpbudget/accounting/numeric/library_errors.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {
namespace {

using numeric::unit;

// Blocks of this many standard deviations: what a straight line misses of log P within one is below 2e-4.
constexpr double block = 0.02;

// Tail sums start where what is left out is below this share of the tail.
constexpr double share_left_out = 1e-6;

// The upper half of the scores: those of outcomes i with P(X >= i) of at most 1/2.
// accounting/shuffle/vector_sum/proofs.md, 2.1
class UpperHalf {
 public:
  explicit UpperHalf(const BinomialNoise& noise)
      : noise_(noise), law_(noise.law()), size_(std::max(1.0, std::floor(block * law_.deviation()))) {}

  double slope(double tail) const {
    if (!(noise_.mass_upper(law_.count()) <= tail))
      throw Unsupported(fmt::format("trials is {}: so few that all of them agree with a probability above {:.3g}",
                                    law_.count(), tail));
    const double last = noise_.tail_point(tail);
    double right = noise_.tail_point(tail * share_left_out);
    double lower = noise_.mass_lower(right);  // of P(X >= right)
    double upper = noise_.tail_upper(right);
    double slope = 0;
    while (right > 0 && lower < 0.5) {
      const double left = std::max(0.0, right - size_);
      const double numbers = right - left;
      const double of_left = law_.log_mass(left);
      // log P is concave: below its tangent at `left`, above its chord. What these miss over the whole block:
      const double step = noise_.log_ratio(left, 0, 1);
      const double of_tangent = numbers * (0x1p-43 * std::abs(step) + noise_.log_odds_error());
      const double of_right = law_.log_mass(right);
      const double chord = (of_right - of_left) / numbers;
      const double of_chord = noise_.log_mass_error(left, of_left) + noise_.log_mass_error(right, of_right);
      const double least_beyond = lower;  // of P(X >= right)
      lower = (lower + noise_.mass_lower(left) * numeric::exponential_sum(chord, numbers) * (1 - of_chord)) *
              (1 - 16 * unit);
      upper = std::min(
          1.0, (upper + noise_.mass_upper(left) * numeric::exponential_sum(step, numbers) * (1 + 2 * of_tangent)) *
                   (1 + 16 * unit));
      if (left < last) {
        const double fall = size_ == 1
                                ? highest_score(upper) - lowest_score(least_beyond)
                                : largest_fall(numbers, of_left + noise_.log_mass_error(left, of_left) + of_tangent,
                                               step, lower, upper);
        slope = std::max(slope, fall);
      }
      right = left;
    }
    return slope;
  }

 private:
  // The score of a tail, z with P(Z <= z) = mass, moved by ten times what it may be off.
  static double score_error(double score) { return 10 * numeric::upper_tail_point_error * (1 + std::abs(score)); }
  static double lowest_score(double mass) {
    const double score = -numeric::upper_tail_point(mass);
    return score - score_error(score);
  }
  static double highest_score(double mass) {
    if (mass >= 1) return 40;  // no tail above 1e-300 has a score this far on the other side
    const double score = -numeric::upper_tail_point(mass);
    return score + score_error(score);
  }

  // A bound on all falls of the score over a block, given log P at its left end, the step from there, and bounds on the
  // tail's probability.
  static double largest_fall(double numbers, double log_mass, double step, double lower, double upper) {
    const double low = lowest_score(lower);
    const double high = highest_score(upper);
    // The fall at the block's outcome j is at most L when P(j) <= L exp(-(reach^2 + L^2 / 12) / 2) / sqrt(2 pi).
    const auto needed = [&](double j, double fall) {
      const double reach = std::max(std::abs(low - (j + 0.5) * fall), std::abs(high - fall / 2));
      const double log_density = -(reach * reach + fall * fall / 12) / 2 - numeric::log_root_two_pi;
      return std::exp(log_mass + j * step - log_density) * (1 + 1e-11);
    };
    // Both sides' logarithms differ by a concave function of j: it is enough to look at the ends.
    double fall = 0;
    for (int round = 0; round < 100; ++round) {
      const double next = std::max(needed(0, fall), needed(numbers - 1, fall));
      if (next <= fall) return fall;
      fall = next * (1 + 1e-7);
    }
    throw Unsupported("binomial noise of this few trials is not dominated by normal noise at such small tails");
  }

  const BinomialNoise& noise_;
  const numeric::Binomial& law_;
  double size_;
};

}  // namespace

NormalDomination normal_domination(const BinomialNoise& noise, double tail) {
  require(1e-280 <= tail && tail <= 0.25, "tail", tail, "in [1e-280, 1/4]");
  const BinomialNoise failures = noise.reversed();
  return {std::max(UpperHalf(noise).slope(tail), UpperHalf(failures).slope(tail)), tail};
}

}  // namespace dpbudget::shuffle
