#include "dpbudget/mechanisms/frequency_oracle.h"

#include <limits>
#include <string>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::mechanisms {

void require_local_epsilon(double epsilon) {
  require(0 <= epsilon && epsilon <= max_local_epsilon, "epsilon", epsilon, "in [0, 700]");
}

void require_few_categories(std::uint64_t categories) {
  require(2 <= categories && categories <= std::numeric_limits<std::uint32_t>::max(), "categories", categories,
          "an integer in [2, 2^32)");
}

void require_category(std::uint64_t value, std::uint64_t categories) {
  require(value < categories, "value", value, "below the number of categories, " + std::to_string(categories));
}

double frequency(std::uint64_t supporting, std::uint64_t reports, const Support& support) {
  ranges::reports(reports);
  require(supporting <= reports, "supporting", supporting, "at most the reports, " + std::to_string(reports));
  require(0 <= support.base && support.base < 1, "base", support.base, "in [0, 1)");
  require(0 < support.gain && support.gain <= 1, "gain", support.gain, "in (0, 1]: reports at epsilon 0 tell nothing");
  return (static_cast<double>(supporting) / static_cast<double>(reports) - support.base) / support.gain;
}

std::vector<double> frequencies(std::span<const std::vector<std::uint32_t>> reports, std::uint64_t categories,
                                const Support& support) {
  require_few_categories(categories);
  std::vector<std::uint64_t> supporting(categories);
  for (const std::vector<std::uint32_t>& report : reports)
    for (const std::uint32_t category : report) {
      require_category(category, categories);
      ++supporting[category];
    }
  std::vector<double> estimates;
  estimates.reserve(categories);
  for (const std::uint64_t count : supporting) estimates.push_back(frequency(count, reports.size(), support));
  return estimates;
}

}  // namespace dpbudget::mechanisms
