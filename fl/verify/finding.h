/// @file
/// What one check found, and the lines that checks go through.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::fl {

/// Collects failures of one check and keeps the first.
class Finding {
 public:
  explicit Finding(std::string_view name) : name_(name) {}

  /// Says otherwise only where it does not hold: a million lines ask, and mostly hold.
  template <class... Values>
  void expect(bool holds, fmt::format_string<Values...> otherwise, Values&&... values) {
    if (!holds && failures_++ == 0) first_ = fmt::format(otherwise, std::forward<Values>(values)...);
  }

  /// The same of one line, which is named.
  template <class... Values>
  void expect(const Participation& at, bool holds, fmt::format_string<Values...> otherwise, Values&&... values) {
    if (!holds && failures_++ == 0)
      first_ = fmt::format("round {}, client {}: {}", at.round, at.client,
                           fmt::format(otherwise, std::forward<Values>(values)...));
  }

  Check conclude(std::string when_passed) const {
    if (failures_ == 0) return {name_, true, std::move(when_passed)};
    return {name_, false, failures_ == 1 ? first_ : fmt::format("{} (and {} more)", first_, failures_ - 1)};
  }

 private:
  std::string name_;
  std::size_t failures_ = 0;
  std::string first_;
};

/// Calls visit(participation, its run of releases, the recipe planned for it, the run's first step) for each of a
/// participation; for none where its client or round does not exist: a schedule may have no noise for a round that was
/// not planned.
/// @param population  of the header
template <class Visit>
void for_each_release(const LedgerHeader& header, const Population& population, const Participation& participation,
                      const Visit& visit) {
  if (participation.client >= header.clients.size() || participation.round == 0 ||
      participation.round > header.run.released_rounds())
    return;
  const BatchRecipe planned =
      recipe_of(header.run, population[participation.client], participation.round, header.run->clip_norm);
  std::uint64_t first = 1;
  for (const ReleaseRun& run : participation.releases) {
    visit(participation, run, planned, first);
    first += run.count;
  }
}

/// The same for all participations.
template <class Visit>
void for_each_release(const Ledger& ledger, const Visit& visit) {
  const Population population(ledger.header.run, ledger.header.clients);
  for (const Participation& participation : ledger.participations)
    for_each_release(ledger.header, population, participation, visit);
}

}  // namespace dpbudget::fl
