#include "dpbudget/fl/verify/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/fl/round/adaptive_clipping.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/verify/same_plan.h"
#include "dpbudget/mechanisms/bernoulli.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

constexpr double significance = 1e-9;
constexpr double noise_tolerance = 1e-12;  // the noise is computed anew, from the run, by the same formula
constexpr double norm_tolerance = 1e-9;    // of an adapted norm: another library may round its exponentials otherwise
// Noise is found as a difference of sums: what rounding takes from it is far below, a hundredth too little far above.
constexpr double replay_tolerance = 1e-6;
constexpr double count_rounding = 0x1p-51;

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
    finding.expect(entry.round == expected, fmt::format("round {} stands where {} was due", entry.round, expected));
    const Phase phase = entry.round <= run.warm_start_rounds() ? Phase::warm_start : Phase::training;
    finding.expect(entry.phase == phase, fmt::format("round {} is of the wrong phase", entry.round));
  }
  const std::uint64_t executed = ledger.rounds.size();
  finding.expect(executed <= planned, fmt::format("{} rounds were planned, {} executed", planned, executed));
  if (!ledger.end) return finding.conclude(fmt::format("{} of {} executed; the run did not finish", executed, planned));
  finding.expect(executed == planned, fmt::format("the run ended after {} rounds, {} were planned", executed, planned));
  finding.expect(ledger.end->rounds == executed,
                 fmt::format("the end counts {} rounds, {} are recorded", ledger.end->rounds, executed));
  return finding.conclude(
      fmt::format("{} consecutive, {} of them to warm-start, as planned", executed, run.warm_start_rounds()));
}

// A round's participants are drawn from the seed, so the draw can be made again.
Check check_user_sampling(const Ledger& ledger) {
  Finding finding("user_sampling");
  const SettledRun& run = ledger.header.run;
  for (const RoundEntry& entry : ledger.rounds) {
    const Participants& drawn = entry.participants;
    const std::set<std::uint64_t> distinct(drawn.clients.begin(), drawn.clients.end());
    finding.expect(distinct.size() == drawn.clients.size(),
                   fmt::format("round {} names a participant twice", entry.round));
    const Participants planned = draw_participants(run, ledger.header.clients, entry.round);
    finding.expect(drawn.scheme == planned.scheme, fmt::format("round {} samples by `{}`, `{}` was planned",
                                                               entry.round, drawn.scheme, planned.scheme));
    finding.expect(drawn.drawn == planned.drawn && drawn.population == planned.population && drawn.rate == planned.rate,
                   fmt::format("round {} draws {} of {}, {} of {} was planned", entry.round, drawn.drawn,
                               drawn.population, planned.drawn, planned.population));
    finding.expect(drawn.clients == planned.clients && drawn.times == planned.times,
                   fmt::format("round {} names other participants than its seed draws", entry.round));
    finding.expect(drawn.weights == planned.weights,
                   fmt::format("round {} weighs its participants otherwise", entry.round));
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
  const std::uint64_t planned = ledger.header.run.local_steps();
  for (const Participation& participation : ledger.participations) {
    std::uint64_t steps = 0;
    for (const ReleaseRun& run : participation.releases) steps += run.count;
    finding.expect(steps == planned, fmt::format("{}: {} releases, {} planned", where(participation), steps, planned));
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
    const std::vector<double> planned =
        at.round > warm ? steps.local(at.round - warm, header.clients[at.client]) : std::vector{0.0};
    const auto agrees = [](double found, double wanted) {
      return std::abs(found - wanted) <= noise_tolerance * wanted;
    };
    finding.expect(std::ranges::equal(at.step_sizes, planned, agrees),
                   fmt::format("{}: other steps than planned", where(at)));
  }
  return finding.conclude("every step of the planned size");
}

// Calls visit(participation, its run of releases, the recipe planned for it, the run's first step) for all of them
// whose client and round exist; a schedule may have no noise for a round that was not planned.
template <class Visit>
void for_each_release(const Ledger& ledger, const Visit& visit) {
  const LedgerHeader& header = ledger.header;
  for (const Participation& participation : ledger.participations) {
    if (participation.client >= header.clients.size() || participation.round == 0 ||
        participation.round > header.run.released_rounds())
      continue;
    const BatchRecipe planned = recipe_of(header.run, sizes_of(header.run, header.clients, participation.client),
                                          participation.round, header.run->clip_norm);
    std::uint64_t first = 1;
    for (const ReleaseRun& run : participation.releases) {
      visit(participation, run, planned, first);
      first += run.count;
    }
  }
}

Check check_record_sampling(const Ledger& ledger) {
  Finding finding("record_sampling");
  for_each_release(
      ledger, [&](const Participation& at, const ReleaseRun& run, const BatchRecipe& planned, std::uint64_t first) {
        const bool disjoint = planned.batches == Batches::disjoint;
        const std::string_view scheme = scheme_name(planned.batches);
        const std::uint64_t records = ledger.header.clients[at.client];
        finding.expect(run.scheme == scheme, fmt::format("{}: samples by `{}`", where(at), run.scheme));
        finding.expect(run.sample == planned.sample && run.population == records,
                       fmt::format("{}: {} of {} records, {} of {} was planned", where(at), run.sample, run.population,
                                   planned.sample, records));
        const std::uint64_t begin = (planned.first_batch + first - 1) * planned.sample;
        finding.expect(!disjoint || run.first == begin,
                       fmt::format("{}: the batch begins elsewhere than at record {}", where(at), begin));
      });
  return finding.conclude("every batch of the planned size, from the client's own records");
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
          finding.expect(agrees, fmt::format("{}: clipped to {}, {} planned", where(at), run.clip_norm, planned));
        }
        finding.expect(run.largest_released <= run.clip_norm,
                       fmt::format("{}: a gradient of norm {} went in, clipped to {}", where(at), run.largest_released,
                                   run.clip_norm));
        finding.expect(run.count_noise == recipe.count_noise,
                       fmt::format("{}: the number below the threshold has other noise than planned", where(at)));
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
        finding.expect(run.coordinates == ledger.header.dimension,
                       fmt::format("{}: {} coordinates of {}", where(at), run.coordinates, ledger.header.dimension));
        const std::string_view mechanism = mechanism_name(planned);
        finding.expect(run.mechanism == mechanism,
                       fmt::format("{}: mechanism `{}`, `{}` planned", where(at), run.mechanism, mechanism));
        // Steps beyond those planned are for local_steps to report.
        const std::uint64_t end = std::min<std::uint64_t>(
            first + run.count, std::max<std::uint64_t>(first, planned.noise_multipliers.size()) + 1);
        for (std::uint64_t step = first; step < end; ++step) {
          const double std = planned_std(planned, run, step);
          finding.expect(
              std::abs(run.noise_std - std) <= noise_tolerance * std,
              fmt::format("{}, step {}: standard deviation {}, {} planned", where(at), step, run.noise_std, std));
        }
        finding.expect(run.encoder == planned.encoder, fmt::format("{}: encoded otherwise than planned", where(at)));
      });
  return finding.conclude(adds_noise ? "every release with the planned standard deviation"
                                     : "none was planned, none was added");
}

