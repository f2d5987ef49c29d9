#include "dpbudget/fl/round/participants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Stream;

constexpr std::string_view multinomial = "multinomial";

double total_of(const std::vector<std::uint64_t>& records) {
  return static_cast<double>(std::accumulate(records.begin(), records.end(), std::uint64_t{0}));
}

void draw_subset(const SettledRun& run, Stream& stream, Participants& participants) {
  const auto sample = mechanisms::sample_without_replacement(participants.population,
                                                             drawn(run->user_rate, participants.population), stream);
  participants.drawn = sample.scheme.drawn;
  participants.clients.assign(sample.indices.begin(), sample.indices.end());
}

void draw_with_replacement(const SettledRun& run, const std::vector<double>& shares, Stream& stream,
                           Participants& participants) {
  participants.drawn = drawn(run->user_rate, participants.population);
  std::vector<double> cumulative(shares.size());
  std::partial_sum(shares.begin(), shares.end(), cumulative.begin());
  std::map<std::uint64_t, std::uint64_t> times;
  for (std::uint64_t draw = 0; draw < participants.drawn; ++draw) {
    const auto found = std::ranges::upper_bound(cumulative, stream.uniform() * cumulative.back());
    const auto client = static_cast<std::uint64_t>(found - cumulative.begin());
    ++times[std::min<std::uint64_t>(client, shares.size() - 1)];
  }
  for (const auto& [client, count] : times) {
    participants.clients.push_back(client);
    participants.times.push_back(count);
  }
}

void draw_each(const SettledRun& run, Stream& stream, Participants& participants) {
  const auto sample = mechanisms::poisson_sample(participants.population, run->user_rate, stream);
  participants.rate = run->user_rate;
  participants.drawn = sample.indices.size();
  participants.clients.assign(sample.indices.begin(), sample.indices.end());
}

// Of all reports each counts the same, whosever it is.
std::vector<double> weights_of_reports(const SettledRun& run, const std::vector<std::uint64_t>& records,
                                       const Participants& participants) {
  std::uint64_t all = 0;
  for (const std::uint64_t client : participants.clients) all += batch_of(run, records[client]);
  std::vector<double> weights;
  for (const std::uint64_t client : participants.clients)
    weights.push_back(static_cast<double>(batch_of(run, records[client])) / static_cast<double>(all));
  return weights;
}

std::vector<double> weights_of(const SettledRun& run, const std::vector<double>& shares,
                               const Participants& participants) {
  std::vector<double> weights;
  double sum = 0;
  for (const std::uint64_t client : participants.clients) {
    weights.push_back(shares[client]);
    sum += shares[client];
  }
  const auto clients = static_cast<double>(participants.population);
  const auto count = static_cast<double>(participants.drawn);
  const bool are_alike = run->weights == Weights::equal && run->client_weights.empty();
  for (std::size_t i = 0; i < weights.size(); ++i) switch (run->client_sampling) {
      case ClientSampling::uniform:
        // n / r times 1 / n, without the rounding of that detour.
        weights[i] = are_alike ? 1 / count : clients / count * weights[i];
        break;
      case ClientSampling::poisson:
        weights[i] /= sum;
        break;
      case ClientSampling::md:
        weights[i] = static_cast<double>(participants.times[i]) / count;
        break;
      case ClientSampling::fedavg:
        break;
    }
  return weights;
}

}  // namespace

std::vector<double> shares_of(const SettledRun& run, const std::vector<std::uint64_t>& records) {
  const auto clients = static_cast<double>(records.size());
  if (const std::vector<double>& given = run->client_weights; !given.empty()) {
    const double sum = std::accumulate(given.begin(), given.end(), 0.0);
    std::vector<double> shares = given;
    for (double& share : shares) share /= sum;
    return shares;
  }
  if (run->weights == Weights::equal) return std::vector<double>(records.size(), 1 / clients);
  const double total = total_of(records);
  std::vector<double> shares;
  shares.reserve(records.size());
  for (const std::uint64_t held : records) shares.push_back(static_cast<double>(held) / total);
  return shares;
}

std::string_view scheme_of(const SettledRun& run) {
  if (run->client_sampling == ClientSampling::poisson) return mechanisms::Poisson::name;
  return run->client_sampling == ClientSampling::md ? multinomial : mechanisms::WithoutReplacement::name;
}

Participants draw_participants(const SettledRun& run, const std::vector<std::uint64_t>& records, std::uint64_t number,
                               mechanisms::Generator generator) {
  Participants participants;
  participants.scheme = scheme_of(run);
  participants.population = records.size();
  Stream stream({run->seed, Purpose::user_sampling, number, 0, 0}, generator);
  const std::vector<double> share = shares_of(run, records);
  if (run->client_sampling == ClientSampling::poisson)
    draw_each(run, stream, participants);
  else if (run->client_sampling == ClientSampling::md)
    draw_with_replacement(run, share, stream, participants);
  else
    draw_subset(run, stream, participants);
  participants.weights = traits_of(run.algorithm().mechanism).is_shuffled
                             ? weights_of_reports(run, records, participants)
                             : weights_of(run, share, participants);
  return participants;
}

Rate participation_rate(const SettledRun& run, const Sizes& sizes) {
  const std::uint64_t draws = drawn(run->user_rate, sizes.clients);
  if (run->client_sampling == ClientSampling::poisson) return {run->user_rate};
  if (run->client_sampling != ClientSampling::md) return {draws, sizes.clients};
  const auto clients = static_cast<double>(sizes.clients);
  const double total =
      sizes.all_records ? static_cast<double>(*sizes.all_records) : clients * static_cast<double>(sizes.records);
  const std::vector<double>& given = run->client_weights;
  const double share = sizes.weight ? *sizes.weight / std::accumulate(given.begin(), given.end(), 0.0)
                       : run->weights == Weights::equal ? 1 / clients
                                                        : static_cast<double>(sizes.records) / total;
  const double rate = -std::expm1(static_cast<double>(draws) * std::log1p(-share));
  // Each of the four operations, and of the additions of weights, is good to an ulp or so: rounded up, because a larger
  // rate can only cost more.
  const double operations = 16 + 2 * static_cast<double>(given.size());
  return {std::min(1.0, rate * (1 + operations * std::numeric_limits<double>::epsilon()))};
}

}  // namespace dpbudget::fl
