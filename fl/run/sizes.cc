#include "dpbudget/fl/run/sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

constexpr double rounding_slack = 1e-12;

// Of all clients together; nothing when all hold as many.
std::optional<std::uint64_t> total_where_unequal(const std::vector<std::uint64_t>& clients) {
  if (std::ranges::adjacent_find(clients, std::ranges::not_equal_to()) == clients.end()) return std::nullopt;
  return std::accumulate(clients.begin(), clients.end(), std::uint64_t{0});
}

// Some of the least of `sorted`, which is in increasing order, without one `own`.
std::vector<std::uint64_t> least_but(const std::vector<std::uint64_t>& sorted, std::uint64_t own, std::uint64_t count) {
  std::vector<std::uint64_t> least;
  bool is_left_out = false;
  for (const std::uint64_t records : sorted) {
    if (least.size() == count) break;
    if (records == own && !is_left_out)
      is_left_out = true;
    else
      least.push_back(records);
  }
  return least;
}

}  // namespace

std::uint64_t drawn(double rate, std::uint64_t population) {
  const double exact = rate * static_cast<double>(population);
  return std::min(population, to_integer<std::uint64_t>(exact * (1 + rounding_slack), "sample"));
}

std::uint64_t batch_of(const SettledRun& run, std::uint64_t records) {
  if (run->batches == Batches::disjoint) return records / (run.released_rounds() * run.local_steps());
  if (run->batch_size) return std::min(*run->batch_size, records);
  return drawn(run->record_rate, records);
}

double record_rate_of(const SettledRun& run, std::uint64_t records) {
  if (!run->batch_size) return run->record_rate;
  return static_cast<double>(batch_of(run, records)) / static_cast<double>(records);
}

std::vector<std::uint64_t> records_of(const FederatedData& data) {
  std::vector<std::uint64_t> records;
  records.reserve(data.clients.size());
  for (const auto& rows : data.clients) records.push_back(rows.size());
  return records;
}

SiloBudget silo_budget_of(const SettledRun& run, std::uint64_t client) {
  return {run->silo_epsilon.at(client), run->silo_delta.empty() ? run->delta : run->silo_delta.at(client)};
}

Population::Population(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t dimension)
    : run_(run), clients_(clients), dimension_(dimension), all_records_(total_where_unequal(clients)) {
  if (!all_records_ || !traits_of(run.algorithm().mechanism).is_shuffled) return;
  others_ = std::max<std::uint64_t>(drawn(run->user_rate, clients.size()), 1) - 1;
  sorted_ = clients;
  const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(others_ + 1, sorted_.size()));
  std::partial_sort(sorted_.begin(), end, sorted_.end());
  sorted_.erase(end, sorted_.end());
}

Population::Kind Population::kind_of(std::uint64_t client) const {
  Kind kind{clients_.at(client), std::nullopt, std::nullopt};
  if (client < run_->silo_noise.size()) std::get<1>(kind) = run_->silo_noise[client];
  if (client < run_->client_weights.size()) std::get<2>(kind) = run_->client_weights[client];
  return kind;
}

Sizes Population::operator[](std::uint64_t client) const {
  const auto& [records, noise, weight] = kind_of(client);
  Sizes sizes{clients_.size(), records, all_records_, noise, dimension_};
  if (others_ > 0) sizes.least_others = least_but(sorted_, records, others_);
  sizes.weight = weight;
  return sizes;
}

Sizes sizes_of(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t client,
               std::uint64_t dimension) {
  return Population(run, clients, dimension)[client];
}

std::vector<Sizes> distinct_sizes(const SettledRun& run, const std::vector<std::uint64_t>& clients,
                                  std::uint64_t dimension) {
  const Population population(run, clients, dimension);
  std::map<Population::Kind, Sizes> kinds;
  Population::Kind last;
  for (std::uint64_t client = 0; client < clients.size(); ++client) {
    const auto key = population.kind_of(client);
    // Of many clients most are like the one before.
    if (client > 0 && key == last) continue;
    if (!kinds.contains(key)) kinds.emplace(key, population[client]);
    last = key;
  }
  std::vector<Sizes> distinct;
  distinct.reserve(kinds.size());
  for (const auto& [key, sizes] : kinds) distinct.push_back(sizes);
  return distinct;
}

}  // namespace dpbudget::fl
