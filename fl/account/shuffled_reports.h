/// @file
/// What shuffled reports with Gaussian noise cost the records that they are about.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What a client releases of a batch that it draws without replacement. Where the reports on it hide among those of
/// other clients, there are more of them than records in the batch: the rate then stands as a number, rounded up, since
/// a fraction would say that all reports are on these records.
/// @param sample   records in the batch, in [1, records]
/// @param records  that the client holds, at most 2^53
Event sampled_batch(std::uint64_t sample, std::uint64_t records, Event release);

/// A record's reports in a run: each hidden among others by the shuffler where Theorem 3.8 of Feldman, McMillan, Talwar
/// 2021 holds and the run then spends less, and each by itself otherwise, since shuffling is post-processing. Which it
/// is follows from the arguments alone, so that plans and ledgers agree.
class ShuffledReports {
 public:
  /// A batch drawn anew in each round.
  struct Batch {
    std::uint64_t sample;   ///< records in it
    std::uint64_t records;  ///< that the client holds

    friend auto operator<=>(const Batch&, const Batch&) = default;
  };

  /// @param run      passes `check`
  /// @param clients  in all
  ShuffledReports(const SettledRun& run, std::uint64_t clients);

  /// @param noise_multiplier  of one report, over 2 C; positive and finite
  /// @param reports           in all, with as much noise
  /// @param drawn             nothing: each record is in one batch of the run only
  const Event& operator()(double noise_multiplier, std::uint64_t reports, const std::optional<Batch>& drawn);

 private:
  Event tighter(double noise_multiplier, std::uint64_t reports, const std::optional<Batch>& drawn) const;

  double delta_;
  std::uint64_t rounds_;
  Rate participation_;
  std::map<std::tuple<double, std::uint64_t, std::optional<Batch>>, Event> known_;
};

}  // namespace dpbudget::fl
