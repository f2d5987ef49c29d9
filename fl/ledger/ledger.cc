#include "dpbudget/fl/ledger/ledger.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/ledger/lines.h"
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

// Takes a line after the header into the ledger: nothing after the end.
void take(const Line& line, Ledger& ledger) {
  const std::string kind = kind_of(line);
  if (ledger.end) throw InvalidArgument("it follows the end");
  if (kind == round_kind)
    ledger.rounds.push_back(round_from(line));
  else if (kind == participation_kind)
    ledger.participations.push_back(participation_from(line, ledger.header.version));
  else if (kind == end_kind)
    ledger.end = end_from(line);
  else
    throw InvalidArgument(fmt::format("`kind` is `{}`, but must be `round`, `participation` or `end`", kind));
}

}  // namespace

void check_dimension(std::uint64_t dimension) {
  require(dimension <= max_dimension, "dimension", dimension,
          fmt::format("at most {}: verifying draws the noise of every coordinate again", max_dimension));
}

void check_changes(const SettledRun& run) {
  if (run.has_constant_noise()) return;
  const bool is_flat = NoiseSchedule(run.schedule(), 1, run.local_steps()).is_flat_in_rounds();
  const std::uint64_t at_once = is_flat ? 1 : run.local_steps();
  std::uint64_t noises = 0;
  for (std::uint64_t round = 1; round <= run.released_rounds(); round = next_change(run.schedule(), round)) {
    noises += at_once;
    require(noises <= max_noises, "schedule", to_text(run.schedule()),
            fmt::format("one that changes the noise of {} rounds at most {} times: a ledger lists all of it",
                        run.released_rounds(), max_noises));
  }
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

LedgerHeader make_header(const SettledRun& run, const FederatedData& data, std::uint64_t dimension) {
  check(run, data);
  check_dimension(dimension);
  LedgerHeader header{run, records_of(data), dimension, data.description, fingerprint(data), {}, ledger_version};
  header.plans = planned_views(header);
  return header;
}

Ledger read_ledger(std::istream& text, const std::string& name) {
  std::optional<Ledger> ledger;
  bool torn = false;
  std::size_t number = 0;
  std::string line;
  while (std::getline(text, line)) {
    ++number;
    // getline meets the end of the text only where the last line lacks its newline.
    if (text.eof()) {
      torn = true;
      break;
    }
    try {
      if (ledger)
        take(parsed_line(line), *ledger);
      else
        ledger = begun(parsed_line(line));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: line {} is not a ledger line: {}", name, number, error.what()));
    }
  }
  if (!ledger) throw InvalidArgument(fmt::format("{}: there is no complete ledger header in it", name));
  ledger->torn = torn;
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
