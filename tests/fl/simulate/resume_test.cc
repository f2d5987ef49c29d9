// Runs that are interrupted and taken up again, and runs of several threads, leave the same bits as any other.

#include <gtest/gtest.h>

#include <algorithm>

#include "dpbudget/fl/verify/verify.h"
#include "fl/kinds.h"
#include "fl/write_file.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// A run in a folder of its own that may be stopped and taken up.
class Interruptible {
 public:
  explicit Interruptible(RunRequest run) : run_(std::move(run)), data_(eight_clients()) {}

  Result until(std::uint64_t round, bool resume = false) {
    std::uint64_t done = 0;
    around_.progress = [&](std::uint64_t number) { done = number; };
    around_.interrupted = [&] { return done == round; };
    return go(resume);
  }

  // Dies after `round`, in the middle of everything: what was not saved by then is lost.
  void dies_after(std::uint64_t round) {
    struct Death {};
    around_.interrupted = {};
    around_.progress = [&](std::uint64_t number) {
      if (number == round) throw Death();
    };
    EXPECT_THROW(go(false), Death);
  }

  Result resumed() {
    around_.interrupted = {};
    around_.progress = {};
    return go(true);
  }

  void use_threads(unsigned threads) { run_.threads = threads; }
  void checkpoint_every(std::uint64_t rounds) { around_.checkpoint_every = rounds; }
  const TemporaryFile& ledger() const { return ledger_; }
  const TemporaryFile& checkpoint() const { return checkpoint_; }

 private:
  Result go(bool resume) {
    LedgerWriter writer(ledger_.path());
    around_.ledger = &writer;
    around_.checkpoint = checkpoint_.path();
    around_.resume = resume;
    return simulate(run_, data_, around_);
  }

  RunRequest run_;
  FederatedData data_;
  TemporaryFile ledger_;
  TemporaryFile checkpoint_;
  Surroundings around_;
};

void expect_same(const Finished& whole, const Result& result, const std::string& ledger) {
  EXPECT_TRUE(equal_bits(result.parameters, whole.result.parameters));
  EXPECT_EQ(result.history, whole.result.history);
  EXPECT_EQ(result.last, whole.result.last);
  EXPECT_EQ(result.rounds, whole.result.rounds);
  EXPECT_EQ(ledger, whole.ledger);
}

void expect_resumed(const Finished& whole, Interruptible& run) {
  const Result result = run.resumed();
  expect_same(whole, result, run.ledger().text());
}

std::vector<Kind> resumed_kinds() {
  std::vector<Kind> kinds = noisy_kinds();
  kinds.push_back(adaptive_clipping());
  kinds.push_back(following_errors());
  for (const char* plain : {"scaffold-warm", "prifedsync", "adnfl", "multi-stage-ac-sa"})
    kinds.push_back({plain, kind_of(plain)});
  return kinds;
}

TEST(Resume, GivesTheSameBitsAfterAnyRound) {
  for (const Kind& kind : resumed_kinds()) {
    SCOPED_TRACE(kind.name);
    const Finished whole = finished(kind.run, eight_clients());
    for (std::uint64_t round = 1; round < whole.result.rounds; ++round) {
      SCOPED_TRACE(round);
      Interruptible run(kind.run);
      EXPECT_EQ(run.until(round).rounds, round);
      run.use_threads(2);
      expect_resumed(whole, run);
    }
  }
}

TEST(Resume, GoesOnFromTheLastCheckpointWhereverTheRunDied) {
  for (Kind kind :
       {adaptive_clipping(), Kind{"dp-scaffold", kind_of("dp-scaffold")},
        changed_kind("dp-prifedsync", "personalised", [](auto& run) { run.options["interpolation"] = 0.5; })}) {
    SCOPED_TRACE(kind.name);
    kind.run.rounds = 7;
    kind.run.evaluate_every = 3;
    const Finished whole = finished(kind.run, eight_clients());
    for (std::uint64_t round = 3; round <= 7; ++round) {
      SCOPED_TRACE(round);
      Interruptible run(kind.run);
      run.checkpoint_every(2);
      run.dies_after(round);
      EXPECT_EQ(ledger_from(run.ledger().text()).rounds.size(), round);
      expect_resumed(whole, run);
    }
  }
}

