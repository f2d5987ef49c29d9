#include "dpbudget/fl/verify/folding.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "dpbudget/fl/round/passes.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/range.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

// One that guarantees something.
std::optional<Mechanism> mechanism_of(const ReleaseRun& run) {
  const auto mechanism = find_mechanism(run.mechanism);
  if (!mechanism || !traits_of(*mechanism).adds_noise) return std::nullopt;
  return traits_of(*mechanism).encodes_bits && !run.encoder ? std::nullopt : mechanism;
}

// The batches of one random order.
struct Pass {
  std::vector<ReleaseView> views;
  std::uint64_t batches = 0;
};

std::optional<Batches> batches_of(std::string_view scheme) {
  for (const auto& [batches, name] : Names<Batches>::all)
    if (scheme_name(batches) == scheme) return batches;
  return std::nullopt;
}

}  // namespace

Folding::Folding(const LedgerHeader& header, Adversary adversary)
    : header_(header),
      adversary_(adversary),
      population_(header.run, header.clients),
      account_(header.run, header.clients.size(), adversary) {}

std::optional<Parts> Folding::parts(const Deed& deed) {
  Parts parts;
  std::map<std::uint64_t, Pass> passes;
  std::uint64_t first = 1;
  for (const ReleaseRun& run : *deed.releases) {
    const auto seen = view(deed, run, first);
    first += run.count;
    if (!seen) return std::nullopt;
    if (account_.counts_once(*seen)) {
      parts.used_once.push_back(*seen);
      continue;
    }
    if (account_.counts_by_pass(*seen)) {
      if (!run.pass || !run.first || run.end() > run.population) return std::nullopt;
      Pass& pass = passes[*run.pass];
      pass.views.push_back(*seen);
      pass.batches += run.count;
      continue;
    }
    const auto event = account_(*seen);
    if (!event) return std::nullopt;
    parts.sampled.add(*event, run.count);
  }
  for (const auto& [number, pass] : passes) {
    const auto event = account_.pass(pass.views, pass.batches);
    if (!event) return std::nullopt;
    parts.sampled.add(*event);
    parts.has_passes = true;
  }
  return parts;
}

// Each of a run of equal releases, from local step `first` on; nothing without a guarantee, or when the record makes no
// sense as a mechanism.
std::optional<ReleaseView> Folding::view(const Deed& deed, const ReleaseRun& run, std::uint64_t first) {
  if (!(1 <= run.sample && run.sample <= run.population) || !range::is_positive(run.clip_norm)) return std::nullopt;
  const auto mechanism = mechanism_of(run);
  const auto batches = batches_of(run.scheme);
  if (!mechanism || !batches) return std::nullopt;
  ReleaseView view;
  view.mechanism = *mechanism;
  view.sample = run.sample;
  view.population = run.population;
  view.batches = *batches;
  view.count_noise = run.count_noise;
  view.reports = deed.round->reports;
  view.reports.own = run.sample;
  if (traits_of(*mechanism).is_shuffled) hide_among_fewest(deed, view.reports);
  view.encoder = run.encoder;
  view.dimension = run.coordinates;
  view.variances = deed.round->variances;
  if (view.variances) view.variances->own = std::pow(deed.weight * run.noise_std, 2);
  if (!traits_of(*mechanism).takes_multipliers) return view;
  view.noise_multiplier = multiplier(deed, run, *mechanism, first);
  return range::is_positive(view.noise_multiplier) ? std::optional(view) : std::nullopt;
}

// Among clients of different sizes another draw might have brought fewer reports than are recorded; and of a client
// that was not drawn what is recorded says nothing.
// fl/account/proofs.md, 9.7
void Folding::hide_among_fewest(const Deed& deed, Shares<std::uint64_t>& recorded) const {
  if (deed.client >= header_.clients.size()) return;
  const Sizes sizes = population_[deed.client];
  if (sizes.least_others.empty()) return;
  const Shares<std::uint64_t> fewest = fewest_reports(header_.run, sizes, recorded.own);
  if (!deed.took_part) {
    recorded = fewest;
    return;
  }
  const std::uint64_t all_but_largest = std::min(recorded.all - recorded.largest, fewest.all - fewest.largest);
  recorded.all = std::min(recorded.all, fewest.all);
  recorded.largest = recorded.all - all_but_largest;
}

// The recorded noise over what the protected unit changes the release by, or, of shuffled reports, over what a record
// changes its own. Division gives a multiplier back up to its last bits, on which the mesh of an accountant may hang,
// and with it more than a budget found for the multiplier has to spare: where the planned one makes the recorded
// noise, bit for bit, it is taken. It is never more than was recorded.
double Folding::multiplier(const Deed& deed, const ReleaseRun& run, Mechanism mechanism, std::uint64_t first) {
  const bool is_report = traits_of(mechanism).is_shuffled;
  const std::uint64_t round = deed.round->entry->round;
  if (deed.client < header_.clients.size() && 1 <= round && round <= header_.run.released_rounds()) {
    const auto planned = step_noise(header_.run, population_[deed.client], round, first);
    const double divisor = is_report ? 1 : sensitivity_divisor(header_.run, run.sample);
    if (planned && planned_stds_(*planned, run.clip_norm, divisor) == run.noise_std)
      return unit_noise_multiplier(header_.run, mechanism, adversary_, *planned, run.sample);
  }
  const bool is_whole = is_report || adversary_ == Adversary::user_level;
  return noise_multiplier_of(run.noise_std, run.clip_norm, is_whole ? 1 : static_cast<double>(run.sample));
}

std::optional<Releases> Folding::planned(std::uint64_t round, std::uint64_t client) const {
  const SettledRun& run = header_.run;
  if (client >= header_.clients.size() || round == 0 || round > run.released_rounds()) return std::nullopt;
  const BatchRecipe recipe = recipe_of(run, population_[client], round, run->clip_norm);
  const MechanismTraits& mechanism = traits_of(recipe.mechanism);
  if (!mechanism.adds_noise || std::holds_alternative<MedianClipping>(recipe.clipping)) return std::nullopt;
  Releases planned;
  ReleaseRun release;
  release.count = 1;
  release.mechanism = mechanism_name(recipe);
  release.clip_norm = recipe.clip_norm;
  release.sample = recipe.sample;
  release.population = header_.clients[client];
  release.scheme = scheme_name(recipe.batches);
  release.count_noise = recipe.count_noise;
  release.encoder = recipe.encoder;
  release.coordinates = header_.dimension;
  if (mechanism.encodes_bits) planned.push_back(release);
  std::uint64_t step = 0;
  for (const double multiplier : recipe.noise_multipliers) {
    release.noise_std = gaussian_std(multiplier, recipe.clip_norm, mechanism.is_shuffled ? 1 : recipe.divisor);
    if (recipe.batches == Batches::shuffled) {
      const Place place = Passes(release.population, release.sample).place(++step);
      release.pass = place.pass;
      release.first = place.first;
    }
    if (!planned.empty() && planned.back().noise_std == release.noise_std && planned.back().pass == release.pass)
      ++planned.back().count;
    else
      planned.push_back(release);
  }
  return planned;
}

}  // namespace dpbudget::fl
