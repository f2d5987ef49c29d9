#include "dpbudget/fl/ledger_writer.h"

#include <gtest/gtest.h>

#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

TEST(LedgerWriter, NamesAFileThatCannotBeWritten) {
  EXPECT_REFUSED("ledger /nowhere/ledger.jsonl cannot be opened for writing", LedgerWriter("/nowhere/ledger.jsonl"));
  EXPECT_REFUSED("ledger ", LedgerWriter(std::filesystem::temp_directory_path()));
}

TEST(LedgerWriter, KeepsAnEarlierLedgerWhenTheRunIsRefused) {
  const TemporaryFile file;
  write(file.path(), "earlier\n");
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

TEST(LedgerWriter, SaysWhenTheDeviceIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  LedgerWriter writer("/dev/full");
  EXPECT_THROW(simulate_into(writer, small_run("dp-fedavg"), ten_clients()), std::runtime_error);
}

}  // namespace
}  // namespace dpbudget::fl
