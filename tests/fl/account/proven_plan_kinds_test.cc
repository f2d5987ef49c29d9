// The proven plans of every kind of run, as text and in order of the adversaries' strength.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/proven_plan.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr Sizes eight_of_15{.clients = 8, .records = 32, .dimension = 15};

std::optional<AdversaryPlan> proven(const fl::RunRequest& run, Adversary adversary) {
  return plan(run, eight_of_15, adversary, Basis::proven);
}

std::string proven_text(const fl::RunRequest& run, Adversary adversary) {
  const auto found = proven(run, adversary);
  return found ? std::regex_replace(to_text(found->plan.event), std::regex("\\b1 x "), "") : "none";
}

std::string proven_text(const fl::RunRequest& run, Adversary adversary, const Sizes& sizes) {
  return to_text(plan(run, sizes, adversary, Basis::proven)->plan.event);
}

// Where noise is the only number that is not exact: the noise multiplier of the plan's single Gaussian.
double noise_in(const Event& event) {
  return visit(
      []<class Node>(const Node& node) -> double {
        if constexpr (std::is_same_v<Node, Gaussian>)
          return node.noise_multiplier.value();
        else if constexpr (requires { *node.inner; })
          return noise_in(*node.inner);
        else
          return std::nan("");
      },
      static_cast<const Event::variant&>(event));
}

// fl/account/proofs.md, 2.4 and 5.1
TEST(ProvenPlan, OfSeveralStepsCountsEachForEverybody) {
  for (const char* algorithm : {"dp-fedavg", "dp-scaffold", "dp-prifedsync", "dpnfl", "addpnfl"})
    for (const Adversary adversary : all_adversaries)
      EXPECT_EQ(proven_text(kind_of(algorithm), adversary),
                adversary == Adversary::user_level ? "4 x participates(4 of 8, 2 x gaussian(0.5))"
                                                   : "4 x participates(4 of 8, 2 x wor(8 of 32, gaussian(4)))")
          << algorithm;
  EXPECT_EQ(proven_text(kind_of("dp-scaffold-warm"), Adversary::server),
            "6 x participates(4 of 8, 2 x wor(8 of 32, gaussian(4)))");
  EXPECT_EQ(proven_text(kind_of("dp-fedsgd"), Adversary::server),
            "4 x participates(4 of 8, 4 x wor(8 of 32, gaussian(4)))");
  EXPECT_EQ(proven_text(kind_of("dp-local-sgd"), Adversary::server),
            "4 x participates(4 of 8, 2 x wor(1 of 32, gaussian(4)))");
}

// One step and nothing but the mean published: four participants' noise is twice one's, three others' sqrt(3) times.
// fl/account/proofs.md, 2.1 and 2.3
TEST(ProvenPlan, OfOneStepHidesInTheMeanOfAll) {
  std::vector<Kind> kinds;
  for (const char* algorithm : {"dp-mb-sgd", "dp-ac-sa", "dp-multi-stage-ac-sa"})
    kinds.push_back({algorithm, kind_of(algorithm)});
  for (const char* algorithm : {"dp-fedavg", "dpnfl", "addpnfl"})
    kinds.push_back(changed_kind(algorithm, "one step", [](fl::RunRequest& run) { run.local_steps = 1; }));
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const auto noise = [&](Adversary adversary) { return noise_in(proven(kind.run, adversary)->plan.event); };
    EXPECT_LE(noise(Adversary::third_party), 8);
    EXPECT_NEAR(noise(Adversary::third_party), 8, 1e-13);
    EXPECT_LE(noise(Adversary::one_client), 4 * std::sqrt(3.0));
    EXPECT_NEAR(noise(Adversary::one_client), 4 * std::sqrt(3.0), 1e-13);
    EXPECT_EQ(noise(Adversary::server), 4);
    EXPECT_EQ(noise(Adversary::other_clients), 4);
    EXPECT_EQ(noise(Adversary::user_level), 0.5);
  }
}

