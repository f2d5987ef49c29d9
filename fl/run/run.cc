#include "dpbudget/fl/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/schedule/noise_schedule.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

// Holds the product of two doubles, and no quotient of such products leaves its range.
using Exact = boost::multiprecision::cpp_bin_float_quad;

constexpr double rounding_slack = 1e-12;

bool is_positive(double value) { return 0 < value && std::isfinite(value); }

void check_rate(std::string_view name, double rate) { require(0 < rate && rate <= 1, name, rate, "in (0, 1]"); }

void check_positive(std::string_view name, double value) {
  require(is_positive(value), name, value, "positive and finite");
}

void check_positive(std::string_view name, const std::optional<double>& value) {
  if (value) check_positive(name, *value);
}

void check_momentum(std::string_view name, const std::optional<double>& value) {
  if (value) require(0 <= *value && *value < 1, name, *value, "in [0, 1)");
}

// Fields that belong to some algorithms only are given as an optional, or as a choice other than the first.
void refuse_untaken(const Run& run, const AlgorithmEntry& algorithm) {
  static constexpr std::array everybodys = {"local_steps",        "warm_rounds", "batch_size", "clip_quantile",
                                            "clip_learning_rate", "clip_noise",  "epsilon"};
  visit_fields(run, [&](const Field& field, const auto& value) {
    if constexpr (requires { value.has_value(); }) {
      const bool known = std::ranges::find(everybodys, std::string_view(field.key)) != everybodys.end() ||
                         algorithm.reads(field.key, run);
      if (value.has_value() && !known) {
        const TakenField* taken = algorithm.taken(field.key);
        throw InvalidArgument(
            fmt::format("{} is given, but {} {}", field.key, algorithm.name,
                        taken == nullptr ? "does not take it" : fmt::format("takes it only {}", taken->when)));
      }
    }
  });
  require(run.batches == Batches::fresh || algorithm.reads("batches", run), "batches", to_string(run.batches),
          fmt::format("fresh for {}", algorithm.name));
}

void check_silo_budgets(const Run& run, const AlgorithmEntry& algorithm) {
  if (run.silo_epsilon.empty()) {
    require(run.silo_delta.empty(), "silo_delta", "given", "left out without silo_epsilon");
    return;
  }
  require(algorithm.adds_noise(), "silo_epsilon", "given",
          fmt::format("left out for {}, which adds no noise", algorithm.name));
  require(algorithm.mechanism == Mechanism::gaussian, "silo_epsilon", "given",
          fmt::format("left out for {}, whose reports hide each other", algorithm.name));
  require(run.clipping != Clipping::median, "silo_epsilon", "given",
          "left out when clipping is median, which guarantees none");
  require(run.noise_multiplier == 0, "noise", run.noise_multiplier,
          "left out beside silo_epsilon, which finds the noise of each client");
  for (const double epsilon : run.silo_epsilon) check_positive("silo_epsilon", epsilon);
  for (const double delta : run.silo_delta) require(0 < delta && delta < 1, "silo_delta", delta, "in (0, 1)");
}

// What a table does not say of a round or a step would come out when that round is reached.
void check_schedule(const Run& run) {
  const auto last = last_scheduled_round(run);
  require(!last || released_rounds(run) <= *last, "rounds", released_rounds(run),
          fmt::format("at most {}, where the noise table ends", last.value_or(0)));
}

