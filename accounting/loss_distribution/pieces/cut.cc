#include "dpbudget/accounting/loss_distribution/pieces/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::loss_distribution {

void check(const Cut& cut) {
  require(0 < cut.step && std::isfinite(cut.step), "step", cut.step, "positive and finite");
  require(0 < cut.tail && std::isfinite(cut.tail), "tail", cut.tail, "positive and finite");
}

double tail_inside(double rate, double tail) { return std::min(tail / rate, 1e-9); }

Multiples multiples_around(double low, double high, double step) {
  const double first = std::floor(low / step);
  const double last = std::ceil(high / step);
  if (!(std::abs(first) <= 0x1p50 && std::abs(last) <= 0x1p50 && last - first <= 0x1p24))
    throw Unsupported(
        fmt::format("losses in [{:.3g}, {:.3g}] need more than 2^24 cells of width {:.3g}", low, high, step));
  return {to_integer<std::int64_t>(first, "first cell"), to_integer<std::int64_t>(last, "last cell")};
}

}  // namespace dpbudget::loss_distribution
