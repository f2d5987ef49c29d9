#include "dpbudget/fl/data/partition_sizes.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/data/partition_order.h"

namespace dpbudget::fl {

Partition partition_power_law(std::uint64_t records, std::uint64_t users, double exponent, std::uint64_t seed) {
  const std::vector<std::uint32_t> rows = shuffled_rows("records", records, seed);
  require(1 <= users && users <= records / 2, "users", users, "at least 1 and at most half the number of records");
  require(0 <= exponent && std::isfinite(exponent), "exponent", exponent, "finite and not negative");
  std::vector<double> up_to(users);  // sums of the weights
  for (std::uint64_t user = 0; user < users; ++user)
    up_to[user] = (user > 0 ? up_to[user - 1] : 0) + std::pow(static_cast<double>(user + 1), -exponent);

  Partition clients(users);
  const std::uint64_t spare = records - 2 * users;
  std::uint64_t given = 0;
  auto next = rows.begin();
  for (std::uint64_t user = 0; user < users; ++user) {
    // What all users so far get is rounded, not what each gets: so no rounding gives more, or less, than there is.
    const auto so_far = to_integer<std::uint64_t>(up_to[user] / up_to.back() * static_cast<double>(spare), "records");
    const auto size = static_cast<std::ptrdiff_t>(2 + so_far - given);
    clients[user].assign(next, next + size);
    next += size;
    given = so_far;
  }
  shuffle_each(clients, seed);
  return clients;
}

Partition partition_sorted(std::span<const double> keys, std::uint64_t users, std::uint64_t seed) {
  std::vector<std::uint32_t> rows = shuffled_rows("keys", keys.size(), seed);
  require(1 <= users && users <= keys.size(), "users", users, "at least 1 and at most the number of records");
  require(std::ranges::none_of(keys, [](double key) { return std::isnan(key); }), "keys", "NaN somewhere", "numbers");
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return keys[row]; });
  const auto each = static_cast<std::ptrdiff_t>(keys.size() / users);
  Partition clients;
  auto next = rows.begin();
  for (; clients.size() + 1 < users; next += each) clients.emplace_back(next, next + each);
  clients.emplace_back(next, rows.end());
  shuffle_each(clients, seed);
  return clients;
}

}  // namespace dpbudget::fl
