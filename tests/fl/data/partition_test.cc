#include "dpbudget/fl/data/partition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "fl/data/labels.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

RC_GTEST_PROP(PartitionBySimilarity, IsOfEqualSizesAndUsesNoRecordTwice, ()) {
  const auto records = *rc::gen::inRange<std::size_t>(1, 600);
  const auto users = *rc::gen::inRange<std::uint64_t>(1, records + 1);
  const double similarity = *rc::gen::inRange(0, 1001) / 10.0;
  const auto parts =
      partition_by_similarity(labels_of(records, 7), users, similarity, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(parts.size() == users);
  std::set<std::uint32_t> used;
  for (const auto& rows : parts) {
    RC_ASSERT(rows.size() == records / users);
    for (const std::uint32_t row : rows) {
      RC_ASSERT(row < records);
      RC_ASSERT(used.insert(row).second);
    }
  }
}

TEST(PartitionBySimilarity, AtZeroCutsTheSortedLabels) {
  // 10 labels of 100 records each among 20 users: 50 records, one label each.
  const auto labels = labels_of(1000, 10);
  const auto parts = partition_by_similarity(labels, 20, 0, 3);
  for (std::size_t user = 0; user < parts.size(); ++user)
    EXPECT_EQ(labels_held(parts[user], labels), std::set<std::int32_t>{static_cast<std::int32_t>(user / 2)});
}

// 24 users whose shares do not fall on label boundaries: consecutive labels, never one beyond the next user's first.
TEST(PartitionBySimilarity, AtZeroLabelsAscendFromUserToUser) {
  const auto labels = labels_of(1003, 10);
  std::int32_t last = 0;
  for (const auto& rows : partition_by_similarity(labels, 24, 0, 3)) {
    const auto held = labels_held(rows, labels);
    EXPECT_LE(last, *held.begin());
    EXPECT_LE(held.size(), 2u);
    last = *held.rbegin();
  }
}

TEST(PartitionBySimilarity, AtAHundredIsIndependentOfLabels) {
  const auto labels = labels_of(20000, 10);
  double statistic = 0;
  for (const auto& rows : partition_by_similarity(labels, 40, 100, 5)) {
    std::vector<double> counts(10);
    for (const std::uint32_t row : rows) ++counts[static_cast<std::size_t>(labels[row])];
    for (const double count : counts) statistic += (count - 50) * (count - 50) / 50;
  }
  // A contingency table with fixed margins: (40 - 1) (10 - 1) degrees of freedom.
  const boost::math::chi_squared law(39 * 9);
  EXPECT_GT(statistic, quantile(law, 1e-6));
  EXPECT_LT(statistic, quantile(complement(law, 1e-6)));
}

TEST(PartitionBySimilarity, InBetweenMixesInTheGivenShare) {
  const auto labels = labels_of(20000, 10);
  const auto parts = partition_by_similarity(labels, 20, 10, 5);
  for (std::size_t user = 0; user < parts.size(); ++user) {
    std::vector<double> counts(10);
    for (const std::uint32_t row : parts[user]) ++counts[static_cast<std::size_t>(labels[row])];
    // 1000 records: 100 i.i.d., ten to a label, and 900 of about one label.
    std::ranges::sort(counts, std::greater{});
    EXPECT_GT(counts[0] + counts[1], 900);
    EXPECT_GT(counts[9], 0);
    EXPECT_NEAR(counts[0] + counts[1], 920, 30);
  }
}

TEST(PartitionBySimilarity, DependsOnTheSeedAlone) {
  const auto labels = labels_of(500, 10);
  EXPECT_EQ(partition_by_similarity(labels, 5, 30, 1), partition_by_similarity(labels, 5, 30, 1));
  EXPECT_NE(partition_by_similarity(labels, 5, 30, 1), partition_by_similarity(labels, 5, 30, 2));
}

TEST(PartitionBySimilarity, RefusesByName) {
  const auto labels = labels_of(10, 3);
  EXPECT_REFUSED("labels", partition_by_similarity({}, 1, 0, 0));
  EXPECT_REFUSED("users", partition_by_similarity(labels, 0, 0, 0));
  EXPECT_REFUSED("users", partition_by_similarity(labels, 11, 0, 0));
  for (const double similarity : {-1.0, 100.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_REFUSED("similarity", partition_by_similarity(labels, 2, similarity, 0));
}

TEST(PartitionIid, IsSimilarityOfAHundred) {
  for (const std::uint64_t users : {1, 3, 40, 101})
    EXPECT_EQ(partition_iid(101, users, 9), partition_by_similarity(labels_of(101, 3), users, 100, 9));
  EXPECT_NE(partition_iid(101, 3, 8), partition_iid(101, 3, 9));
  EXPECT_REFUSED("records", partition_iid(0, 1, 0));
  EXPECT_REFUSED("records", partition_iid(std::uint64_t{1} << 32, 1, 0));
  EXPECT_REFUSED("users", partition_iid(10, 0, 0));
  EXPECT_REFUSED("users", partition_iid(10, 11, 0));
}

TEST(Federate, SplitsEveryUsersRecordsFourToOne) {
  const Dataset all = numbered(1009);
  const FederatedData data = federate(all, 20, 0, 4);
  EXPECT_NO_THROW(check(data));
  EXPECT_EQ(data.train.records(), 20u * 40);
  EXPECT_EQ(data.test.records(), 20u * 10);
  std::set<double> seen;
  for (const Dataset* part : {&data.train, &data.test})
    for (std::size_t i = 0; i < part->records(); ++i) {
      const double number = part->features(static_cast<Eigen::Index>(i), 0);
      EXPECT_TRUE(seen.insert(number).second);
      EXPECT_EQ(part->labels[i], all.labels[static_cast<std::size_t>(number)]);
    }
  for (const auto& rows : data.clients) {
    EXPECT_EQ(rows.size(), 40u);
    EXPECT_LE(labels_held(rows, data.train.labels).size(), 2u);
  }
}

// Were the tail of a user's records tested, at similarity 0 only each user's last label would be.
TEST(Federate, TestsRecordsAsTheyAreTrained) {
  const FederatedData data = federate(numbered(2000), 2, 0, 4);
  std::vector<int> counts(10);
  for (const std::int32_t label : data.test.labels) ++counts[static_cast<std::size_t>(label)];
  for (const int count : counts) EXPECT_NEAR(count, 40, 34);  // hypergeometric, standard deviation 5.1 or less
}

TEST(Federate, SplitsAGivenPartitionInItsOrder) {
  Dataset all = numbered(20);
  all.labels.clear();
  all.classes = 0;
  for (int i = 0; i < 20; ++i) all.targets.push_back(-i);
  const FederatedData data = federate(all, {{4, 9}, {19, 0, 7, 11, 2, 5}}, "by hand");
  EXPECT_NO_THROW(check(data));
  EXPECT_EQ(data.clients, (Partition{{0}, {1, 2, 3, 4}}));
  EXPECT_EQ(data.test_clients, (Partition{{0}, {1, 2}}));
  EXPECT_EQ(data.train.features, (Matrix{{4}, {19}, {0}, {7}, {11}}));
  EXPECT_EQ(data.test.features, (Matrix{{9}, {2}, {5}}));
  EXPECT_EQ(data.train.targets, (std::vector<double>{-4, -19, 0, -7, -11}));
  EXPECT_EQ(data.test.targets, (std::vector<double>{-9, -2, -5}));
  EXPECT_EQ(data.description, "2 users of 1 to 4 + 1 to 2 records, by hand");
}

// At similarity 0 and users that fit the classes, a user's test records have its label.
TEST(Federate, KnowsWhoseTestRecordsAre) {
  const FederatedData data = federate(numbered(1000), 10, 0, 4);
  EXPECT_NO_THROW(check(data));
  ASSERT_EQ(data.test_clients.size(), 10u);
  for (std::size_t user = 0; user < 10; ++user) {
    EXPECT_EQ(data.test_clients[user].size(), 20u);
    EXPECT_EQ(labels_held(data.test_clients[user], data.test.labels), (std::set{static_cast<std::int32_t>(user)}));
  }
}

TEST(Federate, RefusesPartitionsByName) {
  const Dataset all = numbered(10);
  for (const Partition& parts :
       {Partition{}, Partition{{0, 1}, {}}, Partition{{0, 1}, {2}}, Partition{{0, 10}}, Partition{{0, 1}, {2, 0}}})
    EXPECT_REFUSED("partition", federate(all, parts, ""));
  Dataset bad = all;
  bad.labels[3] = 10;
  EXPECT_REFUSED("labels", federate(bad, {{0, 1}}, ""));
}

TEST(Federate, RefusesByName) {
  EXPECT_REFUSED("users", federate(numbered(10), 6, 0, 0));
  EXPECT_REFUSED("users", federate(numbered(10), 0, 0, 0));
  EXPECT_REFUSED("similarity", federate(numbered(10), 2, -1, 0));
  Dataset bad = numbered(10);
  bad.labels[3] = 10;
  EXPECT_REFUSED("labels", federate(bad, 2, 0, 0));
}

}  // namespace
}  // namespace dpbudget::fl
