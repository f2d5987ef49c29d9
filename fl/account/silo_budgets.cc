#include "dpbudget/fl/account/silo_budgets.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/round/participants.h"
#include "dpbudget/fl/round/passes.h"

namespace dpbudget::fl {
namespace {

// What the records of a silo of `sizes` cost over the whole run, at a noise of its own.
class Cost {
 public:
  Cost(const SettledRun& run, Sizes sizes, double delta) : run_(run), sizes_(sizes), delta_(delta) {}

  Answer<Bound> operator()(AccountantName name, double noise) const {
    Sizes sizes = sizes_;
    sizes.noise_multiplier = noise;
    // What leaves a silo with Gaussian noise always has a proven plan: it is clipped, but not at the median.
    const auto proven = plan(run_, sizes, run_->budget_for, Basis::proven);
    const auto accountant = make_accountant(name, proven.value().plan);
    if (!accountant) return accountant.error();
    return (*accountant)->epsilon(1, delta_);
  }

 private:
  const SettledRun& run_;
  Sizes sizes_;
  double delta_;
};

// The probability that a release of a participation contains a record.
// fl/account/proofs.md, 11.6
double exposure_in_a_round(const SettledRun& run, const Sizes& sizes) {
  const std::uint64_t sample = batch_of(run, sizes.records);
  const auto log_absent = [&](std::uint64_t batches) {
    return std::log1p(-Rate(batches * sample, sizes.records).value());
  };
  const auto times = [](std::uint64_t count, double log) { return count == 0 ? 0 : static_cast<double>(count) * log; };
  if (run->batches != Batches::shuffled) return -std::expm1(times(run.local_steps(), log_absent(1)));
  const std::uint64_t in_a_pass = Passes(sizes.records, sample).batches();
  const double whole_passes = times(run.local_steps() / in_a_pass, log_absent(in_a_pass));
  return -std::expm1(whole_passes + times(1, log_absent(run.local_steps() % in_a_pass)));
}

// The probability that a release ever contains what is protected: a delta of so much needs no noise.
double exposure(const SettledRun& run, const Sizes& sizes) {
  const double rate = participation_rate(run, sizes).value();
  const bool whole_client = run->budget_for == Adversary::user_level;
  if (run->batches == Batches::disjoint && !whole_client) return rate;
  const double in_a_round = whole_client ? rate : rate * exposure_in_a_round(run, sizes);
  return -std::expm1(static_cast<double>(run.released_rounds()) * std::log1p(-in_a_round));
}

double least_noise(const Cost& cost, const SiloBudget& budget, std::uint64_t client) {
  const auto bound_by = [&](AccountantName name, double noise) -> Answer<Bound> {
    try {
      return cost(name, noise);
    } catch (const InvalidArgument& outside) {
      if (noise == 1) throw;  // where the search begins: what is refused there is refused for good
      // So far out that a schedule leaves the range of a double.
      return Refusal{"", outside.what()};
    }
  };
  const solve::Solution found =
      solve::by_accountant(UnknownKind::noise, AccountantName::best, default_tolerance, budget.epsilon, bound_by)
          .value();
  require(found.value.has_value(), "silo_epsilon", budget.epsilon,
          fmt::format("an epsilon that decides the noise of silo {} at delta {}: {}", client, budget.delta,
                      found.explanation));
  return *found.value;
}

}  // namespace

SettledRun calibrated(const SettledRun& given, const std::vector<std::uint64_t>& clients) {
  if (given->silo_epsilon.empty()) return given;
  const bool is_given = !given->silo_noise.empty();
  // From here on it is a run of unequal silos, whose plans count no noise but their own.
  const SettledRun run = is_given ? given : given.with_silo_noise(std::vector<double>(clients.size(), 1));
  std::map<std::tuple<std::uint64_t, double, SiloBudget>, double> known;
  std::vector<double> noises;
  const Population population(run, clients);
  for (std::uint64_t client = 0; client < clients.size(); ++client) {
    const Sizes sizes = population[client];
    const SiloBudget budget = silo_budget_of(run, client);
    const auto [entry, is_new] = known.try_emplace({sizes.records, *sizes.noise_multiplier, budget}, 0);
    if (is_new) {
      const double exposed = exposure(run, sizes);
      require(budget.delta < exposed, "silo_delta", budget.delta,
              fmt::format("below {:.6g}, the probability that silo {} ever releases a record", exposed, client));
      const Cost cost(run, sizes, budget.delta);
      entry->second = is_given ? *sizes.noise_multiplier : least_noise(cost, budget, client);
      const double spent = is_given ? cost(AccountantName::best, entry->second).value().upper : 0;
      require(spent <= budget.epsilon, "silo_noise", entry->second,
              fmt::format("enough for silo {}, which may spend epsilon {} at delta {} and would spend {}", client,
                          budget.epsilon, budget.delta, spent));
    }
    noises.push_back(entry->second);
  }
  return run.with_silo_noise(std::move(noises));
}

}  // namespace dpbudget::fl
