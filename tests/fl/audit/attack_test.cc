#include "dpbudget/fl/audit/attack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "dpbudget/mechanisms/random.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// So many scores, N(shift, 1) where the canary was in.
std::vector<Scored> scores(std::size_t count, double shift, std::uint64_t number) {
  mechanisms::Stream stream({9, mechanisms::Purpose::local_randomness, number, 0, 0});
  std::vector<Scored> found;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_in = stream.below(2) == 1;
    found.push_back({stream.normal() + (is_in ? shift : 0), is_in});
  }
  return found;
}

TEST(Attack, ChoosesOnThePilotAlone) {
  const AuditRequest request{.runs = 1000, .canaries = 10, .delta = 1e-3};
  const Strategy chosen = chosen_strategy(scores(2500, 2, 0), request, true);
  EXPECT_EQ(chosen.estimator, Estimator::test);
  const Attacked found = attacked(chosen, scores(10000, 2, 1), request);
  EXPECT_EQ(found.test.in + found.test.out, 10000U);
  EXPECT_GT(found.epsilon, 2);
}

// A test at a threshold that is a little off shows nothing of a mistake of 1 % of the noise.
TEST(Attack, ChoosesTheThresholdThatShowsMost) {
  const double shift = 2 / 0.99;
  const double delta = 0.66;
  const AuditRequest request{.runs = 40000, .canaries = 500, .delta = delta};
  const boost::math::normal standard;
  const auto shown_at = [&](double threshold) {
    const double in = boost::math::cdf(boost::math::complement(standard, threshold - shift));
    const double out = boost::math::cdf(boost::math::complement(standard, threshold));
    return std::log(std::max(std::max(1e-9, in - delta) / out, std::max(1e-9, 1 - out - delta) / (1 - in)));
  };
  double most = 0;
  for (double threshold = -1; threshold < 3; threshold += 1e-3) most = std::max(most, shown_at(threshold));
  const Strategy chosen = chosen_strategy(scores(200000, shift, 3), request, true);
  EXPECT_EQ(chosen.estimator, Estimator::test);
  EXPECT_GT(shown_at(chosen.threshold), 0.97 * most);
}

TEST(Attack, GuessesWhereTrialsMayDependOnEachOther) {
  const AuditRequest request{.runs = 1000, .canaries = 10, .delta = 1e-6};
  const Strategy chosen = chosen_strategy(scores(2500, 2, 0), request, false);
  EXPECT_EQ(chosen.estimator, Estimator::guesses);
  const Attacked found = attacked(chosen, scores(10000, 2, 1), request);
  EXPECT_EQ(found.guesses.guesses, chosen.guesses);
  EXPECT_EQ(found.guesses.canaries, 10000U);
  EXPECT_GT(found.epsilon, 1.5);
}

// fl/audit/proofs.md, 1.2: how many are guessed is the strategy's, whatever the scores are.
TEST(Attack, GuessesAsManyAsItSaid) {
  const AuditRequest request{.runs = 1, .canaries = 6};
  const std::vector<Scored> six = {{3, true}, {2, true}, {1, false}, {1, true}, {-1, true}, {-2, false}};
  const Attacked found = attacked({Estimator::guesses, 0, 4}, six, request);
  EXPECT_EQ(found.guesses.guesses, 4U);
  EXPECT_EQ(found.guesses.correct, 3U);
  EXPECT_EQ(attacked({Estimator::guesses, 0, 5}, six, request).guesses.correct, 3U);
}

TEST(Attack, FindsNothingWhereNothingIsTold) {
  const AuditRequest request{.runs = 1000, .canaries = 4};
  for (const bool may_test : {false, true}) {
    const Strategy chosen = chosen_strategy(scores(1000, 0, 2), request, may_test);
    EXPECT_LT(attacked(chosen, scores(4000, 0, 3), request).epsilon, 0.1);
  }
}

TEST(Attack, TakesOneCanary) {
  const AuditRequest request{.runs = 1, .canaries = 1};
  const std::vector<Scored> one = {{1, true}};
  EXPECT_EQ(attacked(chosen_strategy(one, request, true), one, request).epsilon, 0);
}

TEST(Attack, RefusesByName) {
  EXPECT_REFUSED("runs is 0", check(AuditRequest{.runs = 0}));
  EXPECT_REFUSED("canaries is 0", check(AuditRequest{.canaries = 0}));
  EXPECT_REFUSED("canaries is 20001, but must be an integer in [1, 20000]",
                 check(AuditRequest{.runs = 1000, .canaries = 20001}));
  EXPECT_NO_THROW(check(AuditRequest{.runs = 1000, .canaries = 20000}));
  EXPECT_REFUSED("delta is 1", check(AuditRequest{.delta = 1}));
  EXPECT_REFUSED("confidence is 1", check(AuditRequest{.confidence = 1}));
}

}  // namespace
}  // namespace dpbudget::fl
