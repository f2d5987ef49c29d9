/// @file
/// Runs whose constants are known against the proven bounds. A run's mean over seeds less four standard errors may not
/// exceed the bound: a bound that holds fails each comparison with a probability below 1e-4, on seeds drawn once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "dpbudget/fl/convergence/noble.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {
namespace {

constexpr int users = 6;

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }
  double value() const { return sum_ / count_; }
  double standard_error() const {
    return std::sqrt(std::max(0.0, squares_ / count_ - value() * value()) / (count_ - 1));
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  double count_ = 0;
};

// At most the bound, and at least the share of it that keeps the comparison from being an empty one.
void expect_bounded(const Mean& measured, const NobleBound& bound, double least_share) {
  EXPECT_LT(measured.value() - 4 * measured.standard_error(), bound.total);
  EXPECT_GT(measured.value() + 4 * measured.standard_error(), least_share * bound.total);
}

// The weighted mean of values[t], t = 0..T-1, that the bound is for.
double weighted(const std::vector<double>& values, double contraction) {
  double sum = 0;
  double weights = 0;
  for (const double value : values) {  // each later one counts 1 / (1 - a) times as much
    sum = (1 - contraction) * sum + value;
    weights = (1 - contraction) * weights + 1;
  }
  return sum / weights;
}

// Six users with eight records each, all of feature 0: the loss is half the squared distance of the bias from the
// target, so nu = mu = 1, B = 1, and G^2 is the variance of the users' means. The weight of the feature has no gradient
// and moves by noise alone, without any effect: d = 1.
FederatedData targets(double apart) {
  constexpr int records = 8;
  FederatedData data;
  data.train = {Matrix::Zero(users * records, 1), {}, 0, {}};
  for (int i = 0; i < users; ++i) {
    data.clients.emplace_back();
    for (int j = 0; j < records; ++j) {
      data.clients.back().push_back(static_cast<std::uint32_t>(i * records + j));
      data.train.targets.push_back(2 + (i % 2 == 0 ? apart : -apart) + (j % 2 == 0 ? 0.3 : -0.3));
    }
  }
  data.test = data.train;
  data.description = "targets";
  return data;
}

Mean simulated(const FederatedData& data, double optimum, const NobleRun& bounded, const NobleSteps& steps,
               bool control_variates, std::uint64_t rounds) {
  RunRequest run;
  run.algorithm = control_variates ? "dp-scaffold-warm" : "dp-fedavg";
  run.model = "linear";
  run.rounds = rounds;
  run.local_steps = static_cast<std::uint64_t>(bounded.local_steps);
  // A user whom all of these miss starts without a control variate: there is one with a probability below 1e-5.
  const std::uint64_t warm = control_variates ? 20 : 0;
  if (control_variates) run.warm_start_rounds = warm;
  run.user_rate = bounded.participants / bounded.users;
  run.record_rate = 0.5;
  run.noise_multiplier = bounded.noise_multiplier;
  run.clip_norm = bounded.clip_norm;
  run.options["step"] = steps.local * run.record_rate * bounded.local_steps;
  run.options["server_step"] = steps.server;
  run.regularisation = 0;
  run.evaluate_every = 1;
  const double contraction = bounded.local_steps * steps.local * steps.server / 2;
  Mean result;
  for (run.seed = 1; run.seed <= 40; ++run.seed) {
    std::vector<double> excess;
    for (const Metrics& metrics : simulate(run, data).history)
      if (warm <= metrics.round && metrics.round < warm + rounds) excess.push_back(metrics.train_loss - optimum);
    result.add(weighted(excess, contraction));
  }
  return result;
}

