#include "dpbudget/mechanisms/rappor.h"

#include <cmath>

#include "dpbudget/mechanisms/bernoulli.h"

namespace dpbudget::mechanisms {

std::vector<std::uint32_t> rappor(std::uint64_t value, std::uint64_t categories, double epsilon, Stream& stream) {
  require_few_categories(categories);
  require_local_epsilon(epsilon);
  require_category(value, categories);
  // In units of 2^-53: exp is off by at most 2, the coin by 4.
  const double odds_of_flip = std::exp(-epsilon / 2);
  std::vector<std::uint32_t> ones;
  for (std::uint32_t category = 0; category < categories; ++category) {
    const bool flipped = bernoulli_of_odds(odds_of_flip, stream);
    if (flipped != (category == value)) ones.push_back(category);
  }
  return ones;
}

Rappor rappor_event(std::uint64_t categories, double epsilon) {
  require_few_categories(categories);
  require_local_epsilon(epsilon);
  return {epsilon, categories};
}

Support rappor_support(double epsilon) {
  require_local_epsilon(epsilon);
  const double flip = std::exp(-epsilon / 2);
  return {flip / (1 + flip), -std::expm1(-epsilon / 2) / (1 + flip)};
}

}  // namespace dpbudget::mechanisms
