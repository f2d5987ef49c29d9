#include "dpbudget/fl/tuning/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fl/small.h"

namespace dpbudget::fl {
namespace {

TEST(Folds, HoldEveryRecordOutOnceAndTrainOnTheOthers) {
  const FederatedData data = small_data({7, 4, 12});
  const Folds folds(data, 3, 5);
  const auto key = [](const Dataset& set, std::uint32_t row) {
    return std::pair(set.features(row, 0), set.labels[row]);
  };
  std::multiset<std::pair<double, std::int32_t>> held_out;
  for (std::uint64_t fold = 0; fold < 3; ++fold) {
    const FederatedData left = folds.without(fold);
    check(left);
    std::uint64_t together = 0;
    for (std::size_t client = 0; client < 3; ++client) {
      EXPECT_EQ(left.test_clients[client].size(), folds.held_out(client, fold));
      EXPECT_EQ(left.clients[client].size() + left.test_clients[client].size(), data.clients[client].size());
      together += left.test_clients[client].size();
      std::set<std::pair<double, std::int32_t>> own;
      for (const std::uint32_t row : data.clients[client]) own.insert(key(data.train, row));
      for (const std::uint32_t row : left.clients[client]) EXPECT_EQ(own.erase(key(left.train, row)), 1U);
      for (const std::uint32_t row : left.test_clients[client]) {
        EXPECT_EQ(own.erase(key(left.test, row)), 1U);
        held_out.insert(key(left.test, row));
      }
      EXPECT_TRUE(own.empty());
    }
    EXPECT_EQ(folds.held_out(fold), together);
  }
  EXPECT_EQ(held_out.size(), 23U);
  EXPECT_EQ(std::set(held_out.begin(), held_out.end()).size(), 23U);
  EXPECT_EQ(folds.held_out(0, 0), 3U);  // 7 = 3 + 2 + 2
  EXPECT_EQ(folds.held_out(0, 2), 2U);
}

// fl/tuning/proofs.md, 1.2: whose fold a record is in does not depend on any record.
TEST(Folds, AreDrawnByTheSeedAlone) {
  FederatedData data = small_data({9, 9});
  const FederatedData before = Folds(data, 3, 5).without(1);
  const double old = data.train.features(4, 0);
  data.train.features(4, 0) = 100;
  const FederatedData after = Folds(data, 3, 5).without(1);
  EXPECT_EQ(before.clients, after.clients);
  int changed = 0;
  for (const auto& [a, b] : {std::pair(&before.train, &after.train), std::pair(&before.test, &after.test)})
    for (Eigen::Index row = 0; row < a->features.rows(); ++row)
      if (a->features(row, 0) != b->features(row, 0)) {
        ++changed;
        EXPECT_EQ(a->features(row, 0), old);
        EXPECT_EQ(b->features(row, 0), 100);
      }
  EXPECT_EQ(changed, 1);
  EXPECT_NE(Folds(data, 3, 6).without(1).train.features.col(0), after.train.features.col(0));
}

TEST(Folds, KeepTargets) {
  FederatedData data = small_data({6});
  data.train.labels.clear();
  data.train.classes = data.test.classes = 0;
  for (int i = 0; i < 6; ++i) data.train.targets.push_back(i);
  const FederatedData left = Folds(data, 2, 1).without(0);
  EXPECT_EQ(left.train.targets.size(), 3U);
  EXPECT_EQ(left.test.targets.size(), 3U);
  EXPECT_TRUE(left.test.labels.empty());
}

TEST(Folds, AreNoMoreThanAClientHasRecords) {
  const FederatedData data = small_data({7, 4});
  const auto refusal = [&](std::uint64_t count) -> std::string {
    try {
      const Folds folds(data, count, 1);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(4), "");
  EXPECT_NE(refusal(5).find("folds is 5, but must be at most 4, the training records of client 1"), std::string::npos);
  EXPECT_NE(refusal(1).find("folds is 1"), std::string::npos);
}

}  // namespace
}  // namespace dpbudget::fl
