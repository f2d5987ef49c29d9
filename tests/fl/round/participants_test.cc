#include "dpbudget/fl/round/participants.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

constexpr std::array samplings = {ClientSampling::uniform, ClientSampling::poisson, ClientSampling::md,
                                  ClientSampling::fedavg};
const std::vector<std::uint64_t> unequal = {10, 20, 30, 40, 50, 100, 150};

fl::RunRequest sampled(ClientSampling sampling, Weights weights, double rate = 0.5) {
  fl::RunRequest run = kind_of("nfl");
  run.client_sampling = sampling;
  run.weights = weights;
  run.user_rate = rate;
  return completed(run);
}

double share(Weights weights, std::size_t client) {
  return weights == Weights::equal ? 1.0 / 7 : static_cast<double>(unequal[client]) / 400;
}

Sizes sizes_for(std::size_t client) { return {7, unequal[client], 400}; }

TEST(Participants, AreSortedDistinctAndWeighedAsTheirSamplingSays) {
  for (const ClientSampling sampling : samplings)
    for (const Weights weights : {Weights::equal, Weights::records}) {
      SCOPED_TRACE(std::string(to_string(sampling)) + ", " + std::string(to_string(weights)));
      const auto run = sampled(sampling, weights);
      for (std::uint64_t round = 1; round <= 200; ++round) {
        const Participants drawn = draw_participants(run, unequal, round);
        EXPECT_EQ(drawn.scheme, scheme_of(run));
        EXPECT_EQ(drawn.population, 7U);
        EXPECT_TRUE(std::ranges::is_sorted(drawn.clients));
        EXPECT_EQ(std::ranges::adjacent_find(drawn.clients), drawn.clients.end());
        ASSERT_EQ(drawn.weights.size(), drawn.clients.size());
        EXPECT_EQ(drawn.times.size(), sampling == ClientSampling::md ? drawn.clients.size() : 0);
        EXPECT_EQ(drawn.rate, sampling == ClientSampling::poisson ? 0.5 : 0);
        double total = 0;
        for (const std::uint64_t client : drawn.clients) total += share(weights, client);
        std::uint64_t times = 0;
        for (std::size_t i = 0; i < drawn.clients.size(); ++i) {
          const double p = share(weights, drawn.clients[i]);
          times += sampling == ClientSampling::md ? drawn.times[i] : 1;
          const double expected = sampling == ClientSampling::uniform   ? 7.0 / 3 * p
                                  : sampling == ClientSampling::poisson ? p / total
                                  : sampling == ClientSampling::md      ? static_cast<double>(drawn.times[i]) / 3
                                                                        : p;
          EXPECT_NEAR(drawn.weights[i], expected, 1e-15);
        }
        EXPECT_EQ(times, drawn.drawn);
        EXPECT_TRUE(sampling == ClientSampling::poisson || drawn.drawn == 3);
      }
    }
}

// E[weight of client i] = p_i, whoever is drawn: over 20000 rounds, six standard errors, which chance exceeds for one
// of 28 means with probability below 1e-7.
TEST(Participants, CountAsTheirSharesOnAverage) {
  constexpr int rounds = 20000;
  for (const ClientSampling sampling : {ClientSampling::uniform, ClientSampling::md})
    for (const Weights weights : {Weights::equal, Weights::records}) {
      const auto run = sampled(sampling, weights);
      std::vector<double> sum(7), squares(7);
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        const Participants drawn = draw_participants(run, unequal, round);
        for (std::size_t i = 0; i < drawn.clients.size(); ++i) {
          sum[drawn.clients[i]] += drawn.weights[i];
          squares[drawn.clients[i]] += drawn.weights[i] * drawn.weights[i];
        }
      }
      for (std::size_t client = 0; client < 7; ++client) {
        const double mean = sum[client] / rounds;
        const double error = std::sqrt((squares[client] / rounds - mean * mean) / rounds);
        EXPECT_NEAR(mean, share(weights, client), 6 * error) << to_string(sampling) << client;
      }
    }
}

// The rate that the accountants are told is how often a client takes part: six standard errors over 20000 rounds for
// each of 56 means, below 2e-7 together.
// fl/account/proofs.md, 1.2
TEST(ParticipationRate, IsHowOftenAClientTakesPart) {
  constexpr int rounds = 20000;
  for (const ClientSampling sampling : samplings)
    for (const Weights weights : {Weights::equal, Weights::records}) {
      const auto run = sampled(sampling, weights);
      std::vector<double> times(7);
      for (std::uint64_t round = 1; round <= rounds; ++round)
        for (const std::uint64_t client : draw_participants(run, unequal, round).clients) ++times[client];
      for (std::size_t client = 0; client < 7; ++client) {
        const double rate = participation_rate(run, sizes_for(client)).value();
        const double error = std::sqrt(rate * (1 - rate) / rounds);
        EXPECT_NEAR(times[client] / rounds, rate, 6 * error) << to_string(sampling) << client;
      }
    }
}

