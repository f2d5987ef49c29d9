#include "dpbudget/accounting/approximate/group.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::approximate {

EpsilonLogDelta group(double epsilon, double delta, double size) {
  ranges::epsilon(epsilon);
  ranges::release_delta(delta);
  require(1 <= size && size <= 0x1p53 && size == std::floor(size), "size", size, "an integer in [1, 2^53]");
  if (epsilon == 0) return {0, std::log(delta) + std::log(size)};
  if (delta == 0) return {size * epsilon, std::log(delta)};
  const double log_ratio = std::log(std::expm1(-size * epsilon) / std::expm1(-epsilon));
  return {size * epsilon, std::log(delta) + (size - 1) * epsilon + log_ratio};
}

EpsilonDelta parallel_composition(std::span<const EpsilonDelta> parts, Adjacency adjacency, PartOf part_of) {
  double largest_epsilon = 0;
  double largest_delta = 0;
  double second_delta = 0;
  double largest_of_two_steps = 0;
  for (const auto& [epsilon, delta] : parts) {
    ranges::epsilon(epsilon);
    ranges::release_delta(delta);
    largest_epsilon = std::max(largest_epsilon, epsilon);
    second_delta = std::max(second_delta, std::min(largest_delta, delta));
    largest_delta = std::max(largest_delta, delta);
    if (delta > 0) largest_of_two_steps = std::max(largest_of_two_steps, delta * (1 + std::exp(epsilon)));
  }
  if (part_of == PartOf::fixed_in_advance || adjacency != Adjacency::replace_one)
    return {largest_epsilon, largest_delta};
  return {2 * largest_epsilon, std::min(1.0, std::max(largest_delta + second_delta, largest_of_two_steps))};
}

}  // namespace dpbudget::approximate
