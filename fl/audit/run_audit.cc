#include "dpbudget/fl/audit/run_audit.h"

#include <Eigen/Cholesky>
#include <algorithm>
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

// Calls visit(is_in, seen) for all canaries of so many runs. Pilot runs and the others have seeds of their own.
template <class Visit>
void for_each_trial(const RunAudit& audit, const AuditRequest& request, bool is_pilot, const Visit& visit) {
  const std::vector<std::uint64_t> records(audit.witnesses.clients(), audit.witnesses.records);
  const std::uint64_t runs = is_pilot ? request.pilot_runs() : request.runs;
  for (std::uint64_t number = 0; number < runs; ++number) {
    Stream coins({request.seed, Purpose::selection, number, is_pilot ? 0U : 1U, 0});
    std::vector<bool> is_in;
    for (std::uint64_t canary = 0; canary < request.canaries; ++canary) is_in.push_back(coins.below(2) == 1);
    RunRequest run = audit.run;
    run.seed = coins();
    const SettledRun settled = settle(run, records, canary_dimension);
    std::vector<Vector> seen = seen_of(settled, audit.witnesses, is_in, audit.adversary, audit.fault);
    for (std::uint64_t canary = 0; canary < request.canaries; ++canary) visit(is_in[canary], std::move(seen[canary]));
  }
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

// Of the client who spends most; nothing where one is not covered.
std::optional<Bound> most_spent(const SettledRun& run, const std::vector<Sizes>& everybody, Adversary adversary,
                                Basis basis, Pricing& price) {
  std::optional<Bound> most;
  for (const Sizes& sizes : everybody) {
    if (!plan(run, sizes, adversary, basis)) return std::nullopt;
    const Bound spent = claimed_epsilon(run, sizes, adversary, basis, price);
    if (!most || spent.upper > most->upper) most = spent;
  }
  return most;
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
  const bool do_all_take_part = run->user_rate == 1 && run->client_sampling != ClientSampling::md;
  const bool are_drawn_apart = do_all_take_part || run->client_sampling == ClientSampling::poisson;
  const bool are_alike = run->silo_noise.empty() && run->client_weights.empty();
  return are_alike && sees_each_message(run, audit.adversary) && run.released_rounds() == 1 && are_drawn_apart;
}

AuditedRun audit(const RunAudit& given, const AuditRequest& request) {
  check(request);
  RunAudit audit = given;
  audit.witnesses.canaries = request.canaries;
  check_audit(audit);
  audit.run.seed = request.seed;
  audit.run.delta = request.delta;
  audit.run.evaluate_every = std::max<std::uint64_t>(audit.run.evaluate_every, audit.run.rounds);
  const std::vector<std::uint64_t> records(audit.witnesses.clients(), audit.witnesses.records);
  const SettledRun run = settle(audit.run, records, canary_dimension);
  const std::vector<Sizes> everybody = distinct_sizes(run, records, canary_dimension);

  std::vector<Trial> pilot;
  for_each_trial(audit, request, true, [&](bool is_in, Vector seen) { pilot.push_back({is_in, std::move(seen)}); });
  const Vector direction = discriminant(pilot);
  std::vector<Scored> scores;
  for (const Trial& trial : pilot) scores.push_back({direction.dot(trial.seen), trial.is_in});
  const Strategy strategy = chosen_strategy(scores, request, are_independent(run, audit, request.canaries));
  scores.clear();
  for_each_trial(audit, request, false,
                 [&](bool is_in, const Vector& seen) { scores.push_back({direction.dot(seen), is_in}); });
  Pricing price(request.delta);
  return {attacked(strategy, std::move(scores), request),
          most_spent(run, everybody, audit.adversary, Basis::proven, price),
          most_spent(run, everybody, audit.adversary, Basis::published, price)};
}

}  // namespace dpbudget::fl
