#include "dpbudget/fl/audit/run_audit.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Stream;

struct Trial {
  bool is_in;
  Vector seen;
};

// All canaries of so many runs. Pilot runs and the others have seeds of their own.
std::vector<Trial> trials_of(const RunAudit& audit, const AuditRequest& request, bool is_pilot) {
  std::vector<Trial> trials;
  const std::uint64_t runs = is_pilot ? request.pilot_runs() : request.runs;
  for (std::uint64_t number = 0; number < runs; ++number) {
    Stream coins({request.seed, Purpose::selection, number, is_pilot ? 0U : 1U, 0});
    std::vector<bool> is_in;
    for (std::uint64_t canary = 0; canary < request.canaries; ++canary) is_in.push_back(coins.below(2) == 1);
    RunRequest run = audit.run;
    run.seed = coins();
    const std::vector<std::uint64_t> records(audit.witnesses.clients(), audit.witnesses.records);
    const SettledRun settled = settle(run, records, 4);
    std::vector<Vector> seen = seen_of(settled, audit.witnesses, is_in, audit.adversary, audit.fault);
    for (std::uint64_t canary = 0; canary < request.canaries; ++canary)
      trials.push_back({is_in[canary], std::move(seen[canary])});
  }
  return trials;
}

// Fisher's linear discriminant. A direction in which nothing varies but by the canary counts as one that hardly does.
Vector discriminant(const std::vector<Trial>& trials) {
  constexpr double ridge = 1e-10;
  const Eigen::Index size = trials.front().seen.size();
  Vector scale = Vector::Zero(size);
  for (const Trial& trial : trials) scale = scale.cwiseMax(trial.seen.cwiseAbs());
  for (double& one : scale) one = one > 0 ? 1 / one : 0;
  Vector means[2] = {Vector::Zero(size), Vector::Zero(size)};
  double counts[2] = {0, 0};
  for (const Trial& trial : trials) {
    means[trial.is_in ? 1 : 0] += trial.seen.cwiseProduct(scale);
    counts[trial.is_in ? 1 : 0] += 1;
  }
  for (int side = 0; side < 2; ++side) means[side] /= std::max(1.0, counts[side]);
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(size, size);
  for (const Trial& trial : trials) {
    const Vector off = trial.seen.cwiseProduct(scale) - means[trial.is_in ? 1 : 0];
    spread.selfadjointView<Eigen::Lower>().rankUpdate(off);
  }
  spread = spread.selfadjointView<Eigen::Lower>();
  spread /= static_cast<double>(trials.size());
  spread.diagonal().array() += ridge * (spread.trace() / static_cast<double>(size)) + 1e-300;
  return spread.ldlt().solve(means[1] - means[0]).cwiseProduct(scale);
}

std::vector<Scored> scored(const Vector& direction, const std::vector<Trial>& trials) {
  std::vector<Scored> scores;
  for (const Trial& trial : trials) scores.push_back({direction.dot(trial.seen), trial.is_in});
  return scores;
}

void check_audit(const RunAudit& audit) {
  check(audit.witnesses);
  require(audit.adversary == Adversary::server || audit.adversary == Adversary::third_party ||
              audit.adversary == Adversary::one_client,
          "adversary", to_string(audit.adversary), "server, third_party or one_client");
  require(audit.run.model == "softmax", "model", audit.run.model, "softmax, which canaries are made for");
}

}  // namespace

bool are_independent(const SettledRun& run, const RunAudit& audit, std::uint64_t canaries) {
  if (canaries == 1) return true;
  const bool are_drawn_apart = run->user_rate == 1 || run->client_sampling == ClientSampling::poisson;
  return audit.adversary == Adversary::server && run.released_rounds() == 1 && are_drawn_apart;
}

AuditedRun audit(const RunAudit& given, const AuditRequest& request) {
  check(request);
  RunAudit audit = given;
  audit.witnesses.canaries = request.canaries;
  check_audit(audit);
  audit.run.seed = request.seed;
  audit.run.delta = request.delta > 0 ? request.delta : audit.run.delta;
  audit.run.evaluate_every = std::max<std::uint64_t>(audit.run.evaluate_every, audit.run.rounds);
  const std::vector<std::uint64_t> records(audit.witnesses.clients(), audit.witnesses.records);
  const SettledRun run = settle(audit.run, records, 4);
  const Sizes sizes = distinct_sizes(run, records, 4).front();

  const std::vector<Trial> pilot = trials_of(audit, request, true);
  const Vector direction = discriminant(pilot);
  const Strategy strategy =
      chosen_strategy(scored(direction, pilot), request, are_independent(run, audit, request.canaries));
  AuditedRun found{attacked(strategy, scored(direction, trials_of(audit, request, false)), request), std::nullopt,
                   std::nullopt};
  if (request.delta > 0) {
    Pricing price(request.delta);
    if (const auto proven = plan(run, sizes, audit.adversary, Basis::proven)) found.proven = price(proven->plan);
    if (plan(run, sizes, audit.adversary, Basis::published))
      found.published = claimed_epsilon(run, sizes, audit.adversary, Basis::published, price);
  }
  return found;
}

}  // namespace dpbudget::fl
