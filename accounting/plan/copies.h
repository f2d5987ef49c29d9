/// @file
/// Batches drawn with replacement, by how often a record is in them, and samples, by how many of a group are.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/plan/adjacency.h"
#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"

namespace dpbudget {

/// A release that is no less telling of data sets that differ in up to `copies` of its records than `event` is: groups
/// of records, each leaf by its own theorem, numbers rounded to the safe side.
/// @param event   of leaves, repetitions and compositions
/// @param copies  in [1, 10^9]
/// @return nothing for any other node, and where a number leaves a double's range
/// @source accounting/plan/proofs.md, 1.1
std::optional<Event> for_copies(const Event& event, std::uint64_t copies);

/// The same for the release of a batch, refused by name where there is none.
/// @param accountant  who asks
/// @throws Unsupported naming `event`
Event for_copies(const SampledWithReplacement& event, std::uint64_t copies, Adjacency adjacency,
                 std::string_view accountant);

/// The same for a group's release, or what is inside of its sample.
/// @param inside  what so many records of the group are in
/// @throws Unsupported naming the group
Event for_group(const Grouped& group, const Event& inside, std::uint64_t copies, Adjacency adjacency,
                std::string_view accountant);

/// @throws Unsupported naming `event` and why, unless batches drawn with replacement are analysed under the adjacency
///         and around what is inside
void require_replacement_theorem(const SampledWithReplacement& event, Adjacency adjacency, std::string_view accountant);

/// How often a record is in a batch, or how many records of a group are in a sample: a binomial law.
class Occurrences {
 public:
  /// @param draws  known
  Occurrences(const Draws& draws);  // NOLINT(google-explicit-constructor): draws have one law
  /// Of a Poisson sample.
  /// @param records  of the group, in [1, 10^9]
  /// @param rate     in (0, 1]
  static Occurrences of_group(std::uint64_t records, double rate);

  std::uint64_t most() const { return most_; }
  bool is_certain() const { return is_certain_; }  ///< whether there are always `most`
  /// log of the probability of none.
  double log_absent() const { return log_absent_; }
  const numeric::Binomial& times() const { return times_; }  ///< unless certain

 private:
  Occurrences(std::uint64_t most, bool is_certain, double log_absent, numeric::Binomial times)
      : most_(most), is_certain_(is_certain), log_absent_(log_absent), times_(times) {}

  std::uint64_t most_;
  bool is_certain_;
  double log_absent_;
  numeric::Binomial times_;
};

/// A group's records in a Poisson sample.
struct SampledGroup {
  Occurrences law;
  double rate;          ///< of one record
  const Event& inside;  ///< what runs on the sample; valid as long as the group
};

/// @param rounding  of the rate
/// @return nothing unless a Poisson sample, of a rate that a double holds, is what is directly inside the group
std::optional<SampledGroup> sampled_group(const Grouped& group, Rounding rounding);

/// The probability of any, rounded up or down by a few units: 1 - (1 - 1/population)^number of draws, and 1 - (1 -
/// rate)^records of a sample.
double rate_of_record(const Occurrences& law, bool is_up);

/// That a record is drawn some number of times, `copies` at most.
struct DrawnTimes {
  double probability;
  std::uint64_t copies;
};

/// How often a record is drawn, given that it is.
struct TimesDrawn {
  std::vector<DrawnTimes> kinds;  ///< at most `most_kinds`, by increasing copies
  double error;                   ///< relative, of the probabilities; they add up to no more than 1 but for it
  double beyond;                  ///< at least the probability of more copies than any kind has
};

inline constexpr std::uint64_t most_kinds = 256;

/// @param negligible  what `beyond` may be; at 0 the kinds go on to all draws
TimesDrawn times_drawn(const Occurrences& law, double negligible);

/// log of the probability that a record is drawn `copies` times, given that it is drawn, rounded up.
/// @param copies  in [1, law.most()]
double log_probability_of(const Occurrences& law, std::uint64_t copies);

/// The fewest copies that are exceeded with no more than that probability, of all batches.
/// @param probability  in [0, 1)
std::uint64_t exceeded_rarely(const Occurrences& law, double probability);

}  // namespace dpbudget
