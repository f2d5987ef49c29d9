#include "dpbudget/fl/convergence/noble.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/fl/convergence/enclosed.h"

namespace dpbudget::fl {
namespace {

// Names as in fl/convergence/proofs.md, 2.1 to 2.4.
struct Round {
  Enclosed eta;       // K eta_g eta_l
  Enclosed z;         // nu eta
  Enclosed w;         // what drift costs the inner product
  Enclosed spread;    // q, the variance of a mean drawn without replacement over that with
  Enclosed gradient;  // kappa_1
  Enclosed noise;     // kappa_2
  Enclosed growth;    // rho over eta_g^2
};

// A round lowers the potential by 2 eta gain (F - F*), or eta gain |grad F|^2 / nu, and raises it by
// eta^2 (noise V + (client_sampling + drift) G^2).
struct Progress {
  Enclosed gain;
  Enclosed noise;
  Enclosed client_sampling;
  Enclosed drift;
};

Enclosed strong_convexity(const NobleLosses& losses) {
  const auto* convex = std::get_if<ConvexLosses>(&losses);
  return convex ? convex->strong_convexity : 0;
}

// fl/convergence/proofs.md, 2.1, 2.2 and 2.3
Round round_of(const NobleRun& run, const NobleLosses& losses, const NobleSteps& steps) {
  require(0 < steps.local && std::isfinite(steps.local), "local_step", steps.local, "positive and finite");
  require(1 <= steps.server && std::isfinite(steps.server), "server_step", steps.server, "finite and at least 1");
  const Enclosed k = run.local_steps;
  const Enclosed server = steps.server;
  const Enclosed eta = k * server * steps.local;
  const Enclosed z = run.smoothness * eta;
  const bool convex = std::holds_alternative<ConvexLosses>(losses);
  return {.eta = eta,
          .z = z,
          .w = z + strong_convexity(losses) * eta,
          .spread = run.users == 1 ? 0 : (Enclosed(run.users) - run.participants) / (Enclosed(run.users) - 1),
          .gradient = (k - 1) * (2 * k - 1) / (3 * k * k),
          .noise = (k - 1) / (k * k),
          .growth = (convex ? 1 : exp(2 * z / server)) / (server * server)};
}

// fl/convergence/proofs.md, 2.4
NobleBound finished(const NobleRun& run, const NobleLosses& losses, double offset, const NobleSteps& steps,
                    std::uint64_t rounds, const Round& round, const Progress& progress) {
  require(0 < progress.gain.lower(), "local_step", steps.local,
          "smaller: at this step a round need not come nearer to the optimum");
  const Enclosed t = enclosed_count(rounds);
  const auto [start, scale] = std::visit(
      Overloaded{[&](const ConvexLosses& l) {
                   const Enclosed mu = l.strong_convexity;
                   const Enclosed rate = l.strong_convexity == 0 ? 1 / (round.eta * t)
                                                                 : mu / 2 / expm1(-(t * log1p(-(mu * round.eta / 2))));
                   return std::pair(rate * l.distance * l.distance, 1 / (2 * progress.gain));
                 },
                 [&](const NonconvexLosses& l) {
                   return std::pair(2 * Enclosed(l.gap) / (run.smoothness * round.eta * t),
                                    run.smoothness / progress.gain);
                 }},
      losses);
  const Enclosed deviation = 2 * Enclosed(run.clip_norm) * run.noise_multiplier / run.batch;
  const Enclosed per_variance = scale * round.eta * progress.noise;
  const Enclosed per_offset = scale * round.eta * offset * offset;
  NobleBound bound{.optimisation = (scale * start).upper(),
                   .gradients = (per_variance * run.gradient_variance / run.batch).upper(),
                   .privacy = (per_variance * run.dimension * deviation * deviation).upper(),
                   .client_sampling = (per_offset * progress.client_sampling).upper(),
                   .drift = (per_offset * progress.drift).upper(),
                   .total = 0};
  for (const double term : {bound.optimisation, bound.gradients, bound.privacy, bound.client_sampling, bound.drift})
    bound.total = numeric::add_up(bound.total, term);
  return bound;
}

}  // namespace

void check(const NobleRun& run, const NobleLosses& losses, std::uint64_t rounds) {
  require(0 < run.smoothness && std::isfinite(run.smoothness), "smoothness", run.smoothness, "positive and finite");
  require(0 <= run.gradient_variance && std::isfinite(run.gradient_variance), "gradient_variance",
          run.gradient_variance, "finite and at least 0");
  require(0 < run.clip_norm && std::isfinite(run.clip_norm), "clip_norm", run.clip_norm, "positive and finite");
  require(0 <= run.noise_multiplier && std::isfinite(run.noise_multiplier), "noise_multiplier", run.noise_multiplier,
          "finite and at least 0");
  require(1 <= run.dimension && std::isfinite(run.dimension), "dimension", run.dimension, "finite and at least 1");
  require(1 <= run.users && std::isfinite(run.users), "users", run.users, "finite and at least 1");
  require(1 <= run.participants && run.participants <= run.users, "participants", run.participants,
          fmt::format("in [1, {}], some of the users", run.users));
  require(1 <= run.batch && std::isfinite(run.batch), "batch", run.batch, "finite and at least 1");
  require(1 <= run.local_steps && std::isfinite(run.local_steps), "local_steps", run.local_steps,
          "finite and at least 1");
  require(1 <= rounds, "rounds", rounds, "at least 1");
  std::visit(Overloaded{[&](const ConvexLosses& l) {
                          require(0 < l.distance && std::isfinite(l.distance), "distance", l.distance,
                                  "positive and finite");
                          require(0 <= l.strong_convexity && l.strong_convexity <= run.smoothness, "strong_convexity",
                                  l.strong_convexity, fmt::format("in [0, {}], the smoothness", run.smoothness));
                        },
                        [](const NonconvexLosses& l) {
                          require(0 < l.gap && std::isfinite(l.gap), "gap", l.gap, "positive and finite");
                        }},
             losses);
}

void check(const Dissimilarity& d) {
  require(0 <= d.offset && std::isfinite(d.offset), "offset", d.offset, "finite and at least 0");
  require(1 <= d.factor && std::isfinite(d.factor), "factor", d.factor, "finite and at least 1");
}

// fl/convergence/proofs.md, 3.1
NobleBound noble_fedavg_bound(const NobleRun& run, const NobleLosses& losses, const Dissimilarity& dissimilarity,
                              const NobleSteps& steps, std::uint64_t rounds) {
  check(run, losses, rounds);
  check(dissimilarity);
  const Round r = round_of(run, losses, steps);
  const Enclosed b2 = Enclosed(dissimilarity.factor) * dissimilarity.factor;
  const Enclosed drift = (r.w + 2 * r.z * r.z) * r.growth;
  const Progress progress{
      .gain = 1 - r.z * (2 * (1 + r.spread * (b2 - 1) / run.participants) + drift * r.gradient * b2),
      .noise = 2 / (Enclosed(run.local_steps) * run.participants) + drift * r.noise,
      .client_sampling = 2 * r.spread / run.participants,
      .drift = drift * r.gradient};
  return finished(run, losses, dissimilarity.offset, steps, rounds, r, progress);
}

// fl/convergence/proofs.md, 4.1
NobleBound noble_scaffold_bound(const NobleRun& run, const NobleLosses& losses, const NobleSteps& steps,
                                std::uint64_t rounds) {
  check(run, losses, rounds);
  const Round r = round_of(run, losses, steps);
  const Enclosed rate = Enclosed(run.participants) / run.users;
  const Enclosed by_update = 1 + 2 / rate;          // of the lag, per squared update
  const Enclosed by_drift = rate * (1 + rate / 2);  // of the lag, per drift
  const Enclosed z2 = r.z * r.z;
  const Enclosed sampling = 4 * r.spread * z2 / run.participants;
  // The lag counts P in the potential; what a round adds to the lag's own coefficient is own + P each.
  const Enclosed own = sampling + 2 * r.gradient * z2 * (r.w + 2 * z2) * r.growth;
  const Enclosed each = sampling * by_update + 2 * r.gradient * z2 * (by_drift + 2 * z2 * by_update) * r.growth;
  const Enclosed shrinks = rate / 2 + rate * rate / 2 - strong_convexity(losses) * r.eta / 2;
  require(0 < (shrinks - each).lower(), "local_step", steps.local,
          "smaller: at this step the control variates need not keep up");
  const Enclosed p = own / (shrinks - each);
  const Enclosed lifted = 1 + by_update * p;
  const Enclosed drift = (r.w + by_drift * p + 2 * z2 * lifted) * r.growth;
  const Enclosed k = run.local_steps;
  const Progress progress{
      .gain = 1 - r.z * (2 * lifted + drift * r.gradient),
      .noise = lifted * (2 + 4 * r.spread) / (k * run.participants) + drift * (2 * r.gradient / k + r.noise),
      .client_sampling = 0,
      .drift = 0};
  return finished(run, losses, 0, steps, rounds, r, progress);
}

}  // namespace dpbudget::fl
