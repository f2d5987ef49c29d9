#include "dpbudget/fl/convergence/chang.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::fl {
namespace {

void check(const ChangProblem& p, std::uint64_t rounds) {
  require(0 < p.distance && std::isfinite(p.distance), "distance", p.distance, "positive and finite");
  require(0 <= p.control_error && std::isfinite(p.control_error), "control_error", p.control_error,
          "finite and at least 0");
  require(0 <= p.gradient_variance && std::isfinite(p.gradient_variance), "gradient_variance", p.gradient_variance,
          "finite and at least 0");
  require(1 <= p.batch && std::isfinite(p.batch), "batch", p.batch, "finite and at least 1");
  require(1 <= p.users && std::isfinite(p.users), "users", p.users, "finite and at least 1");
  require(1 <= p.participants && p.participants <= p.users, "participants", p.participants,
          fmt::format("in [1, {}], some of the users", p.users));
  require(1 <= p.server_step && std::isfinite(p.server_step), "server_step", p.server_step, "finite and at least 1");
  require(0 < p.smoothness && std::isfinite(p.smoothness), "smoothness", p.smoothness, "positive and finite");
  require(1 <= rounds, "rounds", rounds, "at least 1");
}

ChangBound finished(const ChangProblem& p, double tau, double rounds, double noise) {
  ChangBound bound{.noise = noise,
                   .control = 11 * p.users * p.control_error / (p.participants * rounds),
                   .sampling = 15 * (1 + tau / (p.server_step * p.server_step)) * p.gradient_variance /
                               (tau * p.participants * p.batch),
                   .best_rate = 0,
                   .rate_cap = 1 / (81 * p.smoothness),
                   .total = 0};
  const double all = bound.noise + bound.control + bound.sampling;
  bound.best_rate = p.distance / std::sqrt(rounds * all);
  bound.total = 2 * p.distance * std::sqrt(all / rounds);
  return bound;
}

// 1 + b + ... + b^(n - 1).
double geometric_sum(double b, double n) { return b == 1 ? n : std::expm1(n * std::log(b)) / std::expm1(std::log(b)); }

}  // namespace

ChangBound chang_convergence(const ChangProblem& problem, const NoiseSchedule& schedule, std::uint64_t rounds) {
  check(problem, rounds);
  const auto tau = static_cast<double>(schedule.local_steps());
  const auto all = static_cast<double>(rounds);
  const double share = problem.users / problem.participants;
  const double variance = schedule.base_noise() * schedule.base_noise();
  const double drift = 3 / (25 * problem.server_step * problem.server_step);
  const double per_round = 16 + drift / tau;
  const auto after = [&](std::uint64_t hold) {
    require(hold <= rounds, "hold", hold, fmt::format("at most the rounds, {}", rounds));
    return static_cast<double>(rounds - hold);
  };
  const double noise = std::visit(
      Overloaded{[&](const ConstantNoise&) { return share * per_round * variance; },
                 [&](const RoundDecay& s) {
                   // R_th + (1 - beta^(N+1)) / (1 - beta) - 1: the bracket of equation (12).
                   const double n = after(s.hold);
                   const double sum = static_cast<double>(s.hold) + s.beta * (n == 0 ? 0 : geometric_sum(s.beta, n));
                   return share / all * sum * per_round * variance;
                 },
                 [&](const StepDecay& s) {
                   const double n = after(s.hold);
                   const double decaying = n == 0 ? 0 : geometric_sum(s.beta, tau * n);
                   return share / all * variance *
                          (static_cast<double>(s.hold) * per_round + (16 + drift) / tau * decaying);
                 },
                 [](const auto&) -> double {
                   throw Unsupported(
                       "schedule must be constant, chang1 or chang2: the corollaries are for those; "
                       "Theorem 3 takes any");
                 }},
      schedule.shape());
  return finished(problem, tau, all, noise);
}

ChangBound chang_theorem3(const ChangProblem& problem, const NoiseSchedule& schedule, std::uint64_t rounds) {
  check(problem, rounds);
  const std::uint64_t steps = schedule.local_steps();
  const auto tau = static_cast<double>(steps);
  const auto all = static_cast<double>(rounds);
  const double growth = steps == 1 ? 0 : 1 + 1 / (tau - 1);
  double first = 0;
  double second = 0;
  for (std::uint64_t r = 1; r <= rounds; ++r) {
    double carried = 0;  // the inner sum over i: sum of growth^i sigma_{t-i}^2
    for (std::uint64_t t = 1; t <= steps; ++t) {
      const double noise = schedule.noise(r, t);
      carried = growth * carried + noise * noise;
      first += noise * noise;
      second += carried;
    }
  }
  const double share = problem.users / problem.participants;
  const double noise = share * (16 * first / (tau * all) +
                                second / (25 * problem.server_step * problem.server_step * tau * tau * tau * all));
  return finished(problem, tau, all, noise);
}

}  // namespace dpbudget::fl