// Noise drawn anew: the sum of squares that should have been found, and of how many draws.
struct Replayed {
  double sum = 0;
  double sum_of_squares = 0;
  std::uint64_t draws = 0;
};

mechanisms::Stream stream_of(const Ledger& ledger, mechanisms::Purpose purpose, const Participation& at,
                             std::uint64_t step) {
  return mechanisms::Stream({ledger.header.run->seed, purpose, at.round, at.client, step});
}

// So many normal numbers of every step, each with the standard deviation given.
Replayed replayed_normal(const Ledger& ledger, mechanisms::Purpose purpose, const Participation& at,
                         std::uint64_t first, std::uint64_t count, std::uint64_t numbers, double noise_std) {
  double sum = 0;
  double squares = 0;
  for (std::uint64_t step = first; step < first + count; ++step) {
    mechanisms::Stream stream = stream_of(ledger, purpose, at, step);
    for (std::uint64_t i = 0; i < numbers; ++i) {
      const double draw = stream.normal();
      sum += draw;
      squares += draw * draw;
    }
  }
  return {sum * noise_std, squares * noise_std * noise_std, count * numbers};
}

// The noise bits of every report in every step, summed over the reports of a batch.
Replayed replayed_binomial(const Ledger& ledger, const Participation& at, const ReleaseRun& run,
                           const mechanisms::BinomialEncoder& encoder, std::uint64_t first) {
  Replayed replayed;
  for (std::uint64_t step = first; step < first + run.count; ++step) {
    mechanisms::Stream stream = stream_of(ledger, mechanisms::Purpose::noise, at, step);
    std::vector<std::uint64_t> ones(run.coordinates);
    for (std::uint64_t report = 0; report < run.sample; ++report)
      for (std::uint64_t& of_coordinate : ones)
        of_coordinate += mechanisms::binomial(encoder.noise_bits, encoder.probability, stream);
    for (const std::uint64_t of_coordinate : ones)
      replayed.sum_of_squares += std::pow(mechanisms::noise_of(of_coordinate, run.sample, encoder), 2);
    replayed.draws += run.coordinates * run.sample;
  }
  return replayed;
}

