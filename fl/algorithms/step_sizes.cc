#include "dpbudget/fl/algorithms/step_sizes.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/algorithms/averaging.h"
#include "dpbudget/fl/algorithms/shared_options.h"
#include "dpbudget/fl/convergence/lowy.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/noise_schedule.h"

namespace dpbudget::fl {
namespace {

[[noreturn]] void refuse_theorem(std::string_view key, const SettledRun& run, std::string_view what) {
  throw InvalidArgument(fmt::format("{} is theorem, but must be another for {}, for which no theorem prescribes {}",
                                    key, run->algorithm, what));
}

bool prescribes_steps(Analysis whose) {
  return whose == Analysis::chen || whose == Analysis::noble_averaging || whose == Analysis::noble_scaffold ||
         whose == Analysis::chang;
}

// What its local steps follow: base times shape.
struct Prescribed {
  double base;
  NoiseShape shape;
  std::string rule;
};

Prescribed prescribed(const SettledRun& run, std::uint64_t clients, double server_step) {
  const Analysis whose = run.algorithm().analysis;
  if (!prescribes_steps(whose)) refuse_theorem("step_schedule", run, "changing steps");
  const auto& options = run.options<StepScheduleOptions>();
  require(options.smoothness.has_value(), "smoothness", "left out", "given with step_schedule theorem");
  const double lambda = run->regularisation;
  const double smoothness = *options.smoothness + lambda;
  const auto steps = static_cast<double>(run.local_steps());
  const double drawn_share = static_cast<double>(drawn(run->user_rate, clients)) / static_cast<double>(clients);
  switch (whose) {
    case Analysis::chen:
      require(lambda > 0, "regularisation", lambda, "positive with step_schedule theorem");
      return {1, InverseDecay{4 / (lambda * steps), 16 * smoothness / lambda},
              fmt::format("Chen et al. 2024, Theorem 1: 4 / (lambda K t + 16 L K) in round t, lambda = {}, L = {}",
                          lambda, smoothness)};
    case Analysis::noble_averaging: {
      const double factor = 1 + options.dissimilarity * options.dissimilarity;
      return {1 / (8 * factor * smoothness * steps * server_step), ConstantNoise{},
              fmt::format("Noble et al. 2022, Theorem 4.2: 1 / (8 (1 + B^2) L K eta_g), L = {}, B = {}", smoothness,
                          options.dissimilarity)};
    }
    case Analysis::noble_scaffold:
      return {std::cbrt(drawn_share * drawn_share) / (24 * smoothness * steps * server_step), ConstantNoise{},
              fmt::format("Noble et al. 2022, Theorem 4.2: l^(2/3) / (24 L K eta_g), L = {}, l = {}", smoothness,
                          drawn_share)};
    default:  // Analysis::chang
      require(server_step >= 1, "server_step", server_step, "at least 1 with step_schedule theorem");
      return {1 / (81 * smoothness * steps * server_step), ConstantNoise{},
              fmt::format("Chang et al. 2022, Theorem 3: 1 / (81 L K eta_g), L = {}", smoothness)};
  }
}

// Asks for the last value first: what a schedule does not have would otherwise show when a run comes there.
NoiseSchedule checked(std::string_view key, const NoiseShape& shape, double base, std::uint64_t steps,
                      std::uint64_t rounds) {
  try {
    NoiseSchedule schedule(shape, base, steps);
    schedule.noise(rounds, steps);
    return schedule;
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", key, error.what()));
  }
}

NoiseSchedule server_schedule(const SettledRun& run, std::uint64_t clients) {
  const auto* options = run.find_options<AveragingOptions>();
  if (options == nullptr || !options->server_step_schedule) return {ConstantNoise{}, 1, 1};
  constexpr std::string_view key = "server_step_schedule";
  if (!options->server_step_schedule->is_theorem())
    return checked(key, *options->server_step_schedule->shape, 1, 1, run->rounds);
  const Analysis whose = run.algorithm().analysis;
  if (whose != Analysis::noble_averaging && whose != Analysis::noble_scaffold) refuse_theorem(key, run, "server steps");
  return {ConstantNoise{}, std::sqrt(static_cast<double>(drawn(run->user_rate, clients))) / options->server_step, 1};
}

}  // namespace

StepSizes::StepSizes(const SettledRun& run, std::uint64_t clients)
    : run_(run), clients_(clients), server_(server_schedule(run, clients)) {
  if (run.find_options<StepScheduleOptions>() != nullptr) follow_local();
}

void StepSizes::follow_local() {
  const auto& options = run_.options<StepScheduleOptions>();
  const std::uint64_t steps = run_.local_steps();
  constexpr std::string_view key = "step_schedule";
  const bool is_theorem = options.step_schedule && options.step_schedule->is_theorem();
  if (run_.algorithm().analysis == Analysis::lowy_minibatch && (is_theorem || options.smoothness)) {
    require(options.smoothness.has_value(), "smoothness", "left out", "given with step_schedule theorem");
    stichs_smoothness_ = *options.smoothness + run_->regularisation;
    rule_ = fmt::format(
        "Lowy, Razaviyayn 2023, Lemma D.6: Stich's steps, mu = {}, h = {}: 1 / h, then 2 / (mu (2 h / mu + t))",
        run_->regularisation, *stichs_smoothness_);
    return;
  }
  if (is_theorem) {
    const auto* averaging = run_.find_options<AveragingOptions>();
    Prescribed by_theorem =
        prescribed(run_, clients_, averaging == nullptr ? 1 : averaging->server_step * server_factor(1));
    base_ = by_theorem.base;
    local_ = checked(key, by_theorem.shape, 1, steps, run_->rounds);
    rule_ = std::move(by_theorem.rule);
    return;
  }
  // A step that the algorithm does not read is one that it chooses itself.
  if (!run_.written().options.contains("step")) return;
  base_ = run_.options<StepOption>().step;
  is_scaled_ = run_.algorithm().scaled_step;
  local_ = NoiseSchedule(ConstantNoise{}, 1, steps);
  if (!options.step_schedule) return;
  const NoiseShape& shape = *options.step_schedule->shape;
  is_by_step_ = options.step_clock == StepClock::steps;
  local_ = is_by_step_ ? checked(key, shape, 1, 1, run_->rounds * steps) : checked(key, shape, 1, steps, run_->rounds);
  rule_ = fmt::format("{} over {}", options.step_schedule->text(), is_by_step_ ? "local steps" : "rounds");
}

std::vector<double> StepSizes::local(std::uint64_t number, std::uint64_t records) const {
  if (stichs_smoothness_)
    return {stich_step(run_->regularisation, *stichs_smoothness_, static_cast<double>(run_->rounds),
                       static_cast<double>(number - 1))
                .step};
  if (!local_) return {};
  const std::uint64_t steps = run_.local_steps();
  const double first = is_scaled_ ? base_ / (record_rate_of(run_, records) * static_cast<double>(steps)) : base_;
  if (!is_by_step_ && local_->is_flat_in_rounds()) return {first * local_->noise(number, 1)};
  std::vector<double> sizes;
  sizes.reserve(steps);
  for (std::uint64_t step = 1; step <= steps; ++step)
    sizes.push_back(first *
                    (is_by_step_ ? local_->noise((number - 1) * steps + step, 1) : local_->noise(number, step)));
  return sizes;
}

double StepSizes::server_factor(std::uint64_t number) const { return server_.noise(number, 1); }

}  // namespace dpbudget::fl
