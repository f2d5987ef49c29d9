#include "dpbudget/fl/ledger_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

constexpr double significance = 1e-9;
constexpr double noise_tolerance = 1e-12;  // the noise is computed anew, from the run, by the same formula

// Collects failures of one check and keeps the first.
class Finding {
 public:
  explicit Finding(std::string_view name) : name_(name) {}

  void expect(bool holds, const std::string& otherwise) {
    if (holds) return;
    if (failures_++ == 0) first_ = otherwise;
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

std::string where(const Participation& participation) {
  return fmt::format("round {}, client {}", participation.round, participation.client);
}

bool same(const PlannedView& a, const PlannedView& b) {
  return a.adversary == b.adversary && a.basis == b.basis && a.records == b.records && a.plan.plan == b.plan.plan &&
         a.plan.guarantee == b.plan.guarantee;
}

Check check_header(const LedgerHeader& header) {
  Finding finding("header");
  const std::vector<PlannedView> expected = planned_views(header.run, header.clients);
  finding.expect(std::ranges::equal(header.plans, expected, same), "its plans are not those of its run");
  return finding.conclude(fmt::format("{} plans follow from the run", expected.size()));
}

Check check_rounds(const Ledger& ledger) {
  Finding finding("rounds");
  const Run& run = ledger.header.run;
  const std::uint64_t planned = released_rounds(run);
  std::uint64_t expected = 0;
  for (const RoundEntry& entry : ledger.rounds) {
    finding.expect(entry.round == ++expected, fmt::format("round {} stands where {} was due", entry.round, expected));
    const Phase phase = entry.round <= *run.warm_start_rounds ? Phase::warm_start : Phase::training;
    finding.expect(entry.phase == phase, fmt::format("round {} is of the wrong phase", entry.round));
  }
  const std::uint64_t executed = ledger.rounds.size();
  finding.expect(executed <= planned, fmt::format("{} rounds were planned, {} executed", planned, executed));
  if (!ledger.end) return finding.conclude(fmt::format("{} of {} executed; the run did not finish", executed, planned));
  finding.expect(executed == planned, fmt::format("the run ended after {} rounds, {} were planned", executed, planned));
  finding.expect(ledger.end->rounds == executed,
                 fmt::format("the end counts {} rounds, {} are recorded", ledger.end->rounds, executed));
  return finding.conclude(
      fmt::format("{} consecutive, {} of them to warm-start, as planned", executed, *run.warm_start_rounds));
}

Check check_user_sampling(const Ledger& ledger) {
  Finding finding("user_sampling");
  const std::uint64_t population = ledger.header.clients.size();
  const std::uint64_t planned = drawn(ledger.header.run.user_rate, population);
  for (const RoundEntry& entry : ledger.rounds) {
    finding.expect(entry.scheme == mechanisms::WithoutReplacement::name,
                   fmt::format("round {} samples by `{}`", entry.round, entry.scheme));
    finding.expect(entry.drawn == planned && entry.population == population,
                   fmt::format("round {} draws {} of {}, {} of {} was planned", entry.round, entry.drawn,
                               entry.population, planned, population));
    const std::set<std::uint64_t> distinct(entry.participants.begin(), entry.participants.end());
    finding.expect(distinct.size() == entry.participants.size(),
                   fmt::format("round {} names a participant twice", entry.round));
    finding.expect(entry.participants.size() == entry.drawn,
                   fmt::format("round {} draws {} but names {}", entry.round, entry.drawn, entry.participants.size()));
    finding.expect(distinct.empty() || *distinct.rbegin() < population,
                   fmt::format("round {} names a client that does not exist", entry.round));
  }
  return finding.conclude(fmt::format("{} of {} without replacement in every round", planned, population));
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
    for (const std::uint64_t client : entry.participants) {
      const auto found = lines.find({entry.round, client});
      const bool may_lack = cut_off && &entry == &ledger.rounds.back();
      finding.expect(found != lines.end() || may_lack,
                     fmt::format("round {}, client {}: drawn, but without a line", entry.round, client));
      if (found == lines.end()) continue;
      finding.expect(found->second == 1,
                     fmt::format("round {}, client {}: {} lines", entry.round, client, found->second));
      lines.erase(found);
    }
  for (const auto& [key, count] : lines)
    finding.expect(false, fmt::format("round {}, client {}: a line, but not drawn", key.first, key.second));
  return finding.conclude(fmt::format("{}, one for each client drawn", ledger.participations.size()));
}

Check check_local_steps(const Ledger& ledger) {
  Finding finding("local_steps");
  const std::uint64_t planned = *ledger.header.run.local_steps;
  for (const Participation& participation : ledger.participations) {
    std::uint64_t steps = 0;
    for (const ReleaseRun& run : participation.releases) steps += run.count;
    finding.expect(steps == planned, fmt::format("{}: {} releases, {} planned", where(participation), steps, planned));
  }
  return finding.conclude(fmt::format("{} releases in every participation", planned));
}

// Calls `visit` with every recorded run of releases and the number of records of the client that made it.
template <class Visit>
void for_each_release(const Ledger& ledger, const Visit& visit) {
  const auto& clients = ledger.header.clients;
  for (const Participation& participation : ledger.participations) {
    const std::uint64_t records = participation.client < clients.size() ? clients[participation.client] : 0;
    for (const ReleaseRun& run : participation.releases) visit(participation, run, records);
  }
}

Check check_record_sampling(const Ledger& ledger) {
  Finding finding("record_sampling");
  const double rate = ledger.header.run.record_rate;
  for_each_release(ledger, [&](const Participation& at, const ReleaseRun& run, std::uint64_t records) {
    const std::uint64_t sample = drawn(rate, records);
    finding.expect(run.scheme == mechanisms::WithoutReplacement::name,
                   fmt::format("{}: samples by `{}`", where(at), run.scheme));
    finding.expect(run.sample == sample && run.population == records,
                   fmt::format("{}: {} of {} records, {} of {} was planned", where(at), run.sample, run.population,
                               sample, records));
  });
  return finding.conclude("every batch of the planned size, from the client's own records");
}

Check check_clipping(const Ledger& ledger) {
  Finding finding("clipping");
  const double planned = ledger.header.run.clip_norm;
  for_each_release(ledger, [&](const Participation& at, const ReleaseRun& run, std::uint64_t) {
    finding.expect(run.clip_norm == planned,
                   fmt::format("{}: clipped to {}, {} planned", where(at), run.clip_norm, planned));
    finding.expect(0 <= run.largest_norm && std::isfinite(run.largest_norm),
                   fmt::format("{}: a largest norm of {}", where(at), run.largest_norm));
  });
  if (std::isinf(planned)) return finding.conclude("none was planned, none was done");
  return finding.conclude(fmt::format("every gradient to norm {}", planned));
}

Check check_noise(const Ledger& ledger) {
  Finding finding("noise");
  const Run& planned = ledger.header.run;
  const bool adds_noise = find_algorithm(planned.algorithm).adds_noise;
  for_each_release(ledger, [&](const Participation& at, const ReleaseRun& run, std::uint64_t records) {
    finding.expect(run.coordinates == ledger.header.dimension,
                   fmt::format("{}: {} coordinates of {}", where(at), run.coordinates, ledger.header.dimension));
    const std::string_view mechanism = adds_noise ? ReleaseRun::gaussian : ReleaseRun::no_guarantee;
    finding.expect(run.mechanism == mechanism,
                   fmt::format("{}: mechanism `{}`, `{}` planned", where(at), run.mechanism, mechanism));
    const double std = adds_noise ? noise_std(planned, drawn(planned.record_rate, records)) : 0;
    finding.expect(records > 0 && std::abs(run.noise_std - std) <= noise_tolerance * std,
                   fmt::format("{}: standard deviation {}, {} planned", where(at), run.noise_std, std));
  });
  return finding.conclude(adds_noise ? "every release with the planned standard deviation"
                                     : "none was planned, none was added");
}

Check check_noise_variance(const Ledger& ledger) {
  Finding finding("noise_variance");
  double squares = 0;
  double degrees = 0;
  for_each_release(ledger, [&](const Participation& at, const ReleaseRun& run, std::uint64_t) {
    if (run.mechanism == ReleaseRun::no_guarantee) return;
    const double standardised = run.noise_sum_of_squares / run.noise_std / run.noise_std;
    finding.expect(0 < run.noise_std && 0 <= standardised && std::isfinite(standardised),
                   fmt::format("{}: noise of squared norm {} at standard deviation {}", where(at),
                               run.noise_sum_of_squares, run.noise_std));
    squares += standardised;
    degrees += static_cast<double>(run.count) * static_cast<double>(run.coordinates);
  });
  if (degrees == 0) return finding.conclude("no noise is recorded");
  const std::string ratio =
      fmt::format("variance {:.6f} of the recorded one over {} draws", squares / degrees, degrees);
  if (std::isfinite(squares) && 0 <= squares) {
    const boost::math::chi_squared law(degrees);
    const double p = 2 * std::min(cdf(law, squares), cdf(complement(law, squares)));
    finding.expect(significance <= p, fmt::format("{}, which chance gives with probability {:.2g}", ratio, p));
    return finding.conclude(fmt::format("{}, p = {:.3g}", ratio, std::min(p, 1.0)));
  }
  return finding.conclude(ratio);
}

}  // namespace

bool is_cut_off(const Ledger& ledger) {
  if (ledger.end || ledger.rounds.empty()) return false;
  const RoundEntry& last = ledger.rounds.back();
  const auto lines = std::ranges::count(ledger.participations, last.round, &Participation::round);
  return static_cast<std::size_t>(lines) < last.participants.size();
}

std::vector<Check> check_ledger(const Ledger& ledger) {
  return {check_header(ledger.header),  check_rounds(ledger),      check_user_sampling(ledger),
          check_participations(ledger), check_local_steps(ledger), check_record_sampling(ledger),
          check_clipping(ledger),       check_noise(ledger),       check_noise_variance(ledger)};
}

}  // namespace dpbudget::fl
