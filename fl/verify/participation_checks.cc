#include "dpbudget/fl/verify/participation_checks.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <variant>

#include "dpbudget/fl/round/adaptive_clipping.h"
#include "dpbudget/fl/round/passes.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

constexpr double noise_tolerance = 1e-12;  // the noise is computed anew, from the run, by the same formula

void append(auto& all, auto& more) { all.insert(all.end(), more.begin(), more.end()); }

}  // namespace

void ParticipationFindings::add(ParticipationFindings later) {
  local_steps.add(later.local_steps);
  record_sampling.add(later.record_sampling);
  step_sizes.add(later.step_sizes);
  clipping.add(later.clipping);
  noise.add(later.noise);
  drawn.add(later.drawn);
  append(clipped, later.clipped);
  append(below, later.below);
}

// One thread's look at participations, of which many have the same plan.
class ParticipationChecks::Look {
 public:
  explicit Look(const ParticipationChecks& checks)
      : header_(checks.header_),
        population_(checks.population_),
        steps_(checks.steps_),
        draws_(checks.header_),
        is_adaptive_(std::holds_alternative<AdaptiveClipping>(header_.run->clipping)),
        is_at_median_(std::holds_alternative<MedianClipping>(header_.run->clipping)) {}

  void at(const Participation& participation) {
    look_at_steps(participation);
    if (is_adaptive_ && !participation.releases.empty())
      found_.below.emplace_back(participation.round, share_below(participation.releases));
    // There may be no plan for a round that was not planned.
    if (!is_planned(participation)) return;
    const BatchRecipe& planned = recipe(participation);
    std::uint64_t first = 1;
    for (const ReleaseRun& run : participation.releases) {
      look_at_batches(participation, run, planned, first);
      look_at_clipping(participation, run, planned);
      look_at_noise(participation, run, planned, first);
      draws_.look_at(participation, run, planned, first, found_.drawn);
      first += run.count;
    }
  }

  ParticipationFindings found() && { return std::move(found_); }

 private:
  bool is_planned(const Participation& at) const {
    return at.client < header_.clients.size() && 1 <= at.round && at.round <= header_.run.released_rounds();
  }

  const BatchRecipe& recipe(const Participation& at) {
    const std::pair key{at.round, population_.kind_of(at.client)};
    const auto known = recipes_.find(key);
    if (known != recipes_.end()) return known->second;
    return recipes_.emplace(key, recipe_of(header_.run, population_[at.client], at.round, header_.run->clip_norm))
        .first->second;
  }

  // The steps follow from the run, like the noise; they cost nothing, but another step is another run.
  void look_at_steps(const Participation& at) {
    std::uint64_t steps = 0;
    for (const ReleaseRun& run : at.releases) steps += run.count;
    const std::uint64_t due = header_.run.local_steps();
    found_.local_steps.expect(at, steps == due, "{} releases, {} planned", steps, due);
    if (!steps_ || !is_planned(at)) return;
    const std::uint64_t warm = header_.run.warm_start_rounds();
    std::vector<double> planned =
        at.round > warm ? steps_->local(at.round - warm, header_.clients[at.client]) : std::vector{0.0};
    if (header_.version < 6 && steps_->are_stichs()) planned.clear();
    const auto agrees = [](double found, double wanted) {
      return std::abs(found - wanted) <= noise_tolerance * wanted;
    };
    found_.step_sizes.expect(at, std::ranges::equal(at.step_sizes, planned, agrees), "other steps than planned");
  }

  void look_at_batches(const Participation& at, const ReleaseRun& run, const BatchRecipe& planned,
                       std::uint64_t first) {
    Finding& finding = found_.record_sampling;
    const bool disjoint = planned.batches == Batches::disjoint;
    const std::string_view scheme = scheme_name(planned.batches);
    const std::uint64_t records = header_.clients[at.client];
    finding.expect(at, run.scheme == scheme, "samples by `{}`", run.scheme);
    finding.expect(at, run.sample == planned.sample && run.population == records,
                   "{} of {} records, {} of {} was planned", run.sample, run.population, planned.sample, records);
    const std::uint64_t begin = (planned.first_batch + first - 1) * planned.sample;
    finding.expect(at, !disjoint || run.first == begin, "the batch begins elsewhere than at record {}", begin);
    const bool shuffled = planned.batches == Batches::shuffled;
    finding.expect(at, shuffled || (!run.pass && (disjoint || !run.first)), "a place in an order that there is not");
    if (!shuffled) return;
    const Place place = Passes(records, planned.sample).place(first);
    finding.expect(at, run.pass == place.pass && run.first == place.first,
                   "step {}: the batch is elsewhere than in pass {} at record {}", first, place.pass, place.first);
    finding.expect(at, run.end() <= records, "pass {} goes on beyond its {} records", place.pass, records);
  }