// Whatever shows more than the mean keeps its own noise: control variates, personal models, numbers of participants
// that vary, clients that differ.
// fl/account/proofs.md, 2.2, 2.4 and 5.1
TEST(ProvenPlan, CountsOnNoOthersNoiseElsewhere) {
  const auto noise = [](fl::RunRequest run, const Sizes& sizes) {
    run.local_steps = 1;
    return noise_in(plan(run, sizes, Adversary::third_party, Basis::proven)->plan.event);
  };
  for (const char* algorithm : {"dp-scaffold", "dp-prifedsync"}) EXPECT_EQ(noise(kind_of(algorithm), eight_of_15), 4);
  auto run = kind_of("dp-fedavg");
  EXPECT_EQ(noise(run, {8, 32, 257}), 4);
  EXPECT_EQ(noise(run, {8, 32, 256}), 4);
  for (const ClientSampling sampling : {ClientSampling::poisson, ClientSampling::md}) {
    run.client_sampling = sampling;
    EXPECT_EQ(noise(run, eight_of_15), 4);
  }
  run = kind_of("dp-fedavg");
  run.silo_noise.assign(8, 4);
  EXPECT_EQ(noise(run, eight_of_15), 4);
}

// The mean published hides a client of average size no better than the others: with the weights that FedAvg gives,
// and batches that grow with the records, what a participant's noise adds to the mean depends on who it is.
TEST(ProvenPlan, CountsOnNoOthersNoiseForAClientOfAverageSize) {
  auto run = kind_of("dp-fedavg");
  run.local_steps = 1;
  const std::vector<std::uint64_t> unequal = {16, 16, 32, 32, 32, 32, 48, 48};
  const std::vector<Sizes> kinds = distinct_sizes(run, unequal);
  ASSERT_EQ(kinds.size(), 3U);
  for (std::uint64_t client = 0; client < unequal.size(); ++client) {
    const Sizes sizes = sizes_of(run, unequal, client);
    EXPECT_EQ(std::ranges::count(kinds, sizes), 1) << client;
    for (const Adversary adversary : {Adversary::third_party, Adversary::one_client})
      EXPECT_EQ(noise_in(plan(run, sizes, adversary, Basis::proven)->plan.event), 4) << client;
  }
  const std::vector<std::uint64_t> equal(8, 32);
  EXPECT_EQ(distinct_sizes(run, equal), std::vector<Sizes>{sizes_of(run, equal, 5)});
  EXPECT_TRUE(sizes_of(run, equal, 5).all_alike());
}

// fl/account/proofs.md, 3.1 and 3.3
TEST(ProvenPlan, OfOnePassIsOneRelease) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  EXPECT_EQ(proven_text(run, Adversary::server), "participates(4 of 8, gaussian(4))");
  EXPECT_EQ(proven_text(run, Adversary::other_clients), "participates(4 of 8, gaussian(4))");
  EXPECT_EQ(proven_text(run, Adversary::user_level), "4 x participates(4 of 8, gaussian(0.5))");
  // The least noise of the four rounds.
  run.schedule = "exponential:0.5";
  EXPECT_EQ(proven_text(run, Adversary::server), "participates(4 of 8, gaussian(0.5))");
  run.schedule = "exponential:2";
  EXPECT_EQ(proven_text(run, Adversary::server), "participates(4 of 8, gaussian(4))");
}

