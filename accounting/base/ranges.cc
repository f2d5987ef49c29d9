#include "dpbudget/accounting/base/ranges.h"

#include <cmath>
#include <string>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::ranges {

void noise_multiplier(double value) {
  require(0 < value && std::isfinite(value), "noise_multiplier", value, "positive and finite");
}
void scale(double value) { require(0 < value && std::isfinite(value), "scale", value, "positive and finite"); }
void epsilon(double value) { require(0 <= value && std::isfinite(value), "epsilon", value, "finite and at least 0"); }
void omega(double value) { require(1 < value && std::isfinite(value), "omega", value, "finite and above 1"); }
void rho(double value) { require(0 <= value && std::isfinite(value), "rho", value, "finite and at least 0"); }
void mu(double value) { require(0 <= value && std::isfinite(value), "mu", value, "finite and at least 0"); }
void release_delta(double value) { require(0 <= value && value <= 1, "delta", value, "in [0, 1]"); }
void delta(double value) { require(0 < value && value < 1, "delta", value, "in (0, 1)"); }
void delta_from_zero(double value) { require(0 <= value && value < 1, "delta", value, "in [0, 1)"); }
void rate(double value) { require(0 <= value && value <= 1, "rate", value, "in [0, 1]"); }
void fraction(std::uint64_t drawn, std::uint64_t population) {
  ranges::population(population);
  require(drawn <= population, "drawn", drawn, "at most the population, " + std::to_string(population));
}
void draws(std::uint64_t value) {
  require(1 <= value && value <= max_draws, "draws", value, "an integer in [1, 10^9]");
}
void group(std::uint64_t value) {
  require(1 <= value && value <= max_draws, "records", value, "an integer in [1, 10^9]");
}
void population(std::uint64_t value) {
  require(1 <= value && value <= max_count, "population", value, "an integer in [1, 2^53]");
}
void categories(std::uint64_t value) {
  require(2 <= value && value <= max_count, "categories", value, "an integer in [2, 2^53]");
}
void subset(std::uint64_t value) { require(value <= max_count, "subset", value, "an integer in [0, 2^53]"); }
void count(std::uint64_t value) { require(value <= max_count, "count", value, "an integer in [0, 2^53]"); }
void reports(std::uint64_t value) {
  require(1 <= value && value <= max_count, "reports", value, "an integer in [1, 2^53]");
}

void steps(std::uint64_t value) {
  require(1 <= value && value <= max_count, "steps", value, "an integer in [1, 2^53]");
}

void times(std::uint64_t value, std::uint64_t steps) {
  require(1 <= value && value <= steps, "times", value,
          "an integer in [1, " + std::to_string(steps) + "], the number of steps");
}

void records(std::uint64_t value) {
  require(1 <= value && value <= max_count, "records", value, "an integer in [1, 2^53]");
}
void order(double value) { require(1 < value && std::isfinite(value), "order", value, "in (1, inf)"); }

}  // namespace dpbudget::ranges