void check_noise(const Run& run, const AlgorithmEntry& algorithm) {
  check_schedule(run);
  check_silo_budgets(run, algorithm);
  if (algorithm.mechanism == Mechanism::shuffled_gaussian || algorithm.mechanism == Mechanism::shuffled_binomial) {
    // A report hides among others with as much noise; and its noise is its own, whatever is protected.
    require(run.silo_noise.empty(), "silo_noise", "given",
            fmt::format("left out for {}, whose reports hide each other", algorithm.name));
    require(run.unit == Unit::record, "unit", to_string(run.unit), fmt::format("record for {}", algorithm.name));
  }
  if (algorithm.mechanism == Mechanism::shuffled_binomial) {
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

void check_clipping(const Run& run, const AlgorithmEntry& algorithm) {
  const bool is_adaptive = run.clipping == Clipping::adaptive;
  const auto only_adaptive = [&](std::string_view name, const std::optional<double>& value) {
    require(is_adaptive || !value, name, value.value_or(0), "left out unless clipping is adaptive");
  };
  only_adaptive("clip_quantile", run.clip_quantile);
  only_adaptive("clip_learning_rate", run.clip_learning_rate);
  only_adaptive("clip_noise", run.clip_noise);
  require(run.clipping == Clipping::fixed || algorithm.mechanism == Mechanism::gaussian, "clipping",
          to_string(run.clipping), fmt::format("fixed for {}", algorithm.name));
  if (run.clip_quantile)
    require(0 < *run.clip_quantile && *run.clip_quantile < 1, "clip_quantile", *run.clip_quantile, "in (0, 1)");
  require(run.clipping != Clipping::median || !run.epsilon, "epsilon", run.epsilon.value_or(0),
          "left out when clipping is median, which guarantees none");
  check_positive("clip_learning_rate", run.clip_learning_rate);
  check_positive("clip_noise", run.clip_noise);
}

void fill_steps(Run& run, const AlgorithmEntry& algorithm) {
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
    run.local_steps = derived;
  }
  if (!run.local_steps) throw InvalidArgument(fmt::format("local_steps is missing, and {} needs it", run.algorithm));
  require(*run.local_steps >= 1 && *run.local_steps <= max_local_steps, "local_steps", *run.local_steps,
          fmt::format("in [1, {}]", max_local_steps));
}

void fill_warm_start(Run& run, const AlgorithmEntry& algorithm) {
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

void fill_batch(Run& run, const AlgorithmEntry& algorithm) {
  if (algorithm.single_record) {
    require(run.batch_size.value_or(1) == 1, "batch_size", run.batch_size.value_or(1),
            fmt::format("1 for {}, or left out", run.algorithm));
    run.batch_size = 1;
  }
  if (run.batch_size) {
    require(1 <= *run.batch_size && *run.batch_size <= ranges::max_count, "batch_size", *run.batch_size,
            "in [1, 2^53]");
    require(run.unit == Unit::record, "unit", to_string(run.unit), "record when batch_size is given");
    require(run.batches == Batches::fresh, "batches", to_string(run.batches), "fresh when batch_size is given");
  }
}

// Defaults of what an algorithm takes, or clipping needs, and the user left out.
void fill_defaults(Run& run, const AlgorithmEntry& algorithm) {
  const auto fill = [&](std::string_view key, auto& value, auto otherwise) {
    const bool is_filled = std::ranges::find(algorithm.fills, key) != algorithm.fills.end();
    if (!value && is_filled && algorithm.reads(key, run)) value = otherwise;
  };
  fill("step", run.initial_step, 1.0);
  fill("server_step", run.server_step, 1.0);
  fill("optimiser", run.optimiser, Optimiser::sgd);
  fill("momentum", run.momentum, 0.9);
  fill("second_momentum", run.second_momentum, 0.99);
  fill("adaptivity", run.adaptivity, 1e-3);
  fill("interpolation", run.interpolation, 1.0);
  fill("smoothness", run.smoothness, 1.0);
  fill("gap", run.gap, 1.0);
  fill("granularity", run.granularity, std::uint64_t{1024});
  fill("noise_bits", run.noise_bits, std::uint64_t{4096});
  if (run.clipping == Clipping::adaptive) {
    run.clip_quantile = run.clip_quantile.value_or(0.5);
    run.clip_learning_rate = run.clip_learning_rate.value_or(0.2);
    run.clip_noise = run.clip_noise.value_or(10);
  }
}

// Of all clients together; nothing when all hold as many.
std::optional<std::uint64_t> total_where_unequal(const std::vector<std::uint64_t>& clients) {
  if (std::ranges::adjacent_find(clients, std::ranges::not_equal_to()) == clients.end()) return std::nullopt;
  return std::accumulate(clients.begin(), clients.end(), std::uint64_t{0});
}

Sizes of_client(const Run& run, const std::vector<std::uint64_t>& clients, std::optional<std::uint64_t> all_records,
                std::uint64_t client, std::uint64_t dimension) {
  Sizes sizes{clients.size(), clients.at(client), all_records, std::nullopt, dimension};
  if (client < run.silo_noise.size()) sizes.noise_multiplier = run.silo_noise[client];
  return sizes;
}

}  // namespace

std::uint64_t drawn(double rate, std::uint64_t population) {
  const double exact = rate * static_cast<double>(population);
  return std::min(population, to_integer<std::uint64_t>(exact * (1 + rounding_slack), "sample"));
}

std::uint64_t batch_of(const Run& run, std::uint64_t records) {
  if (run.batches == Batches::disjoint) return records / (released_rounds(run) * run.local_steps.value());
  if (run.batch_size) return std::min(*run.batch_size, records);
  return drawn(run.record_rate, records);
}

Run completed(Run run) {
  const AlgorithmEntry& algorithm = find_algorithm(run.algorithm);
  check_rate("user_rate", run.user_rate);
  check_rate("record_rate", run.record_rate);
  refuse_untaken(run, algorithm);
  run.schedule = without_file(run.schedule);
  fill_steps(run, algorithm);
  fill_warm_start(run, algorithm);
  fill_batch(run, algorithm);
  fill_defaults(run, algorithm);
  require(run.rounds >= 1 && run.rounds <= ranges::max_count - *run.warm_start_rounds, "rounds", run.rounds,
          "in [1, 2^53 - warm_rounds]");
  return run;
}

void check(const Run& given) {
  const Run run = completed(given);
  const AlgorithmEntry& algorithm = find_algorithm(run.algorithm);
  check_noise(run, algorithm);
  check_clipping(run, algorithm);
  check_positive("step", run.initial_step);
  check_positive("server_step", run.server_step);
  require(0 <= run.regularisation && std::isfinite(run.regularisation), "regularisation", run.regularisation,
          "at least 0 and finite");
  require(run.regularisation > 0 || !algorithm.strongly_convex, "regularisation", run.regularisation,
          fmt::format("positive for {}", algorithm.name));
  check_momentum("momentum", run.momentum);
  check_momentum("second_momentum", run.second_momentum);
  check_positive("adaptivity", run.adaptivity);
  if (run.interpolation)
    require(0 <= *run.interpolation && *run.interpolation <= 1, "interpolation", *run.interpolation, "in [0, 1]");
  check_positive("radius", run.radius);
  check_positive("smoothness", run.smoothness);
  check_positive("gap", run.gap);
  if (run.granularity) require(*run.granularity >= 1, "granularity", *run.granularity, "at least 1");
  if (run.noise_bits) require(*run.noise_bits >= 1, "noise_bits", *run.noise_bits, "at least 1");
  ranges::delta(run.delta);
  if (run.epsilon) ranges::epsilon(*run.epsilon);
  require(run.evaluate_every >= 1, "evaluate_every", run.evaluate_every, "at least 1");
  require(1 <= run.threads && run.threads <= 4096, "threads", run.threads, "in [1, 4096]");
}

void check(const Run& given, const Sizes& sizes) {
  check(given);
  const Run run = completed(given);
  require(1 <= sizes.clients && sizes.clients <= ranges::max_count, "clients", sizes.clients, "in [1, 2^53]");
  require(1 <= sizes.records && sizes.records <= ranges::max_count, "records", sizes.records, "in [1, 2^53]");
  const auto one_each = [&](std::string_view name, const std::vector<double>& numbers) {
    require(numbers.empty() || numbers.size() == sizes.clients, name, fmt::format("{} numbers", numbers.size()),
            fmt::format("one for each of {} clients", sizes.clients));
  };
  one_each("silo_noise", run.silo_noise);
  one_each("silo_epsilon", run.silo_epsilon);
  one_each("silo_delta", run.silo_delta);
  if (run.client_sampling != ClientSampling::poisson)
    require(drawn(run.user_rate, sizes.clients) >= 1, "user_rate", run.user_rate,
            fmt::format("large enough to draw one of {} clients", sizes.clients));
  if (run.batches == Batches::disjoint)
    require(batch_of(run, sizes.records) >= 1, "rounds", run.rounds,
            fmt::format("at most the {} records of a client when batches are disjoint", sizes.records));
  else
    require(batch_of(run, sizes.records) >= 1, "record_rate", run.record_rate,
            fmt::format("large enough to draw one of a client's {} records", sizes.records));
  const Mechanism mechanism = find_algorithm(run.algorithm).mechanism;
  require(mechanism != Mechanism::shuffled_binomial || run.batches == Batches::disjoint, "batches",
          to_string(run.batches), fmt::format("disjoint for {}", run.algorithm));
  if (mechanism != Mechanism::shuffled_gaussian && mechanism != Mechanism::shuffled_binomial) return;
  require(run.client_sampling == ClientSampling::uniform, "client_sampling", to_string(run.client_sampling),
          fmt::format("uniform for {}, whose reports must be known in number", run.algorithm));
  require(!sizes.all_records, "records", sizes.records, fmt::format("the same for all clients of {}", run.algorithm));
}

void check(const Run& run, const FederatedData& data) {
  check(data);
  require(data.test.records() >= 1, "test records", data.test.records(), "at least 1");
  require(!data.clients.empty(), "clients", data.clients.size(), "at least 1");
  for (const Sizes& sizes : distinct_sizes(run, records_of(data))) check(run, sizes);
}

std::vector<std::uint64_t> records_of(const FederatedData& data) {
  std::vector<std::uint64_t> records;
  records.reserve(data.clients.size());
  for (const auto& rows : data.clients) records.push_back(rows.size());
  return records;
}

std::optional<std::uint64_t> last_scheduled_round(const Run& run) {
  return NoiseSchedule(parse_shape(run.schedule), 1, run.local_steps.value()).last_round();
}

std::uint64_t released_rounds(const Run& run) { return run.rounds + run.warm_start_rounds.value(); }

SiloBudget silo_budget_of(const Run& run, std::uint64_t client) {
  return {run.silo_epsilon.at(client), run.silo_delta.empty() ? run.delta : run.silo_delta.at(client)};
}

Sizes sizes_of(const Run& run, const std::vector<std::uint64_t>& clients, std::uint64_t client,
               std::uint64_t dimension) {
  return of_client(run, clients, total_where_unequal(clients), client, dimension);
}

std::vector<Sizes> distinct_sizes(const Run& run, const std::vector<std::uint64_t>& clients, std::uint64_t dimension) {
  const std::optional<std::uint64_t> total = total_where_unequal(clients);
  std::vector<Sizes> sizes;
  sizes.reserve(clients.size());
  for (std::uint64_t client = 0; client < clients.size(); ++client)
    sizes.push_back(of_client(run, clients, total, client, dimension));
  const auto key = [](const Sizes& s) { return std::tuple(s.records, s.noise_multiplier); };
  std::ranges::sort(sizes, {}, key);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

double sensitivity_divisor(const Run& run, std::uint64_t sample) {
  return run.unit == Unit::record ? static_cast<double>(sample) : run.record_rate;
}

double gaussian_std(double noise_multiplier, double clip_norm, double divisor) {
  // Two roundings in double are what record_noise_multiplier may be too large by.
  const Exact least = Exact(noise_multiplier) * clip_norm * 2 / divisor * (1 + 0x1p-51);
  const auto std = static_cast<double>(least);
  return std < least ? std::nextafter(std, std::numeric_limits<double>::infinity()) : std;
}

double noise_multiplier_of(double std, double clip_norm, double divisor) {
  const Exact exact = Exact(std) * divisor / (Exact(clip_norm) * 2);
  const auto multiplier = static_cast<double>(exact);
  // The quotient itself is rounded, far beyond a double's digits.
  return Exact(multiplier) * clip_norm * 2 > Exact(std) * divisor ? std::nextafter(multiplier, 0) : multiplier;
}

double record_noise_multiplier(const Run& run, double noise_multiplier, std::uint64_t sample) {
  if (run.unit == Unit::record) return noise_multiplier;
  return noise_multiplier * static_cast<double>(sample) / run.record_rate;
}

double user_noise_multiplier(const Run& run, double noise_multiplier, std::uint64_t sample) {
  return noise_multiplier / sensitivity_divisor(run, sample);
}

}  // namespace dpbudget::fl