// Batches of 8 of 32 records: 4 are a pass. Of 10 of 32, 3 are, and 2 records are left over.
// fl/account/proofs.md, 11.1 to 11.4
TEST(ProvenPlan, OfShuffledBatchesIsThatOfPasses) {
  auto run = kind_of("dp-fedavg");
  run.batches = Batches::shuffled;
  const auto of_steps = [&](std::uint64_t steps) {
    run.local_steps = steps;
    return proven_text(run, Adversary::server);
  };
  EXPECT_EQ(of_steps(2), "4 x participates(4 of 8, wor(16 of 32, shuffled_batches(2, gaussian(4))))");
  EXPECT_EQ(of_steps(4), "4 x participates(4 of 8, shuffled_batches(4, gaussian(4)))");
  EXPECT_EQ(of_steps(5), "4 x participates(4 of 8, shuffled_batches(4, gaussian(4)) + wor(8 of 32, gaussian(4)))");
  EXPECT_EQ(of_steps(11),
            "4 x participates(4 of 8, 2 x shuffled_batches(4, gaussian(4)) + "
            "wor(24 of 32, shuffled_batches(3, gaussian(4))))");
  for (const Adversary adversary : {Adversary::third_party, Adversary::one_client, Adversary::other_clients})
    EXPECT_EQ(proven_text(run, adversary), proven_text(run, Adversary::server)) << to_string(adversary);
  EXPECT_EQ(proven_text(run, Adversary::user_level), "4 x participates(4 of 8, 11 x gaussian(0.5))");
  run.batch_size = 10;
  EXPECT_EQ(of_steps(6), "4 x participates(4 of 8, 2 x wor(30 of 32, shuffled_batches(3, gaussian(4))))");
  EXPECT_TRUE(proven(run, Adversary::server)->notes.empty());
  // 4, 2, 8 and 8 in the first round, and 16, 8, 8 and 16 in the second.
  run.batch_size = 8;
  run.local_steps = 4;
  run.rounds = 2;
  run.schedule = "table:1,0.5,2,2;4,2,2,4";
  const std::string changing = proven_text(run, Adversary::server);
  EXPECT_EQ(changing,
            "participates(4 of 8, shuffled_batches(4, gaussian(2))) + participates(4 of 8, shuffled_batches(4, "
            "gaussian(8)))");
  EXPECT_EQ(proven(run, Adversary::server)->notes.size(), 1U);
}

TEST(ProvenPlan, OfASchedulePutsEqualRoundsTogether) {
  auto run = kind_of("dp-scaffold");
  run.schedule = "step:factor=0.5,every=2";
  EXPECT_EQ(proven_text(run, Adversary::server),
            "2 x participates(4 of 8, 2 x wor(8 of 32, gaussian(4))) + "
            "2 x participates(4 of 8, 2 x wor(8 of 32, gaussian(2)))");
}

TEST(ProvenPlan, OfEqualRoundsDoesNotCountThemOneByOne) {
  auto run = kind_of("dp-scaffold");
  run.rounds = 1'000'000'000'000'000;
  const auto text_of = [&](const std::string& schedule) {
    run.schedule = schedule;
    return proven_text(run, Adversary::server);
  };
  const std::string round = " x participates(4 of 8, 2 x wor(8 of 32, gaussian(4)))";
  EXPECT_EQ(text_of("constant"), "1000000000000000" + round);
  EXPECT_EQ(text_of("chang2:beta=1,hold=3"), "1000000000000000" + round);
  EXPECT_EQ(text_of("chang1:beta=0.25,hold=999999999999999"),
            "999999999999999" + round + " + participates(4 of 8, 2 x wor(8 of 32, gaussian(2)))");
  EXPECT_EQ(text_of("step:factor=0.5,every=600000000000000"),
            "600000000000000" + round + " + 400000000000000 x participates(4 of 8, 2 x wor(8 of 32, gaussian(2)))");
}

TEST(ProvenPlan, OfUserLevelNoiseReadsItAgainstBothUnits) {
  auto run = kind_of("dp-fedavg");
  run.unit = Unit::user;  // noise 4 over 2 C / s with s = 1/4: 16 over 2 C, 128 over 2 C / 8
  EXPECT_EQ(proven_text(run, Adversary::user_level), "4 x participates(4 of 8, 2 x gaussian(16))");
  EXPECT_EQ(proven_text(run, Adversary::server), "4 x participates(4 of 8, 2 x wor(8 of 32, gaussian(128)))");
}

