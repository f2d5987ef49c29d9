#include "dpbudget/accounting/solve/most_reports.h"

#include <algorithm>
#include <optional>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::solve {

std::uint64_t most_reports(const Event& event) {
  std::uint64_t most = ranges::max_count;
  each_shuffle(event, [&](const Shuffled& shuffled, std::optional<std::uint64_t> drawn) {
    if (drawn && shuffled.reports.is_unknown()) most = std::min(most, *drawn / shuffled.records);
  });
  return most;
}

}  // namespace dpbudget::solve
