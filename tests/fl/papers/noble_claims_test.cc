#include "dpbudget/fl/papers/noble_claims.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/papers/noble_published.h"
#include "fl/table_run.h"

namespace dpbudget::fl {
namespace {

constexpr double delta = 2.5e-6;
constexpr Sizes everybody{.clients = 100, .records = 4000};

std::string text(const RunRequest& run, Adversary adversary) { return plan_text(run, adversary, Basis::published); }

TEST(NobleClaims, AreWhatTheHeaderSaysForEveryAlgorithm) {
  for (const std::string algorithm : table_algorithms) {
    SCOPED_TRACE(algorithm);
    const auto run = table_run(algorithm);
    const AlgorithmTraits& entry = find_algorithm(algorithm);
    const std::string T = entry.warm_starts ? "480" : "400";
    const std::string K = entry.steps == Steps::one_pass ? "5" : "10";
    EXPECT_EQ(text(run, Adversary::server), read(T + " x (" + K + " x wor(800 of 4000, gaussian(16)))"));
    for (const Adversary adversary : {Adversary::one_client, Adversary::other_clients, Adversary::user_level})
      EXPECT_EQ(text(run, adversary), "none");
    const auto claim = plan(run, everybody, Adversary::third_party, Basis::published);
    ASSERT_TRUE(claim);
    const auto& rounds = std::get<Repeated>(claim->plan.event);
    const auto& users = std::get<SampledWithoutReplacement>(*rounds.inner);
    const auto& steps = std::get<Repeated>(*users.inner);
    const auto& records = std::get<SampledWithoutReplacement>(*steps.inner);
    EXPECT_EQ(std::to_string(rounds.count.value()), T);
    EXPECT_EQ(users.rate, Rate(5, 100));
    EXPECT_EQ(std::to_string(steps.count.value()), K);
    EXPECT_EQ(records.rate, Rate(800, 4000));
    EXPECT_NEAR(std::get<Gaussian>(*records.inner).noise_multiplier.value(), 16 * std::sqrt(5.0), 1e-12);
  }
}

TEST(NobleClaims, AtUserUnitReadTheNoiseAgainstItsOwnScale) {
  auto run = table_run("dp-scaffold");
  run.unit = Unit::user;  // noise 2 C 16 / 0.2 on the mean: 80 times 2 C, and 64000 times 2 C / 800
  EXPECT_EQ(text(run, Adversary::server), read("400 x (10 x wor(800 of 4000, gaussian(64000)))"));
  const auto claim = plan(run, everybody, Adversary::user_level, Basis::published);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->guarantee, Guarantee::estimate);
  EXPECT_NE(claim->notes.at(0).find("the unit is the client"), std::string::npos);
  auto at_record = table_run("dp-scaffold");
  EXPECT_EQ(claim->plan, plan(at_record, everybody, Adversary::third_party, Basis::published)->plan);
  EXPECT_DOUBLE_EQ(claimed_epsilon(run, everybody, Adversary::user_level, Basis::published, delta).upper,
                   claimed_epsilon(at_record, everybody, Adversary::third_party, Basis::published, delta).upper);
}

TEST(NobleClaims, SayWhatIsProvenAndWhichGapsAClaimHas) {
  const auto guarantee = [](Adversary adversary) {
    return plan(table_run("dp-scaffold"), everybody, adversary, Basis::published)->guarantee;
  };
  EXPECT_EQ(guarantee(Adversary::third_party), Guarantee::estimate);
  EXPECT_EQ(guarantee(Adversary::server), Guarantee::proven);

  const auto gaps = [](const auto& run) {
    return plan(run, everybody, Adversary::third_party, Basis::published)->notes.size();
  };
  auto single_step = table_run("dp-fedavg");
  single_step.local_steps = 1;
  EXPECT_EQ(gaps(single_step), 1u);
  EXPECT_EQ(gaps(table_run("dp-fedavg")), 2u);
  EXPECT_EQ(gaps(table_run("dp-scaffold")), 3u);
}

TEST(NobleClaims, ArePricedByThePapersOwnArithmetic) {
  const auto run = table_run("dp-scaffold-warm");
  EXPECT_EQ(claimed_epsilon(run, everybody, Adversary::third_party, Basis::published, delta).upper,
            noble_third_party_epsilon_as_printed(480, 10, 100, 0.05, 0.2, 16, delta));
  EXPECT_EQ(claimed_epsilon(run, everybody, Adversary::third_party, Basis::published, delta).guarantee,
            Guarantee::estimate);
  EXPECT_FALSE(noble_claimed_epsilon(settle(run), everybody, Adversary::server, delta));
  EXPECT_FALSE(noble_claimed_rounds(settle(run), everybody, Adversary::server, 3, delta));
}

// Table 1, noise 10 and K = 10: 428 rounds; a warm start pays for its own first.
TEST(NobleClaims, AllowTheRoundsOfTheTable) {
  auto run = table_run("dp-scaffold");
  run.noise_multiplier = 10;
  EXPECT_EQ(claimed_rounds(run, everybody, Adversary::third_party, Basis::published, 3, delta), 428u);
  auto warm = table_run("dp-scaffold-warm");
  warm.noise_multiplier = 10;
  EXPECT_EQ(claimed_rounds(warm, everybody, Adversary::third_party, Basis::published, 3, delta), 348u);
}

TEST(NobleClaims, AreNoneWhereTheTheoremDoesNotSpeakOfTheRun) {
  const auto is_claimed = [](const auto& change) {
    auto run = table_run("dp-fedavg");
    change(run);
    const bool found = plan(run, everybody, Adversary::server, Basis::published).has_value();
    EXPECT_EQ(plan(run, everybody, Adversary::third_party, Basis::published).has_value(), found);
    return found;
  };
  EXPECT_TRUE(is_claimed([](auto&) {}));
  EXPECT_FALSE(is_claimed([](auto& run) { run.schedule = "exponential:0.99"; }));
  EXPECT_FALSE(is_claimed([](auto& run) { run.client_sampling = ClientSampling::poisson; }));
  EXPECT_FALSE(is_claimed([](auto& run) { run.weights = Weights::records; }));
  EXPECT_FALSE(is_claimed([](auto& run) { run.clipping = Clipping::adaptive; }));
}

}  // namespace
}  // namespace dpbudget::fl
