#include "dpbudget/fl/audit/estimate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/mechanisms/random.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

double binomial_mass(std::uint64_t n, std::uint64_t k, double p) {
  const auto log_ways = std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(k) + 1) -
                        std::lgamma(static_cast<double>(n - k) + 1);
  return std::exp(log_ways + static_cast<double>(k) * std::log(p) + static_cast<double>(n - k) * std::log1p(-p));
}

TEST(AuditEstimate, IntervalsEndWhereTheTailIsTheError) {
  const RateInterval found = clopper_pearson(3, 20, 0.05);
  double above = 0;
  double below = 0;
  for (std::uint64_t k = 3; k <= 20; ++k) above += binomial_mass(20, k, found.lower);
  for (std::uint64_t k = 0; k <= 3; ++k) below += binomial_mass(20, k, found.upper);
  EXPECT_NEAR(above, 0.05, 1e-9);
  EXPECT_NEAR(below, 0.05, 1e-9);
  EXPECT_EQ(clopper_pearson(0, 20, 0.05).lower, 0);
  EXPECT_EQ(clopper_pearson(20, 20, 0.05).upper, 1);
  EXPECT_NEAR(clopper_pearson(0, 20, 0.05).upper, 1 - std::pow(0.05, 1.0 / 20), 1e-12);
}

// fl/audit/proofs.md, 1.1
TEST(AuditEstimate, TestsGiveTheLargerOfBothRatios) {
  const TestCounts counts{.in = 1000, .in_called_in = 400, .out = 1000, .out_called_in = 10};
  const double in = clopper_pearson(400, 1000, 0.025).lower;
  const double out = clopper_pearson(10, 1000, 0.025).upper;
  EXPECT_DOUBLE_EQ(epsilon_of_test(counts, 0.01, 0.95), std::log((in - 0.01) / out));
  const TestCounts mirrored{.in = 1000, .in_called_in = 990, .out = 1000, .out_called_in = 600};
  EXPECT_NEAR(epsilon_of_test(mirrored, 0.01, 0.95), epsilon_of_test(counts, 0.01, 0.95), 1e-9);
  EXPECT_EQ(epsilon_of_test({.in = 10, .in_called_in = 5, .out = 10, .out_called_in = 5}, 0, 0.95), 0);
}

// fl/audit/proofs.md, 1.2: by the sums that the theorem has, term by term.
TEST(AuditEstimate, GuessesHaveTheTheoremsPValue) {
  const GuessCounts counts{.canaries = 60, .guesses = 30, .correct = 26};
  const double epsilon = 1.2;
  const double delta = 1e-3;
  const double right = 1 / (1 + std::exp(-epsilon));
  double beta = 0;
  for (std::uint64_t k = 26; k <= 30; ++k) beta += binomial_mass(30, k, right);
  double alpha = 0;
  for (std::uint64_t i = 1; i <= 60; ++i) {
    double between = 0;
    for (std::uint64_t k = i > 26 ? 0 : 26 - i; k < 26; ++k) between += binomial_mass(30, k, right);
    alpha = std::max(alpha, between / static_cast<double>(i));
  }
  EXPECT_NEAR(guesses_p_value(counts, epsilon, delta), beta + 2 * 60 * delta * alpha, 1e-12);
  EXPECT_NEAR(guesses_p_value(counts, epsilon, 0), beta, 1e-12);
}

// What the paper's own program gives for m = r = v = 100 at 95 %.
TEST(AuditEstimate, AllGuessesRightGiveTheEpsilonOfThatPower) {
  const double found = epsilon_of_guesses({.canaries = 100, .guesses = 100, .correct = 100}, 0, 0.95);
  const double right = std::pow(0.05, 1.0 / 100);
  EXPECT_NEAR(found, std::log(right / (1 - right)), 1e-6);
  EXPECT_EQ(epsilon_of_guesses({.canaries = 100, .guesses = 100, .correct = 50}, 0, 0.95), 0);
  EXPECT_EQ(epsilon_of_guesses({.canaries = 100, .guesses = 0, .correct = 0}, 0, 0.95), 0);
}

