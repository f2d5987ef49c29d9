#include "dpbudget/fl/account/pricing.h"

#include <utility>

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

std::optional<Priced> worst_spent(const std::vector<Sizes>& everybody,
                                  const std::function<std::optional<Plan>(const Sizes&)>& plan_of, double delta,
                                  Pricing& price, double enough) {
  std::optional<Priced> worst;
  for (const Sizes& sizes : everybody) {
    auto plan = plan_of(sizes);
    if (!plan) return std::nullopt;
    Bound epsilon = price.at(*plan, delta);
    if (worst && epsilon.upper <= worst->epsilon.upper) continue;
    worst = {sizes, *std::move(plan), std::move(epsilon)};
    if (worst->epsilon.upper > enough) break;
  }
  return worst;
}

double worst_epsilon(const SettledRun& run, const std::vector<Sizes>& everybody, std::uint64_t rounds, Pricing& price,
                     double enough) {
  return worst_epsilon(run, everybody, run->budget_for, rounds, price, enough);
}

double worst_epsilon(const SettledRun& run, const std::vector<Sizes>& everybody, Adversary adversary,
                     std::uint64_t rounds, Pricing& price, double enough) {
  const auto planned = [&](const Sizes& sizes) -> std::optional<Plan> {
    check(run, sizes);
    auto proven = proven_plan(run, sizes, adversary, rounds);
    return proven ? std::optional(std::move(proven->plan)) : std::nullopt;
  };
  const auto worst = worst_spent(everybody, planned, price.delta(), price, enough);
  return worst ? worst->epsilon.upper : std::numeric_limits<double>::infinity();
}

}  // namespace dpbudget::fl
