#include "dpbudget/fl/spending.h"

#include <algorithm>
#include <limits>

#include "dpbudget/accounting/accountant.h"
#include "dpbudget/fl/algorithms/catalogue.h"

namespace dpbudget::fl {
namespace {

double spent_by(Run run, const std::vector<Sizes>& everybody, std::uint64_t rounds) {
  if (rounds == 0) return 0;
  // Batches that use every record once cost the same whenever the run ends.
  if (run.batches == Batches::fresh) {
    const std::uint64_t warm = std::min(*run.warm_start_rounds, std::max<std::uint64_t>(2, rounds) - 1);
    run.rounds = std::max<std::uint64_t>(1, rounds - std::min(rounds, warm));
    run.warm_start_rounds = warm;
  }
  double worst = 0;
  for (const Sizes& sizes : everybody) {
    const auto proven = plan(run, sizes, run.budget_for, Basis::proven);
    if (!proven) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, make_accountant(AccountantName::best, proven->plan)->epsilon(1, run.delta).upper);
  }
  return worst;
}

}  // namespace

std::vector<double> spending(const Run& run, const std::vector<Sizes>& everybody,
                             std::span<const std::uint64_t> rounds) {
  std::vector<double> spent;
  spent.reserve(rounds.size());
  for (const std::uint64_t count : rounds) spent.push_back(spent_by(run, everybody, count));
  return spent;
}

}  // namespace dpbudget::fl
