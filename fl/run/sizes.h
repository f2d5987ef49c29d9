/// @file
/// The numbers of clients and records that a run is about.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

class SettledRun;

/// How many clients there are, and what distinguishes the client under protection from the others.
struct Sizes {
  std::uint64_t clients;
  std::uint64_t records;                                    ///< that the client holds
  std::optional<std::uint64_t> all_records = std::nullopt;  ///< of all clients together, where they do not all hold as
                                                            ///< many; nothing: all hold as many as this one
  std::optional<double> noise_multiplier = std::nullopt;    ///< the client's own; nothing: the run's
  std::uint64_t dimension = 0;  ///< of the model, where the plan depends on it: binomial noise
  /// Where reports are shuffled among clients who do not all hold as many: what the other participants of a round hold
  /// if those who hold least are drawn, in increasing order.
  std::vector<std::uint64_t> least_others = {};
  std::optional<double> weight = std::nullopt;  ///< the client's own of client_weights; nothing: there are none

  /// Whether all clients are like this one. The mean of all records does not tell: a client may hold just as many.
  bool all_alike() const { return !all_records && !noise_multiplier && !weight; }

  friend bool operator==(const Sizes&, const Sizes&) = default;
};

/// Members drawn when `rate` of `population` take part: floor(rate * population), where the product is first allowed
/// its rounding error, so that a rate of 0.29 draws 29 of 100 although 0.29 * 100 lies below 29 in binary.
std::uint64_t drawn(double rate, std::uint64_t population);

/// Records of a batch of a client with `records` records: batch_size or all it holds, whichever is less, floor(s R), or
/// the R / (T K) of disjoint batches.
std::uint64_t batch_of(const SettledRun& run, std::uint64_t records);

/// [s] of a client with `records` records: record_rate as it is given, or, of a batch_size, the batch over what the
/// client holds. The run's batches are fresh.
double record_rate_of(const SettledRun& run, std::uint64_t records);

/// How many training records each client holds.
std::vector<std::uint64_t> records_of(const FederatedData& data);

/// Every client of `run`, which holds clients[i] records: what distinguishes one in the eyes of an accountant.
/// @param dimension  of the model, for plans that depend on it
/// @return distinct sizes, in order of records and noise
std::vector<Sizes> distinct_sizes(const SettledRun& run, const std::vector<std::uint64_t>& clients,
                                  std::uint64_t dimension = 0);

/// What a silo may spend.
struct SiloBudget {
  double epsilon;
  double delta;
  friend auto operator<=>(const SiloBudget&, const SiloBudget&) = default;
};

/// The own budget of client number `client` of a run with silo_epsilon.
SiloBudget silo_budget_of(const SettledRun& run, std::uint64_t client);

/// The clients of a run, looked over once: what distinguishes each in the eyes of an accountant.
class Population {
 public:
  /// @param run        outlives this
  /// @param clients    how many records each holds; outlives this
  /// @param dimension  of the model, for plans that depend on it
  Population(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t dimension = 0);

  /// @param client  one of them
  Sizes operator[](std::uint64_t client) const;

  /// What tells kinds of clients apart: records, noise and weight, the latter where they are the client's own.
  using Kind = std::tuple<std::uint64_t, std::optional<double>, std::optional<double>>;
  Kind kind_of(std::uint64_t client) const;

 private:
  const SettledRun& run_;
  const std::vector<std::uint64_t>& clients_;
  std::uint64_t dimension_;
  std::optional<std::uint64_t> all_records_;
  std::uint64_t others_ = 0;           // in a round, where reports are shuffled among clients who hold differently many
  std::vector<std::uint64_t> sorted_;  // then the least that clients hold, one more than the others
};

/// The same of client number `client` alone, which costs as much as all of them.
Sizes sizes_of(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t client,
               std::uint64_t dimension = 0);

}  // namespace dpbudget::fl
