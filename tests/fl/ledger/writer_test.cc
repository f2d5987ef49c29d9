#include "dpbudget/fl/ledger/writer.h"

#include <gtest/gtest.h>

#include <span>

#include "accounting/base/full_disk.h"
#include "fl/small.h"
#include "fl/write_file.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(LedgerWriter, NamesAFileThatCannotBeWritten) {
  EXPECT_REFUSED("ledger /nowhere/ledger.jsonl cannot be opened for writing", LedgerWriter("/nowhere/ledger.jsonl"));
  EXPECT_REFUSED("ledger ", LedgerWriter(std::filesystem::temp_directory_path()));
}

TEST(LedgerWriter, KeepsAnEarlierLedgerWhenTheRunIsRefused) {
  const TemporaryFile file;
  write_file(file.path(), "earlier\n");
  LedgerWriter writer(file.path());
  auto run = small_run("dp-fedavg");
  run.noise_multiplier = -1;
  EXPECT_REFUSED("noise", simulate_into(writer, run, ten_clients()));
  EXPECT_EQ(file.text(), "earlier\n");
  simulate_into(writer, small_run("dp-fedavg"), ten_clients());
  EXPECT_EQ(file.text(), ledger_text(small_run("dp-fedavg"), ten_clients()));
}

TEST(LedgerWriter, LeavesNoFileBehindWhenTheRunIsRefused) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "dpbudget-ledger-that-never-was.jsonl";
  std::filesystem::remove(file);
  LedgerWriter writer(file);
  auto run = small_run("dp-fedavg");
  run.noise_multiplier = -1;
  EXPECT_REFUSED("noise", simulate_into(writer, run, ten_clients()));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(LedgerWriter, LetsNobodyElseInto) {
  const TemporaryFile file;
  const SettledRun run = settle(small_run("dp-fedavg"));
  const LedgerHeader header = make_header(run, HeldClients(ten_clients()), 33);
  {
    LedgerWriter writer(file.path());
    writer.begin(header);
    const std::string begun = file.text();
    EXPECT_REFUSED("ledger " + file.path().string() + " is being written by another run",
                   LedgerWriter(file.path()).begin(header));
    EXPECT_REFUSED("ledger " + file.path().string() + " is being written by another run",
                   LedgerWriter(file.path()).take_up(header, 0));
    EXPECT_EQ(file.text(), begun);
  }
  // Also of what has taken the file's place.
  LedgerWriter writer(file.path());
  writer.take_up(header, 0);
  EXPECT_REFUSED("ledger " + file.path().string() + " is being written by another run",
                 LedgerWriter(file.path()).begin(header));
}

TEST(LedgerWriter, LeavesEveryFinishedRoundInTheFileAtOnce) {
  const TemporaryFile file;
  LedgerWriter writer(file.path());
  auto run = small_run("dp-fedavg");
  run.evaluate_every = 1;
  std::uint64_t watched = 0;
  simulate_into(writer, run, ten_clients(), [&](const Metrics& metrics) {
    const Ledger ledger = read_ledger(file.path());
    EXPECT_EQ(ledger.rounds.size(), metrics.round);
    EXPECT_EQ(ledger.participations.size(), 3 * metrics.round);
    EXPECT_FALSE(ledger.torn);
    ++watched;
  });
  EXPECT_EQ(watched, 7u);
}

// Of a ledger that lacks a line, or has another one, of the rounds that are done, nothing is taken up, and nothing
// lost.
TEST(LedgerWriter, TakesUpWholeRoundsOnly) {
  const std::string whole = ledger_text(small_run("dp-fedavg"), ten_clients());
  const LedgerHeader header = ledger_from(whole).header;
  const auto lines = lines_of(whole);
  const TemporaryFile file;
  const std::string where = "ledger " + file.path().string() + " ";
  const auto taken_up = [&](const std::string& text, std::uint64_t round) {
    write_file(file.path(), text);
    LedgerWriter(file.path()).take_up(header, round);
    return file.text();
  };
  // A round has a line of its own and three participations.
  for (const std::uint64_t round : {0, 1, 4, 6})
    EXPECT_EQ(taken_up(whole, round), text_of({lines.begin(), lines.begin() + 1 + 4 * static_cast<long>(round)}));
  // What stands behind the rounds that are done does not matter.
  EXPECT_EQ(taken_up(text_of({lines.begin(), lines.begin() + 9}) + "{\"round\": 7,\n", 2),
            text_of({lines.begin(), lines.begin() + 9}));
  const auto expect_refused = [&](const std::string& why, const auto& edit) {
    auto edited = lines;
    edit(edited);
    EXPECT_REFUSED(where + why, taken_up(text_of(edited), 4));
    EXPECT_EQ(file.text(), text_of(edited));
  };
  const std::string breaks_off = "breaks off within the 4 rounds that are done, at line ";
  expect_refused(breaks_off + "6: `round` is \"two\"", [](auto& l) { l[5].replace(l[5].find(":2,"), 3, ":\"two\","); });
  expect_refused(breaks_off + "7: it is not JSON", [](auto& l) { l[6].resize(20); });
  expect_refused(breaks_off + "9: `kind` is `round`", [](auto& l) { l.erase(l.begin() + 8); });
  expect_refused(breaks_off + "8: client", [](auto& l) { l.erase(l.begin() + 7); });
  expect_refused(breaks_off + "6: round is 3", [](auto& l) { l.erase(l.begin() + 5, l.begin() + 9); });
  expect_refused("holds 3 whole rounds of the 4", [](auto& l) { l.resize(1 + 4 * 4 - 1); });
}

// Wherever the disk is full: the lines before are whole, and where there are none there is no file.
TEST(LedgerWriter, LeavesNoPartOfARoundOnAFullDisk) {
  const auto run = small_run("dp-fedavg");
  const std::string whole = ledger_text(run, ten_clients());
  const auto lines = lines_of(whole);
  for (const std::size_t rounds : {0, 1, 4}) {
    // Into the header, or into the second line of the round after.
    const std::string kept =
        rounds == 0 ? "" : text_of({lines.begin(), lines.begin() + 1 + 4 * static_cast<long>(rounds)});
    const TemporaryFile file;
    LedgerWriter writer(file.path());
    const FullDisk disk(rounds == 0 ? 100 : kept.size() + lines[1].size() + 20);
    EXPECT_THROW(simulate_into(writer, run, ten_clients()), std::runtime_error);
    EXPECT_EQ(file.text(), kept);
    EXPECT_EQ(std::filesystem::exists(file.path()), rounds > 0);
  }
}

// What is dropped needs no room, and what cannot be added leaves nothing.
TEST(LedgerWriter, KeepsTheRoundsThatAreDoneOnAFullDisk) {
  const std::string whole = ledger_text(small_run("dp-fedavg"), ten_clients());
  const auto lines = lines_of(whole);
  const TemporaryFile file;
  write_file(file.path(), whole);
  const Ledger ledger = ledger_from(whole);
  const FullDisk disk(100);
  LedgerWriter writer(file.path());
  writer.take_up(ledger.header, 2);
  EXPECT_THROW(writer.round(ledger.rounds[2], std::span(ledger.participations).subspan(6, 3)), std::runtime_error);
  EXPECT_EQ(file.text(), text_of({lines.begin(), lines.begin() + 9}));
}

TEST(LedgerWriter, SaysWhenTheDeviceIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  LedgerWriter writer("/dev/full");
  EXPECT_THROW(simulate_into(writer, small_run("dp-fedavg"), ten_clients()), std::runtime_error);
}

}  // namespace
}  // namespace dpbudget::fl
