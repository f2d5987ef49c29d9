#include "dpbudget/accounting/shuffle/responses/randomized_response.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/weighted_tail.h"

namespace dpbudget::shuffle {
namespace {

using numeric::Binomial;
using numeric::Extended;
namespace extended = numeric::extended;

constexpr double infinity = std::numeric_limits<double>::infinity();

// log E[(X - c)_+] by c, or by what is left from c to the count: whichever keeps its digits.
double log_excess_over(const Binomial& binomial, Extended c) {
  const Extended first = extended::floor(c) + 1;
  return numeric::log_expected_excess(binomial, static_cast<double>(first), static_cast<double>(first - c));
}

double log_excess_below_count(const Binomial& binomial, Extended rest) {
  if (!(rest > 0)) return -infinity;
  const Extended whole = extended::ceil(rest) - 1;
  return numeric::log_expected_excess(binomial, static_cast<double>(binomial.count() - whole),
                                      static_cast<double>(rest - whole));
}

}  // namespace

double randomized_response_log_delta(double local_epsilon, std::uint64_t reports, double epsilon) {
  require(0 <= local_epsilon && std::isfinite(local_epsilon), "local_epsilon", local_epsilon, "finite and at least 0");
  ranges::reports(reports);
  ranges::epsilon(epsilon);
  if (epsilon >= local_epsilon) return -infinity;
  const auto n = static_cast<double>(reports);
  const Extended e0 = local_epsilon;
  const Extended e = epsilon;
  const Extended scale = n / -extended::expm1(-2 * e0);
  const Binomial zeros = Binomial::of_odds(n, local_epsilon);
  const Binomial ones = zeros.reversed();

  // One user at 1 against none: the ratio is above e^epsilon where A is above c.
  const Extended c = scale * extended::exp(e - e0) * -extended::expm1(-e0 - e);
  const Extended rest = scale * -extended::expm1(e - e0);
  const double log_one = rest < n / 2 ? log_excess_below_count(ones, rest) : log_excess_over(ones, c);
  // None against one: where it is below e^-epsilon.
  const Extended log_below = extended::log(rest) - e - e0;
  const double log_none = log_below <= 0 ? static_cast<double>(log_below) + zeros.log_mass(n)
                                         : log_excess_below_count(zeros, extended::exp(log_below));
  const double log_slope =
      local_epsilon + static_cast<double>(extended::log(-extended::expm1(-2 * e0))) - std::log(n);  // 2 sinh(e0) / n
  return std::min(0.0, log_slope + std::max(log_one, epsilon + log_none));
}

double randomized_response_delta(double local_epsilon, std::uint64_t reports, double epsilon) {
  return std::exp(randomized_response_log_delta(local_epsilon, reports, epsilon));
}

}  // namespace dpbudget::shuffle
