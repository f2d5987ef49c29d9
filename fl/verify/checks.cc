#include "dpbudget/fl/verify/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/round/adaptive_clipping.h"
#include "dpbudget/fl/round/passes.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/verify/finding.h"
#include "dpbudget/fl/verify/noise_checks.h"
#include "dpbudget/fl/verify/same_plan.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

constexpr double noise_tolerance = 1e-12;  // the noise is computed anew, from the run, by the same formula
constexpr double norm_tolerance = 1e-9;    // of an adapted norm: another library may round its exponentials otherwise

bool same(const PlannedView& a, const PlannedView& b) {
  return a.adversary == b.adversary && a.basis == b.basis && a.sizes == b.sizes &&
         is_same_plan(a.plan.plan, b.plan.plan) && a.plan.guarantee == b.plan.guarantee;
}

Check check_header(const LedgerHeader& header) {
  Finding finding("header");
  const std::vector<PlannedView> expected = planned_views(header);
  finding.expect(std::ranges::equal(header.plans, expected, same), "its plans are not those of its run");
  return finding.conclude(fmt::format("{} plans follow from the run", expected.size()));
}

Check check_rounds(const Ledger& ledger) {
  Finding finding("rounds");
  const SettledRun& run = ledger.header.run;
  const std::uint64_t planned = run.released_rounds();
  std::uint64_t expected = 0;
  for (const RoundEntry& entry : ledger.rounds) {
    ++expected;
    finding.expect(entry.round == expected, "round {} stands where {} was due", entry.round, expected);
    const Phase phase = entry.round <= run.warm_start_rounds() ? Phase::warm_start : Phase::training;
    finding.expect(entry.phase == phase, "round {} is of the wrong phase", entry.round);
  }
  const std::uint64_t executed = ledger.rounds.size();
  finding.expect(executed <= planned, "{} rounds were planned, {} executed", planned, executed);
  if (!ledger.end) return finding.conclude(fmt::format("{} of {} executed; the run did not finish", executed, planned));
  // A filter may end it before; where it ended, the filter that was planned must have done so.
  const auto is_filtered = [&] {
    if (run.filter() == nullptr) return false;
    const LedgerHeader& header = ledger.header;
    return !RunFilter(run, distinct_sizes(run, header.clients, header.dimension)).admits(run, executed + 1);
  };
  const bool is_cut = executed < planned && is_filtered();
  finding.expect(executed == planned || is_cut, "the run ended after {} rounds, {} were planned", executed, planned);
  finding.expect(ledger.end->rounds == executed, "the end counts {} rounds, {} are recorded", ledger.end->rounds,
                 executed);
  if (is_cut) return finding.conclude(fmt::format("{} consecutive; the filter lets no further one through", executed));
  return finding.conclude(
      fmt::format("{} consecutive, {} of them to warm-start, as planned", executed, run.warm_start_rounds()));
}

// Noise follows the errors that are recorded: those of the models that are evaluated, and no others.
Check check_validation(const Ledger& ledger) {
  Finding finding("validation");
  const SettledRun& run = ledger.header.run;
  // What models measure is told by the score that stands beside the last error, unless that is the error of both.
  const std::optional<double> last = ledger.end ? ledger.end->validation_error : std::nullopt;
  const auto is_last_of = [&](Score kind) { return last && *last == error_of(kind, ledger.end->test_score); };
  const bool is_share = is_last_of(Score::accuracy);
  const bool is_squared = is_last_of(Score::mean_squared_error);
  const double largest = is_share && !is_squared ? 1 : infinity;
  const auto expect = [&](const std::optional<double>& error, std::uint64_t round) {
    const bool is_due = run.follows_error_after(round);
    finding.expect(error.has_value() == is_due, "the validation error after {} rounds is {}", round,
                   is_due ? "missing" : "recorded, but nothing follows it");
    finding.expect(error.value_or(0) <= largest,
                   "the validation error after {} rounds is {}, but a share of records is at most 1", round,
                   error.value_or(0));
  };
  // Round 0, which there is not, is for another check.
  for (const RoundEntry& entry : ledger.rounds)
    if (entry.round > 0) expect(entry.validation_error, entry.round - 1);
  if (ledger.end) {
    expect(ledger.end->validation_error, ledger.end->rounds);
    finding.expect(!last || is_share || is_squared, "the validation error at the end is {}, which a score of {} is not",
                   last.value_or(0), ledger.end->test_score);
  }
  const auto* milestones = std::get_if<Milestones>(&run.schedule());
  if (!run.validation() || milestones == nullptr) return finding.conclude("the noise follows no error");
  if (milestones->rounds.empty()) return finding.conclude("the noise stays, as the recorded errors say");
  return finding.conclude(fmt::format("the noise is {} times as much from rounds {} on, as the recorded errors say",
                                      milestones->factor, fmt::join(milestones->rounds, ", ")));
}

