#include "dpbudget/fl/account/pricing.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/rounds.h"
#include "dpbudget/fl/account/proven_plan.h"

namespace dpbudget::fl {

namespace {

Bound best_epsilon(const Plan& plan, double delta) {
  return make_accountant(AccountantName::best, plan).value()->epsilon(1, delta).value();
}

}  // namespace

Bound Pricing::at(const Plan& plan, double delta) {
  const std::pair key{to_text(plan), delta};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, best_epsilon(plan, delta)).first->second;
}

void Pricing::prepare(std::span<const Plan* const> plans) {
  std::map<std::string, const Plan*> distinct;
  for (const Plan* plan : plans)
    if (std::string text = to_text(*plan); !known_.contains({text, delta_}))
      distinct.try_emplace(std::move(text), plan);
  std::vector<std::pair<std::string, const Plan*>> asked(distinct.begin(), distinct.end());
  std::vector<Bound> found(asked.size());
  tbb::parallel_for(std::size_t{0}, asked.size(),
                    [&](std::size_t i) { found[i] = best_epsilon(*asked[i].second, delta_); });
  for (std::size_t i = 0; i < asked.size(); ++i)
    known_.emplace(std::pair{std::move(asked[i].first), delta_}, std::move(found[i]));
}

double Pricing::from_above(const Plan& plan) {
  const std::string text = to_text(plan);
  const auto known = known_from_above_.find(text);
  if (known != known_from_above_.end()) return known->second;
  const Bound found = make_accountant(AccountantName::best, plan).value()->epsilon_from_above(1, delta_).value();
  return known_from_above_.emplace(text, found.upper).first->second;
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
  constexpr double unproven = std::numeric_limits<double>::infinity();
  double worst = everybody.empty() ? unproven : 0;
  for (const Sizes& sizes : everybody) {
    check(run, sizes);
    const auto proven = proven_plan(run, sizes, adversary, rounds);
    if (!proven) return unproven;
    worst = std::max(worst, price.from_above(proven->plan));
    if (worst > enough) break;
  }
  return worst;
}

}  // namespace dpbudget::fl
