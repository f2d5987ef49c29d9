#include "dpbudget/fl/account/least_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/proven_plan.h"

namespace dpbudget::fl {
namespace {

RunRequest with_noise(const RunRequest& request, double noise) {
  RunRequest other = request;
  other.asks_noise = false;
  other.noise_multiplier = noise;
  return other;
}

// The least noise for one kind of client.
double least_noise(const RunRequest& request, const Sizes& sizes) {
  const auto bound_by = [&](AccountantName name, double noise) -> Answer<Bound> {
    try {
      const SettledRun run = settle(with_noise(request, noise));
      const auto proven = proven_plan(run, sizes, run->budget_for, run.released_rounds());
      if (!proven) return Refusal{"", fmt::format("nothing is proven against {}", to_string(run->budget_for))};
      const auto accountant = make_accountant(name, proven->plan);
      if (!accountant) return accountant.error();
      return (*accountant)->epsilon_from_above(1, run->delta);
    } catch (const InvalidArgument& outside) {
      if (noise == 1) throw;  // where the search begins: what is refused there is refused for good
      // So far out that a schedule leaves the range of a double.
      return Refusal{"", outside.what()};
    }
  };
  const auto found =
      solve::by_accountant(UnknownKind::noise, AccountantName::best, default_tolerance, *request.epsilon, bound_by);
  require(found.has_value(), "noise", "?", fmt::format("a number: {}", found ? "" : found.error().of_all().text()));
  require(found->value.has_value(), "epsilon", *request.epsilon,
          fmt::format("an epsilon that decides the noise at delta {}: {}", request.delta, found->explanation));
  return *found->value;
}

// A silo's report is what it is while its noise is small, and known by its guarantee alone where that is shuffled; so
// more noise may cost more, and less keep to the budget too. From `noise`, which fits, by ever longer steps down while
// they fit.
template <class Fits>
double lowered(double noise, const Fits& fits) {
  constexpr double first_step = 0.1;
  constexpr numeric::Bracket limits{-600, 600};
  const auto side = [&](double log_noise) { return fits(std::exp(log_noise)) ? -1.0 : 1.0; };
  const auto range = numeric::range_around(side, std::log(noise), {first_step}, limits);
  const double found = std::exp(numeric::certified_root(side, range, {.absolute = 1e-12}).upper);
  return fits(found) ? std::min(found, noise) : noise;
}

}  // namespace

RunRequest with_least_noise(const RunRequest& request, const KindsOf& kinds_of) {
  if (!request.asks_noise) return request;
  const SettledRun some = settle(with_some_noise(request));
  const double epsilon = *request.epsilon;
  const std::vector<Sizes> kinds = kinds_of(some);
  for (const Sizes& sizes : kinds) check(some, sizes);
  Pricing price(request.delta);
  const auto fits = [&](const std::vector<Sizes>& who, double noise) {
    const SettledRun run = settle(with_noise(request, noise));
    return worst_epsilon(run, who, run.released_rounds(), price, epsilon) <= epsilon;
  };
  double noise = 0;
  for (const Sizes& sizes : kinds)
    if (noise == 0 || !fits({sizes}, noise)) noise = std::max(noise, least_noise(request, sizes));
  // More noise costs less, but its upper end may lie higher by what it was computed to.
  for (double more = 0x1p-40; more < 1 && !fits(kinds, noise); more *= 2) noise *= 1 + more;
  require(fits(kinds, noise), "epsilon", epsilon, "an epsilon that some noise is proven to keep to");
  if (traits_of(some.algorithm().mechanism).is_shuffled)
    noise = lowered(noise, [&](double less) { return fits(kinds, less); });
  return with_noise(request, noise);
}

}  // namespace dpbudget::fl