// A round's participants are drawn from the seed, so the draw can be made again.
Check check_user_sampling(const Ledger& ledger) {
  Finding finding("user_sampling");
  const SettledRun& run = ledger.header.run;
  for (const RoundEntry& entry : ledger.rounds) {
    const Participants& drawn = entry.participants;
    const std::set<std::uint64_t> distinct(drawn.clients.begin(), drawn.clients.end());
    finding.expect(distinct.size() == drawn.clients.size(), "round {} names a participant twice", entry.round);
    const Participants planned = draw_participants(run, ledger.header.clients, entry.round);
    finding.expect(drawn.scheme == planned.scheme, "round {} samples by `{}`, `{}` was planned", entry.round,
                   drawn.scheme, planned.scheme);
    finding.expect(drawn.drawn == planned.drawn && drawn.population == planned.population && drawn.rate == planned.rate,
                   "round {} draws {} of {}, {} of {} was planned", entry.round, drawn.drawn, drawn.population,
                   planned.drawn, planned.population);
    finding.expect(drawn.clients == planned.clients && drawn.times == planned.times,
                   "round {} names other participants than its seed draws", entry.round);
    finding.expect(drawn.weights == planned.weights, "round {} weighs its participants otherwise", entry.round);
  }
  return finding.conclude(fmt::format("as the seed draws them, by `{}`", scheme_of(run)));
}

// How often each (round, client) has a line.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> count_lines(const Ledger& ledger) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> lines;
  for (const Participation& participation : ledger.participations) ++lines[{participation.round, participation.client}];
  return lines;
}

Check check_participations(const Ledger& ledger) {
  Finding finding("participations");
  auto lines = count_lines(ledger);
  const bool cut_off = is_cut_off(ledger);
  for (const RoundEntry& entry : ledger.rounds)
    for (const std::uint64_t client : entry.participants.clients) {
      const auto found = lines.find({entry.round, client});
      const bool may_lack = cut_off && &entry == &ledger.rounds.back();
      finding.expect(found != lines.end() || may_lack, "round {}, client {}: drawn, but without a line", entry.round,
                     client);
      if (found == lines.end()) continue;
      finding.expect(found->second == 1, "round {}, client {}: {} lines", entry.round, client, found->second);
      lines.erase(found);
    }
  for (const auto& [key, count] : lines)
    finding.expect(false, "round {}, client {}: a line, but not drawn", key.first, key.second);
  return finding.conclude(fmt::format("{}, one for each client drawn", ledger.participations.size()));
}

Check check_local_steps(const Ledger& ledger) {
  Finding finding("local_steps");
  const std::uint64_t planned = ledger.header.run.local_steps();
  for (const Participation& participation : ledger.participations) {
    std::uint64_t steps = 0;
    for (const ReleaseRun& run : participation.releases) steps += run.count;
    finding.expect(participation, steps == planned, "{} releases, {} planned", steps, planned);
  }
  return finding.conclude(fmt::format("{} releases in every participation", planned));
}

// The steps follow from the run, like the noise; they cost nothing, but another step is another run.
Check check_step_sizes(const Ledger& ledger) {
  Finding finding("step_sizes");
  const LedgerHeader& header = ledger.header;
  if (header.version < 5) return finding.conclude("not recorded before version 5");
  const StepSizes steps(header.run, header.clients.size());
  const std::uint64_t warm = header.run.warm_start_rounds();
  for (const Participation& at : ledger.participations) {
    if (at.client >= header.clients.size() || at.round == 0 || at.round > header.run.released_rounds()) continue;
    std::vector<double> planned =
        at.round > warm ? steps.local(at.round - warm, header.clients[at.client]) : std::vector{0.0};
    if (header.version < 6 && steps.are_stichs()) planned.clear();
    const auto agrees = [](double found, double wanted) {
      return std::abs(found - wanted) <= noise_tolerance * wanted;
    };
    finding.expect(at, std::ranges::equal(at.step_sizes, planned, agrees), "other steps than planned");
  }
  return finding.conclude("every step of the planned size");
}

Check check_record_sampling(const Ledger& ledger) {
  Finding finding("record_sampling");
  for_each_release(
      ledger, [&](const Participation& at, const ReleaseRun& run, const BatchRecipe& planned, std::uint64_t first) {
        const bool disjoint = planned.batches == Batches::disjoint;
        const std::string_view scheme = scheme_name(planned.batches);
        const std::uint64_t records = ledger.header.clients[at.client];
        finding.expect(at, run.scheme == scheme, "samples by `{}`", run.scheme);
        finding.expect(at, run.sample == planned.sample && run.population == records,
                       "{} of {} records, {} of {} was planned", run.sample, run.population, planned.sample, records);
        const std::uint64_t begin = (planned.first_batch + first - 1) * planned.sample;
        finding.expect(at, !disjoint || run.first == begin, "the batch begins elsewhere than at record {}", begin);
        if (planned.batches != Batches::shuffled) return;
        const Place place = Passes(records, planned.sample).place(first);
        finding.expect(at, run.pass == place.pass && run.first == place.first,
                       "step {}: the batch is elsewhere than in pass {} at record {}", first, place.pass, place.first);
        finding.expect(at, run.end() <= records, "pass {} goes on beyond its {} records", place.pass, records);
      });
  return finding.conclude(ledger.header.run->batches == Batches::shuffled
                              ? "every batch of the planned size, and no record twice in a pass"
                              : "every batch of the planned size, from the client's own records");
}

