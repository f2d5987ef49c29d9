#include "dpbudget/fl/verify/deeds.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fl/small.h"

namespace dpbudget::fl {
namespace {

ReleaseRun release(std::uint64_t sample) {
  ReleaseRun run;
  run.count = 1;
  run.sample = sample;
  run.noise_std = 2;
  return run;
}

RoundEntry round_of(std::uint64_t number, std::vector<std::uint64_t> clients, std::vector<double> weights) {
  RoundEntry entry;
  entry.round = number;
  entry.participants.scheme = "without_replacement";
  entry.participants.clients = std::move(clients);
  entry.participants.weights = std::move(weights);
  return entry;
}

Ledger ledger_of(std::vector<std::uint64_t> clients, std::vector<RoundEntry> rounds,
                 std::vector<Participation> participations) {
  return {{settle(small_run("dp-fedavg")), std::move(clients), 0, {}, 0, {}},
          std::move(rounds),
          std::move(participations),
          {},
          false};
}

// Round, client and weight of each, for what is easily compared.
std::string text(std::span<const Deed* const> deeds) {
  std::string text;
  for (const Deed* deed : deeds)
    text += std::to_string(deed->round->entry->round) + ":" + std::to_string(deed->client) + "*" +
            std::to_string(deed->weight).substr(0, 4) + " ";
  return text;
}

TEST(Deeds, AreFoundByClientAndKindInOrderOfRounds) {
  const Ledger ledger = ledger_of({20, 40, 20}, {round_of(2, {0, 1}, {0.25, 0.75}), round_of(1, {2}, {0.5})},
                                  {{2, 1, {}}, {2, 0, {}}, {3, 0, {}}, {1, 2, {}}, {2, 7, {}}});
  const Record record(ledger);
  const Deeds deeds(record);
  EXPECT_EQ(text(deeds.of_client(0)), "2:0*0.25 ");  // the third round is not recorded
  EXPECT_EQ(text(deeds.of_client(1)), "2:1*0.75 ");
  EXPECT_EQ(text(deeds.of_client(7)), "2:7*1.00 ");  // the round does not name it, nor the header
  EXPECT_EQ(text(deeds.of_client(3)), "");
  EXPECT_EQ(text(deeds.of_kind({.clients = 3, .records = 20})), "1:2*0.50 2:0*0.25 ");
  EXPECT_EQ(text(deeds.of_kind({.clients = 3, .records = 40})), "2:1*0.75 ");
  EXPECT_EQ(text(deeds.of_kind({.clients = 3, .records = 30})), "");
  EXPECT_EQ(deeds.first_of({.clients = 3, .records = 40}), 1U);
  EXPECT_FALSE(deeds.first_of({.clients = 3, .records = 30}));
  EXPECT_EQ(deeds.rounds().begin()->first, 1U);
}

// fl/account/proofs.md, 9.5
TEST(Deeds, SayWhatARoundHidesThemAmong) {
  const std::vector<Participation> lines = {{1, 0, {release(4)}}, {1, 2, {release(6)}}};
  const auto round_in = [&](const Ledger& ledger) {
    const Record record(ledger);
    return Deeds(record).rounds().at(1);
  };
  const auto equal = ledger_of({20, 20, 20}, {round_of(1, {0, 2}, {0.25, 0.75})}, lines);
  EXPECT_EQ(round_in(equal).reports.all, 10U);
  EXPECT_EQ(round_in(equal).reports.largest, 6U);
  ASSERT_TRUE(round_in(equal).variances);
  EXPECT_EQ(round_in(equal).variances->all, 0.25 + 2.25);
  EXPECT_EQ(round_in(equal).variances->largest, 2.25);
  const auto unequal = ledger_of({20, 20, 21}, {round_of(1, {0, 2}, {0.25, 0.75})}, lines);
  EXPECT_FALSE(round_in(unequal).variances);
  auto twice = equal;
  twice.participations[1].releases.push_back(release(6));
  EXPECT_FALSE(round_in(twice).variances);
}

// fl/account/proofs.md, 3.2
TEST(Deeds, KnowBatchesThatOverlap) {
  const auto batches = [](std::vector<std::uint64_t> firsts) {
    std::vector<Participation> lines;
    for (const std::uint64_t first : firsts) {
      lines.push_back({1, 0, {release(4)}});
      lines.back().releases.front().first = first;
    }
    const Ledger ledger = ledger_of({20}, {round_of(1, {0}, {1})}, lines);
    const Record record(ledger);
    return Deeds(record).batches_are_disjoint(0);
  };
  EXPECT_TRUE(batches({8, 0, 4}));
  EXPECT_FALSE(batches({8, 0, 5}));
}

// fl/account/proofs.md, 11.5
TEST(Deeds, KnowBatchesThatOverlapInOneOrder) {
  struct Batch {
    std::uint64_t round;
    std::uint64_t pass;
    std::uint64_t first;
    std::uint64_t count = 1;
  };
  const auto are_disjoint = [](const std::vector<Batch>& batches) {
    std::vector<Participation> lines;
    for (const Batch& batch : batches) {
      lines.push_back({batch.round, 0, {release(4)}});
      ReleaseRun& run = lines.back().releases.front();
      run.pass = batch.pass;
      run.first = batch.first;
      run.count = batch.count;
    }
    const Ledger ledger = ledger_of({20}, {round_of(1, {0}, {1}), round_of(2, {0}, {1})}, lines);
    const Record record(ledger);
    return Deeds(record).batches_are_disjoint(0);
  };
  EXPECT_TRUE(are_disjoint({{1, 1, 8}, {1, 1, 0}, {1, 1, 4}}));
  EXPECT_TRUE(are_disjoint({{1, 1, 0}, {1, 2, 0}, {2, 1, 0}, {2, 2, 0}}));
  EXPECT_FALSE(are_disjoint({{1, 1, 0}, {1, 2, 0}, {1, 1, 0}}));
  EXPECT_FALSE(are_disjoint({{1, 1, 8}, {1, 1, 0, 2}, {1, 1, 5}}));
  EXPECT_FALSE(are_disjoint({{1, 2, 0, 3}, {1, 2, 8}}));
  // So many that a product wraps around.
  EXPECT_FALSE(are_disjoint({{1, 1, 0, std::uint64_t{1} << 62U}, {1, 1, 4}}));
}

}  // namespace
}  // namespace dpbudget::fl
