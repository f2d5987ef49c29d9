#include "dpbudget/fl/verify/views.h"

#include <cstddef>
#include <utility>

#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/account/run_filter.h"

namespace dpbudget::fl {
namespace {

// Of the kind of client that spends most.
template <class PlanOf>
std::optional<Priced> worst_of(const SettledRun& run, const std::vector<Sizes>& everybody, const PlanOf& plan_of,
                               double delta, Pricing& price) {
  auto worst = worst_spent(everybody, plan_of, delta, price);
  if (worst) worst->epsilon = of_run(run, std::move(worst->epsilon));
  return worst;
}

// What each kind of client would release, or released, as one adversary sees it.
using PlansOfKinds = std::vector<std::optional<Plan>>;

template <class PlanOf>
PlansOfKinds plans_of(const std::vector<Sizes>& everybody, const PlanOf& plan_of) {
  PlansOfKinds plans;
  plans.reserve(everybody.size());
  for (const Sizes& sizes : everybody) plans.push_back(plan_of(sizes));
  return plans;
}

struct PlansOfView {
  Adversary adversary;
  PlansOfKinds planned;
  PlansOfKinds executed;
};

std::vector<PlansOfView> plans_of_views(const SettledRun& run, Execution& execution,
                                        const std::vector<Sizes>& everybody, bool with_planned) {
  std::vector<PlansOfView> views;
  for (const Adversary adversary : all_adversaries) {
    const auto planned = [&](const Sizes& sizes) -> std::optional<Plan> {
      auto proven = plan(run, sizes, adversary, Basis::proven);
      return proven ? std::optional(std::move(proven->plan)) : std::nullopt;
    };
    const auto executed = [&](const Sizes& sizes) { return execution.plan(sizes, adversary); };
    views.push_back(
        {adversary, with_planned ? plans_of(everybody, planned) : PlansOfKinds(), plans_of(everybody, executed)});
  }
  return views;
}

View view_of(const SettledRun& run, const PlansOfView& plans, const std::vector<Sizes>& everybody, bool with_planned,
             Pricing& price) {
  const Adversary adversary = plans.adversary;
  View view{adversary, std::nullopt, std::nullopt, std::nullopt};
  const auto worst = [&](const PlansOfKinds& of_kinds) {
    return worst_of(
        run, everybody, [&, i = std::size_t{0}](const Sizes&) mutable { return of_kinds[i++]; }, price.delta(), price);
  };
  view.executed = worst(plans.executed);
  if (!with_planned) return view;
  for (const Sizes& sizes : everybody)
    if (plan(run.with_delta(price.delta()), sizes, adversary, Basis::published)) {
      Bound claim = claimed_epsilon(run, sizes, adversary, Basis::published, price);
      if (!view.published || view.published->upper < claim.upper) view.published = std::move(claim);
    }
  view.planned = worst(plans.planned);
  return view;
}

}  // namespace

std::optional<Priced> worst_executed(Execution& execution, Adversary adversary, const std::vector<Sizes>& everybody,
                                     double delta, Pricing& price) {
  return worst_of(
      execution.record().header().run, everybody, [&](const Sizes& sizes) { return execution.plan(sizes, adversary); },
      delta, price);
}

std::vector<View> views_of(Execution& execution, const std::vector<Sizes>& everybody, bool with_planned,
                           Pricing& price) {
  const SettledRun& run = execution.record().header().run;
  const std::vector<PlansOfView> plans = plans_of_views(run, execution, everybody, with_planned);
  std::vector<const Plan*> asked;
  for (const PlansOfView& of_view : plans)
    for (const PlansOfKinds* of_kinds : {&of_view.planned, &of_view.executed})
      for (const std::optional<Plan>& of_kind : *of_kinds)
        if (of_kind) asked.push_back(&*of_kind);
  price.prepare(asked);
  std::vector<View> views;
  for (const PlansOfView& of_view : plans) views.push_back(view_of(run, of_view, everybody, with_planned, price));
  return views;
}

}  // namespace dpbudget::fl