TEST(ParticipationRate, IsExactOrRoundedUp) {
  for (std::size_t client = 0; client < 7; ++client) {
    EXPECT_EQ(participation_rate(sampled(ClientSampling::uniform, Weights::records), sizes_for(client)), Rate(3, 7));
    EXPECT_EQ(participation_rate(sampled(ClientSampling::fedavg, Weights::equal), sizes_for(client)), Rate(3, 7));
    EXPECT_EQ(participation_rate(sampled(ClientSampling::poisson, Weights::equal), sizes_for(client)), Rate(0.5));
    const auto p = static_cast<long double>(unequal[client]) / 400;
    const long double exact = 1 - (1 - p) * (1 - p) * (1 - p);
    const double rate = participation_rate(sampled(ClientSampling::md, Weights::records), sizes_for(client)).value();
    EXPECT_GE(static_cast<long double>(rate), exact);
    EXPECT_NEAR(rate, static_cast<double>(exact), 1e-14);
  }
  // A client that is all there is takes part whenever anybody does.
  EXPECT_EQ(participation_rate(sampled(ClientSampling::md, Weights::equal, 1), {1, 5, 5}).value(), 1);
}

TEST(ParticipationRate, OfMultinomialDrawsFollowsGivenWeights) {
  auto run = sampled(ClientSampling::md, Weights::equal);
  run.client_weights = {3, 1, 1, 1, 1, 1, 2};  // of 10
  for (const std::size_t client : {std::size_t{0}, std::size_t{1}, std::size_t{6}}) {
    const Sizes sizes = sizes_of(run, unequal, client);
    EXPECT_EQ(sizes.weight, run.client_weights[client]);
    EXPECT_FALSE(sizes.all_alike());
    const double p = run.client_weights[client] / 10;
    const double exact = 1 - std::pow(1 - p, 3);
    EXPECT_GE(participation_rate(run, sizes).value(), exact);
    EXPECT_NEAR(participation_rate(run, sizes).value(), exact, 1e-13);
  }
}

// Lowy, Razaviyayn 2023, Algorithm 7: any p_i, in any unit.
TEST(Participants, CountByGivenWeights) {
  auto run = sampled(ClientSampling::uniform, Weights::equal, 1);
  run.client_weights = {3, 1, 1, 1, 1, 1, 2};
  const Participants all = draw_participants(run, unequal, 1);
  ASSERT_EQ(all.weights.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(all.weights[i], run.client_weights[i] / 10, 1e-15) << i;
}

// The mean of all reports, whosever they are.
TEST(Participants, OfAShufflerCountByTheirReports) {
  auto run = kind_of("binomial-ac-sa");
  run.user_rate = 1;
  const std::vector<std::uint64_t> records = {16, 32, 64, 17};
  EXPECT_EQ(draw_participants(run, records, 1).weights, (std::vector<double>{0.125, 0.25, 0.5, 0.125}));
}

RC_GTEST_PROP(ParticipationRate, OfMultinomialDrawsIsThePower, ()) {
  const auto clients = static_cast<std::uint64_t>(*rc::gen::inRange(2, 100000));
  const double user_rate = static_cast<double>(*rc::gen::inRange(1, 1000)) / 1000;
  const auto run = sampled(ClientSampling::md, Weights::equal, user_rate);
  const std::uint64_t draws = drawn(user_rate, clients);
  RC_PRE(draws >= 1);
  const long double exact =
      -std::expm1(static_cast<long double>(draws) * std::log1p(-1 / static_cast<long double>(clients)));
  const double rate = participation_rate(run, {clients, 10}).value();
  RC_ASSERT(static_cast<long double>(rate) >= exact * (1 - 1e-18L));
  RC_ASSERT(rate <= static_cast<double>(exact) * (1 + 1e-14));
}

TEST(Participants, DependOnSeedAndRoundAlone) {
  for (const ClientSampling sampling : samplings) {
    auto run = sampled(sampling, Weights::records);
    const Participants first = draw_participants(run, unequal, 3);
    EXPECT_EQ(draw_participants(run, unequal, 3), first);
    std::size_t other_rounds = 0, other_seeds = 0;
    for (std::uint64_t i = 1; i <= 20; ++i) {
      other_rounds += draw_participants(run, unequal, 3 + i) == first ? 0 : 1;
      auto seeded = run;
      seeded.seed += i;
      other_seeds += draw_participants(seeded, unequal, 3) == first ? 0 : 1;
    }
    EXPECT_GE(other_rounds, 10U) << to_string(sampling);
    EXPECT_GE(other_seeds, 10U) << to_string(sampling);
  }
}

// A Poisson round may have nobody; it is recorded and nothing moves.
TEST(Participants, MayBeNobody) {
  auto run = kind_of("dp-mb-sgd");
  run.client_sampling = ClientSampling::poisson;
  run.user_rate = 0x1p-10;
  const Finished done = finished(run, eight_clients());
  const Ledger ledger = ledger_from(done.ledger);
  ASSERT_EQ(ledger.rounds.size(), 4U);
  for (const RoundEntry& round : ledger.rounds) EXPECT_TRUE(round.participants.clients.empty());
  EXPECT_EQ(done.result.parameters, Vector::Zero(15));
}

}  // namespace
}  // namespace dpbudget::fl
