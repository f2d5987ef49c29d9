#include "dpbudget/fl/run/sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {
namespace {

constexpr double rounding_slack = 1e-12;

// Of all clients together; nothing when all hold as many.
std::optional<std::uint64_t> total_where_unequal(const std::vector<std::uint64_t>& clients) {
  if (std::ranges::adjacent_find(clients, std::ranges::not_equal_to()) == clients.end()) return std::nullopt;
  return std::accumulate(clients.begin(), clients.end(), std::uint64_t{0});
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
    : run_(run), clients_(clients), dimension_(dimension), all_records_(total_where_unequal(clients)) {}

Sizes Population::operator[](std::uint64_t client) const {
  Sizes sizes{clients_.size(), clients_.at(client), all_records_, std::nullopt, dimension_};
  if (client < run_->silo_noise.size()) sizes.noise_multiplier = run_->silo_noise[client];
  return sizes;
}

Sizes sizes_of(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t client,
               std::uint64_t dimension) {
  return Population(run, clients, dimension)[client];
}

std::vector<Sizes> distinct_sizes(const SettledRun& run, const std::vector<std::uint64_t>& clients,
                                  std::uint64_t dimension) {
  const Population population(run, clients, dimension);
  std::map<std::pair<std::uint64_t, std::optional<double>>, Sizes> kinds;
  for (std::uint64_t client = 0; client < clients.size(); ++client) {
    const Sizes sizes = population[client];
    kinds.try_emplace({sizes.records, sizes.noise_multiplier}, sizes);
  }
  std::vector<Sizes> distinct;
  distinct.reserve(kinds.size());
  for (const auto& [key, sizes] : kinds) distinct.push_back(sizes);
  return distinct;
}

}  // namespace dpbudget::fl
