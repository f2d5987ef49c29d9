#include "dpbudget/fl/budget.h"

#include <fmt/format.h>

#include <utility>

#include "dpbudget/accounting/accountant.h"
#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/silo_budgets.h"

namespace dpbudget::fl {
namespace {

bool fits(Run run, std::uint64_t rounds, const std::vector<Sizes>& everybody, double epsilon) {
  run.rounds = rounds;
  for (const Sizes& sizes : everybody) {
    const auto proven = plan(run, sizes, run.budget_for, Basis::proven);
    if (!proven) return false;
    if (!(make_accountant(AccountantName::best, proven->plan)->epsilon(1, run.delta).upper <= epsilon)) return false;
  }
  return true;
}

}  // namespace

std::uint64_t affordable_rounds(const Run& run, const std::vector<Sizes>& everybody, double epsilon) {
  if (fits(run, run.rounds, everybody, epsilon)) return run.rounds;
  // A whole client pays for every round of disjoint batches, whose size falls as rounds grow: its cost is not monotone.
  if (run.batches == Batches::disjoint) {
    std::uint64_t rounds = run.rounds - 1;
    while (rounds > 0 && !fits(run, rounds, everybody, epsilon)) --rounds;
    return rounds;
  }
  std::uint64_t inside = 0;
  std::uint64_t outside = run.rounds;
  while (outside - inside > 1) {
    const std::uint64_t middle = inside + (outside - inside) / 2;
    (fits(run, middle, everybody, epsilon) ? inside : outside) = middle;
  }
  return inside;
}

Run within_budget(Run run, const std::vector<Sizes>& everybody) {
  if (!run.epsilon) return run;
  const std::uint64_t rounds = affordable_rounds(run, everybody, *run.epsilon);
  require(rounds >= 1, "epsilon", *run.epsilon,
          fmt::format("enough for one round of this run against {} at delta {}", to_string(run.budget_for), run.delta));
  run.rounds = rounds;
  return run;
}

Run settled(const Run& given, const std::vector<std::uint64_t>& clients, std::uint64_t dimension) {
  const Run whole = calibrated(completed(given), clients);
  Run run = within_budget(whole, distinct_sizes(whole, clients, dimension));
  // Fewer rounds cost less, except a whole client whose disjoint batches grow by it.
  return run.rounds == whole.rounds ? run : calibrated(std::move(run), clients);
}

}  // namespace dpbudget::fl
