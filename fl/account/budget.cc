#include "dpbudget/fl/account/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/fl/account/least_noise.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/account/silo_budgets.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

// Whether a run of more rounds never costs less. A record that is used once pays for the one release that it is in, at
// the least noise that any round has: rounds that are added can only lower it.
bool only_grows(const SettledRun& run) {
  return run->batches != Batches::disjoint ||
         (run->budget_for != Adversary::user_level && run.algorithm().mechanism == Mechanism::gaussian);
}

// The fewest rounds for which every client's disjoint batches are as large as for `rounds` of them: floor(R / (T K)) is
// m for the T above R / ((m + 1) K).
std::uint64_t first_with_such_batches(const SettledRun& given, const std::vector<Sizes>& everybody,
                                      std::uint64_t rounds) {
  const SettledRun run = given.with_rounds(rounds);
  std::uint64_t first = 1;
  for (const Sizes& sizes : everybody)
    first = std::max(first, sizes.records / ((batch_of(run, sizes.records) + 1) * run.local_steps()) + 1);
  return first;
}

}  // namespace

std::uint64_t affordable_rounds(const SettledRun& run, const std::vector<Sizes>& everybody, double epsilon) {
  Pricing price(run->delta);
  const auto fits = [&](std::uint64_t rounds) {
    const SettledRun shorter = run.with_rounds(rounds);
    return worst_epsilon(shorter, everybody, shorter.released_rounds(), price, epsilon) <= epsilon;
  };
  if (fits(run->rounds)) return run->rounds;
  if (only_grows(run)) return numeric::largest_that_fits(0, run->rounds, fits);
  // Fewer rounds have larger batches, which may cost more; among batches as large they cost less.
  for (std::uint64_t outside = run->rounds; outside > 1;) {
    const std::uint64_t first = first_with_such_batches(run, everybody, outside - 1);
    if (fits(first)) return numeric::largest_that_fits(first, outside, fits);
    outside = first;
  }
  return 0;
}

namespace {

// The most rounds that a filter may let through: all that it is asked for, but where noise that falls lets no more of
// them through than noise that does not.
std::uint64_t filtered_rounds(const SettledRun& run, const std::vector<Sizes>& everybody) {
  RunFilter filter(run, everybody);
  const auto admits = [&](std::uint64_t rounds) {
    return filter.admits(run, run.with_rounds(rounds).released_rounds());
  };
  if (admits(run->rounds) || (run.validation()->factor > 1 && admits(1))) return run->rounds;
  return numeric::largest_that_fits(0, run->rounds, admits);
}

}  // namespace

SettledRun within_budget(const SettledRun& run, const std::vector<Sizes>& everybody) {
  if (!run->epsilon) return run;
  const std::uint64_t rounds =
      run.validation() ? filtered_rounds(run, everybody) : affordable_rounds(run, everybody, *run->epsilon);
  require(
      rounds >= 1, "epsilon", *run->epsilon,
      fmt::format("enough for one round of this run against {} at delta {}", to_string(run->budget_for), run->delta));
  return run.with_rounds(rounds);
}

SettledRun settle(const RunRequest& request, const std::vector<std::uint64_t>& clients, std::uint64_t dimension) {
  const RunRequest found =
      with_least_noise(request, [&](const SettledRun& run) { return distinct_sizes(run, clients, dimension); });
  const SettledRun asked = calibrated(settle(found), clients);
  const SettledRun whole = with_chosen_filter(asked, distinct_sizes(asked, clients, dimension));
  const SettledRun run = within_budget(whole, distinct_sizes(whole, clients, dimension));
  // Fewer rounds cost less, except a whole client whose disjoint batches grow by it.
  return run->rounds == whole->rounds ? run : calibrated(run, clients);
}

}  // namespace dpbudget::fl
