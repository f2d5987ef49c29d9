#include "dpbudget/mechanisms/randomized_response.h"

#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/mechanisms/bernoulli.h"

namespace dpbudget::mechanisms {
namespace {

void check(std::uint64_t categories, double epsilon) {
  ranges::categories(categories);
  require_local_epsilon(epsilon);
}

}  // namespace

std::uint64_t randomized_response(std::uint64_t value, std::uint64_t categories, double epsilon, Stream& stream) {
  check(categories, epsilon);
  require_category(value, categories);
  // In units of 2^-53: exp is off by at most 2 (one unit in the last place), the product by 1, the coin by 4.
  const double odds_of_lie = static_cast<double>(categories - 1) * std::exp(-epsilon);
  if (!bernoulli_of_odds(odds_of_lie, stream)) return value;
  const std::uint64_t other = boost::random::uniform_int_distribution<std::uint64_t>(0, categories - 2)(stream);
  return other < value ? other : other + 1;
}

RandomizedResponse randomized_response_event(std::uint64_t categories, double epsilon) {
  check(categories, epsilon);
  return {epsilon, categories};
}

Support randomized_response_support(std::uint64_t categories, double epsilon) {
  check(categories, epsilon);
  const double weights = 1 + static_cast<double>(categories - 1) * std::exp(-epsilon);
  return {std::exp(-epsilon) / weights, -std::expm1(-epsilon) / weights};
}

}  // namespace dpbudget::mechanisms
