#include "dpbudget/fl/data/partition_classes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fl/data/labels.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Counts of the classes among the rows.
std::vector<double> counts_of(const std::vector<std::uint32_t>& rows, const std::vector<std::int32_t>& labels,
                              std::size_t classes) {
  std::vector<double> counts(classes);
  for (const std::uint32_t row : rows) ++counts[static_cast<std::size_t>(labels[row])];
  return counts;
}

RC_GTEST_PROP(PartitionIntoShards, IsOfEqualSizesAndUsesNoRecordTwice, ()) {
  const auto records = *rc::gen::inRange<std::size_t>(1, 500);
  const auto users = *rc::gen::inRange<std::uint64_t>(1, records + 1);
  const auto shards = *rc::gen::inRange<std::uint64_t>(1, records / users + 1);
  const auto parts = partition_into_shards(labels_of(records, 7), users, shards, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(parts.size() == users);
  for (const auto& rows : parts) RC_ASSERT(rows.size() == records / (users * shards) * shards);
  RC_ASSERT(is_disjoint(parts, records));
}

// 20 shards of 50 records, two to a label: a user of four shards has at most four labels, each 50 or 100 times.
TEST(PartitionIntoShards, DealsWholeShards) {
  const auto labels = labels_of(1000, 10);
  std::size_t mixed = 0;
  for (const auto& rows : partition_into_shards(labels, 5, 4, 3)) {
    EXPECT_EQ(rows.size(), 200u);
    for (const double count : counts_of(rows, labels, 10)) EXPECT_EQ(std::fmod(count, 50), 0);
    mixed += labels_held(rows, labels).size() > 2 ? 1 : 0;
  }
  // Were shards dealt in order, everyone would have two labels.
  EXPECT_GE(mixed, 3u);
}

TEST(PartitionIntoShards, DependsOnTheSeedAlone) {
  const auto labels = labels_of(500, 10);
  EXPECT_EQ(partition_into_shards(labels, 5, 4, 1), partition_into_shards(labels, 5, 4, 1));
  EXPECT_NE(partition_into_shards(labels, 5, 4, 1), partition_into_shards(labels, 5, 4, 2));
}

TEST(PartitionIntoShards, RefusesByName) {
  const auto labels = labels_of(10, 3);
  EXPECT_REFUSED("labels", partition_into_shards({}, 1, 1, 0));
  EXPECT_REFUSED("users", partition_into_shards(labels, 0, 1, 0));
  EXPECT_REFUSED("users", partition_into_shards(labels, 11, 1, 0));
  EXPECT_REFUSED("shards_per_user", partition_into_shards(labels, 5, 0, 0));
  EXPECT_REFUSED("shards_per_user", partition_into_shards(labels, 5, 3, 0));
  EXPECT_REFUSED("shards_per_user", partition_into_shards(labels, 2, std::uint64_t{1} << 63, 0));
}

RC_GTEST_PROP(PartitionDirichlet, IsOfEqualSizesAndUsesNoRecordTwice, ()) {
  const auto records = *rc::gen::inRange<std::size_t>(1, 300);
  const auto users = *rc::gen::inRange<std::uint64_t>(1, records + 1);
  const double beta = *rc::gen::element(1e-9, 1e-3, 0.1, 1.0, 30.0, 1e9);
  const auto classes = *rc::gen::inRange(1, 9);
  const auto parts =
      partition_dirichlet(labels_of(records, classes), 8, users, beta, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(parts.size() == users);
  for (const auto& rows : parts) RC_ASSERT(rows.size() == records / users);
  RC_ASSERT(is_disjoint(parts, records));
}

// Proportions q from Dir(beta, ..., beta) of K classes have E q_c^2 = (1 + beta) / (K (1 + K beta)), and m draws with
// them a mean squared share of E q^2 + (1 / K - E q^2) / m. Every user is the first of its own seed, so that no class
// is used up: each class alone has enough for it.
TEST(PartitionDirichlet, HasTheMomentsOfTheDirichletLaw) {
  constexpr std::size_t classes = 5;
  constexpr double draws = 40;
  constexpr int repeats = 400;
  const auto labels = labels_of(classes * 400, classes);
  for (const double beta : {0.01, 0.3, 1.0, 10.0, 1e6}) {
    double mean = 0;
    std::vector<double> of_class(classes);
    for (int seed = 0; seed < repeats; ++seed) {
      const auto parts = partition_dirichlet(labels, classes, 50, beta, static_cast<std::uint64_t>(seed));
      ASSERT_EQ(parts[0].size(), 40u);
      const auto counts = counts_of(parts[0], labels, classes);
      for (std::size_t c = 0; c < classes; ++c) {
        mean += counts[c] * counts[c] / (draws * draws * repeats * classes);
        of_class[c] += counts[c] / (draws * repeats);
      }
    }
    const double square = (1 + beta) / (classes * (1 + classes * beta));
    const double expected = square + (1.0 / classes - square) / draws;
    // A user's mean square lies in [1/25, 1/5], so its standard deviation is at most 0.08; of 400 users' mean 0.004.
    EXPECT_NEAR(mean, expected, 5 * 0.004) << beta;
    // A share of one class has a standard deviation of at most 0.4; of the mean, 0.02.
    for (const double share : of_class) EXPECT_NEAR(share, 0.2, 5 * 0.02) << beta;
  }
}

TEST(PartitionDirichlet, GoesFromOneClassToAll) {
  const auto labels = labels_of(4000, 10);
  // While classes last: the first user's 20 records come from one of 400.
  EXPECT_EQ(labels_held(partition_dirichlet(labels, 10, 200, 1e-9, 3)[0], labels).size(), 1u);
  for (const auto& rows : partition_dirichlet(labels, 10, 10, 1e9, 3)) EXPECT_EQ(labels_held(rows, labels).size(), 10u);
}

TEST(PartitionDirichlet, DependsOnTheSeedAlone) {
  const auto labels = labels_of(500, 10);
  EXPECT_EQ(partition_dirichlet(labels, 10, 5, 0.5, 1), partition_dirichlet(labels, 10, 5, 0.5, 1));
  EXPECT_NE(partition_dirichlet(labels, 10, 5, 0.5, 1), partition_dirichlet(labels, 10, 5, 0.5, 2));
}

TEST(PartitionDirichlet, RefusesByName) {
  const auto labels = labels_of(10, 3);
  EXPECT_REFUSED("labels", partition_dirichlet({}, 3, 1, 1, 0));
  EXPECT_REFUSED("labels", partition_dirichlet(labels, 2, 1, 1, 0));
  EXPECT_REFUSED("classes", partition_dirichlet(labels, 0, 1, 1, 0));
  EXPECT_REFUSED("users", partition_dirichlet(labels, 3, 0, 1, 0));
  EXPECT_REFUSED("users", partition_dirichlet(labels, 3, 11, 1, 0));
  for (const double beta : {0.0, -1.0, 1e-10, 1e10, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_REFUSED("beta", partition_dirichlet(labels, 3, 2, beta, 0));
}

TEST(PartitionByClass, GivesEachUserAClass) {
  const auto labels = labels_of(503, 7);
  const auto parts = partition_by_class(labels, 7, 2);
  ASSERT_EQ(parts.size(), 7u);
  EXPECT_TRUE(is_disjoint(parts, 503));
  std::size_t held = 0;
  for (std::size_t c = 0; c < 7; ++c) {
    EXPECT_EQ(labels_held(parts[c], labels), (std::set{static_cast<std::int32_t>(c)}));
    EXPECT_FALSE(std::ranges::is_sorted(parts[c]));
    held += parts[c].size();
  }
  EXPECT_EQ(held, 503u);
  EXPECT_EQ(partition_by_class(labels, 7, 2), parts);
  EXPECT_NE(partition_by_class(labels, 7, 3), parts);
  EXPECT_REFUSED("labels", partition_by_class(labels, 8, 2));
  EXPECT_REFUSED("labels", partition_by_class(labels, 6, 2));
  EXPECT_REFUSED("labels", partition_by_class({}, 6, 2));
  EXPECT_REFUSED("classes", partition_by_class(labels, 0, 2));
}

RC_GTEST_PROP(PartitionDigitPairs, SplitsEachDigitAmongFiveUsers, ()) {
  const auto records = *rc::gen::inRange<std::size_t>(50, 700);
  const auto labels = labels_of(records, 10);
  const auto parts = partition_digit_pairs(labels, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(parts.size() == 25u);
  RC_ASSERT(is_disjoint(parts, records));
  std::size_t held = 0;
  for (std::size_t user = 0; user < 25; ++user) {
    const auto odd = static_cast<std::int32_t>(user / 5 * 2 + 1);
    const auto even = static_cast<std::int32_t>(user % 5 * 2);
    RC_ASSERT(labels_held(parts[user], labels) == (std::set{odd, even}));
    const auto counts = counts_of(parts[user], labels, 10);
    for (const std::int32_t digit : {odd, even}) {
      const double all = static_cast<double>(std::ranges::count(labels, digit)) / 5;
      RC_ASSERT(std::abs(counts[static_cast<std::size_t>(digit)] - all) < 1);
    }
    held += parts[user].size();
  }
  RC_ASSERT(held == records);
}

TEST(PartitionDigitPairs, RefusesByName) {
  EXPECT_REFUSED("labels", partition_digit_pairs(labels_of(49, 10), 0));
  EXPECT_REFUSED("labels", partition_digit_pairs(labels_of(500, 11), 0));
  EXPECT_REFUSED("labels", partition_digit_pairs(labels_of(500, 9), 0));
  EXPECT_EQ(partition_digit_pairs(labels_of(100, 10), 4), partition_digit_pairs(labels_of(100, 10), 4));
  EXPECT_NE(partition_digit_pairs(labels_of(100, 10), 4), partition_digit_pairs(labels_of(100, 10), 5));
}

TEST(OddOrEven, KeepsTheRecords) {
  const Dataset digits = numbered(10);
  const Dataset parity = odd_or_even(digits);
  EXPECT_NO_THROW(check(parity));
  EXPECT_EQ(parity.classes, 2);
  EXPECT_EQ(parity.features, digits.features);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(parity.labels[i] == 1, digits.labels[i] % 2 == 1);
  EXPECT_REFUSED("classes", odd_or_even(numbered(10, 9)));
}

RC_GTEST_PROP(PartitionOfClasses, GivesEachUserItsClassesAlike, ()) {
  const auto classes = *rc::gen::inRange(1, 12);
  const auto users = static_cast<std::uint64_t>(*rc::gen::inRange(1, 30));
  const auto per_user = static_cast<std::uint64_t>(*rc::gen::inRange(1, classes + 1));
  const double exponent = static_cast<double>(*rc::gen::inRange(0, 30)) / 10;
  const std::vector<std::int32_t> labels = labels_of(4000, classes);
  const Partition parts = partition_of_classes(labels, classes, users, per_user, exponent, 7);
  RC_ASSERT(parts.size() == users);
  RC_ASSERT(is_disjoint(parts, labels.size()));
  std::map<std::int32_t, int> holders;
  for (std::size_t user = 0; user < users; ++user) {
    std::map<std::int32_t, std::size_t> counts;
    for (const std::uint32_t row : parts[user]) ++counts[labels[row]];
    RC_ASSERT(counts.size() == per_user);
    for (const auto& [label, count] : counts) {
      RC_ASSERT(count == parts[user].size() / per_user);
      ++holders[label];
    }
    // RC_ASSERT evaluates both sides of an `||`.
    if (user > 0) RC_ASSERT(parts[user].size() <= parts[user - 1].size());
  }
  if (users * per_user >= static_cast<std::uint64_t>(classes)) {
    RC_ASSERT(holders.size() == static_cast<std::size_t>(classes));
  }
}

TEST(PartitionOfClasses, FollowsThePowerLaw) {
  const std::vector<std::int32_t> labels = labels_of(100000, 10);
  const Partition parts = partition_of_classes(labels, 10, 100, 7, 1, 3);
  EXPECT_NEAR(static_cast<double>(parts[0].size()) / static_cast<double>(parts[9].size()), 10, 0.5);
  const Partition equal = partition_of_classes(labels, 10, 100, 7, 0, 3);
  EXPECT_EQ(equal[0].size(), equal[99].size());
  EXPECT_GT(equal[0].size(), 900U);
  EXPECT_REFUSED("per_user", partition_of_classes(labels, 10, 100, 11, 0, 3));
  EXPECT_REFUSED("labels", partition_of_classes(labels_of(30, 10), 10, 20, 7, 0, 3));
}

}  // namespace
}  // namespace dpbudget::fl
