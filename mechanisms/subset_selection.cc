#include "dpbudget/mechanisms/subset_selection.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/mechanisms/bernoulli.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::mechanisms {
namespace {

void check(std::uint64_t categories, std::uint64_t subset_size, double epsilon) {
  require_few_categories(categories);
  require(1 <= subset_size && subset_size < categories, "subset_size", subset_size, "in [1, categories - 1]");
  require_local_epsilon(epsilon);
}

}  // namespace

std::uint64_t best_subset_size(std::uint64_t categories, double epsilon) {
  require_few_categories(categories);
  require_local_epsilon(epsilon);
  return dpbudget::best_subset_size(categories, epsilon);
}

std::vector<std::uint32_t> subset_selection(std::uint64_t value, std::uint64_t categories, std::uint64_t subset_size,
                                            double epsilon, Stream& stream) {
  check(categories, subset_size, epsilon);
  require_category(value, categories);
  // There are (k - d) / d as many sets without the value as with it. In units of 2^-53: exp is off by at most 2, the
  // product and the quotient by 1 each, the coin by 4.
  const double odds_of_absence =
      static_cast<double>(categories - subset_size) * std::exp(-epsilon) / static_cast<double>(subset_size);
  const bool absent = bernoulli_of_odds(odds_of_absence, stream);
  std::vector<std::uint32_t> chosen =
      sample_without_replacement(categories - 1, absent ? subset_size : subset_size - 1, stream).indices;
  for (std::uint32_t& category : chosen) category += category >= value ? 1 : 0;
  if (!absent) chosen.insert(std::ranges::lower_bound(chosen, value), static_cast<std::uint32_t>(value));
  return chosen;
}

SubsetSelection subset_selection_event(std::uint64_t categories, std::uint64_t subset_size, double epsilon) {
  check(categories, subset_size, epsilon);
  return {epsilon, categories, subset_size};
}

Support subset_selection_support(std::uint64_t categories, std::uint64_t subset_size, double epsilon) {
  check(categories, subset_size, epsilon);
  const auto size = static_cast<double>(subset_size);
  const auto rest = static_cast<double>(categories - subset_size);
  // With p = d / (d + (k - d) e^-epsilon) for the value's presence, base is (d - p) / (k - 1) and gain p - base.
  const double weights = (size + rest * std::exp(-epsilon)) * static_cast<double>(categories - 1);
  return {size * (size - 1 + rest * std::exp(-epsilon)) / weights, -size * rest * std::expm1(-epsilon) / weights};
}

}  // namespace dpbudget::mechanisms
