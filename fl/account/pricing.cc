#include "dpbudget/fl/account/pricing.h"

#include <algorithm>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/proven_plan.h"

namespace dpbudget::fl {

Bound Pricing::at(const Plan& plan, double delta) {
  const std::pair key{to_text(plan), delta};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, make_accountant(AccountantName::best, plan).value()->epsilon(1, delta).value())
      .first->second;
}

double worst_epsilon(const SettledRun& run, const std::vector<Sizes>& everybody, std::uint64_t rounds, Pricing& price,
                     double enough) {
  return worst_epsilon(run, everybody, run->budget_for, rounds, price, enough);
}

double worst_epsilon(const SettledRun& run, const std::vector<Sizes>& everybody, Adversary adversary,
                     std::uint64_t rounds, Pricing& price, double enough) {
  double worst = 0;
  for (const Sizes& sizes : everybody) {
    check(run, sizes);
    const auto proven = proven_plan(run, sizes, adversary, rounds);
    if (!proven) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, price(proven->plan).upper);
    if (worst > enough) break;
  }
  return worst;
}

}  // namespace dpbudget::fl
