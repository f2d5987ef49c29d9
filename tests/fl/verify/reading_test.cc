#include "dpbudget/fl/verify/reading.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "dpbudget/fl/verify/findings_json.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/small.h"
#include "fl/thread_ranks.h"
#include "fl/write_file.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// A ledger of some thousand lines, so that there are several pieces of it.
std::string long_text(const std::function<void(RunRequest&)>& change = {}) {
  RunRequest run = small_run("dp-fedavg");
  run.rounds = 900;
  run.local_steps = 1;
  run.evaluate_every = 900;
  if (change) change(run);
  return ledger_text(run, ten_clients());
}

// The verdict of the first of so many ranks, the others of which read `theirs`.
Report verified(const std::filesystem::path& mine, const std::filesystem::path& theirs, std::size_t count) {
  Threads threads(count);
  std::vector<std::jthread> others;
  for (std::size_t rank = 1; rank < count; ++rank)
    others.emplace_back([&, rank] {
      Threads::One one(threads, rank);
      check_for_first(theirs, one);
    });
  Threads::One one(threads, 0);
  LedgerReader reader(mine);
  return verify(reader, 1e-5, &one);
}

void expect_same(const Report& a, const Report& b) {
  EXPECT_EQ(a.passed, b.passed);
  ASSERT_EQ(a.checks.size(), b.checks.size());
  for (std::size_t i = 0; i < a.checks.size(); ++i) {
    EXPECT_EQ(a.checks[i].passed, b.checks[i].passed) << a.checks[i].name;
    EXPECT_EQ(a.checks[i].reason, b.checks[i].reason);
  }
}

TEST(DividedVerification, FindsTheSameOnAnyNumberOfRanks) {
  std::string forged = long_text();
  const std::size_t at = forged.find("\"noise_sum_of_squares\":", forged.size() / 2);
  forged[at + 24] = forged[at + 24] == '9' ? '8' : '9';
  const std::string adaptive = long_text([](RunRequest& run) { run.clipping = AdaptiveClipping{}; });
  for (const std::string& text : {long_text(), adaptive, forged}) {
    const TemporaryFile file;
    write_file(file.path(), text);
    const Report alone = verify(file.path(), 1e-5);
    EXPECT_EQ(alone.passed, text != forged);
    for (const std::size_t count : {1U, 2U, 3U, 7U}) expect_same(verified(file.path(), file.path(), count), alone);
  }
}

TEST(DividedVerification, RefusesAnotherLedgerOnAnotherRank) {
  const TemporaryFile mine;
  const TemporaryFile theirs;
  const std::string text = long_text();
  write_file(mine.path(), text);
  EXPECT_REFUSED("rank 1: ledger " + theirs.path().string() + " cannot be read",
                 verified(mine.path(), theirs.path(), 2));
  write_file(theirs.path(), long_text([](RunRequest& run) { run.seed = 12; }));
  EXPECT_REFUSED("rank 1: the ledger is another one there", verified(mine.path(), theirs.path(), 2));
  // It lacks the pieces that it was to look at.
  write_file(theirs.path(), text.substr(0, text.find('\n') + 1));
  EXPECT_REFUSED("a rank's ledger ends before", verified(mine.path(), theirs.path(), 3));
  // What the first cannot read leaves nobody waiting.
  write_file(mine.path(), text + "{}\n");
  EXPECT_REFUSED(mine.path().string() + ": line ", verified(mine.path(), mine.path(), 2));
}

TEST(Findings, AreToldWithEveryBit) {
  ParticipationFindings found;
  found.clipping.expect(false, "x {}", 1);
  found.clipping.expect(false, "y");
  found.drawn.stream.expect(false, "z");
  found.drawn.draws = 7;
  found.drawn.squares = 0.1;
  found.drawn.degrees = std::numeric_limits<double>::infinity();
  found.clipped = {{1, 2, 0.3}, {4, 5, std::numeric_limits<double>::infinity()}};
  found.below = {{6, 0.7}};
  std::string bytes;
  nlohmann::json::to_cbor(to_json(found), bytes);
  const ParticipationFindings told = findings_from(nlohmann::json::from_cbor(bytes));
  EXPECT_EQ(told.clipping.conclude("").reason, "x 1 (and 1 more)");
  EXPECT_EQ(told.drawn.stream.conclude("").reason, "z");
  EXPECT_TRUE(told.noise.conclude("fine").passed);
  EXPECT_EQ(told.drawn.draws, 7U);
  EXPECT_EQ(told.drawn.squares, 0.1);
  EXPECT_EQ(told.drawn.degrees, found.drawn.degrees);
  ASSERT_EQ(told.clipped.size(), 2U);
  EXPECT_EQ(told.clipped[0].norm, 0.3);
  EXPECT_EQ(told.clipped[1].norm, found.clipped[1].norm);
  EXPECT_EQ(told.below, found.below);
}

}  // namespace
}  // namespace dpbudget::fl
