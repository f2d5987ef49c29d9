#include "dpbudget/accounting/risk/calibrate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "accounting/random_event.h"
#include "dpbudget/accounting/plan/language.h"
#include "mechanisms/refused.h"

namespace dpbudget::risk {
namespace {

using testing::log_uniform;

solve::Solution solved(const std::string& plan, double tpr, double fpr, AccountantName name = AccountantName::best) {
  return for_true_positive_rate(parse_plan(plan), name, default_tolerance, tpr, fpr).value();
}

double most_at(const std::string& plan, double value, double fpr) {
  const Plan asked = parse_plan(plan);
  return true_positive_rate({substitute(asked.event, value), asked.adjacency}, AccountantName::best, default_tolerance,
                            fpr)
      .upper;
}

double above_quantile(double rate) { return quantile(complement(boost::math::normal(), rate)); }

// The likelihood-ratio test of a Gaussian: rates Q(z) and Q(z - 1/noise).
RC_GTEST_PROP(Calibration, OfAGaussianIsThatOfItsTest, ()) {
  const double fpr = *rc::gen::arbitrary<bool>() ? log_uniform(1e-6, 0.5) : 1 - log_uniform(0.05, 0.5);
  const double tpr = fpr + (1 - fpr) * log_uniform(0.02, 0.95);
  const double expected = 1 / (above_quantile(fpr) - above_quantile(tpr));
  const solve::Solution found = solved("gaussian(?)", tpr, fpr);
  RC_LOG() << tpr << " at " << fpr << ": " << found.value.value_or(0) << ", expected " << expected;
  RC_ASSERT(found.value.has_value());
  RC_ASSERT(std::abs(*found.value / expected - 1) < 1e-6);
  RC_ASSERT(*found.value >= expected * (1 - 1e-12));
  RC_ASSERT(found.at_value.upper <= tpr);
  RC_ASSERT(found.explanation == fmt::format("noise {} meets the limit", *found.value));
  RC_ASSERT(most_at("gaussian(?)", *found.value, fpr) <= tpr);
}

TEST(Calibration, FindsWholeNumbersWhoseNextDoesNotFit) {
  // Gaussians compose to a Gaussian.
  const double mean = above_quantile(0.01) - above_quantile(0.05);
  EXPECT_EQ(solved("? x gaussian(50)", 0.05, 0.01).value, std::floor(2500 * mean * mean));
  const double reports = solved("shuffle(?, rr(0.5))", 0.012, 0.01).value.value();
  EXPECT_LE(most_at("shuffle(?, rr(0.5))", reports, 0.01), 0.012);
  EXPECT_GT(most_at("shuffle(?, rr(0.5))", reports - 1, 0.01), 0.012);
}

TEST(Calibration, SaysByWhichLineOfDelta) {
  const solve::Solution found = solved("20 x laplace(?)", 0.05, 0.01);
  EXPECT_EQ(found.at_value.theorems.back(), "trade-off function by lines of delta: accounting/risk/proofs.md, 1.1");
  EXPECT_GT(found.at_value.theorems.size(), 1U);
}

TEST(Calibration, AnswersAtTheEndsOfTheRange) {
  for (const auto& [tpr, fpr] : {std::pair(1e-300, 1e-310), std::pair(0.5, 5e-324), std::pair(1 - 1e-12, 1 - 2e-12)}) {
    const solve::Solution found = solved("gaussian(?)", tpr, fpr);
    ASSERT_TRUE(found.value) << tpr << ' ' << fpr;
    EXPECT_LE(found.at_value.upper, tpr);
  }
  // Nearer to 1 than what is certain in a double.
  const solve::Solution none = solved("gaussian(?)", 1 - 2e-16, 1 - 4e-16);
  EXPECT_FALSE(none.value || none.every_value);
  EXPECT_NE(none.explanation.find("no noise was found"), std::string::npos) << none.explanation;
}

TEST(Calibration, FindsTheLargestBatchDrawnWithReplacement) {
  const std::string plan = "with_replacement(? of 5, gaussian(0.7))";
  const double draws = solved(plan, 0.2, 0.01).value.value();
  EXPECT_LE(most_at(plan, draws, 0.01), 0.2);
  EXPECT_GT(most_at(plan, draws + 1, 0.01), 0.2);
}

TEST(Calibration, FindsWhatIsSmallerWhereThereIsLess) {
  for (const std::string plan : {"1000 x poisson(0.01, gaussian(?))", "20 x laplace(?)"}) {
    const solve::Solution found = solved(plan, 0.05, 0.01);
    EXPECT_LE(most_at(plan, *found.value, 0.01), 0.05) << plan;
    EXPECT_GT(most_at(plan, *found.value * 0.9999, 0.01), 0.05) << plan;
  }
  const std::string rate = "1000 x poisson(?, gaussian(1))";
  const solve::Solution found = solved(rate, 0.02, 0.01);
  EXPECT_LE(most_at(rate, *found.value, 0.01), 0.02);
  EXPECT_GT(most_at(rate, *found.value * 1.0001, 0.01), 0.02);
}

// The other one leaves 0.0361 at 0.01, where Gaussians of noise 2 and of the value leave 0.05 together.
TEST(Calibration, TakesTheRestOfThePlanIntoAccount) {
  const double mean = above_quantile(0.01) - above_quantile(0.05);
  const solve::Solution found = solved("gaussian(2) + gaussian(?)", 0.05, 0.01);
  EXPECT_NEAR(*found.value, 1 / std::sqrt(mean * mean - 0.25), 1e-6);
  const solve::Solution none = solved("gaussian(2) + gaussian(?)", 0.03, 0.01);
  EXPECT_FALSE(none.value || none.every_value);
  EXPECT_EQ(none.explanation, "no noise was found at which the true-positive rate is proven to be at most 0.03");
  EXPECT_TRUE(solved("0 x gaussian(?)", 0.02, 0.01).every_value);
}

TEST(Calibration, OfAWeakerAccountantIsSafer) {
  const double exact = solved("gaussian(?)", 0.05, 0.01).value.value();
  EXPECT_GT(solved("gaussian(?)", 0.05, 0.01, AccountantName::renyi).value.value(), exact);
}

// Randomised response and Laplace noise have these at epsilon 0.
TEST(Calibration, ByAdvantageIsByTotalVariation) {
  const auto found = [](const char* plan, double most) {
    return for_advantage(parse_plan(plan), AccountantName::best, default_tolerance, most).value();
  };
  const solve::Solution response = found("rr(?) under replace_one", 0.1);
  EXPECT_NEAR(*response.value, std::log(1.1 / 0.9), 1e-9);
  EXPECT_LE(response.at_value.upper, 0.1);
  EXPECT_GE(response.at_value.lower, 0.0999);
  EXPECT_NEAR(*found("laplace(?)", 0.1).value, -0.5 / std::log(0.9), 1e-9);
  EXPECT_FALSE(found("gaussian(1) + laplace(?)", 0.1).value.has_value());
}

TEST(Calibration, RefusesByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double tpr : {0.01, 0.005, 1.0, nan}) EXPECT_REFUSED("tpr", solved("gaussian(?)", tpr, 0.01));
  for (const double fpr : {0.0, 1.0, nan}) EXPECT_REFUSED("fpr", solved("gaussian(?)", 0.05, fpr));
  EXPECT_THROW(solved("gaussian(1)", 0.05, 0.01), InvalidArgument);
  for (const double most : {0.0, 1.0, nan})
    EXPECT_REFUSED("advantage",
                   for_advantage(parse_plan("rr(?)"), AccountantName::best, default_tolerance, most).value());
}

}  // namespace
}  // namespace dpbudget::risk
