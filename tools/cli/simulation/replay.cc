#include "dpbudget/tools/cli/simulation/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/tools/cli/simulation/temporary_ledger.h"

namespace dpbudget::tools {
namespace {

fl::Ledger executed_again(const fl::Ledger& ledger, const fl::ClientSource& clients, fl::Ranks* ranks) {
  const TemporaryLedger file;
  fl::LedgerWriter writer(file.path());
  fl::Surroundings around;
  around.ledger = &writer;
  around.ranks = ranks;
  std::uint64_t done = 0;
  around.progress = [&](std::uint64_t round) { done = round; };
  around.interrupted = [&] { return done >= ledger.rounds.size(); };
  fl::simulate(planned_again(ledger), clients, around);
  return fl::read_ledger(file.path());
}

// Random numbers are others from version 10 on.
void check_version(const fl::Ledger& ledger) {
  const std::uint64_t version = ledger.header.version;
  require(
      version >= 10, "--replay", fmt::format("asked for a ledger of version {}", version),
      "for one of version 10 or later: before, other random numbers were drawn, and only the version of the program "
      "that wrote the ledger draws them again");
}

// What differs first; a round that was cut off lacks its last lines.
std::optional<std::string> first_difference(const fl::Ledger& again, const fl::Ledger& recorded) {
  const auto round = std::ranges::mismatch(again.rounds, recorded.rounds);
  if (round.in2 != recorded.rounds.end()) {
    const bool is_error = round.in1 != again.rounds.end() && round.in1->participants == round.in2->participants;
    return fmt::format("round {}: {}", round.in2->round, is_error ? "another validation error" : "others take part");
  }
  const auto found = std::ranges::mismatch(again.participations, recorded.participations).in2;
  if (found != recorded.participations.end())
    return fmt::format("round {}, client {}: other releases", found->round, found->client);
  if (recorded.end && again.end && again.end->validation_error != recorded.end->validation_error)
    return "the end: another validation error";
  if (recorded.end && again.end != recorded.end)
    return fmt::format("the end: loss {} and score {} are recorded", recorded.end->train_loss,
                       recorded.end->test_score);
  return std::nullopt;
}

}  // namespace

fl::SettledRun planned_again(const fl::Ledger& ledger) {
  fl::RunRequest request = ledger.header.run.written();
  request.threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4096U);
  return fl::settle(request);
}

fl::Check replayed(const fl::Ledger& ledger, const fl::ClientSource& clients, fl::Ranks* ranks) {
  constexpr const char* name = "replay";
  check_version(ledger);
  require(clients.fingerprint() == ledger.header.fingerprint && clients.train_sizes() == ledger.header.clients,
          "--replay", clients.description(),
          fmt::format("the data of the ledger, {}, divided and scaled as they were", ledger.header.data));
  if (ledger.rounds.empty()) return {name, true, "nothing was executed"};
  const auto difference = first_difference(executed_again(ledger, clients, ranks), ledger);
  if (difference) return {name, false, fmt::format("executed again, it differs: {}", *difference)};
  // That of files quotes their names, which may be others now.
  if (clients.description() != ledger.header.data && clients.description().starts_with("synthetic"))
    return {name, false,
            fmt::format("the ledger says that its data are {}, but they are {}", ledger.header.data,
                        clients.description())};
  return {name, true, fmt::format("executed again, {} rounds are the same to the last bit", ledger.rounds.size())};
}

}  // namespace dpbudget::tools