// The count of norms below the threshold has sensitivity 1 for a record, and the batch for a whole client.
// fl/account/proofs.md, 4.1
TEST(ProvenPlan, OfAdaptiveClippingPaysForTheCount) {
  auto run = adaptive_clipping().run;
  run.options["clip_noise"] = 3.0;
  const auto noise = [&](Adversary adversary) { return noise_in(proven(run, adversary)->plan.event); };
  EXPECT_NEAR(noise(Adversary::server), 2.4, 1e-14);  // 1 / sqrt(1/16 + 1/9)
  EXPECT_LE(noise(Adversary::server), 2.4);
  EXPECT_NEAR(noise(Adversary::user_level), 2.4 / 8, 1e-14);
}

double epsilon_of(const Plan& plan) {
  return make_accountant(AccountantName::best, plan).value()->epsilon(1, 1e-5).value().upper;
}

// Whoever sees more pays no less attention: a third party sees what one client does, and that what all the others do; a
// server sees all messages, and one user's records are among what a user holds.
TEST(ProvenPlan, CostsMoreAgainstWhoeverSeesMore) {
  for (const Kind& kind : noisy_kinds()) {
    // Binomial noise has a test of its own.
    if (find_algorithm(kind.run.algorithm).mechanism == Mechanism::shuffled_binomial) continue;
    SCOPED_TRACE(kind.name);
    std::map<std::string, double> known;
    const auto cost = [&](Adversary adversary) {
      const Plan found = proven(kind.run, adversary)->plan;
      double& epsilon = known[to_text(found)];
      if (epsilon == 0) epsilon = make_accountant(AccountantName::renyi, found).value()->epsilon(1, 1e-5).value().upper;
      return epsilon;
    };
    const double third = cost(Adversary::third_party) / 1.002;  // a search ends within a thousandth
    EXPECT_LE(third, cost(Adversary::one_client));
    EXPECT_LE(third, cost(Adversary::server));
    EXPECT_LE(cost(Adversary::one_client) / 1.002, cost(Adversary::other_clients));
    EXPECT_LE(cost(Adversary::server) / 1.002, cost(Adversary::user_level));
  }
}

// Reports of a drawn batch that hide among those of other clients' batches are more than the batch has records.
TEST(ShuffledReports, OfABatchHideAmongThoseOfOthers) {
  auto run = kind_of("shuffled-mb-sgd");
  run.user_rate = 0.5;
  run.record_rate = 0.2;
  run.noise_multiplier = 20;
  const auto found = plan(run, {.clients = 100, .records = 400}, Adversary::server, Basis::proven);
  ASSERT_TRUE(found);
  std::uint64_t reports = 0;
  each_shuffle(found->plan.event, [&](const Shuffled& shuffled, std::optional<std::uint64_t> drawn) {
    reports = shuffled.reports.value();
    EXPECT_FALSE(drawn);
  });
  EXPECT_EQ(reports, 50 * 80);
  dpbudget::check(found->plan.event);
  EXPECT_EQ(parse_plan(to_text(found->plan)), found->plan);
  // The more clients, the better they hide.
  const auto among_more = plan(run, {.clients = 1000, .records = 400}, Adversary::server, Basis::proven);
  EXPECT_LT(epsilon_of(among_more->plan), epsilon_of(found->plan));
}

TEST(ProvenPlan, OfShuffledReportsIsNoWorseForThoseWhoSeeLess) {
  // Far too little noise for the shuffler to help among 4,000 reports of a run of 100 rounds.
  auto run = kind_of("shuffled-mb-sgd");
  run.rounds = 100;
  run.user_rate = 0.05;
  run.record_rate = 0.2;
  run.noise_multiplier = 5;
  const auto cost = [&](Adversary adversary) {
    return epsilon_of(plan(run, {.clients = 100, .records = 4000}, adversary, Basis::proven)->plan);
  };
  EXPECT_LE(cost(Adversary::third_party), cost(Adversary::other_clients) * 1.001);
  EXPECT_LE(cost(Adversary::one_client), cost(Adversary::other_clients) * 1.001);
}

