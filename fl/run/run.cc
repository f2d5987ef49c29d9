#include "dpbudget/fl/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/noise_schedule.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

using range::is_positive;

constexpr std::uint64_t usual_local_steps = 10;

void check_positive(std::string_view name, double value) {
  require(is_positive(value), name, value, "positive and finite");
}

// The way to clip that has an option of that name; nothing where none has.
std::optional<std::string_view> clipping_with(std::string_view key) {
  for (const auto& [clipping, name] : Names<Clipping>::all) {
    const bool has_it = std::visit(
        [&]<class Alternative>(const Alternative&) { return OptionList::of<Alternative>().has(key); }, clipping);
    if (has_it) return name;
  }
  return std::nullopt;
}

void refuse_untaken(const RunRequest& run, const AlgorithmTraits& algorithm) {
  for (const auto& [key, value] : run.options) {
    if (const auto clipping = clipping_with(key))
      require(to_string(run.clipping) == *clipping, key, text_of(value),
              fmt::format("left out unless clipping is {}", *clipping));
    else if (!algorithm.takes(key))
      throw InvalidArgument(fmt::format("{} is given, but {} does not take it", key, algorithm.name));
  }
  const bool is_mixed = traits_of(algorithm.mechanism).is_shuffled;
  require(run.batches != Batches::disjoint || algorithm.disjoint_batches, "batches", to_string(run.batches),
          fmt::format("fresh{} for {}", is_mixed ? "" : ", with_replacement or shuffled", algorithm.name));
  require(run.batches != Batches::with_replacement || !is_mixed, "batches", to_string(run.batches),
          fmt::format("fresh or disjoint for {}: no theorem hides reports of which one record may make several",
                      algorithm.name));
}

// A reader of "shuffled" expects passes over the records; a round of one step makes none.
// fl/account/proofs.md, 11.3
void check_passes(const RunRequest& run, const AlgorithmTraits& algorithm) {
  require(run.batches != Batches::shuffled || *run.local_steps >= 2, "batches", to_string(run.batches),
          fmt::format("fresh{}{} for {} with one local step: the first batch of a new order is a fresh batch",
                      algorithm.disjoint_batches ? " or disjoint" : "",
                      traits_of(algorithm.mechanism).is_shuffled ? "" : " or with_replacement", algorithm.name));
}

void check_ranges(const RunRequest& run) {
  const auto check = [](const auto& field, const auto& value) {
    if (field.range.holds != nullptr && !field.range.holds(value))
      refuse_value(field.key, *option_value(value), field.range.text);
  };
  visit_fields(run, [&]<class Value>(const auto& field, const Value& value) {
    if constexpr (requires { field.range.holds(value); }) check(field, value);
    if constexpr (requires { field.range.holds(value.value()); })
      if (value) check(field, value.value());
  });
}

void check_silo_budgets(const RunRequest& run, const AlgorithmTraits& algorithm) {
  if (run.silo_epsilon.empty()) {
    require(run.silo_delta.empty(), "silo_delta", "given", "left out without silo_epsilon");
    return;
  }
  require(algorithm.adds_noise(), "silo_epsilon", "given",
          fmt::format("left out for {}, which adds no noise", algorithm.name));
  require(algorithm.mechanism == Mechanism::gaussian, "silo_epsilon", "given",
          fmt::format("left out for {}, whose reports hide each other", algorithm.name));
  require(!std::holds_alternative<MedianClipping>(run.clipping), "silo_epsilon", "given",
          "left out when clipping is median, which guarantees none");
  require(run.noise_multiplier == 0, "noise", run.noise_multiplier,
          "left out beside silo_epsilon, which finds the noise of each client");
  for (const double epsilon : run.silo_epsilon) check_positive("silo_epsilon", epsilon);
  for (const double delta : run.silo_delta) require(0 < delta && delta < 1, "silo_delta", delta, "in (0, 1)");
}

// What a table does not say of a round or a step would come out when that round is reached.
void check_schedule(const SettledRun& run) {
  const auto last = run.last_scheduled_round();
  require(!last || run.released_rounds() <= *last, "rounds", run.released_rounds(),
          fmt::format("at most {}, where the noise table ends", last.value_or(0)));
}

