#include "dpbudget/accounting/plan/table.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::ranges {
namespace {

void rows_of(const Table& rows, std::string_view name) {
  require(!rows.empty() && rows.size() <= most_rows, name, fmt::format("{} rows", rows.size()),
          fmt::format("1 to {} of them", most_rows));
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
