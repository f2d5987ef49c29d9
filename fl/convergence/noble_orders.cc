#include "dpbudget/fl/convergence/noble_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::fl {
namespace {

double rate(const NobleRun& run) { return run.participants / run.users; }

// Sigma_g
double noise(const NobleRun& run) {
  return 2 * run.clip_norm * std::sqrt(2 * run.dimension) * run.noise_multiplier / run.batch;
}

// The terms of drawing records and of the noise, which all cases share.
NobleOrders noisy(const NobleRun& run, const NobleLosses& losses, double rounds) {
  const double gradients = rounds * run.local_steps * run.participants;  // T K l M
  const auto orders = [](double by_records, double by_noise) {
    return NobleOrders{
        .optimisation = 0, .gradients = by_records, .privacy = by_noise, .client_sampling = 0, .drift = 0};
  };
  const double deviation = std::sqrt(run.gradient_variance / run.batch);
  return std::visit(Overloaded{[&](const ConvexLosses& l) {
                                 if (0 < l.strong_convexity) {
                                   const double share = 1 / (l.strong_convexity * gradients);
                                   return orders(share * deviation * deviation, share * noise(run) * noise(run));
                                 }
                                 const double share = l.distance / std::sqrt(gradients);
                                 return orders(share * deviation, share * noise(run));
                               },
                               [&](const NonconvexLosses& l) {
                                 const double share = std::sqrt(run.smoothness * l.gap / gradients);
                                 return orders(share * deviation, share * noise(run));
                               }},
                    losses);
}

void require_rounds(std::uint64_t rounds, double least) {
  require(least <= static_cast<double>(rounds), "rounds", rounds, fmt::format("at least {}", least));
}

}  // namespace

NobleOrders noble_scaffold_orders(const NobleRun& run, const NobleLosses& losses, std::uint64_t rounds) {
  check(run, losses, rounds);
  const auto t = static_cast<double>(rounds);
  const double nu = run.smoothness;
  const double part = std::pow(rate(run), 2.0 / 3);
  NobleOrders orders = noisy(run, losses, t);
  orders.optimisation =
      std::visit(Overloaded{[&](const ConvexLosses& l) {
                              const double mu = l.strong_convexity;
                              if (mu == 0) return nu * l.distance * l.distance / (part * t);
                              require_rounds(rounds, std::max(108 / rate(run), 48 * nu / (mu * part)));
                              return mu * l.distance * l.distance *
                                     std::exp(-std::min(rate(run) / 108, mu * part / (48 * nu)) * t);
                            },
                            [&](const NonconvexLosses& l) { return nu * l.gap / (part * t); }},
                 losses);
  return orders;
}

NobleOrders noble_fedavg_orders(const NobleRun& run, const NobleLosses& losses, const Dissimilarity& dissimilarity,
                                std::uint64_t rounds) {
  check(run, losses, rounds);
  check(dissimilarity);
  const auto t = static_cast<double>(rounds);
  const double nu = run.smoothness;
  const double g = dissimilarity.offset;
  const double b2 = dissimilarity.factor * dissimilarity.factor;
  const double per_participant = (1 - rate(run)) / (t * run.participants);
  NobleOrders orders = noisy(run, losses, t);
  std::visit(Overloaded{[&](const ConvexLosses& l) {
                          const double mu = l.strong_convexity;
                          const double d = l.distance;
                          if (0 < mu) {
                            require_rounds(rounds, 8 * (1 + b2) * nu / mu);
                            orders.optimisation = mu * d * d * std::exp(-mu * t / (16 * (1 + b2) * nu));
                            orders.client_sampling = per_participant * g * g / mu;
                            orders.drift = nu * g * g / (mu * mu * t * t);
                          } else {
                            orders.optimisation = b2 * nu * d * d / t;
                            orders.client_sampling = g * d * std::sqrt(per_participant);
                            orders.drift = std::cbrt(d * d * d * d * nu * g * g / (t * t));
                          }
                        },
                        [&](const NonconvexLosses& l) {
                          orders.optimisation = b2 * nu * l.gap / t;
                          orders.client_sampling = g * std::sqrt(nu * l.gap * per_participant);
                          orders.drift = std::pow(nu * l.gap * g / t, 2.0 / 3);
                        }},
             losses);
  return orders;
}

double noble_noise_order(const NobleRun& run, const NobleBudget& budget, std::uint64_t rounds) {
  check(run, ConvexLosses{.distance = 1}, rounds);
  const double participations = static_cast<double>(rounds) * rate(run);
  require(0 < budget.epsilon && budget.epsilon < 1, "epsilon", budget.epsilon, "in (0, 1)");
  require(0 < budget.delta && budget.delta < 1 && budget.delta < participations, "delta", budget.delta,
          fmt::format("in (0, 1) and below {}, the expected rounds of a user", participations));
  require(run.batch <= budget.records && std::isfinite(budget.records), "records", budget.records,
          fmt::format("finite and at least {}, the batch", run.batch));
  return run.batch / budget.records *
         std::sqrt(participations * run.local_steps * std::log(2 * participations / budget.delta) *
                   std::log(2 / budget.delta) / run.users) /
         budget.epsilon;
}

NobleOrders noble_scaffold_orders(const NobleRun& run, double distance, const NobleBudget& budget,
                                  std::uint64_t rounds) {
  NobleRun noised = run;
  noised.noise_multiplier = noble_noise_order(run, budget, rounds);
  return noble_scaffold_orders(noised, ConvexLosses{.distance = distance}, rounds);
}

NobleOrders noble_fedavg_orders(const NobleRun& run, double distance, const Dissimilarity& dissimilarity,
                                const NobleBudget& budget, std::uint64_t rounds) {
  NobleRun noised = run;
  noised.noise_multiplier = noble_noise_order(run, budget, rounds);
  return noble_fedavg_orders(noised, ConvexLosses{.distance = distance}, dissimilarity, rounds);
}

}  // namespace dpbudget::fl