void check_weights(const RunRequest& run, const AlgorithmTraits& algorithm) {
  if (run.client_weights.empty()) return;
  for (const double weight : run.client_weights) check_positive("client_weights", weight);
  const double sum = std::accumulate(run.client_weights.begin(), run.client_weights.end(), 0.0);
  require(std::isfinite(sum), "client_weights", sum, "of a finite sum");
  require(run.weights == Weights::equal, "weights", to_string(run.weights), "left out when client_weights are given");
  require(!traits_of(algorithm.mechanism).is_shuffled, "client_weights", "given",
          fmt::format("left out for {}, whose mean is that of all reports", algorithm.name));
}

void check_noise(const RunRequest& run, const AlgorithmTraits& algorithm) {
  check_silo_budgets(run, algorithm);
  if (traits_of(algorithm.mechanism).is_shuffled) {
    // A report hides among others with as much noise; and its noise is its own, whatever is protected.
    require(run.silo_noise.empty(), "silo_noise", "given",
            fmt::format("left out for {}, whose reports hide each other", algorithm.name));
    require(run.unit == Unit::record, "unit", to_string(run.unit), fmt::format("record for {}", algorithm.name));
  }
  if (traits_of(algorithm.mechanism).encodes_bits) {
    require(run.noise_multiplier == 0, "noise", run.noise_multiplier,
            fmt::format("0 for {}, whose noise is its noise_bits", algorithm.name));
    require(run.schedule == "constant", "schedule", run.schedule,
            fmt::format("constant for {}, whose noise is its noise_bits", algorithm.name));
    require(is_positive(run.clip_norm), "clip", run.clip_norm,
            fmt::format("positive and finite for {}", algorithm.name));
    return;
  }
  if (algorithm.adds_noise()) {
    if (run.silo_noise.empty() && run.silo_epsilon.empty())
      require(is_positive(run.noise_multiplier), "noise", run.noise_multiplier,
              fmt::format("positive and finite for {}", algorithm.name));
    for (const double noise : run.silo_noise) check_positive("silo_noise", noise);
    require(is_positive(run.clip_norm), "clip", run.clip_norm,
            fmt::format("positive and finite for {}", algorithm.name));
    return;
  }
  require(run.noise_multiplier == 0, "noise", run.noise_multiplier,
          fmt::format("0 for {}, which adds no noise", algorithm.name));
  require(run.silo_noise.empty(), "silo_noise", "given",
          fmt::format("left out for {}, which adds no noise", algorithm.name));
  require(run.schedule == "constant", "schedule", run.schedule,
          fmt::format("constant for {}, which adds no noise", algorithm.name));
  require(run.clip_norm == std::numeric_limits<double>::infinity(), "clip", run.clip_norm,
          fmt::format("inf for {}, which does not clip", algorithm.name));
  require(!run.epsilon.has_value(), "epsilon", run.epsilon.value_or(0),
          fmt::format("left out for {}, which guarantees none", algorithm.name));
}

void check_clipping(const RunRequest& run, const AlgorithmTraits& algorithm) {
  require(std::holds_alternative<FixedClipping>(run.clipping) || algorithm.mechanism == Mechanism::gaussian, "clipping",
          to_string(run.clipping), fmt::format("fixed for {}", algorithm.name));
  require(!std::holds_alternative<MedianClipping>(run.clipping) || !run.epsilon, "epsilon", run.epsilon.value_or(0),
          "left out when clipping is median, which guarantees none");
}