RC_GTEST_PROP(AuditEstimate, FallsWithDeltaAndConfidence, ()) {
  const auto guesses = *rc::gen::inRange<std::uint64_t>(1, 500);
  const auto correct = *rc::gen::inRange<std::uint64_t>(0, guesses + 1);
  const GuessCounts counts{.canaries = 2 * guesses, .guesses = guesses, .correct = correct};
  const double most = epsilon_of_guesses(counts, 1e-6, 0.9);
  // fl/audit/proofs.md, 1.2: what is returned is refuted itself, whatever the p-value does below it.
  RC_ASSERT(most == 0 || guesses_p_value(counts, most, 1e-6) < 0.1);
  RC_ASSERT(epsilon_of_guesses(counts, 1e-3, 0.9) <= most + 1e-9);
  RC_ASSERT(epsilon_of_guesses(counts, 1e-6, 0.99) <= most + 1e-9);
  const TestCounts test{.in = guesses, .in_called_in = correct, .out = guesses, .out_called_in = guesses - correct};
  RC_ASSERT(epsilon_of_test(test, 1e-3, 0.9) <= epsilon_of_test(test, 1e-6, 0.9));
  RC_ASSERT(epsilon_of_test(test, 1e-6, 0.99) <= epsilon_of_test(test, 1e-6, 0.9));
}

// fl/audit/proofs.md, 1.1 and 1.3: randomised response is exactly epsilon-DP, and both bounds may be above its epsilon
// in a tenth of the audits. At 90 % of 1000 audits, more than 130 have a probability below 1e-3.
TEST(AuditEstimate, IsAboveTheTruthAsRarelyAsItSays) {
  const double epsilon = 1;
  mechanisms::Stream stream({7, mechanisms::Purpose::local_randomness, 0, 0, 0});
  int tests_above = 0;
  int guesses_above = 0;
  for (int audit = 0; audit < 1000; ++audit) {
    TestCounts test;
    GuessCounts guesses{.canaries = 200, .guesses = 200, .correct = 0};
    for (int canary = 0; canary < 200; ++canary) {
      const bool is_in = stream.below(2) == 1;
      const bool is_right = stream.uniform() < 1 / (1 + std::exp(-epsilon));
      (is_in ? test.in : test.out) += 1;
      (is_in ? test.in_called_in : test.out_called_in) += is_right == is_in ? 1 : 0;
      guesses.correct += is_right ? 1 : 0;
    }
    tests_above += epsilon_of_test(test, 0, 0.9) > epsilon ? 1 : 0;
    guesses_above += epsilon_of_guesses(guesses, 0, 0.9) > epsilon ? 1 : 0;
  }
  EXPECT_LE(tests_above, 130);
  EXPECT_LE(guesses_above, 130);
  EXPECT_GE(guesses_above, 40);  // a bound that is never above is no sharp one
}

TEST(AuditEstimate, RefusesByName) {
  EXPECT_REFUSED("trials is 0", clopper_pearson(0, 0, 0.1));
  EXPECT_REFUSED("successes is 3", clopper_pearson(3, 2, 0.1));
  EXPECT_REFUSED("error is 1", clopper_pearson(1, 2, 1));
  EXPECT_REFUSED("delta is 1", epsilon_of_guesses({10, 5, 5}, 1, 0.9));
  EXPECT_REFUSED("confidence is 0", epsilon_of_guesses({10, 5, 5}, 0, 0));
  EXPECT_REFUSED("guesses is 11", epsilon_of_guesses({10, 11, 5}, 0, 0.9));
  EXPECT_REFUSED("correct is 6", epsilon_of_guesses({10, 5, 6}, 0, 0.9));
  EXPECT_REFUSED("epsilon is -1", guesses_p_value({10, 5, 5}, -1, 0));
}

}  // namespace
}  // namespace dpbudget::fl