// The norm that each round clips to, unless it is the batch's median: the header's, or the one that adaptive clipping
// makes of the header's by the counts that the rounds before released.
std::map<std::uint64_t, double> norms_of(const Ledger& ledger) {
  const SettledRun& run = ledger.header.run;
  std::map<std::uint64_t, std::vector<double>> shares;
  const bool is_adaptive = std::holds_alternative<AdaptiveClipping>(run->clipping);
  if (is_adaptive)
    for (const Participation& participation : ledger.participations)
      if (!participation.releases.empty()) shares[participation.round].push_back(share_below(participation.releases));
  std::map<std::uint64_t, double> norms;
  double norm = run->clip_norm;
  for (const RoundEntry& entry : ledger.rounds) {
    norms[entry.round] = norm;
    if (is_adaptive) norm = adapted_norm(run, norm, shares[entry.round]);
  }
  return norms;
}

Check check_clipping(const Ledger& ledger) {
  Finding finding("clipping");
  const SettledRun& header = ledger.header.run;
  const bool is_adaptive = std::holds_alternative<AdaptiveClipping>(header->clipping);
  const bool is_at_median = std::holds_alternative<MedianClipping>(header->clipping);
  const std::map<std::uint64_t, double> norms = norms_of(ledger);
  for_each_release(
      ledger, [&](const Participation& at, const ReleaseRun& run, const BatchRecipe& recipe, std::uint64_t) {
        // A round that is not recorded is for participations to report.
        if (const auto found = norms.find(at.round); found != norms.end() && !is_at_median) {
          const double planned = found->second;
          const bool agrees =
              is_adaptive ? std::isfinite(planned) && std::abs(run.clip_norm - planned) <= norm_tolerance * planned
                          : run.clip_norm == planned;
          finding.expect(at, agrees, "clipped to {}, {} planned", run.clip_norm, planned);
        }
        finding.expect(at, run.largest_released <= run.clip_norm, "a gradient of norm {} went in, clipped to {}",
                       run.largest_released, run.clip_norm);
        finding.expect(at, run.count_noise == recipe.count_noise,
                       "the number below the threshold has other noise than planned");
      });
  if (is_at_median) return finding.conclude("at the median of each batch, which is not private");
  if (std::isinf(header->clip_norm)) return finding.conclude("none was planned, none was done");
  return finding.conclude(is_adaptive ? "every gradient to the norm of its round, which follows from the rounds before"
                                      : fmt::format("every gradient to norm {}", header->clip_norm));
}

// Standard deviation of a release's noise as planned for its step, at the norm that it was clipped to.
double planned_std(const BatchRecipe& planned, const ReleaseRun& run, std::uint64_t step) {
  const MechanismTraits& mechanism = traits_of(planned.mechanism);
  if (mechanism.encodes_bits) return run.noise_std;  // what counts is the encoder
  if (!mechanism.takes_multipliers || step == 0 || step > planned.noise_multipliers.size()) return 0;
  return gaussian_std(planned.noise_multipliers[step - 1], run.clip_norm, mechanism.is_shuffled ? 1 : planned.divisor);
}

Check check_noise(const Ledger& ledger) {
  Finding finding("noise");
  const bool adds_noise = ledger.header.run.algorithm().adds_noise();
  for_each_release(
      ledger, [&](const Participation& at, const ReleaseRun& run, const BatchRecipe& planned, std::uint64_t first) {
        finding.expect(at, run.coordinates == ledger.header.dimension, "{} coordinates of {}", run.coordinates,
                       ledger.header.dimension);
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
      });
  return finding.conclude(adds_noise ? "every release with the planned standard deviation"
                                     : "none was planned, none was added");
}

// Or says so.
bool follows_errors(const Ledger& ledger) {
  return ledger.header.run.validation() || !validation_errors(ledger).empty();
}

}  // namespace

bool is_cut_off(const Ledger& ledger) {
  if (ledger.end || ledger.rounds.empty()) return false;
  const RoundEntry& last = ledger.rounds.back();
  const auto lines = std::ranges::count(ledger.participations, last.round, &Participation::round);
  return static_cast<std::size_t>(lines) < last.participants.clients.size();
}

std::vector<Check> check_ledger(const Ledger& ledger) {
  std::vector<Check> checks = {check_header(ledger.header),  check_rounds(ledger),      check_user_sampling(ledger),
                               check_participations(ledger), check_local_steps(ledger), check_record_sampling(ledger),
                               check_step_sizes(ledger),     check_clipping(ledger)};
  if (follows_errors(ledger)) checks.push_back(check_validation(ledger));
  checks.insert(checks.end(), {check_noise(ledger), check_noise_stream(ledger), check_noise_variance(ledger)});
  return checks;
}

}  // namespace dpbudget::fl