void fill_steps(RunRequest& run, const AlgorithmTraits& algorithm) {
  std::optional<std::uint64_t> derived;
  if (algorithm.steps == Steps::one) derived = 1;
  if (algorithm.steps == Steps::one_pass) {
    const double steps = std::round(1 / run.record_rate);
    require(steps <= static_cast<double>(max_local_steps) && std::abs(steps * run.record_rate - 1) <= 1e-9,
            "record_rate", run.record_rate,
            fmt::format("1 / K for an integer K of at most {}, because {} takes K = 1 / record_rate local steps",
                        max_local_steps, run.algorithm));
    require(!run.batch_size, "batch_size", run.batch_size.value_or(0), fmt::format("left out for {}", run.algorithm));
    derived = to_integer<std::uint64_t>(steps, "local_steps");
  }
  if (derived) {
    require(run.local_steps.value_or(*derived) == *derived, "local_steps", run.local_steps.value_or(*derived),
            fmt::format("{} for {}, or left out", *derived, run.algorithm));
  }
  run.local_steps = run.local_steps.value_or(derived.value_or(usual_local_steps));
}

void check_steps(const RunRequest& run) {
  require(*run.local_steps >= 1 && *run.local_steps <= max_local_steps, "local_steps", *run.local_steps,
          fmt::format("in [1, {}]", max_local_steps));
}

void fill_warm_start(RunRequest& run, const AlgorithmTraits& algorithm) {
  if (algorithm.warm_starts) {
    if (!run.warm_start_rounds) {
      const double rounds = std::round(4 / run.user_rate);
      require(rounds <= static_cast<double>(ranges::max_count), "user_rate", run.user_rate,
              fmt::format("at least 2^-51 for {}, which warm-starts for 4 / user_rate rounds", run.algorithm));
      run.warm_start_rounds = to_integer<std::uint64_t>(rounds, "warm_rounds");
    }
    require(*run.warm_start_rounds >= 1 && *run.warm_start_rounds <= ranges::max_count, "warm_rounds",
            *run.warm_start_rounds, "in [1, 2^53]");
    return;
  }
  require(run.warm_start_rounds.value_or(0) == 0, "warm_rounds", run.warm_start_rounds.value_or(0),
          fmt::format("left out or 0 for {}, which does not warm-start", run.algorithm));
  run.warm_start_rounds = 0;
}

void fill_batch(RunRequest& run, const AlgorithmTraits& algorithm) {
  if (algorithm.single_record) {
    require(run.batch_size.value_or(1) == 1, "batch_size", run.batch_size.value_or(1),
            fmt::format("1 for {}, or left out", run.algorithm));
    run.batch_size = 1;
  }
  if (run.batch_size) {
    require(1 <= *run.batch_size && *run.batch_size <= ranges::max_count, "batch_size", *run.batch_size,
            "in [1, 2^53]");
    require(run.unit == Unit::record, "unit", to_string(run.unit), "record when batch_size is given");
    require(run.batches != Batches::disjoint, "batches", to_string(run.batches),
            "fresh, with_replacement or shuffled when batch_size is given");
  }
}

void check_rounds(std::uint64_t rounds, std::uint64_t warm_start_rounds) {
  require(rounds >= 1 && rounds <= ranges::max_count - warm_start_rounds, "rounds", rounds,
          "in [1, 2^53 - warm_rounds]");
}

RunRequest completed(RunRequest run, const AlgorithmTraits& algorithm) {
  refuse_untaken(run, algorithm);
  check_ranges(run);
  std::visit([&](auto& clipping) { read_options(clipping, run.options, run, "clipping"); }, run.clipping);
  run.schedule = without_file(run.schedule);
  fill_steps(run, algorithm);
  fill_warm_start(run, algorithm);
  fill_batch(run, algorithm);
  check_steps(run);
  check_passes(run, algorithm);
  check_rounds(run.rounds, *run.warm_start_rounds);
  return run;
}

// What is proven of noise that is chosen as a run goes on.
// fl/account/proofs.md, 12.1
void check_validation(const RunRequest& run, const AlgorithmTraits& algorithm) {
  const auto refuse_unless = [&](bool holds, const std::string& allowed) {
    require(holds, "schedule", run.schedule, allowed);
  };
  refuse_unless(algorithm.mechanism == Mechanism::gaussian,
                fmt::format("one that is fixed in advance for {}", algorithm.name));
  refuse_unless(run.batches != Batches::disjoint, "one that is fixed in advance when batches are disjoint");
  refuse_unless(!std::holds_alternative<MedianClipping>(run.clipping),
                "one that is fixed in advance when clipping is median");
  refuse_unless(run.silo_epsilon.empty(), "one that is fixed in advance beside silo_epsilon");
  refuse_unless(run.epsilon.has_value(), "one that is fixed in advance, unless epsilon is given, which stops the run");
}

