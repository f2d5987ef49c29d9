#include "dpbudget/accounting/shuffle/vector_sum/vector_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift_bracket.h"
#include "dpbudget/accounting/shuffle/vector_sum/normal_scores.h"

namespace dpbudget::shuffle {
namespace {

using numeric::unit;

// What rounding and the tails of the noise may add to delta, each relative to it.
constexpr double share_of_tails = 1e-4;

// Probabilities of norms fall by 0.7 from one share to the next, and by more the smaller they are.
double next_probability(double probability) { return 0.7 * std::pow(probability, 1.03); }

// Beyond this no epsilon is looked for.
constexpr double largest_epsilon = 1e5;

// Tails below this are not computed.
constexpr double least_tail = 1e-280;

double trials(const VectorSum& sum) { return static_cast<double>(sum.honest * sum.bits); }

// log(1 + e^epsilon)
double log_both(double epsilon) { return epsilon + std::log1p(std::exp(-epsilon)); }

// The largest shift of one coordinate. In one dimension it is the worst: a larger shift of a log-concave law tells
// more.
// accounting/shuffle/vector_sum/proofs.md, 3.3 and 3.4
numeric::Bracket log_delta_of_line(const VectorSum& sum, double epsilon) {
  return binomial_shift_log_delta_bracket(trials(sum), sum.probability, static_cast<double>(sum.granularity), epsilon);
}

// accounting/shuffle/vector_sum/proofs.md, 1.2
double log_delta_by_normal_noise(const VectorSum& sum, double epsilon) {
  const BinomialNoise noise(trials(sum), sum.probability);
  const double all_agree = std::max(noise.mass_upper(noise.trials()), noise.reversed().mass_upper(noise.trials()));
  if (all_agree > share_of_tails) return 0;
  const double log_delta =
      profile::gaussian_log_delta(epsilon, std::sqrt(noise.variance()) / static_cast<double>(sum.granularity));
  const double share = std::exp(log_delta) * share_of_tails;
  // Of a tail, in every coordinate and on both sides.
  const double log_cost = log_both(epsilon) + std::log(static_cast<double>(sum.dimension));
  const NormalDomination normal = normal_domination(
      noise, std::clamp(share * std::exp(-log_cost), std::max(least_tail, all_agree), share_of_tails));

  double log_sum = std::log(normal.tail) + log_cost;
  double magnitude = std::abs(std::log(normal.tail)) + std::abs(log_cost);
  for (const auto& [norm, probability] :
       rounded_norms(sum.granularity, sum.dimension, std::clamp(share, least_tail, share_of_tails))) {
    const double multiplier = 1 / (normal.slope * norm) * (1 - 4 * unit);
    const double log_normal =
        profile::gaussian_log_delta(epsilon, multiplier) + profile::gaussian_log_delta_error(epsilon, multiplier);
    log_sum = numeric::log_add(log_sum, log_normal + std::log(probability));
    magnitude = std::max(magnitude, std::abs(log_normal) + std::abs(std::log(probability)));
  }
  // A few units for each logarithm and each of the sums, of which there are below 2^11.
  return std::min(0.0, log_sum + 0x1p11 * unit * (4 + magnitude));
}

double log_delta_upper(const VectorSum& sum, double epsilon) {
  return sum.dimension == 1 ? log_delta_of_line(sum, epsilon).upper : log_delta_by_normal_noise(sum, epsilon);
}

[[noreturn]] void refuse_few_trials() {
  throw Unsupported("honest * bits is so small that no epsilon below 10^5 can be shown at this delta");
}

// The epsilon at which `log_delta`, which falls, is `wanted`; at the upper end it is at most that.
numeric::Bracket solved(const std::function<double(double)>& log_delta, double wanted, double guess) {
  const auto excess = [&](double epsilon) { return log_delta(epsilon) - wanted; };
  const double near = std::clamp(1.01 * guess, 1e-12, largest_epsilon);
  const auto range = numeric::range_around(excess, near, {0.1 * near, 4}, {0, largest_epsilon});
  if (range.upper.value > 0) refuse_few_trials();
  return numeric::certified_root(excess, range, numeric::RootPrecision{.relative = 1e-9}, 100);
}

// Where `log_delta_of_line` is proven to be at most, and at least, what is wanted: from its unproven root outwards.
// accounting/shuffle/vector_sum/proofs.md, 5.3
double line_epsilon_upper(const VectorSum& sum, double log_delta, const numeric::Bracket& root) {
  double step = 1e-9 * root.upper + 1e-15;
  for (double epsilon = root.upper; epsilon < largest_epsilon; epsilon += step, step *= 2)
    if (log_delta_of_line(sum, epsilon).upper <= log_delta) return epsilon;
  refuse_few_trials();
}
double line_epsilon_lower(const VectorSum& sum, double log_delta, const numeric::Bracket& root) {
  double step = 1e-9 * root.lower;
  for (double epsilon = root.lower; epsilon > 0; epsilon -= step, step *= 2)
    if (log_delta_of_line(sum, epsilon).lower >= log_delta) return epsilon;
  return 0;
}

Bound bound(const VectorSum& sum, double lower, double upper) {
  const bool is_line = sum.dimension == 1;
  Bound result{
      .lower = lower,
      .upper = upper,
      .guarantee = Guarantee::proven,
      .theorems = {is_line ? "binomial noise, exactly: accounting/shuffle/vector_sum/proofs.md, 3.3"
                           : "binomial noise dominated by normal noise: accounting/shuffle/vector_sum/proofs.md, 1.2"},
      .notes = {},
      .accountant = ""};
  if (!is_line) result.notes.emplace_back("the lower end is that of data sets which differ along one coordinate");
  return result;
}

}  // namespace

void check(const VectorSum& sum) {
  require(1 <= sum.honest && sum.honest <= ranges::max_count, "honest", sum.honest, "an integer in [1, 2^53]");
  require(1 <= sum.bits && sum.bits <= ranges::max_count / sum.honest, "bits", sum.bits,
          fmt::format("an integer in [1, 2^53 / honest], honest being {}", sum.honest));
  require(0 < sum.probability && sum.probability < 1, "probability", sum.probability, "in (0, 1)");
  require(1 <= sum.granularity && sum.granularity <= std::uint64_t{1} << 26, "granularity", sum.granularity,
          "an integer in [1, 2^26]");
  require(1 <= sum.dimension && sum.dimension <= ranges::max_count, "dimension", sum.dimension,
          "an integer in [1, 2^53]");
}

// accounting/shuffle/vector_sum/proofs.md, 3.1 and 3.2
std::vector<NormShare> rounded_norms(std::uint64_t granularity, std::uint64_t dimension, double least) {
  ranges::delta(least);
  const auto g = static_cast<double>(granularity);
  if (dimension == 1) return {{g, 1}};
  // Proofs, section 3: for certain, and by Hoeffding's inequality. Each is raised by more than its operations.
  const double root = std::sqrt(static_cast<double>(dimension));
  const double certain = (std::sqrt((g - 1) * (g + 1)) + root) * (1 + 8 * unit);
  std::vector<NormShare> shares;
  double left = 1;
  while (true) {
    const double beyond = next_probability(left);
    const double likely =
        std::sqrt(g * g + root * root / 4 + (2 * g + root) * std::sqrt(-std::log(beyond) / 2)) * (1 + 8 * unit);
    if (likely >= certain || beyond < least) break;
    shares.push_back({likely, left - beyond});
    left = beyond;
  }
  shares.push_back({certain, left});
  return shares;
}

DeltaBound vector_sum_delta(const VectorSum& sum, double epsilon) {
  check(sum);
  ranges::epsilon(epsilon);
  const numeric::Bracket line = log_delta_of_line(sum, epsilon);
  const double log_upper = sum.dimension == 1 ? line.upper : log_delta_by_normal_noise(sum, epsilon);
  const double log_lower = std::min(line.lower, log_upper);
  const double upper = std::min(1.0, numeric::exp_up(log_upper, 4 * unit));
  return {bound(sum, numeric::exp_down(log_lower, 4 * unit), upper), log_lower, log_upper};
}

Bound vector_sum_epsilon(const VectorSum& sum, double delta) {
  check(sum);
  ranges::delta(delta);
  // Both sides of the inequality by a few units.
  const double log_delta = std::log(delta);
  const double rounding = 4 * unit * (1 + std::abs(log_delta));
  const double guess = profile::gaussian_epsilon(
      std::sqrt(BinomialNoise(trials(sum), sum.probability).variance()) / static_cast<double>(sum.granularity), delta);
  const auto shift = static_cast<double>(sum.granularity);
  const numeric::Bracket root = solved(
      [&](double e) { return binomial_shift_log_delta(trials(sum), sum.probability, shift, e); }, log_delta, guess);
  const double lower = line_epsilon_lower(sum, log_delta + rounding, root);
  const double upper =
      sum.dimension == 1
          ? line_epsilon_upper(sum, log_delta - rounding, root)
          : solved([&](double e) { return log_delta_by_normal_noise(sum, e); }, log_delta - rounding, guess).upper;
  return bound(sum, std::min(lower, upper), upper);
}

std::uint64_t vector_sum_least_bits(VectorSum sum, double epsilon, double delta) {
  sum.bits = 1;
  check(sum);
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  const double log_delta = std::log(delta) - 4 * unit * (1 - std::log(delta));
  const auto is_too_few = [&](std::uint64_t bits) {
    sum.bits = bits;
    // A lower bound that is too large settles it, also where the upper one has no tails to work with.
    return log_delta_of_line(sum, epsilon).lower > log_delta || log_delta_upper(sum, epsilon) > log_delta;
  };
  const std::uint64_t most = ranges::max_count / sum.honest;
  const double multiplier = profile::gaussian_noise_multiplier(epsilon, std::max(delta, 1e-300));
  const double deviation = multiplier * static_cast<double>(sum.granularity);
  const double guess =
      deviation * deviation / (sum.probability * (1 - sum.probability)) / static_cast<double>(sum.honest);
  if (is_too_few(most))
    throw Unsupported(fmt::format("{} participants need more than 2^53 coins in all for epsilon {} at delta {}",
                                  sum.honest, epsilon, delta));
  const double start = std::clamp(std::floor(guess), 0.0, static_cast<double>(most - 1));
  return numeric::largest_that_fits(to_integer<std::uint64_t>(start, "bits"), most, is_too_few) + 1;
}

}  // namespace dpbudget::shuffle
