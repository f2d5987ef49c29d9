// Audits of small runs: below what is proven where the simulator does what it is to do, and above where it does not.
// Mistakes that are as small as 1 % of the noise take a million trials: .ci/audit.

#include "dpbudget/fl/audit/run_audit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/run/traits.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// One round of one step in which every client takes part with all of its records.
RunAudit one_round(const std::string& algorithm) {
  const AlgorithmTraits& entry = find_algorithm(algorithm);
  RunAudit audit;
  audit.run.algorithm = algorithm;
  audit.run.rounds = 1;
  audit.run.user_rate = 1;
  audit.run.record_rate = 1;
  if (entry.steps == Steps::given) audit.run.local_steps = 1;
  if (entry.warm_starts) audit.run.warm_start_rounds = 1;
  audit.run.clip_norm = 1;
  if (traits_of(entry.mechanism).takes_multipliers) audit.run.noise_multiplier = 2;
  if (entry.mechanism == Mechanism::shuffled_binomial) {
    audit.run.batches = Batches::disjoint;
    audit.run.options["noise_bits"] = std::uint64_t{1000000};
  }
  if (entry.takes("step")) audit.run.options["step"] = 0.25;
  return audit;
}

constexpr AuditRequest small{.runs = 20, .canaries = 40, .delta = 0.01, .confidence = 0.999};

void exceeds(const RunAudit& audit, const std::string& what, const AuditRequest& request = small) {
  const AuditedRun found = dpbudget::fl::audit(audit, request);
  ASSERT_TRUE(found.proven) << what;
  EXPECT_GT(found.attacked.epsilon, found.proven->upper) << what;
}

// fl/audit/proofs.md, 3.3
TEST(RunAudit, StaysBelowWhatIsProvenOfEveryAlgorithm) {
  for (const AlgorithmTraits& entry : all_algorithms()) {
    if (!entry.adds_noise()) continue;
    const AuditedRun found = audit(one_round(std::string(entry.name)), small);
    if (!found.proven) continue;
    EXPECT_LE(found.attacked.epsilon, found.proven->upper) << entry.name;
  }
}

// fl/audit/proofs.md, 3.1 and 3.2: what the server sees of a round is a Gaussian, whose epsilon tests come near.
TEST(RunAudit, ComesNearToWhatIsProven) {
  RunAudit audit = one_round("dp-fedavg");
  audit.run.noise_multiplier = 0.5;
  const AuditedRun found = dpbudget::fl::audit(audit, {.runs = 50, .canaries = 200, .delta = 0.2});
  ASSERT_TRUE(found.proven);
  EXPECT_GT(found.attacked.epsilon, 0.7 * found.proven->upper);
  EXPECT_LE(found.attacked.epsilon, found.proven->upper);
}

TEST(RunAudit, StaysBelowOverRounds) {
  RunAudit audit = one_round("dp-fedavg");
  audit.run.rounds = 3;
  audit.run.local_steps = 2;
  audit.run.user_rate = 0.5;
  audit.witnesses.records = 3;
  for (const Adversary adversary : {Adversary::server, Adversary::third_party, Adversary::one_client}) {
    audit.adversary = adversary;
    const AuditedRun found =
        dpbudget::fl::audit(audit, {.runs = 40, .canaries = 4, .delta = 0.01, .confidence = 0.999});
    ASSERT_TRUE(found.proven);
    EXPECT_LE(found.attacked.epsilon, found.proven->upper) << to_string(adversary);
  }
}

TEST(RunAudit, ExceedsWhereNoiseIsShared) {
  for (const char* algorithm : {"dp-fedavg", "dp-mb-sgd", "dpnfl", "dp-prifedsync"}) {
    RunAudit audit = one_round(algorithm);
    audit.fault = Fault::shared_noise;
    exceeds(audit, algorithm);
  }
}

TEST(RunAudit, ExceedsWhereARecordIsNotClipped) {
  for (const char* algorithm : {"dp-fedavg", "dp-mb-sgd", "dpnfl", "dp-prifedsync"}) {
    RunAudit audit = one_round(algorithm);
    audit.fault = Fault::unclipped;
    exceeds(audit, algorithm);
  }
}