std::optional<Replayed> replayed_noise(const Ledger& ledger, const Participation& at, const ReleaseRun& run,
                                       const BatchRecipe& planned, std::uint64_t first) {
  const auto found = run.released_by();
  if (!found || !traits_of(*found).adds_noise) return std::nullopt;
  const MechanismTraits& mechanism = traits_of(*found);
  if (mechanism.is_shuffled && run.sample != planned.sample) return std::nullopt;
  if (mechanism.encodes_bits)
    return planned.encoder ? std::optional(replayed_binomial(ledger, at, run, *planned.encoder, first)) : std::nullopt;
  return replayed_normal(ledger, mechanisms::Purpose::noise, at, first, run.count,
                         run.coordinates * (mechanism.is_shuffled ? run.sample : 1), run.noise_std);
}

// Draws the noise anew, from the stream that belongs to the client, the round and the step alone. Where another stream
// was used, or another client's, or it was scaled otherwise, the sum of squares found is another one.
Check check_noise_stream(const Ledger& ledger) {
  Finding finding("noise_stream");
  std::uint64_t draws = 0;
  for_each_release(
      ledger, [&](const Participation& at, const ReleaseRun& run, const BatchRecipe& planned, std::uint64_t first) {
        // More steps or other coordinates than planned are for local_steps and noise to report.
        if (first + run.count - 1 > ledger.header.run.local_steps() || run.coordinates != ledger.header.dimension)
          return;
        if (const auto noise = replayed_noise(ledger, at, run, planned, first)) {
          draws += noise->draws;
          const double expected = noise->sum_of_squares;
          finding.expect(std::abs(run.noise_sum_of_squares - expected) <= replay_tolerance * expected,
                         fmt::format("{}: noise of squared norm {} was found, its own stream gives {}", where(at),
                                     run.noise_sum_of_squares, expected));
        }
        // Count noise that was not planned, or not recorded, is for clipping to report.
        if (!planned.count_noise || !run.count_noise) return;
        const Replayed counts =
            replayed_normal(ledger, mechanisms::Purpose::clipping, at, first, run.count, 1, *planned.count_noise);
        draws += counts.draws;
        const double expected = std::sqrt(counts.sum_of_squares);
        // A difference of numbers up to the batch's size, which may be far above the noise.
        const double rounding =
            static_cast<double>(run.sample) * std::sqrt(static_cast<double>(run.count)) * count_rounding;
        finding.expect(
            std::abs(std::sqrt(run.count_noise_sum_of_squares) - expected) <= replay_tolerance * expected + rounding,
            fmt::format("{}: noise of norm {} was found on the number of norms below the threshold, its own stream "
                        "gives {}",
                        where(at), std::sqrt(run.count_noise_sum_of_squares), expected));
        // What is left when that noise is taken off the released number is how many norms there were.
        const double exact = run.count_below - counts.sum;
        const auto releases = static_cast<double>(run.count);
        const double most = static_cast<double>(run.sample) * releases;
        const double slack = count_rounding * releases * (most + releases * expected);
        finding.expect(-slack <= exact && exact <= most + slack && std::abs(exact - std::round(exact)) <= slack,
                       fmt::format("{}: {} norms below the threshold, which with the noise of its own stream is no "
                                   "number of records",
                                   where(at), run.count_below));
      });
  return finding.conclude(draws == 0 ? "no noise is recorded"
                                     : fmt::format("{} draws are those of their own client, round and step", draws));
}

Check check_noise_variance(const Ledger& ledger) {
  Finding finding("noise_variance");
  double squares = 0;
  double degrees = 0;
  for_each_release(ledger, [&](const Participation& at, const ReleaseRun& run, const BatchRecipe&, std::uint64_t) {
    // Other noise, such as binomial, has no chi-squared law.
    const auto mechanism = run.released_by();
    if (!mechanism || !traits_of(*mechanism).takes_multipliers) return;
    const double standardised = run.noise_sum_of_squares / run.noise_std / run.noise_std;
    finding.expect(0 < run.noise_std && 0 <= standardised && std::isfinite(standardised),
                   fmt::format("{}: noise of squared norm {} at standard deviation {}", where(at),
                               run.noise_sum_of_squares, run.noise_std));
    squares += standardised;
    const std::uint64_t reports = traits_of(*mechanism).is_shuffled ? run.sample : 1;
    degrees += static_cast<double>(run.count) * static_cast<double>(run.coordinates) * static_cast<double>(reports);
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
  return static_cast<std::size_t>(lines) < last.participants.clients.size();
}

std::vector<Check> check_ledger(const Ledger& ledger) {
  return {check_header(ledger.header),  check_rounds(ledger),        check_user_sampling(ledger),
          check_participations(ledger), check_local_steps(ledger),   check_record_sampling(ledger),
          check_step_sizes(ledger),     check_clipping(ledger),      check_noise(ledger),
          check_noise_stream(ledger),   check_noise_variance(ledger)};
}

}  // namespace dpbudget::fl
