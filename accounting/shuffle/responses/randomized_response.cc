#include "dpbudget/accounting/shuffle/responses/randomized_response.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/numeric/concave_tail.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/weighted_tail.h"

namespace dpbudget::shuffle {
namespace {

using numeric::Binomial;
using numeric::Bracket;
using numeric::Extended;
using numeric::unit;
namespace extended = numeric::extended;

// E[(X - c)_+] of a binomial X.
struct ReportExcess {
  Binomial binomial;
  double first;      // the least integer above c
  double above;      // first - c, in (0, 1], or 0 where that is below the range of a double
  double log_above;  // its logarithm all the same
  double cancelled;  // what `above` was rounded relative to, in multiples of itself
};

// By c, or by what is left from c to the count: whichever keeps its digits.
ReportExcess excess_over(const Binomial& binomial, Extended c) {
  const Extended first = extended::floor(c) + 1;
  const Extended above = first - c;
  return {binomial, static_cast<double>(first), static_cast<double>(above), static_cast<double>(extended::log(above)),
          static_cast<double>(first / above)};
}
ReportExcess excess_below_count(const Binomial& binomial, Extended log_rest) {
  const double count = binomial.count();
  if (log_rest <= 0)
    return {binomial, count, static_cast<double>(extended::exp(log_rest)), static_cast<double>(log_rest), 1};
  const Extended rest = extended::exp(log_rest);
  const Extended whole = extended::ceil(rest) - 1;
  const Extended above = rest - whole;
  return {binomial, static_cast<double>(count - whole), static_cast<double>(above),
          static_cast<double>(extended::log(above)), static_cast<double>(rest / above)};
}

double log_of(const ReportExcess& excess) {
  if (excess.first == excess.binomial.count()) return excess.log_above + excess.binomial.log_mass(excess.first);
  return numeric::log_expected_excess(excess.binomial, excess.first, excess.above);
}

// @param relative  error of what `above` was computed from
double log_lower(const ReportExcess& excess, double relative) {
  const double error = relative * excess.cancelled;
  if (!(error < 1)) return -infinity;
  const Binomial& binomial = excess.binomial;
  if (excess.first == binomial.count()) {
    const double log_mass = binomial.log_mass(excess.first);
    return excess.log_above + log_mass + std::log1p(-error) - binomial.log_mass_error(log_mass) -
           unit * (std::abs(excess.log_above) + std::abs(log_mass));
  }
  const auto weight = [&](double outcome) -> Bracket {
    const double value = outcome - excess.first + excess.above;
    const double off = error * excess.above + unit * value;
    return {value - off, value + off};
  };
  return numeric::log_concave_tail(binomial, excess.first, {weight}).lower;
}

// The two directions: delta is e^log_slope times the larger of the one and e^epsilon times the other.
struct Directions {
  ReportExcess one;   // one user at 1 against none: where the ratio is above e^epsilon
  ReportExcess none;  // none against one: where it is below e^-epsilon
  double log_slope;   // 2 sinh(local_epsilon) / reports
};

// accounting/shuffle/vector_sum/proofs.md, 4.1
Directions directions(double local_epsilon, double reports, double epsilon) {
  const Extended e0 = local_epsilon;
  const Extended e = epsilon;
  const Extended scale = reports / -extended::expm1(-2 * e0);
  const Binomial zeros = Binomial::of_odds(reports, local_epsilon);
  const Binomial ones = zeros.reversed();
  const Extended c = scale * extended::exp(e - e0) * -extended::expm1(-e0 - e);
  const Extended rest = scale * -extended::expm1(e - e0);
  const Extended log_rest = extended::log(rest);
  return {rest < reports / 2 ? excess_below_count(ones, log_rest) : excess_over(ones, c),
          excess_below_count(zeros, log_rest - e - e0),
          local_epsilon + static_cast<double>(extended::log(-extended::expm1(-2 * e0))) - std::log(reports)};
}

void check(double local_epsilon, std::uint64_t reports, double epsilon) {
  require(0 <= local_epsilon && std::isfinite(local_epsilon), "local_epsilon", local_epsilon, "finite and at least 0");
  ranges::reports(reports);
  ranges::epsilon(epsilon);
}

}  // namespace

double randomized_response_log_delta(double local_epsilon, std::uint64_t reports, double epsilon) {
  check(local_epsilon, reports, epsilon);
  if (epsilon >= local_epsilon) return -infinity;
  const auto [one, none, log_slope] = directions(local_epsilon, static_cast<double>(reports), epsilon);
  return std::min(0.0, log_slope + std::max(log_of(one), epsilon + log_of(none)));
}

double randomized_response_log_delta_lower(double local_epsilon, std::uint64_t reports, double epsilon) {
  check(local_epsilon, reports, epsilon);
  if (epsilon >= local_epsilon) return -infinity;
  const auto [one, none, log_slope] = directions(local_epsilon, static_cast<double>(reports), epsilon);
  // accounting/shuffle/proofs.md, 6.2: what rounding takes from a threshold.
  const double relative = unit * (2 + (local_epsilon + epsilon) / 64);
  const double log_excess = std::max(log_lower(one, relative), epsilon + log_lower(none, relative));
  const double magnitudes = 1 + std::abs(log_slope) + local_epsilon + std::log(static_cast<double>(reports)) + epsilon;
  return std::min(0.0, log_slope + log_excess - 4 * unit * (magnitudes + std::abs(std::max(log_excess, -1e300))));
}

double randomized_response_delta(double local_epsilon, std::uint64_t reports, double epsilon) {
  return std::exp(randomized_response_log_delta(local_epsilon, reports, epsilon));
}

}  // namespace dpbudget::shuffle