TEST(Resume, DropsATornTail) {
  const auto run = kind_of("dp-scaffold");
  const Finished whole = finished(run, eight_clients());
  Interruptible interrupted(run);
  interrupted.until(2);
  const std::string kept = interrupted.ledger().text();
  const std::string checkpoint = interrupted.checkpoint().text();
  const std::string rest = whole.ledger.substr(kept.size());
  ASSERT_EQ(kept + rest, whole.ledger);
  for (const std::size_t length : {std::size_t{1}, rest.size() / 3, rest.size() / 2, rest.size() - 1, rest.size()}) {
    write_file(interrupted.ledger().path(), kept + rest.substr(0, length));
    write_file(interrupted.checkpoint().path(), checkpoint);
    expect_resumed(whole, interrupted);
  }
}

TEST(Resume, OfAFinishedRunChangesNothing) {
  const auto run = kind_of("addpnfl");
  const Finished whole = finished(run, eight_clients());
  Interruptible again(run);
  again.until(100);
  for (int time = 0; time < 2; ++time) expect_resumed(whole, again);
}

TEST(Resume, IsRefusedWithoutItsLedgerOrCheckpoint) {
  Interruptible run(kind_of("dp-scaffold"));
  EXPECT_REFUSED("checkpoint ", run.resumed());
  run.until(2);
  const std::string ledger = run.ledger().text();
  write_file(run.ledger().path(), "");
  EXPECT_REFUSED("ledger ", run.resumed());
  write_file(run.ledger().path(), ledger.substr(0, ledger.find('\n') + 1));
  EXPECT_REFUSED("ledger ", run.resumed());
  Interruptible other(kind_of("dp-fedavg"));
  other.until(2);
  write_file(run.ledger().path(), other.ledger().text());
  EXPECT_REFUSED("ledger ", run.resumed());
  // What was refused has not been touched.
  EXPECT_EQ(run.ledger().text(), other.ledger().text());
}

TEST(Resume, OfAnotherRunIsRefusedAndTouchesNothing) {
  Interruptible first(kind_of("dp-scaffold"));
  first.until(2);
  const std::string before = first.ledger().text();
  auto changed = kind_of("dp-scaffold");
  changed.seed = 6;
  LedgerWriter writer(first.ledger().path());
  Surroundings around;
  around.ledger = &writer;
  around.checkpoint = first.checkpoint().path();
  around.resume = true;
  EXPECT_REFUSED("checkpoint ", simulate(changed, eight_clients(), around));
  EXPECT_EQ(first.ledger().text(), before);
}

// The table goes into the checkpoint and the ledger, which then need no file; and the file may be another table's name.
TEST(Resume, KeepsTheTableThatAFileHeld) {
  const TemporaryFile table;
  write_file(table.path(), "noise\n1\n0.5\n0.25\n0.1\n");
  auto run = kind_of("dp-fedavg");
  run.schedule = "csv:" + table.path().string();
  const Finished whole = finished(run, eight_clients());
  auto inline_run = kind_of("dp-fedavg");
  inline_run.schedule = "table:1;0.5;0.25;0.1";
  EXPECT_EQ(finished(inline_run, eight_clients()).ledger, whole.ledger);
  Interruptible interrupted(run);
  interrupted.until(2);
  expect_resumed(whole, interrupted);
  write_file(table.path(), "noise\n1\n0.5\n0.25\n0.2\n");
  // With its table changed it is another run.
  Interruptible changed(run);
  changed.until(2);
  write_file(table.path(), "noise\n1\n0.5\n0.25\n0.1\n");
  EXPECT_REFUSED("checkpoint ", changed.resumed());
  std::filesystem::remove(table.path());
  EXPECT_TRUE(verify(ledger_from(whole.ledger), 1e-5).passed);
  EXPECT_EQ(ledger_from(whole.ledger).header.run.written().schedule, "table:1;0.5;0.25;0.1");
}

// The bits of a run do not depend on how many threads it has.
TEST(Threads, ChangeNoBitOfAnyKind) {
  for (Kind& kind : resumed_kinds()) {
    SCOPED_TRACE(kind.name);
    const Finished one = finished(kind.run, eight_clients());
    kind.run.threads = 2;
    const Finished two = finished(kind.run, eight_clients());
    expect_same(one, two.result, two.ledger);
    kind.run.seed += 1;
    EXPECT_FALSE(equal_bits(one.result.parameters, finished(kind.run, eight_clients()).result.parameters));
  }
}

}  // namespace
}  // namespace dpbudget::fl
