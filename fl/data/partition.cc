#include "dpbudget/fl/data/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/data/partition_order.h"

namespace dpbudget::fl {
namespace {

// "40", or "38 to 51" when users differ.
std::string sizes_of(const Partition& parts) {
  const auto [least, most] =
      std::ranges::minmax(parts, {}, [](const std::vector<std::uint32_t>& rows) { return rows.size(); });
  return least.size() == most.size() ? fmt::format("{}", least.size())
                                     : fmt::format("{} to {}", least.size(), most.size());
}

void check_users(std::uint64_t users, std::uint64_t records) {
  require(1 <= users && users <= records, "users", users, "at least 1 and at most the number of records");
}

// What is taken of each part: no row that is not there, none twice.
void check_rows(const Partition& parts, std::uint64_t records) {
  require(!parts.empty(), "partition", "empty", "among at least one user");
  std::vector<bool> held(records);
  for (const auto& part : parts)
    for (const std::uint32_t row : part) {
      require(row < held.size(), "partition", fmt::format("one with row {}", row), "of rows of the data set");
      require(!held[row], "partition", fmt::format("one with two holders of row {}", row), "disjoint");
      held[row] = true;
    }
}

// Appends them to `rows`, and says where they stand there.
template <class Iterator>
std::vector<std::uint32_t> take(Iterator begin, Iterator end, std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> taken(static_cast<std::size_t>(end - begin));
  std::iota(taken.begin(), taken.end(), static_cast<std::uint32_t>(rows.size()));
  rows.insert(rows.end(), begin, end);
  return taken;
}

}  // namespace

Dataset rows_of(const Dataset& all, const std::vector<std::uint32_t>& rows) {
  Dataset chosen{all.features(rows, Eigen::all), {}, all.classes};
  const auto choose = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    to.reserve(rows.size());
    for (const std::uint32_t row : rows) to.push_back(from[row]);
  };
  choose(all.labels, chosen.labels);
  choose(all.targets, chosen.targets);
  return chosen;
}

Partition partition_iid(std::uint64_t records, std::uint64_t users, std::uint64_t seed) {
  const std::vector<std::uint32_t> rows = shuffled_rows("records", records, seed);
  check_users(users, records);
  const auto each = static_cast<std::ptrdiff_t>(records / users);
  Partition clients;
  for (auto next = rows.begin(); clients.size() < users; next += each) clients.emplace_back(next, next + each);
  shuffle_each(clients, seed);
  return clients;
}

Partition partition_by_similarity(std::span<const std::int32_t> labels, std::uint64_t users, double similarity,
                                  std::uint64_t seed) {
  std::vector<std::uint32_t> rows = shuffled_rows("labels", labels.size(), seed);
  check_users(users, labels.size());
  require(0 <= similarity && similarity <= 100, "similarity", similarity, "in [0, 100] per cent");

  const std::uint64_t each = labels.size() / users;
  const auto alike = to_integer<std::uint64_t>(std::round(similarity / 100 * static_cast<double>(each)), "records");
  rows.resize(each * users);
  // Stable, so that records of one label stay in random order.
  const auto sorted = rows.begin() + static_cast<std::ptrdiff_t>(alike * users);
  std::stable_sort(sorted, rows.end(), [&](std::uint32_t a, std::uint32_t b) { return labels[a] < labels[b]; });

  Partition clients(users);
  auto next_alike = rows.cbegin();
  auto next_sorted = std::vector<std::uint32_t>::const_iterator(sorted);
  for (auto& held : clients) {
    held.reserve(each);
    std::copy_n(next_alike, alike, std::back_inserter(held));
    std::copy_n(next_sorted, each - alike, std::back_inserter(held));
    next_alike += static_cast<std::ptrdiff_t>(alike);
    next_sorted += static_cast<std::ptrdiff_t>(each - alike);
  }
  shuffle_each(clients, seed);
  return clients;
}

FederatedData federate(const Dataset& all, const Partition& parts, const std::string& how) {
  check(all);
  check_rows(parts, all.records());
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
  FederatedData data;
  for (const auto& part : parts) {
    require(part.size() >= 2, "partition", fmt::format("one with a user of {} records", part.size()),
            "of two or more each, to train and to test");
    const auto middle = part.begin() + static_cast<std::ptrdiff_t>(part.size() * 4 / 5);
    data.clients.push_back(take(part.begin(), middle, train));
    data.test_clients.push_back(take(middle, part.end(), test));
  }
  data.train = rows_of(all, train);
  data.test = rows_of(all, test);
  data.description = fmt::format("{} users of {} + {} records, {}", parts.size(), sizes_of(data.clients),
                                 sizes_of(data.test_clients), how);
  return data;
}

FederatedData federate(const Dataset& all, const Partition& parts, Dataset test, const std::string& how) {
  check(all);
  check_rows(parts, all.records());
  std::vector<std::uint32_t> train;
  FederatedData data;
  for (const auto& part : parts) data.clients.push_back(take(part.begin(), part.end(), train));
  data.train = rows_of(all, train);
  data.test = std::move(test);
  data.description = fmt::format("{} users of {} records, {} test records, {}", parts.size(), sizes_of(data.clients),
                                 data.test.records(), how);
  check(data);
  return data;
}

void make_equal(FederatedData& data) {
  const std::size_t least =
      std::ranges::min(data.clients, {}, [](const std::vector<std::uint32_t>& rows) { return rows.size(); }).size();
  std::vector<std::uint32_t> kept;
  for (auto& rows : data.clients) rows = take(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(least), kept);
  data.train = rows_of(data.train, kept);
  data.description += fmt::format(", cut to {} each", least);
}

FederatedData federate(const Dataset& all, std::uint64_t users, double similarity, std::uint64_t seed) {
  check(all);
  require(1 <= users && users <= all.records() / 2, "users", users,
          "at least 1 and at most half the number of records");
  return federate(all, partition_by_similarity(all.labels, users, similarity, seed),
                  fmt::format("{} % similar, seed {}", similarity, seed));
}

}  // namespace dpbudget::fl