TEST(NobleRuns, OfTheSimulatorStayBelowTheBounds) {
  constexpr std::uint64_t rounds = 100;
  for (const double apart : {0.0, 3.0})
    for (const double deviation : {0.05, 4.0}) {
      SCOPED_TRACE(std::to_string(apart) + " apart, noise " + std::to_string(deviation));
      const FederatedData data = targets(apart);
      const double optimum = (apart * apart + 0.09) / 2;
      const NobleRun run{.smoothness = 1,
                         .gradient_variance = 0.09,
                         .clip_norm = 200,
                         .noise_multiplier = deviation * 4 / (2 * 200.0),
                         .dimension = 1,
                         .users = users,
                         .participants = 3,
                         .batch = 4,
                         .local_steps = 4};
      const NobleLosses losses = ConvexLosses{.distance = 2, .strong_convexity = 1};
      const NobleSteps averaging{.local = 1 / (8 * 2 * 4.0)};  // Theorem C.2's
      expect_bounded(simulated(data, optimum, run, averaging, false, rounds),
                     noble_fedavg_bound(run, losses, {.offset = apart}, averaging, rounds), 0.1);
      const NobleSteps controlling{.local = std::pow(0.5, 2.0 / 3) / (24 * 4 * std::sqrt(3)), .server = std::sqrt(3)};
      expect_bounded(simulated(data, optimum, run, controlling, true, rounds),
                     noble_scaffold_bound(run, losses, controlling, rounds), 0.1);
    }
}

using Gradient = std::function<double(int user, double x)>;

// Algorithms 1 and 2 on one parameter, with noise of the given deviation on every gradient, which counts as the noise
// of the records. Returns x^0..x^(T-1).
std::vector<double> path(const Gradient& gradient, double start, const NobleRun& run, const NobleSteps& steps,
                         bool control_variates, std::uint64_t rounds, mechanisms::Stream& stream) {
  const double deviation = std::sqrt(run.gradient_variance / run.batch);
  const auto noisy = [&](int user, double x) { return gradient(user, x) + deviation * stream.normal(); };
  const auto own_steps = static_cast<int>(run.local_steps);
  const auto drawn = static_cast<std::size_t>(run.participants);
  std::array<double, users> controls{};
  std::array<int, users> order{};
  std::iota(order.begin(), order.end(), 0);
  if (control_variates)
    for (int i = 0; i < users; ++i)
      for (int k = 0; k < own_steps; ++k) controls[static_cast<std::size_t>(i)] += noisy(i, start) / own_steps;
  std::vector<double> models;
  double x = start;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    models.push_back(x);
    const double control = std::accumulate(controls.begin(), controls.end(), 0.0) / users;
    double update = 0;
    for (std::size_t place = 0; place < drawn; ++place) {
      const auto left = static_cast<double>(users - place);
      std::swap(order[place], order[place + static_cast<std::size_t>(stream.uniform() * left)]);
      const int i = order[place];
      double& own = controls[static_cast<std::size_t>(i)];
      const double correction = control_variates ? control - own : 0;
      double y = x;
      double sum = 0;
      for (int k = 0; k < own_steps; ++k) {
        const double g = noisy(i, y);
        sum += g;
        y -= steps.local * (g + correction);
      }
      update += (y - x) / run.participants;
      if (control_variates) own = sum / own_steps;
    }
    x += steps.server * update;
  }
  return models;
}

// The mean over 300 seeds of the weighted mean of `measure` along the path.
Mean measured(const Gradient& gradient, const std::function<double(double)>& measure, double start, double convexity,
              const NobleRun& run, const NobleSteps& steps, bool control_variates, std::uint64_t rounds) {
  Mean result;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    mechanisms::Stream stream({seed, mechanisms::Purpose::local_randomness, 0, 0, 0});
    std::vector<double> values = path(gradient, start, run, steps, control_variates, rounds, stream);
    std::transform(values.begin(), values.end(), values.begin(), measure);
    result.add(weighted(values, convexity * run.local_steps * steps.local * steps.server / 2));
  }
  return result;
}

NobleRun one_parameter(double variance, double participants, double local_steps) {
  return {.smoothness = 1,
          .gradient_variance = variance,
          .clip_norm = 1,
          .noise_multiplier = 0,
          .dimension = 1,
          .users = users,
          .participants = participants,
          .batch = 1,
          .local_steps = local_steps};
}

