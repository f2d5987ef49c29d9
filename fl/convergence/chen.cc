#include "dpbudget/fl/convergence/chen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

void check(const ChenRun& r) {
  require(0 < r.smoothness && std::isfinite(r.smoothness), "smoothness", r.smoothness, "positive and finite");
  require(0 < r.gradient_bound && std::isfinite(r.gradient_bound), "gradient_bound", r.gradient_bound,
          "positive and finite");
  require(0 <= r.noise_std && std::isfinite(r.noise_std), "noise_std", r.noise_std, "finite and at least 0");
  require(1 <= r.dimension && std::isfinite(r.dimension), "dimension", r.dimension, "finite and at least 1");
  require(1 <= r.clients && std::isfinite(r.clients), "clients", r.clients, "finite and at least 1");
  require(1 <= r.participants && r.participants <= r.clients, "participants", r.participants,
          fmt::format("in [1, {}], some of the clients", r.clients));
  require(1 <= r.local_steps && std::isfinite(r.local_steps), "local_steps", r.local_steps, "finite and at least 1");
}

void check_convexity(double strong_convexity, const ChenRun& run) {
  require(0 < strong_convexity && strong_convexity <= run.smoothness, "strong_convexity", strong_convexity,
          fmt::format("in (0, {}], at most the smoothness", run.smoothness));
}

void check(const ChenStronglyConvex& p, const ChenRun& run, std::uint64_t rounds) {
  check_convexity(p.strong_convexity, run);
  require(0 <= p.gradient_variance && std::isfinite(p.gradient_variance), "gradient_variance", p.gradient_variance,
          "finite and at least 0");
  require(0 <= p.gap && std::isfinite(p.gap), "gap", p.gap, "finite and at least 0");
  require(0 < p.distance && std::isfinite(p.distance), "distance", p.distance, "positive and finite");
  require(1 <= rounds, "rounds", rounds, "at least 1");
}

void check(const ChenNonconvex& p, std::uint64_t rounds) {
  require(0 <= p.dissimilarity && std::isfinite(p.dissimilarity), "dissimilarity", p.dissimilarity,
          "finite and at least 0");
  require(0 < p.gap && std::isfinite(p.gap), "gap", p.gap, "positive and finite");
  require(1 <= rounds, "rounds", rounds, "at least 1");
}

void check(const ChenServer& s) {
  require(0 < s.second_momentum && s.second_momentum < 1, "second_momentum", s.second_momentum, "in (0, 1)");
  require(0 < s.adaptivity && std::isfinite(s.adaptivity), "adaptivity", s.adaptivity, "positive and finite");
}

double noise(const ChenRun& run) { return run.dimension * run.noise_std * run.noise_std; }

ChenTerms summed(ChenTerms terms) {
  terms.total = terms.optimisation + terms.gradients + terms.batches + terms.heterogeneity + terms.privacy;
  return terms;
}

}  // namespace

ChenTerms chen_theorem1_as_published(const ChenRun& run, const ChenStronglyConvex& problem, std::uint64_t rounds) {
  check(run);
  check(problem, run, rounds);
  const double l = run.smoothness;
  const double lambda = problem.strong_convexity;
  const double share = run.clients / run.participants;
  const double g2 = run.gradient_bound * run.gradient_bound;
  const double falls = 1 / (16 * l / lambda + static_cast<double>(rounds));
  const double h = 2 * l / (lambda * lambda) * falls;
  return summed({.optimisation = 8 * l * l / lambda * problem.distance * problem.distance * falls,
                 .gradients = h * (40 * (1 + 4 * run.local_steps) + lambda / l) * g2,
                 .batches = h * 4 * share * problem.gradient_variance,
                 .heterogeneity = h * (8 * share + 16) * l * problem.gap,
                 .privacy = h * (40 + 4 * share + lambda / l) * noise(run),
                 .total = 0});
}

