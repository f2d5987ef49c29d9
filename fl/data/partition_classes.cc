#include "dpbudget/fl/data/partition_classes.h"

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/data/partition_order.h"
#include "dpbudget/mechanisms/shuffler.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Stream;

constexpr int digits = 10;

// The rows of each class, in random order.
Partition rows_by_class(std::span<const std::int32_t> labels, int classes, std::uint64_t seed) {
  require(1 <= classes, "classes", classes, "at least 1");
  Partition rows(static_cast<std::size_t>(classes));
  for (const std::uint32_t row : shuffled_rows("labels", labels.size(), seed)) {
    require(0 <= labels[row] && labels[row] < classes, "labels", labels[row], "in [0, classes)");
    rows[static_cast<std::size_t>(labels[row])].push_back(row);
  }
  return rows;
}

// The logarithms of proportions from the symmetric Dirichlet law, up to a common constant: of Gamma(beta) draws, each
// made as Gamma(beta + 1) U^(1 / beta), which underflows for small beta while its logarithm does not.
std::vector<double> log_proportions(std::size_t classes, double beta, Stream& stream) {
  boost::random::gamma_distribution<double> gamma(beta + 1);
  std::vector<double> logs(classes);
  for (double& log : logs) log = std::log(gamma(stream)) + std::log1p(-stream.uniform()) / beta;
  return logs;
}

// Draws classes by given proportions, as long as `rows` has records of them.
class ClassDraws {
 public:
  ClassDraws(std::vector<double> log_proportions, const Partition& rows)
      : logs_(std::move(log_proportions)), weights_(logs_.size()) {
    reweigh(rows);
  }

  std::size_t draw(Stream& stream) const {
    const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    double left = stream.uniform() * total;
    std::size_t last = 0;
    for (std::size_t c = 0; c < weights_.size(); ++c) {
      if (weights_[c] == 0) continue;
      last = c;
      if (left < weights_[c]) break;
      left -= weights_[c];
    }
    return last;  // also when rounding leaves a rest beyond the last class
  }

  // The largest weight is made 1, so that there is one however small the proportions of what is left are.
  void reweigh(const Partition& rows) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < logs_.size(); ++c)
      if (!rows[c].empty()) largest = std::max(largest, logs_[c]);
    for (std::size_t c = 0; c < logs_.size(); ++c) weights_[c] = rows[c].empty() ? 0 : std::exp(logs_[c] - largest);
  }

 private:
  std::vector<double> logs_;
  std::vector<double> weights_;
};

}  // namespace

Partition partition_into_shards(std::span<const std::int32_t> labels, std::uint64_t users,
                                std::uint64_t shards_per_user, std::uint64_t seed) {
  std::vector<std::uint32_t> rows = shuffled_rows("labels", labels.size(), seed);
  require(1 <= users && users <= labels.size(), "users", users, "at least 1 and at most the number of records");
  require(1 <= shards_per_user && shards_per_user <= labels.size() / users, "shards_per_user", shards_per_user,
          "at least 1 and, times users, at most the number of records");
  const std::uint64_t shards = users * shards_per_user;
  const auto size = static_cast<std::ptrdiff_t>(labels.size() / shards);
  rows.resize(static_cast<std::size_t>(size) * shards);
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return labels[row]; });

  std::vector<std::uint64_t> dealt(shards);
  std::iota(dealt.begin(), dealt.end(), std::uint64_t{0});
  // Not the stream that ordered the rows.
  Stream deal = partition_stream(seed, 0, PartitionPart::proportions);
  mechanisms::shuffle(dealt, deal);
  Partition clients(users);
  for (std::uint64_t i = 0; i < shards; ++i) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(dealt[i]) * size;
    auto& held = clients[i / shards_per_user];
    held.insert(held.end(), begin, begin + size);
  }
  shuffle_each(clients, seed);
  return clients;
}

Partition partition_dirichlet(std::span<const std::int32_t> labels, int classes, std::uint64_t users, double beta,
                              std::uint64_t seed) {
  Partition left = rows_by_class(labels, classes, seed);
  require(1 <= users && users <= labels.size(), "users", users, "at least 1 and at most the number of records");
  require(1e-9 <= beta && beta <= 1e9, "beta", beta, "in [1e-9, 1e9]");
  Partition clients(users);
  for (std::uint64_t user = 0; user < users; ++user) {
    Stream stream = partition_stream(seed, user, PartitionPart::proportions);
    ClassDraws draws(log_proportions(left.size(), beta, stream), left);
    while (clients[user].size() < labels.size() / users) {
      auto& of_class = left[draws.draw(stream)];
      clients[user].push_back(of_class.back());
      of_class.pop_back();
      if (of_class.empty()) draws.reweigh(left);
    }
  }
  shuffle_each(clients, seed);
  return clients;
}

