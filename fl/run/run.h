/// @file
/// What one training run is asked to do, and what that settles to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/run/option_list.h"
#include "dpbudget/fl/run/settings.h"
#include "dpbudget/fl/run/sizes.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/shape.h"
#include "dpbudget/fl/schedule/validation.h"

namespace dpbudget::fl {

/// Local steps of a round at most: plans and recipes list the noise of each.
inline constexpr std::uint64_t max_local_steps = 1'000'000;

/// What a person wrote, in a file or on a command line: anything may be left out, and nothing is checked.
struct RunRequest : Settings {
  std::optional<std::uint64_t> local_steps;  ///< [K] in [1, max_local_steps]; left out, 10, or 1 / record_rate for the
                                             ///< -fedsgd variants
  std::optional<std::uint64_t> warm_start_rounds;  ///< round(4 / l) when left out; the -warm variants only
  std::string schedule = "constant";               ///< how the noise changes over rounds and steps, as `parse_shape` or
                                                   ///< `validation_of` reads it
  GivenOptions options;     ///< what the algorithm, its mechanism or the way to clip read besides
  bool asks_noise = false;  ///< noise is to be the least that keeps all rounds to `epsilon`, once the clients are known
};

/// `request`, with noise 1 where it asks for its noise: for all that does not depend on it.
/// @throws InvalidArgument naming noise when no budget can decide it (none is given, silos have noise or budgets of
///         their own, the algorithm has no such noise, or its clipping guarantees nothing); epsilon out of range
RunRequest with_some_noise(RunRequest request);

/// A run whose values are in their ranges, fit its algorithm and lack nothing. `settle` alone makes one.
class SettledRun {
 public:
  const Settings* operator->() const { return &settings_; }

  const AlgorithmTraits& algorithm() const { return *algorithm_; }
  std::uint64_t local_steps() const { return local_steps_; }              ///< [K]
  std::uint64_t warm_start_rounds() const { return warm_start_rounds_; }  ///< 0 for algorithms without

  /// Training rounds and warm-start rounds together: each of them releases.
  std::uint64_t released_rounds() const { return settings_.rounds + warm_start_rounds_; }

  /// The options that the algorithm or its mechanism declares in `Struct` or in a struct derived from it; null where
  /// neither does.
  template <class Struct>
  const Struct* find_options() const {
    for (const auto& held : options_)
      if (const auto* found = dynamic_cast<const Struct*>(held.get())) return found;
    return nullptr;
  }

  /// The same where one of them does.
  /// @throws std::logic_error otherwise
  template <class Struct>
  const Struct& options() const {
    const auto* found = find_options<Struct>();
    if (found == nullptr) throw std::logic_error(settings_.algorithm + " does not declare these options");
    return *found;
  }

  /// How the noise changes over rounds and steps; where it follows errors, as far as those are known.
  const NoiseShape& schedule() const { return schedule_; }
  bool has_constant_noise() const { return std::holds_alternative<ConstantNoise>(schedule_); }

  /// How the noise follows the errors of released models; nothing where it is fixed in advance.
  const std::optional<ValidationNoise>& validation() const { return validation_; }

  /// Whether the noise follows the error of the model after so many released rounds: of those that are evaluated in any
  /// case, from the end of a warm start on, which leaves the model as it is.
  bool follows_error_after(std::uint64_t round) const;

  /// What lets the rounds of such a run through, none of them yet, for budget_for at its epsilon and delta; null where
  /// there is none, or what it adds up is not chosen.
  const filter::Filter* filter() const { return filter_.get(); }

  /// The last released round that a schedule's table has; nothing for a schedule without end.
  std::optional<std::uint64_t> last_scheduled_round() const;

  /// The request that settles to this run, nothing left out; its schedule names no file.
  RunRequest written() const;

  /// The same run with other rounds.
  /// @throws InvalidArgument naming rounds outside their range, or beyond the end of the schedule's table
  SettledRun with_rounds(std::uint64_t rounds) const;

  /// The same run with a noise multiplier for each client.
  /// @throws InvalidArgument naming silo_noise unless all are positive and finite
  SettledRun with_silo_noise(std::vector<double> noises) const;

  /// The same run whose filter adds up `measure`.
  /// @throws InvalidArgument as filter::Filter
  SettledRun with_filter(const filter::Measure& measure) const;

  /// The same run with its noise by these errors.
  SettledRun following(const std::vector<ValidationError>& errors) const;

  /// The same run with another delta for every epsilon; a filter stays what it was made for.
  /// @throws InvalidArgument naming delta outside (0, 1)
  SettledRun with_delta(double delta) const;

 private:
  friend SettledRun settle(const RunRequest& request);
  using HeldLists = std::vector<std::shared_ptr<const AnyOptions>>;
  SettledRun(const RunRequest& complete, const AlgorithmTraits& algorithm, HeldLists options);

  Settings settings_;
  const AlgorithmTraits* algorithm_;
  std::uint64_t local_steps_;
  std::uint64_t warm_start_rounds_;
  HeldLists options_;  ///< in the order of algorithm_->option_lists()
  std::string schedule_text_;
  std::optional<ValidationNoise> validation_;
  NoiseShape schedule_;
  std::shared_ptr<const filter::Filter> filter_;
};

/// Fills in what is left out and checks all that does not depend on the clients.
/// @throws InvalidArgument naming the first value of `request` that is outside its range, contradicts its algorithm or
///         is not taken by it; noise when it is asked for; rounds when the schedule's table ends before they do
SettledRun settle(const RunRequest& request);

/// @throws InvalidArgument naming the first value of `run` or `sizes` that is outside its range, or the rate that draws
///         nobody of the clients or nothing of the records
void check(const SettledRun& run, const Sizes& sizes);

/// @throws InvalidArgument as `check(run, sizes)` for every client, or naming the data that the simulator cannot take
void check(const SettledRun& run, const ClientSource& clients);
/// The same for data that are held.
void check(const SettledRun& run, const FederatedData& data);

}  // namespace dpbudget::fl
