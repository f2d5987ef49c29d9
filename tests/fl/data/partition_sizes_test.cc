#include "dpbudget/fl/data/partition_sizes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fl/data/labels.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

RC_GTEST_PROP(PartitionPowerLaw, GivesAllRecordsByTheLaw, ()) {
  const auto records = *rc::gen::inRange<std::uint64_t>(2, 2000);
  const auto users = *rc::gen::inRange<std::uint64_t>(1, records / 2 + 1);
  const double exponent = *rc::gen::element(0.0, 0.5, 1.0, 1.5, 3.0, 40.0, 1e5);
  const auto parts = partition_power_law(records, users, exponent, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(parts.size() == users);
  RC_ASSERT(is_disjoint(parts, records));
  double total = 0;
  for (std::uint64_t k = 1; k <= users; ++k) total += std::pow(static_cast<double>(k), -exponent);
  std::uint64_t given = 0;
  for (std::uint64_t k = 1; k <= users; ++k) {
    const double share = static_cast<double>(records - 2 * users) * std::pow(static_cast<double>(k), -exponent) / total;
    RC_ASSERT(std::abs(static_cast<double>(parts[k - 1].size()) - 2 - share) < 1 + 1e-9);
    given += parts[k - 1].size();
  }
  RC_ASSERT(given == records);
}

TEST(PartitionPowerLaw, DependsOnTheSeedAlone) {
  EXPECT_EQ(partition_power_law(500, 7, 1.5, 1), partition_power_law(500, 7, 1.5, 1));
  EXPECT_NE(partition_power_law(500, 7, 1.5, 1), partition_power_law(500, 7, 1.5, 2));
}

TEST(PartitionPowerLaw, RefusesByName) {
  EXPECT_REFUSED("records", partition_power_law(0, 1, 1, 0));
  EXPECT_REFUSED("users", partition_power_law(10, 0, 1, 0));
  EXPECT_REFUSED("users", partition_power_law(10, 6, 1, 0));
  for (const double exponent :
       {-0.1, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_REFUSED("exponent", partition_power_law(10, 2, exponent, 0));
}

RC_GTEST_PROP(PartitionSorted, CutsTheSortedKeys, ()) {
  const auto keys = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(-20, 20), [](int key) { return key / 4.0; })));
  const auto users = *rc::gen::inRange<std::uint64_t>(1, keys.size() + 1);
  const auto parts = partition_sorted(keys, users, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(parts.size() == users);
  RC_ASSERT(is_disjoint(parts, keys.size()));
  double last = -std::numeric_limits<double>::infinity();
  std::size_t given = 0;
  for (const auto& rows : parts) {
    RC_ASSERT(&rows == &parts.back() || rows.size() == keys.size() / users);
    const auto [least, most] = std::ranges::minmax(rows, {}, [&](std::uint32_t row) { return keys[row]; });
    RC_ASSERT(last <= keys[least]);
    last = keys[most];
    given += rows.size();
  }
  RC_ASSERT(given == keys.size());
}

TEST(PartitionSorted, OrdersEqualKeysAndRowsAtRandom) {
  const std::vector<double> keys(100, 1.0);
  const auto parts = partition_sorted(keys, 2, 1);
  EXPECT_FALSE(std::ranges::is_sorted(parts[0]));
  EXPECT_GT(std::ranges::count_if(parts[0], [](std::uint32_t row) { return row >= 50; }), 10);
  EXPECT_EQ(parts, partition_sorted(keys, 2, 1));
  EXPECT_NE(parts, partition_sorted(keys, 2, 2));
}

TEST(PartitionSorted, RefusesByName) {
  const std::vector<double> keys{1, 2, 3};
  EXPECT_REFUSED("keys", partition_sorted({}, 1, 0));
  EXPECT_REFUSED("users", partition_sorted(keys, 0, 0));
  EXPECT_REFUSED("users", partition_sorted(keys, 4, 0));
  EXPECT_REFUSED("keys", partition_sorted(std::vector{1.0, std::nan("")}, 1, 0));
}

}  // namespace
}  // namespace dpbudget::fl
