#include "dpbudget/accounting/loss_distribution/releases/cut.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::loss_distribution {

void check(const Cut& cut) {
  require(0 < cut.step && std::isfinite(cut.step), "step", cut.step, "positive and finite");
  require(0 < cut.tail && std::isfinite(cut.tail), "tail", cut.tail, "positive and finite");
}

Multiples multiples_around(double low, double high, double step) {
  const double first = std::floor(low / step);
  const double last = std::ceil(high / step);
  if (!(std::abs(first) <= 0x1p50 && std::abs(last) <= 0x1p50 && last - first <= 0x1p24))
    throw Unsupported(
        fmt::format("losses in [{:.3g}, {:.3g}] need more than 2^24 cells of width {:.3g}", low, high, step));
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)};
}

}  // namespace dpbudget::loss_distribution
