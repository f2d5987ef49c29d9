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

// fl/tuning/proofs.md, 1.2 and 2.2
std::optional<Bound> TuningAccount::spent(Adversary adversary, Pricing& price) const {
  const bool is_whole = adversary == Adversary::user_level;
  const std::size_t kinds = runs.empty() ? last->at(adversary).size() : runs.front().released.at(adversary).size();
  std::optional<Bound> worst;
  for (std::size_t kind = 0; kind < kinds; ++kind)
    for (std::uint64_t own = 0; own < (is_whole ? 1 : folds); ++own) {
      Composition all;
      for (const FoldRun& run : runs) {
        if (!is_whole && run.fold == own) continue;
        const std::optional<Event>& event = run.released.at(adversary)[kind];
        if (!event) return std::nullopt;
        all.add(*event);
      }
      if (selection) all.add(BoundedRange{is_whole ? user_selection.at(kind) : *selection});
      if (last != nullptr) {
        const std::optional<Event>& event = last->at(adversary)[kind];
        if (!event) return std::nullopt;
        all.add(*event);
      }
      try {
        Bound found = price(all.plan());
        if (!worst || worst->upper < found.upper) worst = std::move(found);
      } catch (const Unsupported&) {
        return std::nullopt;
      }
    }
  return worst;
}

}  // namespace dpbudget::fl
