#include "dpbudget/tools/cli/simulation/first_steps.h"

#include <algorithm>

namespace dpbudget::tools {

std::pair<std::optional<double>, std::optional<double>> first_steps(const fl::StepSizes& steps,
                                                                    const std::vector<std::uint64_t>& records,
                                                                    std::uint64_t round) {
  std::vector<double> of_clients;
  for (const std::uint64_t count : records)
    if (const std::vector<double> sizes = steps.local(round, count); !sizes.empty()) of_clients.push_back(sizes[0]);
  if (of_clients.empty()) return {};
  const auto [least, most] = std::ranges::minmax(of_clients);
  return {least, most};
}

}  // namespace dpbudget::tools