void check_values(const RunRequest& run, const AlgorithmTraits& algorithm) {
  check_weights(run, algorithm);
  check_noise(run, algorithm);
  check_clipping(run, algorithm);
  require(run.regularisation > 0 || !algorithm.strongly_convex, "regularisation", run.regularisation,
          fmt::format("positive for {}", algorithm.name));
  ranges::delta(run.delta);
  if (run.epsilon) ranges::epsilon(*run.epsilon);
  require(1 <= run.threads && run.threads <= 4096, "threads", run.threads, "in [1, 4096]");
}

// Whether a budget can decide the noise.
void check_asked_noise(const RunRequest& request) {
  const AlgorithmTraits& algorithm = find_algorithm(request.algorithm);
  const auto refuse_unless = [](bool holds, const std::string& allowed) { require(holds, "noise", "?", allowed); };
  refuse_unless(algorithm.adds_noise(), fmt::format("0 for {}, which adds no noise", algorithm.name));
  refuse_unless(traits_of(algorithm.mechanism).takes_multipliers,
                fmt::format("0 for {}, whose noise is its noise_bits", algorithm.name));
  refuse_unless(!std::holds_alternative<MedianClipping>(request.clipping),
                "a number when clipping is median, for which nothing is proven");
  refuse_unless(request.silo_noise.empty(), "left out beside silo_noise");
  refuse_unless(request.silo_epsilon.empty(), "left out beside silo_epsilon, which finds the noise of each client");
  refuse_unless(!validation_of(request.schedule), "a number where the noise follows validation errors");
  refuse_unless(request.epsilon.has_value(), "a number where no epsilon is given that decides it");
  ranges::epsilon(*request.epsilon);
}

}  // namespace

SettledRun::SettledRun(const RunRequest& complete, const AlgorithmTraits& algorithm, HeldLists options)
    : settings_(complete),  // NOLINT(cppcoreguidelines-slicing): what was left out has been filled in
      algorithm_(&algorithm),
      local_steps_(complete.local_steps.value()),
      warm_start_rounds_(complete.warm_start_rounds.value()),
      options_(std::move(options)),
      schedule_text_(complete.schedule),
      validation_(validation_of(complete.schedule)),
      schedule_(validation_ ? followed(*validation_, {}) : parse_shape(complete.schedule)) {}

std::optional<std::uint64_t> SettledRun::last_scheduled_round() const {
  return NoiseSchedule(schedule_, 1, local_steps_).last_round();
}

RunRequest SettledRun::written() const {
  RunRequest request{settings_, local_steps_, warm_start_rounds_, schedule_text_, {}};
  const std::vector<OptionList> lists = algorithm_->option_lists();
  for (std::size_t i = 0; i < lists.size(); ++i) request.options.merge(lists[i].written(*options_[i], settings_));
  return request;
}

SettledRun SettledRun::with_rounds(std::uint64_t rounds) const {
  check_rounds(rounds, warm_start_rounds_);
  SettledRun other = *this;
  other.settings_.rounds = rounds;
  check_schedule(other);
  return other;
}

SettledRun SettledRun::with_silo_noise(std::vector<double> noises) const {
  for (const double noise : noises) check_positive("silo_noise", noise);
  SettledRun other = *this;
  other.settings_.silo_noise = std::move(noises);
  return other;
}

bool SettledRun::follows_error_after(std::uint64_t round) const {
  return validation_ && warm_start_rounds_ <= round && round % settings_.evaluate_every == 0;
}