// F_i(x) = h_i (x - a_i)^2 / 2, h_i between mu and 1.
// fl/convergence/proofs.md, 2.1, 2.2, 2.3, 2.4, 3.1 and 4.1
TEST(NobleRuns, OfUsersOfDifferentCurvatureStayBelowTheBounds) {
  constexpr std::array<double, users> centres = {1, -1, 2, -2, 3, 0};
  for (const double mu : {0.0, 0.5})
    for (const double local_steps : {1.0, 8.0})
      for (const double variance : {0.0, 50.0}) {
        SCOPED_TRACE(std::to_string(mu) + ", " + std::to_string(local_steps) + " steps, variance " +
                     std::to_string(variance));
        const std::array<double, users> curvatures = {1, mu, 0.6, 1, 0.8, 0.7};
        double curvature = 0;
        double slope = 0;
        double squared = 0;
        for (std::size_t i = 0; i < users; ++i) {
          curvature += curvatures[i] / users;
          slope += curvatures[i] * centres[i] / users;
          squared += curvatures[i] * curvatures[i] / users;
        }
        const double best = slope / curvature;
        // mean |h_i (u + best - a_i)|^2 - B^2 (h u)^2 over u, at B^2 = 1.5 mean h_i^2 / h^2 where it has a maximum.
        const double b2 = 1.5 * squared / (curvature * curvature);
        double linear = 0;
        double constant = 0;
        for (std::size_t i = 0; i < users; ++i) {
          linear += curvatures[i] * curvatures[i] * (best - centres[i]) / users;
          constant += std::pow(curvatures[i] * (best - centres[i]), 2) / users;
        }
        const Dissimilarity dissimilarity{.offset = std::sqrt(constant + linear * linear / (0.5 * squared)),
                                          .factor = std::sqrt(b2)};
        const double start = best + 4;
        const Gradient gradient = [&](int i, double x) {
          const auto user = static_cast<std::size_t>(i);
          return curvatures[user] * (x - centres[user]);
        };
        const auto excess = [&](double x) { return curvature * (x - best) * (x - best) / 2; };
        const NobleLosses losses = ConvexLosses{.distance = 4, .strong_convexity = mu};
        const NobleRun run = one_parameter(variance, 2, local_steps);
        const double server = std::sqrt(2);
        const NobleSteps averaging{.local = 1 / (8 * (1 + b2) * local_steps * server), .server = server};
        expect_bounded(measured(gradient, excess, start, mu, run, averaging, false, 100),
                       noble_fedavg_bound(run, losses, dissimilarity, averaging, 100), 0.02);
        const NobleSteps controlling{.local = 1 / (16 * local_steps * server), .server = server};
        expect_bounded(measured(gradient, excess, start, mu, run, controlling, true, 100),
                       noble_scaffold_bound(run, losses, controlling, 100), 0.02);
      }
}

// F_i(x) = sin(x + b_i): F is a sine too, and the mean of |cos(x + b_i)|^2 is at most 1.
// fl/convergence/proofs.md, 2.1, 2.3 and 2.4
TEST(NobleRuns, OfNonconvexLossesStayBelowTheBounds) {
  constexpr std::array<double, users> phases = {0, 0.3, -0.5, 1.2, 0.8, 2.0};
  double sines = 0;
  double cosines = 0;
  for (const double phase : phases) {
    sines += std::sin(phase) / users;
    cosines += std::cos(phase) / users;
  }
  const double amplitude = std::hypot(sines, cosines);
  const double phase = std::atan2(sines, cosines);
  const double start = 1.2 - phase;
  const Gradient gradient = [&](int i, double x) { return std::cos(x + phases[static_cast<std::size_t>(i)]); };
  const auto squared_gradient = [&](double x) { return std::pow(amplitude * std::cos(x + phase), 2); };
  const NobleLosses losses = NonconvexLosses{.gap = amplitude * (std::sin(1.2) + 1)};
  for (const double local_steps : {1.0, 8.0})
    for (const double variance : {0.0, 5.0}) {
      SCOPED_TRACE(std::to_string(local_steps) + " steps, variance " + std::to_string(variance));
      const NobleRun run = one_parameter(variance, 2, local_steps);
      const NobleSteps steps{.local = 1 / (16 * local_steps * std::sqrt(2)), .server = std::sqrt(2)};
      expect_bounded(measured(gradient, squared_gradient, start, 0, run, steps, false, 100),
                     noble_fedavg_bound(run, losses, {.offset = 1}, steps, 100), 0.02);
      expect_bounded(measured(gradient, squared_gradient, start, 0, run, steps, true, 100),
                     noble_scaffold_bound(run, losses, steps, 100), 0.02);
    }
}

}  // namespace
}  // namespace dpbudget::fl
