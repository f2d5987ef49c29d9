#include "dpbudget/accounting/shuffle/vector_sum/published_sum.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::shuffle {
namespace {

void check_budget(double epsilon, double delta, double bound, std::uint64_t users) {
  require(0 < epsilon && epsilon <= 15, "epsilon", epsilon, "in (0, 15]");
  require(0 < delta && delta < 0.5, "delta", delta, "in (0, 1/2)");
  require(0 < bound && std::isfinite(bound), "bound", bound, "positive and finite");
  require(1 <= users && users <= ranges::max_count, "users", users, "an integer in [1, 2^53]");
}

// P_1D on [0, width] at (epsilon, delta), for each of `dimension` coordinates.
// @param asked  the epsilon of the whole protocol, which a refusal names
VectorSum coordinates(double epsilon, double asked, double delta, double width, std::uint64_t users,
                      std::uint64_t granularity, std::uint64_t dimension) {
  const auto n = static_cast<double>(users);
  const auto g = static_cast<double>(granularity);
  require(1 <= granularity && granularity <= std::uint64_t{1} << 26, "granularity", granularity,
          "an integer in [1, 2^26]");
  require(g >= width * std::sqrt(n), "granularity", granularity,
          fmt::format("at least the coordinate's range times sqrt(users), {}", width * std::sqrt(n)));
  const double coins = g * (g / n) * -std::log(delta / 2) / epsilon / epsilon;
  const double bits = std::floor(180 * coins) + 1;
  require(bits * n <= static_cast<double>(ranges::max_count), "epsilon", asked,
          "so large that the published users * bits is at most 2^53");
  VectorSum sum{.honest = users,
                .bits = to_integer<std::uint64_t>(bits, "bits"),
                .probability = 90 * coins / bits,
                .granularity = granularity,
                .dimension = dimension};
  check(sum);
  return sum;
}

double variance(const VectorSum& sum, double width) {
  const auto n = static_cast<double>(sum.honest);
  const double unit = width / static_cast<double>(sum.granularity);
  return unit * unit * n * (static_cast<double>(sum.bits) * sum.probability * (1 - sum.probability) + 0.25);
}

}  // namespace

double published_scalar_epsilon(double epsilon, double distance, double bound, std::uint64_t granularity) {
  require(0 < epsilon && epsilon <= 15, "epsilon", epsilon, "in (0, 15]");
  require(0 < bound && std::isfinite(bound), "bound", bound, "positive and finite");
  require(0 <= distance && distance <= bound, "distance", distance, "in [0, bound]");
  require(1 <= granularity, "granularity", granularity, "at least 1");
  return epsilon * (2 / static_cast<double>(granularity) + distance / bound);
}

PublishedSum published_scalar_sum(double epsilon, double delta, double bound, std::uint64_t users,
                                  std::uint64_t granularity) {
  check_budget(epsilon, delta, bound, users);
  const VectorSum sum = coordinates(epsilon, epsilon, delta, bound, users, granularity, 1);
  return {sum, published_scalar_epsilon(epsilon, bound, bound, granularity), delta, variance(sum, bound)};
}

PublishedSum published_vector_sum(double epsilon, double delta, double bound, std::uint64_t users,
                                  std::uint64_t granularity, std::uint64_t dimension) {
  check_budget(epsilon, delta, bound, users);
  require(1 <= dimension && dimension <= ranges::max_count, "dimension", dimension, "an integer in [1, 2^53]");
  const double of_coordinate = epsilon / (18 * std::sqrt(-std::log(delta)));
  const VectorSum sum = coordinates(of_coordinate, epsilon, delta / (static_cast<double>(dimension) + 1), 2 * bound,
                                    users, granularity, dimension);
  return {sum, epsilon, delta, variance(sum, 2 * bound)};
}

}  // namespace dpbudget::shuffle