SettledRun SettledRun::with_filter(const filter::Measure& measure) const {
  SettledRun other = *this;
  ValidationNoise& noise = other.validation_.value();
  noise.filter = measure;
  other.schedule_text_ = to_text(noise);
  other.filter_ = std::make_shared<const filter::Filter>(measure, settings_.epsilon.value(), settings_.delta,
                                                         Adjacency::replace_one);
  return other;
}

SettledRun SettledRun::following(const std::vector<ValidationError>& errors) const {
  SettledRun other = *this;
  other.schedule_ = followed(validation_.value(), errors);
  return other;
}

SettledRun SettledRun::with_delta(double delta) const {
  ranges::delta(delta);
  SettledRun other = *this;
  other.settings_.delta = delta;
  return other;
}

RunRequest with_some_noise(RunRequest request) {
  if (!request.asks_noise) return request;
  check_asked_noise(request);
  request.asks_noise = false;
  request.noise_multiplier = 1;
  return request;
}

SettledRun settle(const RunRequest& request) {
  require(!request.asks_noise, "noise", "?", "a number where the clients are not known");
  const AlgorithmTraits& algorithm = find_algorithm(request.algorithm);
  const RunRequest complete = completed(request, algorithm);
  SettledRun::HeldLists options;
  for (const OptionList& list : algorithm.option_lists())
    options.push_back(list.settled(complete.options, complete, algorithm.name));
  SettledRun run(complete, algorithm, std::move(options));
  check_schedule(run);
  check_values(complete, algorithm);
  if (!run.validation()) return run;
  check_validation(complete, algorithm);
  return run.validation()->filter ? run.with_filter(*run.validation()->filter) : run;
}

void check(const SettledRun& run, const Sizes& sizes) {
  require(1 <= sizes.clients && sizes.clients <= ranges::max_count, "clients", sizes.clients, "in [1, 2^53]");
  require(1 <= sizes.records && sizes.records <= ranges::max_count, "records", sizes.records, "in [1, 2^53]");
  const auto one_each = [&](std::string_view name, const std::vector<double>& numbers) {
    require(numbers.empty() || numbers.size() == sizes.clients, name, fmt::format("{} numbers", numbers.size()),
            fmt::format("one for each of {} clients", sizes.clients));
  };
  one_each("client_weights", run->client_weights);
  one_each("silo_noise", run->silo_noise);
  one_each("silo_epsilon", run->silo_epsilon);
  one_each("silo_delta", run->silo_delta);
  if (run->client_sampling != ClientSampling::poisson)
    require(drawn(run->user_rate, sizes.clients) >= 1, "user_rate", run->user_rate,
            fmt::format("large enough to draw one of {} clients", sizes.clients));
  if (run->batches == Batches::disjoint)
    require(batch_of(run, sizes.records) >= 1, "rounds", run->rounds,
            fmt::format("at most the {} records of a client when batches are disjoint", sizes.records));
  else
    require(batch_of(run, sizes.records) >= 1, "record_rate", run->record_rate,
            fmt::format("large enough to draw one of a client's {} records", sizes.records));
  const MechanismTraits& mechanism = traits_of(run.algorithm().mechanism);
  require(!mechanism.encodes_bits || run->batches == Batches::disjoint, "batches", to_string(run->batches),
          fmt::format("disjoint for {}", run->algorithm));
  if (!mechanism.is_shuffled) return;
  require(run->client_sampling == ClientSampling::uniform, "client_sampling", to_string(run->client_sampling),
          fmt::format("uniform for {}, whose reports must be known in number", run->algorithm));
  require(!sizes.all_records || sizes.least_others.size() + 1 == drawn(run->user_rate, sizes.clients), "records",
          sizes.records,
          fmt::format("the same for all clients of {}, unless it is said what the others hold", run->algorithm));
}

void check(const SettledRun& run, const ClientSource& clients) {
  if (const FederatedData* data = clients.held())
    require(data->test.records() >= 1, "test records", data->test.records(), "at least 1");
  for (const Sizes& sizes : distinct_sizes(run, clients.train_sizes())) check(run, sizes);
}

void check(const SettledRun& run, const FederatedData& data) { check(run, HeldClients(data)); }

}  // namespace dpbudget::fl
