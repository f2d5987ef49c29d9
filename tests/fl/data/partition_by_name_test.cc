#include "dpbudget/fl/data/partition_by_name.h"

#include <gtest/gtest.h>

#include <string>

#include "dpbudget/fl/data/partition.h"
#include "dpbudget/fl/data/partition_classes.h"
#include "dpbudget/fl/data/partition_sizes.h"
#include "fl/data/labels.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

Dataset with_targets(std::size_t records) {
  Dataset dataset{numbered(records).features, {}, 0};
  for (std::size_t i = 0; i < records; ++i) dataset.targets.push_back(static_cast<double>((i * 7919) % records));
  return dataset;
}

TEST(FederateByName, IsFederateOfThePartition) {
  const Dataset all = numbered(403);
  const auto same = [&](const std::string& name, const Partition& parts, std::optional<std::uint64_t> users = 8) {
    const FederatedData data = federate_by_name(all, name, users, 5);
    const FederatedData wanted = federate(name == "digit-pairs" ? odd_or_even(all) : all, parts, name + ", seed 5");
    EXPECT_EQ(fingerprint(data), fingerprint(wanted)) << name;
    EXPECT_EQ(data.test_clients, wanted.test_clients) << name;
    EXPECT_EQ(data.description, wanted.description) << name;
  };
  same("iid", partition_iid(403, 8, 5));
  same("shards:3", partition_into_shards(all.labels, 8, 3, 5));
  same("dirichlet:0.3", partition_dirichlet(all.labels, 10, 8, 0.3, 5));
  same("power-law:1.5", partition_power_law(403, 8, 1.5, 5));
  same("sorted", partition_sorted(std::vector<double>(all.labels.begin(), all.labels.end()), 8, 5));
  same("iid", partition_iid(403, 100, 5), std::nullopt);
  for (const std::optional<std::uint64_t> users : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(10)})
    same("by-label", partition_by_class(all.labels, 10, 5), users);
  for (const std::optional<std::uint64_t> users : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(25)})
    same("digit-pairs", partition_digit_pairs(all.labels, 5), users);
  const FederatedData similar = federate_by_name(all, "similarity:12.5", 8, 5);
  EXPECT_EQ(fingerprint(similar), fingerprint(federate(all, 8, 12.5, 5)));
  EXPECT_EQ(similar.description, federate(all, 8, 12.5, 5).description);
}

TEST(FederateByName, SortsByTarget) {
  const FederatedData data = federate_by_name(with_targets(60), "sorted", 3, 5);
  EXPECT_NO_THROW(check(data));
  for (std::size_t user = 0; user < 3; ++user)
    for (const std::uint32_t row : data.clients[user])
      EXPECT_EQ(static_cast<std::size_t>(data.train.targets[row]) / 20, user);
}

TEST(FederateByName, RefusesByName) {
  const Dataset all = numbered(60);
  for (const auto* name : {"", "even", "iid:1", "shards", "dirichlet", "by-label:2", "digit-pairs:1", "sorted:1",
                           "similarity", "power-law", "IID", "iid ", ":"})
    EXPECT_REFUSED("partition is " + std::string(name), federate_by_name(all, name, 3, 0));
  for (const auto* name : {"shards:", "shards:1.5", "shards:-1", "shards:2:2"})
    EXPECT_REFUSED("the number of partition shards", federate_by_name(all, name, 3, 0));
  EXPECT_REFUSED("the number of partition dirichlet", federate_by_name(all, "dirichlet:x", 3, 0));
  EXPECT_REFUSED("beta", federate_by_name(all, "dirichlet:nan", 3, 0));
  EXPECT_REFUSED("similarity", federate_by_name(all, "similarity:101", 3, 0));
  EXPECT_REFUSED("shards_per_user", federate_by_name(all, "shards:0", 3, 0));
  EXPECT_REFUSED("exponent", federate_by_name(all, "power-law:-1", 3, 0));
  for (const auto* name : {"iid", "shards:1", "sorted", "power-law:1", "similarity:0", "dirichlet:1"}) {
    EXPECT_REFUSED("users", federate_by_name(all, name, 0, 0));
    EXPECT_REFUSED("users", federate_by_name(all, name, 31, 0));
    EXPECT_REFUSED("users", federate_by_name(all, name, {}, 0));
  }
  EXPECT_REFUSED("users", federate_by_name(all, "by-label", 9, 0));
  EXPECT_REFUSED("users", federate_by_name(all, "digit-pairs", 24, 0));
  // Of 12 records in 10 classes, some class has one, and a user needs two.
  EXPECT_REFUSED("partition", federate_by_name(numbered(12), "by-label", {}, 0));
  EXPECT_REFUSED("classes", federate_by_name(numbered(60, 3), "digit-pairs", {}, 0));
  Dataset bad = all;
  bad.labels[0] = -1;
  EXPECT_REFUSED("labels", federate_by_name(bad, "iid", 3, 0));
  for (const auto* name : {"similarity:0", "shards:1", "dirichlet:1", "by-label", "digit-pairs"})
    EXPECT_THROW(federate_by_name(with_targets(60), name, 3, 0), Unsupported) << name;
}

TEST(AddPartition, DividesAsWhatWasAddedDoes) {
  add_partition("test-first",
                [](const Dataset&, const std::optional<std::string>& records, std::uint64_t users, std::uint64_t) {
                  Partition parts(users);
                  std::uint32_t next = 0;
                  for (auto& rows : parts)
                    for (int i = 0; i < std::stoi(records.value()); ++i) rows.push_back(next++);
                  return parts;
                });
  const FederatedData data = federate_by_name(numbered(40), "test-first:5", 3, 1);
  ASSERT_EQ(data.clients.size(), 3U);
  for (const auto& rows : data.clients) EXPECT_EQ(rows.size(), 4U);  // the fifth is for testing
  for (const std::string name : {"iid", "shards", "test-first", "", "a:b"})
    EXPECT_REFUSED("partition is `" + name + "`", add_partition(name, {}));
}

}  // namespace
}  // namespace dpbudget::fl
