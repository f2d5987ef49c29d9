#include "dpbudget/fl/ledger/ledger.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/noise_schedule.h"
#include "dpbudget/fl/schedule/rounds.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

Ledger begun(const Line& line) {
  const std::string kind = kind_of(line);
  if (kind != header_kind) throw InvalidArgument(fmt::format("`kind` is `{}`, but must be `{}`", kind, header_kind));
  LedgerHeader header = header_from(line);
  require(!header.clients.empty(), "clients", 0, "at least one");
  return {std::move(header), {}, {}, {}, false};
}

// A line after the header, or why it is none.
struct Read {
  std::variant<std::monostate, RoundEntry, Participation, LedgerEnd> entry;
  std::string no_line;   // it has no kind
  std::string no_entry;  // it has one, but is not as that has to be
};

Read read_line(const std::string& text, std::uint64_t version) {
  Read read;
  std::optional<Line> line;
  std::string kind;
  try {
    line = parsed_line(text);
    kind = kind_of(*line);
  } catch (const InvalidArgument& error) {
    read.no_line = error.what();
    return read;
  }
  try {
    if (kind == round_kind)
      read.entry = round_from(*line);
    else if (kind == participation_kind)
      read.entry = participation_from(*line, version);
    else if (kind == end_kind)
      read.entry = end_from(*line);
    else
      read.no_entry = fmt::format("`kind` is `{}`, but must be `round`, `participation` or `end`", kind);
  } catch (const InvalidArgument& error) {
    read.no_entry = error.what();
  }
  return read;
}

// Takes it into the ledger: nothing after the end.
void take(Read read, Ledger& ledger) {
  if (!read.no_line.empty()) throw InvalidArgument(read.no_line);
  if (ledger.end) throw InvalidArgument("it follows the end");
  if (!read.no_entry.empty()) throw InvalidArgument(read.no_entry);
  if (auto* round = std::get_if<RoundEntry>(&read.entry)) ledger.rounds.push_back(std::move(*round));
  if (auto* done = std::get_if<Participation>(&read.entry)) ledger.participations.push_back(std::move(*done));
  if (const auto* end = std::get_if<LedgerEnd>(&read.entry)) ledger.end = *end;
}

// The next complete lines of the text, so many at most; whether one was cut off is told in `torn`.
std::vector<std::string> next_lines(std::istream& text, std::size_t most, bool& torn) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < most && std::getline(text, line)) {
    // getline meets the end of the text only where the last line lacks its newline.
    torn = text.eof();
    if (torn) break;
    lines.push_back(std::move(line));
  }
  return lines;
}

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
// accounted for, and verification sees it where the standard deviation is much below this share of the clipping norm.
void check_survival(const LedgerHeader& header) {
  const SettledRun& run = header.run;
  const MechanismTraits& mechanism = traits_of(run.algorithm().mechanism);
  if (!mechanism.takes_multipliers) return;
  constexpr double least_share = 0x1p-30;
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

Ledger read_ledger(std::istream& text, const std::string& name) {
  std::size_t number = 0;
  const auto told = [&](const auto& task) {
    try {
      ++number;
      task();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: line {} is not a ledger line: {}", name, number, error.what()));
    }
  };
  bool torn = false;
  const std::vector<std::string> first = next_lines(text, 1, torn);
  if (first.empty()) throw InvalidArgument(fmt::format("{}: there is no complete ledger header in it", name));
  std::optional<Ledger> ledger;
  told([&] { ledger = begun(parsed_line(first[0])); });
  constexpr std::size_t at_once = 1024;
  for (std::vector<std::string> lines; !(lines = next_lines(text, at_once, torn)).empty();) {
    std::vector<Read> read(lines.size());
    tbb::parallel_for(std::size_t{0}, lines.size(),
                      [&](std::size_t i) { read[i] = read_line(lines[i], ledger->header.version); });
    for (Read& one : read) told([&] { take(std::move(one), *ledger); });
  }
  ledger->torn = torn;
  SettledRun& run = ledger->header.run;
  if (run.validation()) run = run.following(validation_errors(*ledger));
  return *std::move(ledger);
}

Ledger read_ledger(const std::filesystem::path& file) {
  std::ifstream text(file, std::ios::binary);
  // A directory opens, but does not read.
  if (!text || std::filesystem::is_directory(file))
    throw InvalidArgument(fmt::format("ledger {} cannot be read", file.string()));
  return read_ledger(text, file.string());
}

}  // namespace dpbudget::fl
