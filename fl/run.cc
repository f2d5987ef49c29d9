#include "dpbudget/fl/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/catalogue.h"

namespace dpbudget::fl {
namespace {

constexpr double rounding_slack = 1e-12;

bool is_positive(double value) { return 0 < value && std::isfinite(value); }

void check_rate(std::string_view name, double rate) { require(0 < rate && rate <= 1, name, rate, "in (0, 1]"); }

void check_noise(const Run& run) {
  if (find_algorithm(run.algorithm).adds_noise) {
    require(is_positive(run.noise_multiplier), "noise_multiplier", run.noise_multiplier,
            fmt::format("positive and finite for {}", run.algorithm));
    require(is_positive(run.clip_norm), "clip_norm", run.clip_norm,
            fmt::format("positive and finite for {}", run.algorithm));
    return;
  }
  require(run.noise_multiplier == 0, "noise_multiplier", run.noise_multiplier,
          fmt::format("0 for {}, which adds no noise", run.algorithm));
  require(run.clip_norm == std::numeric_limits<double>::infinity(), "clip_norm", run.clip_norm,
          fmt::format("inf for {}, which does not clip", run.algorithm));
}

}  // namespace

std::uint64_t drawn(double rate, std::uint64_t population) {
  const double exact = rate * static_cast<double>(population);
  return std::min(population, static_cast<std::uint64_t>(std::floor(exact * (1 + rounding_slack))));
}

Run completed(Run run) {
  const AlgorithmEntry& algorithm = find_algorithm(run.algorithm);
  check_rate("user_rate", run.user_rate);
  check_rate("record_rate", run.record_rate);
  if (algorithm.one_pass) {
    const double steps = std::round(1 / run.record_rate);
    require(std::abs(steps * run.record_rate - 1) <= 1e-9, "record_rate", run.record_rate,
            fmt::format("1 / K for an integer K, because {} takes K = 1 / record_rate local steps", run.algorithm));
    const auto derived = static_cast<std::uint64_t>(steps);
    require(run.local_steps.value_or(derived) == derived, "local_steps", run.local_steps.value_or(derived),
            fmt::format("{} for {}, or left out", derived, run.algorithm));
    run.local_steps = derived;
  }
  if (!run.local_steps) throw InvalidArgument(fmt::format("local_steps is missing, and {} needs it", run.algorithm));
  require(*run.local_steps >= 1 && *run.local_steps <= ranges::max_count, "local_steps", *run.local_steps,
          "in [1, 2^53]");
  if (algorithm.warm_starts) {
    if (!run.warm_start_rounds) run.warm_start_rounds = static_cast<std::uint64_t>(std::llround(4 / run.user_rate));
    require(*run.warm_start_rounds >= 1 && *run.warm_start_rounds <= ranges::max_count, "warm_start_rounds",
            *run.warm_start_rounds, "in [1, 2^53]");
  } else {
    require(run.warm_start_rounds.value_or(0) == 0, "warm_start_rounds", run.warm_start_rounds.value_or(0),
            fmt::format("left out or 0 for {}, which does not warm-start", run.algorithm));
    run.warm_start_rounds = 0;
  }
  require(run.rounds >= 1 && run.rounds <= ranges::max_count - *run.warm_start_rounds, "rounds", run.rounds,
          "in [1, 2^53 - warm_start_rounds]");
  return run;
}

void check(const Run& given) {
  const Run run = completed(given);
  check_noise(run);
  require(is_positive(run.initial_step), "initial_step", run.initial_step, "positive and finite");
  require(is_positive(run.server_step), "server_step", run.server_step, "positive and finite");
  require(0 <= run.regularisation && std::isfinite(run.regularisation), "regularisation", run.regularisation,
          "at least 0 and finite");
  ranges::delta(run.delta);
  require(run.evaluate_every >= 1, "evaluate_every", run.evaluate_every, "at least 1");
  require(1 <= run.threads && run.threads <= 4096, "threads", run.threads, "in [1, 4096]");
}

void check(const Run& run, const Sizes& sizes) {
  check(run);
  require(1 <= sizes.clients && sizes.clients <= ranges::max_count, "clients", sizes.clients, "in [1, 2^53]");
  require(1 <= sizes.records && sizes.records <= ranges::max_count, "records", sizes.records, "in [1, 2^53]");
  require(drawn(run.user_rate, sizes.clients) >= 1, "user_rate", run.user_rate,
          fmt::format("large enough to draw one of {} clients", sizes.clients));
  require(drawn(run.record_rate, sizes.records) >= 1, "record_rate", run.record_rate,
          fmt::format("large enough to draw one of a client's {} records", sizes.records));
}

void check(const Run& run, const FederatedData& data) {
  check(data);
  require(data.test.records() >= 1, "test records", data.test.records(), "at least 1");
  require(!data.clients.empty(), "clients", data.clients.size(), "at least 1");
  std::set<std::uint64_t> sizes;
  for (const auto& rows : data.clients) sizes.insert(rows.size());
  for (const std::uint64_t records : sizes) check(run, Sizes{data.clients.size(), records});
}

std::uint64_t released_rounds(const Run& run) { return run.rounds + run.warm_start_rounds.value(); }

double noise_std(const Run& run, std::uint64_t sample) {
  const double sensitivity =
      run.unit == Unit::record ? 2 * run.clip_norm / static_cast<double>(sample) : 2 * run.clip_norm / run.record_rate;
  return sensitivity * run.noise_multiplier;
}

double record_noise_multiplier(const Run& run, std::uint64_t sample) {
  if (run.unit == Unit::record) return run.noise_multiplier;
  return run.noise_multiplier * static_cast<double>(sample) / run.record_rate;
}

double user_noise_multiplier(const Run& run, std::uint64_t sample) {
  return run.noise_multiplier / (run.unit == Unit::record ? static_cast<double>(sample) : run.record_rate);
}

}  // namespace dpbudget::fl