TEST(RunAudit, ExceedsWhereNoiseIsTheNextRounds) {
  RunAudit audit = one_round("dp-fedavg");
  audit.run.schedule = "exponential:0.25";
  audit.fault = Fault::shifted_schedule;
  exceeds(audit, "shifted_schedule");
}

TEST(RunAudit, ExceedsWhereTheCountIsNotHidden) {
  for (const Fault fault : {Fault::noiseless_count, Fault::shared_count_noise}) {
    RunAudit audit = one_round("dp-fedavg");
    audit.run.clipping = AdaptiveClipping{};
    audit.run.options["clip_noise"] = 2.0;
    audit.witnesses.canary = Canary::small;
    EXPECT_LE(dpbudget::fl::audit(audit, small).attacked.epsilon, dpbudget::fl::audit(audit, small).proven->upper);
    audit.fault = fault;
    exceeds(audit, std::string(to_string(fault)));
  }
}

// Who trains twice, and whose norm stays, releases no more than is planned.
TEST(RunAudit, StaysBelowWhereAMistakeReleasesNoMore) {
  for (const Fault fault : {Fault::drawn_twice, Fault::stuck_norm}) {
    RunAudit audit = one_round("dp-fedavg");
    audit.run.clipping = AdaptiveClipping{};
    audit.fault = fault;
    const AuditedRun found = dpbudget::fl::audit(audit, small);
    EXPECT_LE(found.attacked.epsilon, found.proven->upper) << to_string(fault);
  }
}

// Noble et al. 2022 say of K local steps that a third party sees the noise of all participants: fl/audit/proofs.md, 3.1
// is how one client's own noise of the first step comes to be all that hides its record.
TEST(RunAudit, ExceedsWhatIsPublishedOfSeveralLocalSteps) {
  RunAudit audit = one_round("dp-fedavg");
  audit.run.local_steps = 2;
  audit.run.noise_multiplier = 0.2;
  audit.run.clip_norm = 1;
  audit.adversary = Adversary::third_party;
  audit.witnesses = {.canaries = 1, .records = 41, .users = 100};
  const AuditedRun found = dpbudget::fl::audit(audit, {.runs = 1500, .canaries = 1, .delta = 0.01});
  ASSERT_TRUE(found.published && found.proven);
  EXPECT_GT(found.attacked.epsilon, found.published->upper);
  EXPECT_LE(found.attacked.epsilon, found.proven->upper);
}

TEST(RunAudit, IsTheSameForTheSameSeed) {
  const RunAudit run = one_round("dp-fedavg");
  EXPECT_EQ(audit(run, small).attacked.epsilon, audit(run, small).attacked.epsilon);
}

TEST(RunAudit, IsTheSameOnEveryNumberOfThreads) {
  for (const Adversary adversary : {Adversary::server, Adversary::third_party}) {
    RunAudit run = one_round("dp-scaffold");
    run.adversary = adversary;
    run.run.threads = 1;
    const Attacked one = audit(run, small).attacked;
    run.run.threads = 2;
    const Attacked two = audit(run, small).attacked;
    EXPECT_EQ(one.epsilon, two.epsilon);
    EXPECT_EQ(one.strategy.threshold, two.strategy.threshold);
    EXPECT_EQ(one.guesses.correct, two.guesses.correct);
  }
}

// Against the budget of twice the noise that ran.
TEST(RunAudit, ExceedsWhereNoiseIsHalfOfWhatIsSaid) {
  for (const char* algorithm : {"dp-fedavg", "dp-scaffold", "addpnfl"}) {
    const RunAudit said = one_round(algorithm);
    RunAudit ran = said;
    ran.run.noise_multiplier = said.run.noise_multiplier / 2;
    const AuditRequest request{.runs = 100, .canaries = 40, .delta = 0.01, .confidence = 0.999};
    const AuditedRun found = audit(ran, request);
    EXPECT_LE(found.attacked.epsilon, found.proven.value().upper) << algorithm;
    EXPECT_GT(found.attacked.epsilon, audit(said, small).proven.value().upper) << algorithm;
  }
}

