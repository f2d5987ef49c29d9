#include "dpbudget/fl/tuning/folds.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/shuffler.h"

namespace dpbudget::fl {
namespace {

Dataset rows_of(const Dataset& all, const std::vector<std::uint32_t>& rows) {
  Dataset some{.features = Matrix(static_cast<Eigen::Index>(rows.size()), all.features.cols()),
               .labels = {},
               .classes = all.classes,
               .targets = {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    some.features.row(static_cast<Eigen::Index>(i)) = all.features.row(rows[i]);
    if (!all.labels.empty()) some.labels.push_back(all.labels[rows[i]]);
    if (!all.targets.empty()) some.targets.push_back(all.targets[rows[i]]);
  }
  return some;
}

}  // namespace

Folds::Folds(const FederatedData& data, std::uint64_t count, std::uint64_t seed)
    : data_(data), count_(count), order_(data.clients) {
  require(2 <= count, "folds", count, "at least 2");
  for (std::size_t client = 0; client < order_.size(); ++client) {
    require(count <= order_[client].size(), "folds", count,
            fmt::format("at most {}, the training records of client {}: each fold holds one of every client's",
                        order_[client].size(), client));
    mechanisms::Stream stream({seed, mechanisms::Purpose::folds, 0, client, 0});
    mechanisms::shuffle(order_[client], stream);
  }
}

std::uint64_t Folds::held_out(std::uint64_t client, std::uint64_t fold) const {
  const std::uint64_t records = order_[client].size();
  return records / count_ + (fold < records % count_ ? 1 : 0);
}

std::uint64_t Folds::held_out(std::uint64_t fold) const {
  std::uint64_t sum = 0;
  for (std::uint64_t client = 0; client < order_.size(); ++client) sum += held_out(client, fold);
  return sum;
}

FederatedData Folds::without(std::uint64_t fold) const {
  std::vector<std::uint32_t> trains;
  std::vector<std::uint32_t> tests;
  FederatedData found;
  for (const std::vector<std::uint32_t>& order : order_) {
    std::vector<std::uint32_t>& train_rows = found.clients.emplace_back();
    std::vector<std::uint32_t>& test_rows = found.test_clients.emplace_back();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_held_out = i % count_ == fold;
      std::vector<std::uint32_t>& all = is_held_out ? tests : trains;
      (is_held_out ? test_rows : train_rows).push_back(static_cast<std::uint32_t>(all.size()));
      all.push_back(order[i]);
    }
  }
  found.train = rows_of(data_.train, trains);
  found.test = rows_of(data_.train, tests);
  found.description = fmt::format("{}, fold {} of {} held out", data_.description, fold + 1, count_);
  return found;
}

}  // namespace dpbudget::fl
