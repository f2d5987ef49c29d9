#include "dpbudget/accounting/plan/table.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::ranges {
namespace {

void rows_of(const Table& rows, std::string_view name, std::size_t most = most_rows) {
  require(!rows.empty() && rows.size() <= most, name, fmt::format("{} rows", rows.size()),
          fmt::format("1 to {} of them", most));
}

}  // namespace

void shifts(const Table& rows) {
  rows_of(rows, "shifts");
  double sum = 0;
  for (const auto& [probability, offset] : rows) {
    require(0 <= probability && probability <= 1, "probability", probability, "in [0, 1]");
    require(0 <= offset && std::isfinite(offset), "offset", offset, "finite and at least 0");
    sum += probability;
  }
  require(sum <= 1 + rounding_of_probabilities, "the sum of all probabilities", sum, "at most 1");
}

void points(const Table& rows) {
  rows_of(rows, "points", most_points);
  double before = -1;
  for (const auto& [epsilon, delta] : rows) {
    require(before < epsilon && 0 <= epsilon && epsilon <= 700, "epsilon", epsilon,
            before < 0 ? "in [0, 700]" : fmt::format("in [0, 700] and above {}, the epsilon before", before));
    release_delta(delta);
    before = epsilon;
  }
}

void divergences(const Table& rows) {
  rows_of(rows, "divergences");
  double before = 1;
  for (const auto& [order, epsilon] : rows) {
    require(before < order && std::isfinite(order), "order", order,
            before == 1 ? "finite and above 1" : fmt::format("finite and above {}, the order before", before));
    require(0 <= epsilon && std::isfinite(epsilon), "epsilon", epsilon, "finite and at least 0");
    before = order;
  }
}

}  // namespace dpbudget::ranges