ChenTerms chen_theorem2_as_published(const ChenRun& run, const ChenNonconvex& problem, double local_step,
                                     std::uint64_t rounds) {
  check(run);
  check(problem, rounds);
  const double tau = run.local_steps;
  const double most = 1 / (200 * tau * run.smoothness);
  require(0 < local_step && local_step < most, "local_step", local_step, fmt::format("in (0, {})", most));
  const double share = run.clients / run.participants;
  const double z = local_step * tau * run.smoothness;
  const double upsilon = local_step * tau * (0.5 - 15 * z * z - 90 * share * z * z * z - share * z);
  require(0 < upsilon, "local_step", local_step,
          fmt::format("smaller, for Upsilon is {} at clients / participants = {}", upsilon, share));
  const double q = local_step / upsilon;
  const double per_gradient = q * (1 + share * tau + share);
  return summed({.optimisation = problem.gap / (static_cast<double>(rounds) * upsilon),
                 .gradients = per_gradient * run.gradient_bound * run.gradient_bound,
                 .batches = 0,
                 .heterogeneity = q * (2 * share + 1) * tau * problem.dissimilarity,
                 .privacy = per_gradient * noise(run),
                 .total = 0});
}

ChenSteps chen_theorem3_steps(const ChenRun& run, double strong_convexity, const ChenServer& server) {
  check(run);
  check_convexity(strong_convexity, run);
  check(server);
  const double l = run.smoothness;
  const double g = run.gradient_bound;
  const double beta = server.second_momentum;
  const double pi = server.adaptivity;
  return {.global_least = 3 * std::sqrt(l * g) * (g / l + pi) / (2 * strong_convexity),
          .global_most = 2 * beta * g / (run.dimension * run.local_steps * strong_convexity),
          .local_least = std::sqrt(run.dimension / (beta * l * g)),
          .local_most = 1 / (4 * l * run.local_steps),
          .product_most = run.participants * beta * pi * pi / (2 * run.clients * run.local_steps * (g + l))};
}

ChenTerms chen_theorem3_as_published(const ChenRun& run, const ChenStronglyConvex& problem, const ChenServer& server,
                                     std::uint64_t rounds) {
  check(run);
  check(problem, run, rounds);
  check(server);
  const double l = run.smoothness;
  const double tau = run.local_steps;
  const double g2 = run.gradient_bound * run.gradient_bound;
  const double share = run.clients / run.participants;
  const double damped = server.second_momentum * server.adaptivity * server.adaptivity;  // beta_2 pi^2
  const double drift = 20 / (l * l);
  const double momentum =
      2 * tau * problem.strong_convexity * run.dimension / (server.second_momentum * l * l * run.gradient_bound);
  const double sampling = share * tau * tau / (l * l) / damped;
  const double k = 3 * l / 2;
  return summed({.optimisation = l / (2 * static_cast<double>(rounds)) * problem.distance * problem.distance,
                 .gradients = k * (drift * (1 + 4 * tau) + momentum + sampling) * g2,
                 .batches = k * sampling * 2 * problem.gradient_variance,
                 .heterogeneity = k * problem.gap *
                                  (4 * (share * tau * tau + tau) / l / damped +
                                   4 * run.dimension / (server.second_momentum * run.gradient_bound)),
                 .privacy = k * (drift + momentum + 3 * sampling) * noise(run),
                 .total = 0});
}

ChenOrders chen_theorem4_orders(const ChenRun& run, const ChenNonconvex& problem, const ChenServer& server,
                                double local_step, double global_step, std::uint64_t rounds) {
  check(run);
  check(problem, rounds);
  check(server);
  require(0 < global_step && std::isfinite(global_step), "global_step", global_step, "positive and finite");
  const double tau = run.local_steps;
  const double pi = server.adaptivity;
  const double reach = run.gradient_bound + global_step * run.smoothness;
  const double most = std::min(1 / run.smoothness, pi * run.participants / (10 * run.clients * reach)) / (8 * tau);
  require(0 < local_step && local_step <= most, "local_step", local_step, fmt::format("in (0, {}]", most));
  const double scale =
      std::sqrt(server.second_momentum) * local_step * tau * run.gradient_bound / std::sqrt(run.dimension) + pi;
  const double update = reach / run.participants * local_step / (pi * pi);
  const double per_square = 1 / (tau * pi) + update * (6 * tau + 1);  // of G^2 + d sigma^2
  return {.optimisation = scale * problem.gap / (local_step * global_step * tau * static_cast<double>(rounds)),
          .gradients = scale * per_square * run.gradient_bound * run.gradient_bound,
          .heterogeneity = scale * (6 / pi + update * 12 * tau) * problem.dissimilarity,
          .privacy = scale * per_square * noise(run)};
}

}  // namespace dpbudget::fl
