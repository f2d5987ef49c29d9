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
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/round/adaptive_clipping.h"
#include "dpbudget/fl/verify/finding.h"
#include "dpbudget/fl/verify/same_plan.h"

namespace dpbudget::fl {
namespace {

constexpr double norm_tolerance = 1e-9;  // of an adapted norm: another library may round its exponentials otherwise

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

Check check_rounds(const Record& record) {
  Finding finding("rounds");
  const SettledRun& run = record.header().run;
  const std::uint64_t planned = run.released_rounds();
  std::uint64_t expected = 0;
  for (const RoundEntry& entry : record.rounds()) {
    ++expected;
    finding.expect(entry.round == expected, "round {} stands where {} was due", entry.round, expected);
    const Phase phase = entry.round <= run.warm_start_rounds() ? Phase::warm_start : Phase::training;
    finding.expect(entry.phase == phase, "round {} is of the wrong phase", entry.round);
  }
  const std::uint64_t executed = record.rounds().size();
  finding.expect(executed <= planned, "{} rounds were planned, {} executed", planned, executed);
  if (!record.end())
    return finding.conclude(fmt::format("{} of {} executed; the run did not finish", executed, planned));
  // A filter may end it before; where it ended, the filter that was planned must have done so.
  const auto is_filtered = [&] {
    if (run.filter() == nullptr) return false;
    const LedgerHeader& header = record.header();
    return !RunFilter(run, distinct_sizes(run, header.clients, header.dimension)).admits(run, executed + 1);
  };
  const bool is_cut = executed < planned && is_filtered();
  finding.expect(executed == planned || is_cut, "the run ended after {} rounds, {} were planned", executed, planned);
  finding.expect(record.end()->rounds == executed, "the end counts {} rounds, {} are recorded", record.end()->rounds,
                 executed);
  if (is_cut) return finding.conclude(fmt::format("{} consecutive; the filter lets no further one through", executed));
  return finding.conclude(
      fmt::format("{} consecutive, {} of them to warm-start, as planned", executed, run.warm_start_rounds()));
}

// Noise follows the errors that are recorded: those of the models that are evaluated, and no others.
Check check_validation(const Record& record) {
  Finding finding("validation");
  const SettledRun& run = record.header().run;
  // What models measure is told by the score that stands beside the last error, unless that is the error of both.
  const std::optional<double> last = record.end() ? record.end()->validation_error : std::nullopt;
  const auto is_last_of = [&](Score kind) { return last && *last == error_of(kind, record.end()->test_score); };
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
  for (const RoundEntry& entry : record.rounds())
    if (entry.round > 0) expect(entry.validation_error, entry.round - 1);
  if (record.end()) {
    expect(record.end()->validation_error, record.end()->rounds);
    finding.expect(!last || is_share || is_squared, "the validation error at the end is {}, which a score of {} is not",
                   last.value_or(0), record.end()->test_score);
  }
  const auto* milestones = std::get_if<Milestones>(&run.schedule());
  if (!run.validation() || milestones == nullptr) return finding.conclude("the noise follows no error");
  if (milestones->rounds.empty()) return finding.conclude("the noise stays, as the recorded errors say");
  return finding.conclude(fmt::format("the noise is {} times as much from rounds {} on, as the recorded errors say",
                                      milestones->factor, fmt::join(milestones->rounds, ", ")));
}

// A round's participants are drawn from the seed, so the draw can be made again.
Check check_user_sampling(const Record& record) {
  Finding finding("user_sampling");
  const SettledRun& run = record.header().run;
  for (const RoundEntry& entry : record.rounds()) {
    const Participants& drawn = entry.participants;
    const std::set<std::uint64_t> distinct(drawn.clients.begin(), drawn.clients.end());
    finding.expect(distinct.size() == drawn.clients.size(), "round {} names a participant twice", entry.round);
    const Participants planned =
        draw_participants(run, record.header().clients, entry.round, generator_of(record.header()));
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

Check check_participations(const Record& record) {
  Finding finding("participations");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lines;
  lines.reserve(record.lines().size());
  for (const DeedLine& line : record.lines()) lines.emplace_back(line.round, line.client);
  std::ranges::sort(lines);
  std::vector<bool> is_drawn(lines.size());
  const bool cut_off = record.is_cut_off();
  for (const RoundEntry& entry : record.rounds())
    for (const std::uint64_t client : entry.participants.clients) {
      const auto found = std::ranges::equal_range(lines, std::pair{entry.round, client});
      const bool may_lack = cut_off && &entry == &record.rounds().back();
      const auto first = static_cast<std::size_t>(found.begin() - lines.begin());
      // A round that stands there twice draws the second time whom no line is left for.
      const bool has_line = !found.empty() && !is_drawn[first];
      finding.expect(has_line || may_lack, "round {}, client {}: drawn, but without a line", entry.round, client);
      if (!has_line) continue;
      finding.expect(found.size() == 1, "round {}, client {}: {} lines", entry.round, client, found.size());
      std::fill_n(is_drawn.begin() + static_cast<std::ptrdiff_t>(first), found.size(), true);
    }
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!is_drawn[i] && (i == 0 || lines[i] != lines[i - 1]))
      finding.expect(false, "round {}, client {}: a line, but not drawn", lines[i].first, lines[i].second);
  return finding.conclude(
      cut_off ? fmt::format("{}, one for each client drawn but for the round that was cut off", lines.size())
              : fmt::format("{}, one for each client drawn", lines.size()));
}

// The norm that each round clips to, unless it is the batch's median: the header's, or the one that adaptive clipping
// makes of the header's by the counts that the rounds before released.
std::map<std::uint64_t, double> norms_of(const Record& record, const ParticipationFindings& found) {
  const SettledRun& run = record.header().run;
  std::map<std::uint64_t, std::vector<double>> shares;
  for (const auto& [round, share] : found.below) shares[round].push_back(share);
  const bool is_adaptive = std::holds_alternative<AdaptiveClipping>(run->clipping);
  std::map<std::uint64_t, double> norms;
  double norm = run->clip_norm;
  for (const RoundEntry& entry : record.rounds()) {
    norms[entry.round] = norm;
    if (is_adaptive) norm = adapted_norm(run, norm, shares[entry.round]);
  }
  return norms;
}

Check check_clipping(const Record& record, const ParticipationFindings& found) {
  Finding finding("clipping");
  const SettledRun& header = record.header().run;
  const bool is_adaptive = std::holds_alternative<AdaptiveClipping>(header->clipping);
  const std::map<std::uint64_t, double> norms = norms_of(record, found);
  for (const auto& [round, client, clipped] : found.clipped) {
    // A round that is not recorded is for participations to report.
    const auto norm = norms.find(round);
    if (norm == norms.end()) continue;
    const double planned = norm->second;
    const bool agrees = is_adaptive ? std::isfinite(planned) && std::abs(clipped - planned) <= norm_tolerance * planned
                                    : clipped == planned;
    finding.expect(agrees, "round {}, client {}: clipped to {}, {} planned", round, client, clipped, planned);
  }
  finding.add(found.clipping);
  if (std::holds_alternative<MedianClipping>(header->clipping))
    return finding.conclude("at the median of each batch, which is not private");
  if (std::isinf(header->clip_norm)) return finding.conclude("none was planned, none was done");
  return finding.conclude(is_adaptive ? "every gradient to the norm of its round, which follows from the rounds before"
                                      : fmt::format("every gradient to norm {}", header->clip_norm));
}

Check check_record_sampling(const SettledRun& run, const ParticipationFindings& found) {
  return found.record_sampling.conclude(run->batches == Batches::shuffled
                                            ? "every batch of the planned size, and no record twice in a pass"
                                            : "every batch of the planned size, from the client's own records");
}

Check check_step_sizes(const LedgerHeader& header, const ParticipationFindings& found) {
  return found.step_sizes.conclude(header.version < 5 ? "not recorded before version 5"
                                                      : "every step of the planned size");
}

// Or says so.
bool follows_errors(const Record& record) {
  return record.header().run.validation() ||
         std::ranges::any_of(record.rounds(),
                             [](const RoundEntry& entry) { return entry.round > 0 && entry.validation_error; }) ||
         (record.end() && record.end()->validation_error);
}

}  // namespace

std::vector<Check> check_ledger(const Record& record, const ParticipationFindings& found) {
  const LedgerHeader& header = record.header();
  const SettledRun& run = header.run;
  std::vector<Check> checks = {
      check_header(header),
      check_rounds(record),
      check_user_sampling(record),
      check_participations(record),
      found.local_steps.conclude(fmt::format("{} releases in every participation", run.local_steps())),
      check_record_sampling(run, found),
      check_step_sizes(header, found),
      check_clipping(record, found)};
  if (follows_errors(record)) checks.push_back(check_validation(record));
  checks.push_back(found.noise.conclude(run.algorithm().adds_noise()
                                            ? "every release with the planned standard deviation"
                                            : "none was planned, none was added"));
  checks.push_back(found.drawn.stream_check());
  checks.push_back(found.drawn.variance_check());
  return checks;
}

std::vector<Check> check_ledger(const Ledger& ledger) {
  return check_ledger(Record(ledger), ParticipationChecks(ledger.header).look_at_all(ledger.participations));
}

}  // namespace dpbudget::fl