  void look_at_clipping(const Participation& at, const ReleaseRun& run, const BatchRecipe& planned) {
    // Whether the round is recorded may not be known yet.
    if (!is_at_median_ && (is_adaptive_ || run.clip_norm != header_.run->clip_norm))
      found_.clipped.push_back({at.round, at.client, run.clip_norm});
    found_.clipping.expect(at, run.largest_released <= run.clip_norm, "a gradient of norm {} went in, clipped to {}",
                           run.largest_released, run.clip_norm);
    found_.clipping.expect(at, run.count_noise == planned.count_noise,
                           "the number below the threshold has other noise than planned");
  }

  // Standard deviation of a release's noise as planned for its step, at the norm that it was clipped to.
  double planned_std(const BatchRecipe& planned, const ReleaseRun& run, std::uint64_t step) {
    const MechanismTraits& mechanism = traits_of(planned.mechanism);
    if (mechanism.encodes_bits) return run.noise_std;  // what counts is the encoder
    if (!mechanism.takes_multipliers || step == 0 || step > planned.noise_multipliers.size()) return 0;
    const double divisor = mechanism.is_shuffled ? 1 : planned.divisor;
    const double multiplier = planned.noise_multipliers[step - 1];
    return planned_stds_(multiplier, run.clip_norm, divisor);
  }

  void look_at_noise(const Participation& at, const ReleaseRun& run, const BatchRecipe& planned, std::uint64_t first) {
    Finding& finding = found_.noise;
    finding.expect(at, run.coordinates == header_.dimension, "{} coordinates of {}", run.coordinates,
                   header_.dimension);
    const std::string_view mechanism = mechanism_name(planned);
    finding.expect(at, run.mechanism == mechanism, "mechanism `{}`, `{}` planned", run.mechanism, mechanism);
    // Steps beyond those planned are for local_steps to report.
    const std::uint64_t end = std::min<std::uint64_t>(
        first + run.count, std::max<std::uint64_t>(first, planned.noise_multipliers.size()) + 1);
    for (std::uint64_t step = first; step < end; ++step) {
      const double std = planned_std(planned, run, step);
      finding.expect(at, std::abs(run.noise_std - std) <= noise_tolerance * std,
                     "step {}: standard deviation {}, {} planned", step, run.noise_std, std);
    }
    finding.expect(at, run.encoder == planned.encoder, "encoded otherwise than planned");
  }

  const LedgerHeader& header_;
  const Population& population_;
  const std::optional<StepSizes>& steps_;
  NoiseChecks draws_;
  bool is_adaptive_;
  bool is_at_median_;
  std::map<std::pair<std::uint64_t, Population::Kind>, BatchRecipe> recipes_;
  GaussianStds planned_stds_;
  ParticipationFindings found_;
};

ParticipationChecks::ParticipationChecks(const LedgerHeader& header)
    : header_(header), population_(header.run, header.clients) {
  if (header.version >= 5) steps_.emplace(header.run, header.clients.size());
}

ParticipationFindings ParticipationChecks::look_at(std::span<const Participation> participations) const {
  Look look(*this);
  for (const Participation& participation : participations) look.at(participation);
  return std::move(look).found();
}

ParticipationFindings ParticipationChecks::look_at_all(std::span<const Participation> participations) const {
  // Pieces of a fixed size, so that sums do not depend on the threads.
  constexpr std::size_t piece = 256;
  std::vector<ParticipationFindings> found((participations.size() + piece - 1) / piece);
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t i) {
    found[i] = look_at(participations.subspan(i * piece, std::min(piece, participations.size() - i * piece)));
  });
  ParticipationFindings all;
  for (ParticipationFindings& one : found) all.add(std::move(one));
  return all;
}

}  // namespace dpbudget::fl
