#include "dpbudget/accounting/tradeoff/federated.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "accounting/tradeoff/finite_tests.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/tradeoff/central_limit.h"
#include "dpbudget/accounting/tradeoff/operations.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"

namespace dpbudget::tradeoff {
namespace {

using testing::log_uniform;
using testing::type_one_errors;

// All rounds that client j (bits of `sends`) and the adversary (bits of `sees`) may take part in.
double enumerated(double p, int rounds, FederatedNotion notion) {
  const auto chance = [&](unsigned pattern) {
    return std::pow(p, std::popcount(pattern)) * std::pow(1 - p, rounds - std::popcount(pattern));
  };
  double reached = 0;
  for (unsigned sends = 0; sends < 1U << rounds; ++sends)
    for (unsigned sees = 0; sees < 1U << rounds; ++sees) {
      // The adversary's last round is not before the client's first.
      const bool is_weakly = sends != 0 && sees != 0 && sees >= (sends & -sends);
      if (notion == FederatedNotion::strong ? sends != 0 : is_weakly) reached += chance(sends) * chance(sees);
    }
  return reached;
}

// accounting/tradeoff/proofs.md, 4.1
TEST(ReachProbability, IsThatOfAllPatternsOfParticipation) {
  for (const double p : {0.0, 0.05, 0.3, 0.9, 1.0})
    for (int rounds = 0; rounds <= 6; ++rounds)
      for (const FederatedNotion notion : {FederatedNotion::weak, FederatedNotion::strong})
        EXPECT_NEAR(federated_reach_probability(p, rounds, notion), enumerated(p, rounds, notion), 1e-12);
}

RC_GTEST_PROP(ReachProbability, IsLargerThanPublished, ()) {
  const double p = log_uniform(1e-9, 0.999);
  const double rounds = std::floor(log_uniform(2, 1e6));
  const double weak = federated_reach_probability(p, rounds, FederatedNotion::weak);
  const double published = federated_reach_probability_as_published(p, rounds);
  RC_ASSERT(published < weak || published > 1 - 1e-12);
  RC_ASSERT(weak <= federated_reach_probability(p, rounds, FederatedNotion::strong) * (1 + 1e-12));
  RC_ASSERT(weak <= federated_reach_probability(p, rounds + 1, FederatedNotion::weak) * (1 + 1e-12));
}

TEST(ReachProbability, IsAsPublishedForOneRound) {
  for (const double p : {1e-12, 0.1, 0.7, 1.0}) {
    EXPECT_DOUBLE_EQ(federated_reach_probability(p, 1, FederatedNotion::weak), p * p);
    EXPECT_DOUBLE_EQ(federated_reach_probability_as_published(p, 1), p * p);
  }
}

// A client that adds no noise: what is sent is told from its neighbour with certainty.
TradeOffPtr no_noise() { return PiecewiseLinear::from_vertices({{0, 0}, {1, 0}}); }

// accounting/tradeoff/proofs.md, 4.3
TEST(Federated, TheCounterexampleToTheorem1) {
  const double p = 0.1;
  const FederatedGuarantee published = federated_rounds_as_published(no_noise(), p, 2);
  const FederatedGuarantee corrected = federated_rounds(no_noise(), p, 2, FederatedNotion::weak);
  // The adversary that says "changed" where the model shows it has no type I error, and misses what did not reach it.
  const double missed = 1 - enumerated(p, 2, FederatedNotion::weak);
  EXPECT_NEAR(1 - missed, 0.028, 1e-15);
  EXPECT_LT(missed, published.trade_off->type_two_error(0) - 0.008);  // what Theorem 1 says cannot be
  EXPECT_NEAR(1 - published.trade_off->type_two_error(0), 0.0199, 1e-12);
  EXPECT_NEAR(corrected.trade_off->type_two_error(0), missed, 1e-10);
  EXPECT_EQ(published.guarantee, Guarantee::estimate);
  EXPECT_EQ(corrected.guarantee, Guarantee::proven);
  ASSERT_EQ(published.notes.size(), 1);
  EXPECT_NE(published.notes.front().find("refuted"), std::string::npos);
}

// accounting/tradeoff/proofs.md, 4.2
TEST(Federated, WithoutNoiseOnlyTheUnseenRoundsHelp) {
  for (const FederatedNotion notion : {FederatedNotion::weak, FederatedNotion::strong})
    for (const std::uint64_t rounds : {1, 3, 50}) {
      const double reach = federated_reach_probability(0.07, static_cast<double>(rounds), notion);
      for (const TradeOffPtr& f : {no_noise(), approximate(0, 1)}) {
        const FederatedGuarantee found = federated_rounds(f, 0.07, rounds, notion);
        for (const double a : type_one_errors()) {
          EXPECT_NEAR(found.trade_off->type_two_error(a), std::max(0.0, 1 - a - reach), 1e-10);
          EXPECT_LE(found.trade_off->type_two_error(a), std::max(0.0, 1 - a - reach) + 1e-15);
        }
      }
    }
}

// The view of a weak adversary, by its definition, where f_j is randomised response and the server keeps all that it
// was sent: what j sends in the rounds up to the adversary's last one, and nothing else, is seen.
// accounting/tradeoff/proofs.md, 4.1
TEST(Federated, TheCorrectedStatementHoldsForAnEnumeratedView) {
  const double p = 0.3;
  const double truth = 1 / (1 + std::exp(-1.5));
  const testing::Outcomes once = {{1 - truth, truth}, {truth, 1 - truth}};
  for (const int rounds : {1, 2, 4}) {
    testing::Outcomes view;
    for (unsigned sends = 0; sends < 1U << rounds; ++sends)
      for (int last = 0; last <= rounds; ++last) {  // the adversary's last round; 0 for none
        const double never_after = std::pow(1 - p, rounds - last) * (last == 0 ? 1 : p);
        const double chance =
            never_after * std::pow(p, std::popcount(sends)) * std::pow(1 - p, rounds - std::popcount(sends));
        testing::Outcomes seen = {{chance, chance}};
        for (int i = std::popcount(sends & ((1U << last) - 1)); i > 0; --i) seen = testing::product_of(seen, once);
        view.insert(view.end(), seen.begin(), seen.end());
      }
    const TradeOffPtr f = PiecewiseLinear::from_outcomes(once);
    const auto bound = federated_rounds(f, p, static_cast<std::uint64_t>(rounds), FederatedNotion::weak).trade_off;
    for (const double a : type_one_errors())
      EXPECT_GE(testing::swept_type_two_error(view, a), bound->type_two_error(a) - 1e-12);
  }
}

TEST(Federated, IsTheBetterOfNoiseAndChance) {
  const FederatedGuarantee rare = federated_rounds(gaussian(3), 1e-3, 10, FederatedNotion::weak);
  const FederatedGuarantee frequent = federated_rounds(gaussian(0.01), 0.9, 10, FederatedNotion::strong);
  EXPECT_GT(rare.trade_off->type_two_error(0.1), 0.899);
  // Lowered by the error of its evaluation.
  EXPECT_NEAR(frequent.trade_off->type_two_error(0.1), gaussian(0.01 * std::sqrt(10))->type_two_error(0.1), 1e-11);
  EXPECT_LT(frequent.trade_off->type_two_error(0.1), gaussian(0.01 * std::sqrt(10))->type_two_error(0.1));
  const FederatedGuarantee one = federated_round(gaussian(1), 0.5);
  EXPECT_NEAR(one.trade_off->type_two_error(0.5), std::max(gaussian(1)->type_two_error(0.5), 0.25), 1e-11);
  EXPECT_EQ(one.guarantee, Guarantee::proven);
}

TEST(Federated, ThePublishedStatementIsProvenForOneRoundOnly) {
  EXPECT_EQ(federated_rounds_as_published(no_noise(), 0.5, 1).guarantee, Guarantee::proven);
  EXPECT_EQ(federated_rounds_as_published(no_noise(), 0.5, 2).guarantee, Guarantee::estimate);
  EXPECT_THROW(federated_rounds_as_published(gaussian(1), 0.5, 2), Unsupported);
}

TEST(Federated, MuIsThatOfTheWorstClient) {
  const double one = clt_mu_without_replacement(16.0 / 600, 1, 38 * 10);
  const double other = clt_mu_without_replacement(16.0 / 500, 1, 32 * 10);
  EXPECT_DOUBLE_EQ(federated_mu_max({{16, 600, 1, 380}}), one);
  EXPECT_DOUBLE_EQ(federated_mu_max({{16, 600, 1, 380}, {16, 500, 1, 320}}), std::max(one, other));
}

TEST(Federated, RefusesWhatIsOutOfRange) {
  const double nan = std::nan("");
  for (const double bad : {-0.1, 1.1, nan}) {
    EXPECT_THROW(federated_reach_probability(bad, 1, FederatedNotion::weak), InvalidArgument);
    EXPECT_THROW(federated_reach_probability_as_published(bad, 1), InvalidArgument);
    EXPECT_THROW(federated_round(gaussian(1), bad), InvalidArgument);
    EXPECT_THROW(federated_rounds(gaussian(1), bad, 1, FederatedNotion::weak), InvalidArgument);
    EXPECT_THROW(federated_rounds_as_published(no_noise(), bad, 1), InvalidArgument);
  }
  for (const double bad : {-1.0, 1.5, 1e16, std::numeric_limits<double>::infinity(), nan}) {
    EXPECT_THROW(federated_reach_probability(0.5, bad, FederatedNotion::strong), InvalidArgument);
    EXPECT_THROW(federated_reach_probability_as_published(0.5, bad), InvalidArgument);
  }
  EXPECT_THROW(federated_rounds(gaussian(1), 0.5, 0, FederatedNotion::weak), InvalidArgument);
  EXPECT_THROW(federated_rounds_as_published(no_noise(), 0.5, 0), InvalidArgument);
  EXPECT_THROW(federated_mu_max({}), InvalidArgument);
  EXPECT_THROW(federated_mu_max({{0, 5, 1, 1}}), InvalidArgument);
  EXPECT_THROW(federated_mu_max({{6, 5, 1, 1}}), InvalidArgument);
  EXPECT_THROW(federated_mu_max({{1, 0, 1, 1}}), InvalidArgument);
  EXPECT_THROW(federated_mu_max({{1, 5, 0, 1}}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::tradeoff