// In some rounds nobody is drawn, and then no control variate is sent.
TEST(RunAudit, TakesRoundsWithoutParticipants) {
  RunAudit run = one_round("dp-scaffold");
  run.run.rounds = 3;
  run.run.user_rate = 0.2;
  run.run.client_sampling = ClientSampling::poisson;
  const AuditedRun found = audit(run, {.runs = 40, .canaries = 1, .delta = 0.01, .confidence = 0.999});
  EXPECT_LE(found.attacked.epsilon, found.proven.value().upper);
}

// Each silo has noise of its own: what is held against is what the one with least of it spends.
TEST(RunAudit, IsHeldAgainstWhoSpendsMost) {
  RunAudit run = one_round("dp-fedavg");
  const AuditRequest request{.runs = 40, .canaries = 2, .delta = 0.01, .confidence = 0.999};
  const double alone = audit(run, request).proven.value().upper;
  run.run.silo_noise = {9, 2, 9, 9};
  const AuditedRun found = audit(run, request);
  EXPECT_EQ(found.proven.value().upper, alone);
  EXPECT_LE(found.attacked.epsilon, alone);
  EXPECT_EQ(found.attacked.strategy.estimator, Estimator::guesses);
}

// fl/audit/proofs.md, 3.2
TEST(RunAudit, TestsWhereTrialsAreIndependentAlone) {
  RunAudit run = one_round("dp-fedavg");
  const auto independent = [&](std::uint64_t canaries) { return are_independent(settle(run.run), run, canaries); };
  EXPECT_TRUE(independent(5));
  run.adversary = Adversary::third_party;
  EXPECT_FALSE(independent(5));
  EXPECT_TRUE(independent(1));
  run.adversary = Adversary::server;
  run.run.user_rate = 0.5;
  EXPECT_FALSE(independent(5));
  run.run.client_sampling = ClientSampling::poisson;
  EXPECT_TRUE(independent(5));
  run.run.rounds = 2;
  EXPECT_FALSE(independent(5));
  run = one_round("dp-fedavg");
  run.run.client_sampling = ClientSampling::md;
  EXPECT_FALSE(independent(5));
  run = one_round("dp-fedavg");
  run.run.silo_noise = std::vector<double>(10, 2.0);
  EXPECT_FALSE(independent(5));
  run = one_round("shuffled-mb-sgd");
  EXPECT_FALSE(independent(5));
}

// A server behind a shuffler does not know whose message is whose: fl/audit/proofs.md, 3.2
TEST(RunAudit, SeesWhatIsShuffledAsASum) {
  const RunAudit audit = one_round("shuffled-mb-sgd");
  const Witnesses witnesses{.canaries = 2};
  const SettledRun run = settle(audit.run, {1, 1, 1, 1}, canary_dimension);
  EXPECT_FALSE(sees_each_message(run, Adversary::server));
  const auto seen = seen_of(run, witnesses, {true, false}, Adversary::server, Fault::none);
  const auto moved = seen_of(run, witnesses, {true, false}, Adversary::third_party, Fault::none);
  EXPECT_EQ(seen[0], moved[0]);
  EXPECT_EQ(seen[1], moved[1]);
}

TEST(RunAudit, RefusesByName) {
  RunAudit run = one_round("dp-fedavg");
  run.adversary = Adversary::user_level;
  EXPECT_REFUSED("adversary is user_level", audit(run, small));
  run = one_round("dp-fedavg");
  run.witnesses.records = 2;
  EXPECT_REFUSED("records is 2", audit(run, small));
  run = one_round("dp-fedavg");
  run.witnesses.users = 50;
  EXPECT_REFUSED("users is 50, but must be in [80, 2000000]", audit(run, small));
  run = one_round("dp-fedavg");
  run.run.model = "logistic";
  EXPECT_REFUSED("model is logistic", audit(run, small));
  run = one_round("dp-fedavg");
  AuditRequest pure = small;
  pure.delta = 0;
  EXPECT_REFUSED("delta is 0", audit(run, pure));
}

}  // namespace
}  // namespace dpbudget::fl
