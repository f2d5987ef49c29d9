#include "dpbudget/fl/algorithms/accelerated_sgd.h"

#include <optional>
#include <span>

#include "dpbudget/fl/algorithms/averaging.h"
#include "dpbudget/fl/algorithms/shared_options.h"
#include "dpbudget/fl/convergence/lowy.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

struct SmoothnessOption {
  double smoothness = 1;  // [beta] of the loss, without the regulariser

  static auto options() {
    return std::tuple(option(&SmoothnessOption::smoothness, "smoothness", "beta of the loss", range::positive));
  }
};

struct AcceleratedOptions : StepOption, RadiusOption, SmoothnessOption {
  static auto options() {
    return std::tuple_cat(StepOption::options(), RadiusOption::options(), SmoothnessOption::options());
  }
};

struct MultiStageOptions : RadiusOption, SmoothnessOption {
  double gap = 1;                       // [Delta] F(w_0) - F* at most
  std::optional<double> heterogeneity;  // [upsilon^2] nothing: clients are taken to be alike

  static auto options() {
    return std::tuple_cat(
        RadiusOption::options(), SmoothnessOption::options(),
        std::tuple(option(&MultiStageOptions::gap, "gap", "Delta: how far the initial loss is above the least at most",
                          range::positive),
                   option(&MultiStageOptions::heterogeneity, "heterogeneity",
                          "upsilon^2: mean square of how far clients' gradients are from their mean, at its largest",
                          range::not_negative)));
  }
};

// What the server remembers, in this order.
enum Memory : std::size_t { searching, aggregate, position };

// Within `position`: rounds done in the stage; for stages, which one it is from 1 (0 before the first), its rounds and
// its gamma.
enum Position : Eigen::Index { done, stage, stage_rounds, stage_gamma };

struct Coefficients {
  double alpha;
  double eta;
};

Coefficients coefficients(double round, double gamma) { return {2 / (round + 1), 4 * gamma / (round * (round + 1))}; }

// Where the next gradient is taken.
void look_ahead(const SettledRun& run, double gamma, ServerState& state) {
  const auto [alpha, eta] = coefficients(state.memory[position](done) + 1, gamma);
  const double mu = run->regularisation;
  const double total = eta + (1 - alpha * alpha) * mu;
  state.model = ((1 - alpha) * (mu + eta) / total) * state.memory[aggregate] +
                (alpha * ((1 - alpha) * mu + eta) / total) * state.memory[searching];
}

// V^2: the variance of the weighted mean of a round's releases.
double variance(const Round& round, std::span<const Update> updates) {
  if (!round.run.algorithm().adds_noise()) return 0;
  const auto dimension = static_cast<double>(round.dimension);
  const double clip = round.run->clip_norm;
  double sum = 0;
  for (const Update& update : updates)
    sum += update.weight * update.weight *
           (dimension * update.noise_std * update.noise_std + clip * clip / static_cast<double>(update.sample));
  const auto participants = static_cast<double>(updates.size());
  const double heterogeneity = round.run.options<MultiStageOptions>().heterogeneity.value_or(0);
  if (round.clients > 1)
    sum += (1 - (participants - 1) / (static_cast<double>(round.clients) - 1)) * heterogeneity / participants;
  return sum;
}

}  // namespace

OptionList AcceleratedSgd::options() const { return OptionList::of<AcceleratedOptions>(); }

void AcceleratedSgd::prepare(const SettledRun& run, ServerState& state) const {
  project(run, state.model);
  state.memory = {state.model, state.model, Vector::Zero(4)};
}

const Vector& AcceleratedSgd::output(const ServerState& state) const { return state.memory[aggregate]; }

double AcceleratedSgd::gamma(const SettledRun& run, const ServerState& /*state*/) const {
  const auto& options = run.options<AcceleratedOptions>();
  return 2 * options.smoothness / options.step;
}

void AcceleratedSgd::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  const SettledRun& run = round.run;
  begin_round(round, updates, state);
  const double mu = run->regularisation;
  const auto [alpha, eta] = coefficients(state.memory[position](done) + 1, gamma(run, state));
  const Vector gradient = weighted_sum(updates) + mu * state.model;
  Vector& w = state.memory[searching];
  w = (alpha * mu * state.model + ((1 - alpha) * mu + eta) * w - alpha * gradient) / (mu + eta);
  project(run, w);
  Vector& ag = state.memory[aggregate];
  ag = alpha * w + (1 - alpha) * ag;
  state.memory[position](done) += 1;
  end_round(state);
  look_ahead(run, gamma(run, state), state);
}

OptionList MultiStageSgd::options() const { return OptionList::of<MultiStageOptions>(); }

double MultiStageSgd::gamma(const SettledRun& run, const ServerState& state) const {
  // Between stages the next gradient is taken at the model itself, whatever gamma is.
  const double chosen = state.memory[position](stage_gamma);
  return chosen > 0 ? chosen : 2 * run.options<MultiStageOptions>().smoothness;
}

void MultiStageSgd::begin_round(const Round& round, std::span<const Update> updates, ServerState& state) const {
  Vector& at = state.memory[position];
  if (at(stage_rounds) > 0) return;
  at(stage) += 1;
  const double k = at(stage);
  const double mu = round.run->regularisation;
  const auto& options = round.run.options<MultiStageOptions>();
  const double beta = options.smoothness;
  const double gap = options.gap;
  const double squared = variance(round, updates);
  const AcceleratedStage stage_of = accelerated_stage(beta, mu, squared, gap, k);
  at(stage_rounds) = stage_of.rounds;
  at(stage_gamma) = stage_of.gamma;
}

void MultiStageSgd::end_round(ServerState& state) const {
  Vector& at = state.memory[position];
  if (at(done) < at(stage_rounds)) return;
  at(done) = 0;
  at(stage_rounds) = 0;
  at(stage_gamma) = 0;
  state.memory[searching] = state.memory[aggregate];
}

}  // namespace dpbudget::fl
