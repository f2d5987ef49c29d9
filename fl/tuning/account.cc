#include "dpbudget/fl/tuning/account.h"

#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/run/sizes.h"

namespace dpbudget::fl {
namespace {

// Equal events together, in the order of their texts: the same question has the same answer, which Pricing knows.
class Composition {
 public:
  void add(const Event& event) {
    const auto [found, is_new] = counted_.try_emplace(to_text(Plan{event, Adjacency::replace_one}), event, 0);
    ++found->second.second;
  }

  Plan plan() const {
    std::vector<Event> parts;
    for (const auto& [text, counted] : counted_) parts.push_back(repeat(counted.second, counted.first));
    return {compose(std::move(parts)), Adjacency::replace_one};
  }

 private:
  std::map<std::string, std::pair<Event, std::uint64_t>> counted_;
};

bool protects_users(Adversary adversary) { return adversary == Adversary::user_level; }

// All that is released about a client of that kind, or about a record of its fold `own`; nothing without a guarantee.
// fl/tuning/proofs.md, 1.2 and 2.2
std::optional<Plan> together(const TuningAccount& account, Adversary adversary, std::size_t kind, std::uint64_t own) {
  const bool is_whole = protects_users(adversary);
  Composition all;
  const auto add = [&](const Released& released) {
    const std::optional<Event>& event = released.at(adversary)[kind];
    if (event) all.add(*event);
    return event.has_value();
  };
  for (const FoldRun& run : account.runs)
    if ((is_whole || run.fold != own) && !add(run.released)) return std::nullopt;
  if (account.selection) all.add(BoundedRange{is_whole ? account.user_selection.at(kind) : *account.selection});
  if (account.last != nullptr && !add(*account.last)) return std::nullopt;
  return all.plan();
}

double number_of(const std::vector<double>& numbers, std::uint64_t client) {
  return client < numbers.size() ? numbers[client] : 0;
}

}  // namespace

std::vector<std::uint64_t> one_of_each_kind(const Settings& settings, const std::vector<std::uint64_t>& records) {
  std::set<std::tuple<std::uint64_t, double, double, double, double>> known;
  std::vector<std::uint64_t> kinds;
  for (std::uint64_t client = 0; client < records.size(); ++client)
    if (known
            .emplace(records[client], number_of(settings.silo_noise, client), number_of(settings.silo_epsilon, client),
                     number_of(settings.silo_delta, client), number_of(settings.client_weights, client))
            .second)
      kinds.push_back(client);
  return kinds;
}

Released planned_releases(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t dimension,
                          std::span<const std::uint64_t> kinds) {
  Released released;
  const Population population(run, clients, dimension);
  for (const Adversary adversary : all_adversaries)
    for (const std::uint64_t client : kinds) {
      auto planned = plan(run, population[client], adversary, Basis::proven);
      released[adversary].push_back(planned ? std::optional(std::move(planned->plan.event)) : std::nullopt);
    }
  return released;
}

std::optional<Bound> TuningAccount::spent(Adversary adversary, Pricing& price) const {
  const std::size_t kinds = runs.empty() ? last->at(adversary).size() : runs.front().released.at(adversary).size();
  std::optional<Bound> worst;
  for (std::size_t kind = 0; kind < kinds; ++kind)
    for (std::uint64_t own = 0; own < (protects_users(adversary) ? 1 : folds); ++own) {
      const std::optional<Plan> all = together(*this, adversary, kind, own);
      if (!all) return std::nullopt;
      try {
        Bound found = price(*all);
        if (!worst || worst->upper < found.upper) worst = std::move(found);
      } catch (const Unsupported&) {
        return std::nullopt;
      }
    }
  return worst;
}

}  // namespace dpbudget::fl