namespace {

// Who holds which classes: a deck of all classes, shuffled anew whenever it is used up, dealt so that nobody gets one
// twice.
std::vector<std::vector<std::size_t>> dealt_classes(std::size_t classes, std::uint64_t users, std::uint64_t per_user,
                                                    std::uint64_t seed) {
  Stream stream = partition_stream(seed, 0, PartitionPart::proportions);
  std::vector<std::size_t> deck;
  std::vector<std::vector<std::size_t>> held(users);
  for (auto& own : held) {
    std::vector<std::size_t> again;  // drawn twice: back into the next deck
    while (own.size() < per_user) {
      if (deck.empty()) {
        deck.resize(classes);
        std::iota(deck.begin(), deck.end(), std::size_t{0});
        mechanisms::shuffle(deck, stream);
      }
      const std::size_t next = deck.back();
      deck.pop_back();
      (std::ranges::find(own, next) == own.end() ? own : again).push_back(next);
    }
    deck.insert(deck.end(), again.begin(), again.end());
  }
  return held;
}

}  // namespace

Partition partition_of_classes(std::span<const std::int32_t> labels, int classes, std::uint64_t users,
                               std::uint64_t per_user, double exponent, std::uint64_t seed) {
  Partition left = rows_by_class(labels, classes, seed);
  require(1 <= users && users <= labels.size(), "users", users, "at least 1 and at most the number of records");
  require(1 <= per_user && per_user <= left.size(), "per_user", per_user, "at least 1 and at most the classes");
  require(0 <= exponent && std::isfinite(exponent), "exponent", exponent, "finite and not negative");
  const auto held = dealt_classes(left.size(), users, per_user, seed);
  const auto weight = [&](std::uint64_t user) { return std::pow(static_cast<double>(user + 1), -exponent); };
  std::vector<double> asked(left.size());  // of each class, by all weights
  std::vector<std::uint64_t> holders(left.size());
  for (std::uint64_t user = 0; user < users; ++user)
    for (const std::size_t c : held[user]) {
      asked[c] += weight(user);
      ++holders[c];
    }
  // Everybody has one of each of its classes; what is left beyond that is shared by weight.
  double scale = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < left.size(); ++c) {
    require(holders[c] <= left[c].size(), "labels",
            std::to_string(left[c].size()) + " times class " + std::to_string(c),
            "each class at least as often as users hold it, " + std::to_string(holders[c]));
    if (holders[c] > 0) scale = std::min(scale, static_cast<double>(left[c].size() - holders[c]) / asked[c]);
  }
  Partition clients(users);
  for (std::uint64_t user = 0; user < users; ++user) {
    const auto each = 1 + to_integer<std::size_t>(scale * weight(user) * (1 - 1e-12), "records");
    for (const std::size_t c : held[user]) {
      clients[user].insert(clients[user].end(), left[c].end() - static_cast<std::ptrdiff_t>(each), left[c].end());
      left[c].resize(left[c].size() - each);
    }
  }
  shuffle_each(clients, seed);
  return clients;
}

Partition partition_by_class(std::span<const std::int32_t> labels, int classes, std::uint64_t seed) {
  Partition clients = rows_by_class(labels, classes, seed);
  for (std::size_t c = 0; c < clients.size(); ++c)
    require(!clients[c].empty(), "labels", "without class " + std::to_string(c), "of every class");
  return clients;
}

Partition partition_digit_pairs(std::span<const std::int32_t> labels, std::uint64_t seed) {
  const Partition by_digit = rows_by_class(labels, digits, seed);
  constexpr std::size_t half = digits / 2;
  Partition clients(half * half);
  for (std::size_t digit = 0; digit < digits; ++digit) {
    const auto& rows = by_digit[digit];
    require(half <= rows.size(), "labels", std::to_string(rows.size()) + " times " + std::to_string(digit),
            "each digit five times or more");
    const bool odd = digit % 2 == 1;
    for (std::size_t other = 0; other < half; ++other) {
      auto& held = clients[odd ? digit / 2 * half + other : other * half + digit / 2];
      const auto cut = [&](std::size_t i) {
        return rows.begin() + static_cast<std::ptrdiff_t>(rows.size() * i / half);
      };
      held.insert(held.end(), cut(other), cut(other + 1));
    }
  }
  shuffle_each(clients, seed);
  return clients;
}

Dataset odd_or_even(Dataset digit_labels) {
  require(digit_labels.classes == digits, "classes", digit_labels.classes, "ten, one per digit");
  for (std::int32_t& label : digit_labels.labels) label %= 2;
  digit_labels.classes = 2;
  return digit_labels;
}

}  // namespace dpbudget::fl
