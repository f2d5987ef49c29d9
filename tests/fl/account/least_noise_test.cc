#include "dpbudget/fl/account/least_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/pricing.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

const std::vector<std::uint64_t> few_and_many = {20, 32, 48};

RunRequest asking(RunRequest run, double epsilon) {
  run.noise_multiplier = 0;
  run.asks_noise = true;
  run.epsilon = epsilon;
  return run;
}

// Full batches of all clients: T K Gaussian releases are one of noise sigma / sqrt(T K), whose epsilon at delta solves
// Phi(1/(2 s) - epsilon s) - e^epsilon Phi(-1/(2 s) - epsilon s) = delta. The s for (1, 1e-5) is the root of that in 40
// digits, by mpmath's findroot with its ncdf.
TEST(LeastNoise, IsTheAnalyticNoiseOfAComposition) {
  RunRequest run = asking(kind_of("dp-fedavg"), 1);
  run.user_rate = 1;
  run.record_rate = 1;
  run.rounds = 9;
  run.local_steps = 4;
  run.delta = 1e-5;
  EXPECT_NEAR(settle(run, few_and_many, 3)->noise_multiplier / (6 * 3.7306316348159418), 1 + 2e-5, 2.0001e-5);
}

// Of every kind of run that takes a multiplier, with clients who pay differently: all planned rounds are run, and with
// a fiftieth less noise somebody would pay more than is allowed.
TEST(LeastNoise, KeepsAllRoundsToTheBudgetAndHardlyMore) {
  for (const Kind& kind : noisy_kinds()) {
    const AlgorithmTraits& algorithm = find_algorithm(kind.run.algorithm);
    if (!traits_of(algorithm.mechanism).takes_multipliers || !kind.run.silo_noise.empty() || kind.run.epsilon ||
        !kind.run.silo_epsilon.empty() || std::holds_alternative<MedianClipping>(kind.run.clipping))
      continue;
    // Their lower ends, which nothing here asks for, take minutes; StopRule has them.
    if (kind.run.batches == Batches::shuffled) continue;
    SCOPED_TRACE(kind.name);
    const std::vector<std::uint64_t> clients =
        traits_of(algorithm.mechanism).is_shuffled || !kind.run.client_weights.empty()
            ? std::vector<std::uint64_t>(8, 32)
            : std::vector<std::uint64_t>{32, 32, 32, 32, 64, 64, 64, 64};
    const RunRequest request = asking(kind.run, 2.5);
    const SettledRun run = settle(request, clients, 3);
    EXPECT_EQ(run->rounds, kind.run.rounds);
    Pricing price(run->delta);
    const auto everybody = distinct_sizes(run, clients, 3);
    EXPECT_LE(worst_epsilon(run, everybody, run.released_rounds(), price), 2.5);
    RunRequest less = kind.run;
    less.noise_multiplier = run->noise_multiplier * 0.98;
    const SettledRun noisier = settle(less);
    EXPECT_GT(worst_epsilon(noisier, everybody, noisier.released_rounds(), price), 2.5);
  }
}

// As `dpbudget plan` says beside it.
TEST(LeastNoise, FitsTheRoundsThatAreAskedFor) {
  RunRequest request = asking(kind_of("dp-fedavg"), 0.5);
  request.user_rate = 0.05;
  request.record_rate = 0.2;
  request.local_steps = 10;
  request.rounds = 20;
  request.delta = 1e-5;
  const std::vector<std::uint64_t> clients(100, 4000);
  const SettledRun run = settle(request, clients, 3);
  Pricing price(run->delta);
  for (const Sizes& sizes : distinct_sizes(run, clients, 3))
    EXPECT_GE(claimed_rounds(run, sizes, Adversary::server, Basis::proven, 0.5, price), 20U);
}

// Above a noise of 2.4 its report is known by a guarantee alone, which costs less there than twice as little noise
// does.
TEST(LeastNoise, OfShuffledSilosIsNotWhereTheirReportBeginsToBeAGuarantee) {
  RunRequest request = asking(kind_of("shuffled-mb-sgd"), 1);
  request.rounds = 5;
  request.delta = 1e-5;
  request.user_rate = 0.05;
  request.record_rate = 0.2;
  const std::vector<std::uint64_t> clients(100, 4000);
  const SettledRun run = settle(request, clients, 3);
  Pricing price(run->delta);
  const std::vector<Sizes> kinds = distinct_sizes(run, clients, 3);
  EXPECT_LE(worst_epsilon(run, kinds, run.released_rounds(), price), 1);
  RunRequest less = request;
  less.asks_noise = false;
  for (const double share : {0.999, 0.95, 0.8, 0.7}) {
    less.noise_multiplier = share * run->noise_multiplier;
    const SettledRun cheaper = settle(less);
    EXPECT_GT(worst_epsilon(cheaper, kinds, cheaper.released_rounds(), price), 1) << share;
  }
}

TEST(LeastNoise, IsForWhomTheBudgetIs) {
  RunRequest run = asking(kind_of("dp-fedavg"), 2);
  run.budget_for = Adversary::server;
  const double against_server = settle(run, few_and_many, 3)->noise_multiplier;
  run.budget_for = Adversary::user_level;
  EXPECT_GT(settle(run, few_and_many, 3)->noise_multiplier, 5 * against_server);
}

TEST(LeastNoise, LeavesAloneWhatDoesNotAsk) {
  const RunRequest run = kind_of("dp-fedavg");
  EXPECT_EQ(with_least_noise(run, [](const SettledRun&) { return std::vector<Sizes>{}; }).noise_multiplier, 4);
}

TEST(LeastNoise, IsRefusedWhereItIsNoQuestion) {
  const auto found = [](const RunRequest& run) { return settle(run, few_and_many, 3); };
  RunRequest run = asking(kind_of("dp-fedavg"), 1);
  EXPECT_REFUSED("noise is ?, but must be a number where the clients are not known", settle(run));
  run.epsilon.reset();
  EXPECT_REFUSED("noise is ?, but must be a number where no epsilon is given", found(run));
  run.epsilon = -1;
  EXPECT_REFUSED("epsilon is -1", found(run));
  run = asking(kind_of("dp-fedavg"), 1);
  run.silo_noise = {1, 2, 3};
  EXPECT_REFUSED("noise is ?, but must be left out beside silo_noise", found(run));
  run = asking(kind_of("dp-fedavg"), 1);
  run.clipping = MedianClipping{};
  EXPECT_REFUSED("noise is ?, but must be a number when clipping is median", found(run));
  EXPECT_REFUSED("noise is ?, but must be 0 for binomial-ac-sa", found(asking(kind_of("binomial-ac-sa"), 1)));
  run = asking(kind_of("fedavg"), 1);
  EXPECT_REFUSED("noise is ?, but must be 0 for fedavg", found(run));
  // What a round draws is rarer than delta: no noise is needed.
  run = asking(kind_of("dp-fedavg"), 1);
  run.delta = 0.999999;
  EXPECT_REFUSED("epsilon is 1, but must be an epsilon that decides the noise", found(run));
}

}  // namespace
}  // namespace dpbudget::fl