// fl/account/proofs.md, 6.1
TEST(ProvenPlan, OfShuffledReportsMovesAWholeClientByTheRootOfItsBatch) {
  const double noise = noise_in(proven(kind_of("shuffled-mb-sgd"), Adversary::user_level)->plan.event);
  EXPECT_LE(noise, 4 / std::sqrt(8.0));
  EXPECT_NEAR(noise, 4 / std::sqrt(8.0), 1e-14);
}

// fl/account/proofs.md, 8.1
TEST(ProvenPlan, OfBinomialNoiseDependsOnWhoseNoiseIsUnknown) {
  const auto run = kind_of("binomial-ac-sa");
  const auto cost = [&](Adversary adversary) { return epsilon_of(proven(run, adversary)->plan); };
  // 32 reports in a round, 24 of them by others than the client that looks on and 8 by the client itself.
  EXPECT_EQ(proven_text(run, Adversary::third_party), proven_text(run, Adversary::server));
  EXPECT_LT(cost(Adversary::server), cost(Adversary::one_client));
  EXPECT_LT(cost(Adversary::one_client), cost(Adversary::other_clients));
  EXPECT_FALSE(proven(run, Adversary::user_level));
  Sizes without = eight_of_15;
  without.dimension = 0;
  EXPECT_REFUSED("dimension", plan(run, without, Adversary::server, Basis::proven));
}

// Of four participants a client's own reports and those of the three who hold least are in a round for certain.
// fl/account/proofs.md, 7.3
TEST(ProvenPlan, OfShuffledReportsCountsOnTheFewestThatOthersSend) {
  const std::vector<std::uint64_t> unequal = {32, 32, 16, 64, 16, 32, 48, 16};
  const auto run = kind_of("binomial-ac-sa");  // a quarter of a client's records in each round
  const std::vector<Sizes> kinds = distinct_sizes(settle(run), unequal, 15);
  ASSERT_EQ(kinds.size(), 4U);
  EXPECT_EQ(kinds[0].least_others, (std::vector<std::uint64_t>{16, 16, 32}));
  EXPECT_EQ(kinds[3].least_others, (std::vector<std::uint64_t>{16, 16, 16}));
  const auto equal = [&](std::uint64_t records) {
    return proven_text(run, Adversary::server, {.clients = 8, .records = records, .dimension = 15});
  };
  // 4 + 4 + 4 + 8 reports, as four clients of 20 records send, and 16 + 3 x 4, as four of 28.
  EXPECT_EQ(proven_text(run, Adversary::server, kinds[0]), equal(20));
  EXPECT_EQ(proven_text(run, Adversary::server, kinds[3]), equal(28));
  EXPECT_EQ(sizes_of(settle(run), unequal, 3, 15), kinds[3]);
}

// Reports hide among others only when these have as much noise, and are as many as is said.
TEST(ProvenPlan, OfShuffledReportsRefusesWhatItsTheoremDoesNotCover) {
  auto run = kind_of("shuffled-mb-sgd");
  run.silo_noise.assign(8, 4);
  EXPECT_REFUSED("silo_noise", plan(run, eight_of_15, Adversary::server, Basis::proven));
  run = kind_of("shuffled-mb-sgd");
  run.client_sampling = ClientSampling::poisson;
  EXPECT_REFUSED("client_sampling", plan(run, eight_of_15, Adversary::server, Basis::proven));
  run = kind_of("shuffled-mb-sgd");
  EXPECT_REFUSED("records", plan(run, {8, 32, 300}, Adversary::server, Basis::proven));
  run = kind_of("binomial-ac-sa");
  run.batches = Batches::fresh;
  EXPECT_REFUSED("batches", plan(run, eight_of_15, Adversary::server, Basis::proven));
}

}  // namespace
}  // namespace dpbudget::fl
