#include "dpbudget/fl/data/partition_by_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/partition_classes.h"
#include "dpbudget/fl/data/partition_sizes.h"

namespace dpbudget::fl {
namespace {

// "shards:4" taken apart.
struct Name {
  explicit Name(const std::string& given) : text(given), kind(given.substr(0, given.find(':'))) {
    if (kind != given) number = given.substr(kind.size() + 1);
  }

  bool is(const std::string& wanted, bool has_number) const {
    return kind == wanted && number.has_value() == has_number;
  }

  double read() const { return read_number("the number of partition " + kind, *number); }

  std::string text;
  std::string kind;
  std::optional<std::string> number;
};

// As many users as the partition decides on, unless another number is asked for.
void require_users(std::optional<std::uint64_t> users, std::uint64_t decided, const Name& name) {
  if (users)
    require(*users == decided, "users", *users, fmt::format("{} (or left out) for partition {}", decided, name.text));
}

// Without labels.
std::optional<Partition> partition_of_any(const Dataset& all, const Name& name, std::uint64_t users,
                                          std::uint64_t seed) {
  if (name.is("iid", false)) return partition_iid(all.records(), users, seed);
  if (name.is("power-law", true)) return partition_power_law(all.records(), users, name.read(), seed);
  if (name.is("sorted", false)) {
    const std::vector<double> labels(all.labels.begin(), all.labels.end());
    return partition_sorted(all.targets.empty() ? labels : all.targets, users, seed);
  }
  return std::nullopt;
}

std::optional<Partition> partition_by_labels(const Dataset& all, const Name& name, std::uint64_t users,
                                             std::uint64_t seed) {
  if (name.is("similarity", true)) return partition_by_similarity(all.labels, users, name.read(), seed);
  if (name.is("shards", true))
    return partition_into_shards(all.labels, users, read_count("the number of partition shards", *name.number), seed);
  if (name.is("classes", true)) {
    const std::size_t comma = name.number->find(',');
    const double exponent = comma == std::string::npos
                                ? 0
                                : read_number("the exponent of partition classes", name.number->substr(comma + 1));
    return partition_of_classes(all.labels, all.classes, users,
                                read_count("the number of partition classes", name.number->substr(0, comma)), exponent,
                                seed);
  }
  if (name.is("dirichlet", true)) return partition_dirichlet(all.labels, all.classes, users, name.read(), seed);
  return std::nullopt;
}

bool decides_on_users(const Name& name) { return name.is("by-label", false) || name.is("digit-pairs", false); }

// The two ways to a test set.
FederatedData federated(const Dataset& all, const Partition& parts, const std::optional<Dataset>& test,
                        const std::string& how) {
  return test ? federate(all, parts, *test, how) : federate(all, parts, how);
}

FederatedData federate_as_decided(const Dataset& all, const Name& name, std::optional<std::uint64_t> users,
                                  std::uint64_t seed, const std::optional<Dataset>& test, const std::string& how) {
  if (name.is("by-label", false)) {
    require_users(users, static_cast<std::uint64_t>(all.classes), name);
    return federated(all, partition_by_class(all.labels, all.classes, seed), test, how);
  }
  const Dataset parity = odd_or_even(all);
  const Partition pairs = partition_digit_pairs(all.labels, seed);
  require_users(users, pairs.size(), name);
  return federated(parity, pairs, test ? std::optional(odd_or_even(*test)) : std::nullopt, how);
}

constexpr std::array own_names = {"iid",      "similarity",  "shards", "dirichlet", "power-law",
                                  "by-label", "digit-pairs", "sorted", "classes"};

std::map<std::string, PartitionMaker>& added() {
  static std::map<std::string, PartitionMaker> all;
  return all;
}

}  // namespace

void add_partition(const std::string& name, PartitionMaker make) {
  const bool is_taken = std::ranges::find(own_names, name) != own_names.end() || added().contains(name);
  require(!name.empty() && !is_taken && name.find(':') == std::string::npos, "partition", fmt::format("`{}`", name),
          "a name without a colon that no partition has yet");
  added().emplace(name, std::move(make));
}

FederatedData federate_by_name(const Dataset& all, const std::string& partition, std::optional<std::uint64_t> users,
                               std::uint64_t seed, const std::optional<Dataset>& test) {
  check(all);
  const Name name(partition);
  const std::string how = name.is("similarity", true) ? fmt::format("{} % similar, seed {}", name.read(), seed)
                                                      : fmt::format("{}, seed {}", partition, seed);
  const bool by_labels = decides_on_users(name) || name.is("similarity", true) || name.is("shards", true) ||
                         name.is("dirichlet", true) || name.is("classes", true);
  if (by_labels && all.labels.empty())
    throw Unsupported(
        fmt::format("partition is {}, but must be iid, power-law or sorted for records without labels", partition));
  if (decides_on_users(name)) return federate_as_decided(all, name, users, seed, test, how);

  const std::uint64_t count = users.value_or(default_users);
  const std::uint64_t each = test ? 1 : 2;
  require(1 <= count && count <= all.records() / each, "users", count,
          test ? "at least 1 and at most the number of records" : "at least 1 and at most half the number of records");
  if (const auto other = added().find(name.kind); other != added().end())
    return federated(all, other->second(all, name.number, count, seed), test, how);
  std::optional<Partition> parts = partition_of_any(all, name, count, seed);
  if (!parts) parts = partition_by_labels(all, name, count, seed);
  require(parts.has_value(), "partition", partition,
          "iid, similarity:PERCENT, shards:COUNT, dirichlet:BETA, classes:COUNT[,EXPONENT], power-law:EXPONENT, "
          "by-label, digit-pairs or sorted");
  return federated(all, *parts, test, how);
}

}  // namespace dpbudget::fl
