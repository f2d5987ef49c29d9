#include "dpbudget/fl/account/pricing.h"

#include <algorithm>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/rounds.h"
#include "dpbudget/fl/account/proven_plan.h"

namespace dpbudget::fl {

Bound Pricing::at(const Plan& plan, double delta) {
  const std::pair key{to_text(plan), delta};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, make_accountant(AccountantName::best, plan).value()->epsilon(1, delta).value())
      .first->second;
}

std::uint64_t Pricing::rounds(const Plan& round, double epsilon) {
  const std::pair key{to_text(round), epsilon};
  const auto known = known_rounds_.find(key);
  if (known != known_rounds_.end()) return known->second;
  const std::uint64_t found =
      solve::rounds(round, AccountantName::best, default_tolerance, epsilon, delta_).value().rounds;
  return known_rounds_.emplace(key, found).first->second;
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
