#include "dpbudget/fl/data/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dpbudget/accounting/require.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Stream;

// The streams of a division: one for the whole data set, one per user.
enum class Part : std::uint64_t { whole, user };

Stream stream_of(std::uint64_t seed, std::uint64_t user, Part part) {
  return Stream({seed, Purpose::partition, 0, user, static_cast<std::uint64_t>(part)});
}

Dataset rows_of(const Dataset& all, const std::vector<std::uint32_t>& rows) {
  Dataset chosen{all.features(rows, Eigen::all), {}, all.classes};
  chosen.labels.reserve(rows.size());
  for (const std::uint32_t row : rows) chosen.labels.push_back(all.labels[row]);
  return chosen;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> partition_by_similarity(std::span<const std::int32_t> labels,
                                                                std::uint64_t users, double similarity,
                                                                std::uint64_t seed) {
  require(!labels.empty() && labels.size() <= std::numeric_limits<std::uint32_t>::max(), "labels", labels.size(),
          "in [1, 2^32) in number");
  require(1 <= users && users <= labels.size(), "users", users, "at least 1 and at most the number of records");
  require(0 <= similarity && similarity <= 100, "similarity", similarity, "in [0, 100] per cent");

  const std::uint64_t each = labels.size() / users;
  const auto alike = static_cast<std::uint64_t>(std::llround(similarity / 100 * static_cast<double>(each)));
  std::vector<std::uint32_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  Stream whole = stream_of(seed, 0, Part::whole);
  std::ranges::shuffle(rows, whole);
  rows.resize(each * users);
  // Stable, so that records of one label stay in random order.
  const auto sorted = rows.begin() + static_cast<std::ptrdiff_t>(alike * users);
  std::stable_sort(sorted, rows.end(), [&](std::uint32_t a, std::uint32_t b) { return labels[a] < labels[b]; });

  std::vector<std::vector<std::uint32_t>> clients(users);
  auto next_alike = rows.cbegin();
  auto next_sorted = std::vector<std::uint32_t>::const_iterator(sorted);
  for (std::uint64_t user = 0; user < users; ++user) {
    auto& held = clients[user];
    held.reserve(each);
    std::copy_n(next_alike, alike, std::back_inserter(held));
    std::copy_n(next_sorted, each - alike, std::back_inserter(held));
    next_alike += static_cast<std::ptrdiff_t>(alike);
    next_sorted += static_cast<std::ptrdiff_t>(each - alike);
    Stream own = stream_of(seed, user, Part::user);
    std::ranges::shuffle(held, own);
  }
  return clients;
}

FederatedData federate(const Dataset& all, std::uint64_t users, double similarity, std::uint64_t seed) {
  check(all);
  require(1 <= users && users <= all.records() / 2, "users", users,
          "at least 1 and at most half the number of records");
  const auto parts = partition_by_similarity(all.labels, users, similarity, seed);

  // A user's rows are in random order, so any cut is a random split.
  const std::uint64_t each = parts.front().size();
  const auto training = static_cast<std::ptrdiff_t>(each * 4 / 5);
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
  FederatedData data;
  for (const auto& part : parts) {
    auto& held = data.clients.emplace_back(training);
    std::iota(held.begin(), held.end(), static_cast<std::uint32_t>(train.size()));
    train.insert(train.end(), part.begin(), part.begin() + training);
    test.insert(test.end(), part.begin() + training, part.end());
  }
  data.train = rows_of(all, train);
  data.test = rows_of(all, test);
  data.description = fmt::format("{} users of {} + {} records, {} % similar, seed {}", users, training,
                                 each - static_cast<std::uint64_t>(training), similarity, seed);
  return data;
}

}  // namespace dpbudget::fl
