#include "dpbudget/fl/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/ledger/reader.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/noise_schedule.h"
#include "dpbudget/fl/schedule/rounds.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

// The least that the schedule multiplies the noise by.
double least_factor(const SettledRun& run) {
  const NoiseSchedule schedule(run.schedule(), 1, run.local_steps());
  const std::uint64_t steps = schedule.is_flat_in_rounds() ? 1 : run.local_steps();
  double least = infinity;
  for (std::uint64_t round = 1; round <= run.released_rounds(); round = next_change(run.schedule(), round))
    for (std::uint64_t step = 1; step <= steps; ++step) least = std::min(least, schedule.noise(round, step));
  return least;
}

// Of noise far below what it is added to, rounding leaves something else: what is released is then not what is
// accounted for, and verification sees it. At this share of the clipping norm it would have to be 250 times as small by
// chance, in all coordinates together.
void check_survival(const LedgerHeader& header) {
  const SettledRun& run = header.run;
  const MechanismTraits& mechanism = traits_of(run.algorithm().mechanism);
  if (!mechanism.takes_multipliers) return;
  constexpr double least_share = 0x1p-24;
  const double factor = least_factor(run);
  for (const Sizes& sizes : distinct_sizes(run, header.clients, header.dimension)) {
    const double noise = factor * sizes.noise_multiplier.value_or(run->noise_multiplier);
    const std::uint64_t sample = batch_of(run, sizes.records);
    const double least = least_share / 2 * (mechanism.is_shuffled ? 1 : sensitivity_divisor(run, sample));
    require(least <= noise, sizes.noise_multiplier ? "silo_noise" : "noise", noise,
            fmt::format("at least {} for batches of {}: less is lost in rounding", least, sample));
  }
}

}  // namespace

void check_dimension(std::uint64_t dimension) {
  require(dimension <= max_dimension, "dimension", dimension,
          fmt::format("at most {}: verifying draws the noise of every coordinate again", max_dimension));
}

std::uint64_t planned_noises(const SettledRun& run) {
  if (run.has_constant_noise()) return run.released_rounds() == 0 ? 0 : 1;
  const bool is_flat = NoiseSchedule(run.schedule(), 1, run.local_steps()).is_flat_in_rounds();
  const std::uint64_t at_once = is_flat ? 1 : run.local_steps();
  std::uint64_t noises = 0;
  for (std::uint64_t round = 1; round <= run.released_rounds() && noises <= max_noises;
       round = next_change(run.schedule(), round))
    noises += at_once;
  return noises;
}

void check_changes(const SettledRun& run) {
  require(planned_noises(run) <= max_noises, "schedule", to_text(run.schedule()),
          fmt::format("one that changes the noise of {} rounds at most {} times: a ledger lists all of it",
                      run.released_rounds(), max_noises));
}

std::vector<PlannedView> planned_views(const LedgerHeader& header) {
  check_changes(header.run);
  std::vector<PlannedView> views;
  for (const Sizes& sizes : distinct_sizes(header.run, header.clients, header.dimension))
    for (const Adversary adversary : all_adversaries)
      for (const Basis basis : all_bases)
        if (auto view = plan(header.run, sizes, adversary, basis))
          views.push_back({adversary, basis, sizes, *std::move(view)});
  return views;
}

LedgerHeader make_header(const SettledRun& run, const ClientSource& clients, std::uint64_t dimension) {
  check(run, clients);
  check_dimension(dimension);
  LedgerHeader header{run, clients.train_sizes(), dimension, clients.description(), clients.fingerprint(),
                      {},  ledger_version};
  header.plans = planned_views(header);
  check_survival(header);
  return header;
}

mechanisms::Generator generator_of(const LedgerHeader& header) {
  return header.version < 10 ? mechanisms::Generator::philox : mechanisms::Generator::threefry;
}

std::vector<ValidationError> validation_errors(const Ledger& ledger) {
  std::vector<ValidationError> errors;
  const auto add = [&](std::uint64_t round, double error) {
    if (errors.empty() || errors.back().round < round) errors.push_back({round, error});
  };
  for (const RoundEntry& entry : ledger.rounds)
    if (entry.validation_error && entry.round >= 1) add(entry.round - 1, *entry.validation_error);
  if (ledger.end && ledger.end->validation_error) add(ledger.end->rounds, *ledger.end->validation_error);
  return errors;
}

Ledger whole_ledger(LedgerReader& reader) {
  Ledger ledger{reader.header(), {}, {}, {}, false};
  const auto take = [&](LedgerPiece& piece) {
    std::ranges::move(piece.rounds, std::back_inserter(ledger.rounds));
    std::ranges::move(piece.participations, std::back_inserter(ledger.participations));
    if (piece.end) ledger.end = piece.end;
  };
  reader.rest([&](LedgerPiece piece) {
    return [&take, kept = std::make_shared<LedgerPiece>(std::move(piece))] { take(*kept); };
  });
  ledger.torn = reader.is_torn();
  SettledRun& run = ledger.header.run;
  if (run.validation()) run = run.following(validation_errors(ledger));
  return ledger;
}

Ledger read_ledger(std::istream& text, const std::string& name) {
  LedgerReader reader(text, name);
  return whole_ledger(reader);
}

Ledger read_ledger(const std::filesystem::path& file) {
  LedgerReader reader(file);
  return whole_ledger(reader);
}

}  // namespace dpbudget::fl
