#include "dpbudget/fl/account/spending.h"

#include "dpbudget/fl/account/pricing.h"

namespace dpbudget::fl {

std::vector<double> spending(const SettledRun& run, const std::vector<Sizes>& everybody,
                             std::span<const std::uint64_t> rounds) {
  Pricing price(run->delta);
  std::vector<double> spent;
  spent.reserve(rounds.size());
  for (const std::uint64_t count : rounds)
    spent.push_back(count == 0 ? 0 : worst_epsilon(run, everybody, count, price));
  return spent;
}

}  // namespace dpbudget::fl
