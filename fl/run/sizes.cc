#include "dpbudget/fl/run/sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

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

// What the other participants hold who hold least.
std::vector<std::uint64_t> least_others(const SettledRun& run, const std::vector<std::uint64_t>& clients,
                                        std::uint64_t client) {
  std::vector<std::uint64_t> others = clients;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(client));
  const std::uint64_t participants = drawn(run->user_rate, clients.size());
  const auto least = static_cast<std::ptrdiff_t>(std::max<std::uint64_t>(participants, 1) - 1);
  std::partial_sort(others.begin(), others.begin() + least, others.end());
  others.resize(static_cast<std::size_t>(least));
  return others;
}

Sizes of_client(const SettledRun& run, const std::vector<std::uint64_t>& clients,
                std::optional<std::uint64_t> all_records, std::uint64_t client, std::uint64_t dimension) {
  Sizes sizes{clients.size(), clients.at(client), all_records, std::nullopt, dimension};
  if (all_records && traits_of(run.algorithm().mechanism).is_shuffled)
    sizes.least_others = least_others(run, clients, client);
  if (client < run->silo_noise.size()) sizes.noise_multiplier = run->silo_noise[client];
  if (client < run->client_weights.size()) sizes.weight = run->client_weights[client];
  return sizes;
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

Sizes sizes_of(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t client,
               std::uint64_t dimension) {
  return of_client(run, clients, total_where_unequal(clients), client, dimension);
}

std::vector<Sizes> distinct_sizes(const SettledRun& run, const std::vector<std::uint64_t>& clients,
                                  std::uint64_t dimension) {
  const std::optional<std::uint64_t> total = total_where_unequal(clients);
  std::vector<Sizes> sizes;
  sizes.reserve(clients.size());
  for (std::uint64_t client = 0; client < clients.size(); ++client)
    sizes.push_back(of_client(run, clients, total, client, dimension));
  const auto key = [](const Sizes& s) { return std::tuple(s.records, s.noise_multiplier, s.weight); };
  std::ranges::sort(sizes, {}, key);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace dpbudget::fl
