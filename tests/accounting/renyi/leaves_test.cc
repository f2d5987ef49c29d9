// Gaussian, Laplace, randomised response and pure DP against their moments in high precision.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "accounting/renyi/reference.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {
namespace {

using testing::MorePrecise;

double random_order() { return 1 + dpbudget::testing::log_uniform(1e-7, 1e4); }

double relative(double value, const MorePrecise& truth) {
  return static_cast<double>(abs((MorePrecise(value) - truth) / truth));
}

MorePrecise laplace_truth(double order, double scale) {
  const MorePrecise a = order;
  const MorePrecise u = 1 / MorePrecise(scale);
  return log(a / (2 * a - 1) * exp((a - 1) * u) + (a - 1) / (2 * a - 1) * exp(-a * u)) / (a - 1);
}

MorePrecise response_truth(double order, const MorePrecise& p) {
  const MorePrecise a = order;
  return log(pow(p, a) * pow(1 - p, 1 - a) + pow(1 - p, a) * pow(p, 1 - a)) / (a - 1);
}

RC_GTEST_PROP(Laplace, AgreesWithItsMoment, ()) {
  const double order = random_order();
  const double scale = dpbudget::testing::log_uniform(1e-3, 1e6);
  const MorePrecise truth = laplace_truth(order, scale);
  RC_ASSERT(relative(renyi::laplace(order, scale), truth) < 1e-12);
  RC_ASSERT((*laplace_curve(scale))(order) >= truth);
}

RC_GTEST_PROP(Pure, AgreesWithItsMomentAndBoundsWithRounding, ()) {
  const double order = random_order();
  const double epsilon = dpbudget::testing::log_uniform(1e-8, 50);
  const MorePrecise odds = exp(MorePrecise(epsilon));
  const MorePrecise truth = response_truth(order, odds / (1 + odds));
  RC_ASSERT(relative(pure(order, epsilon), truth) < 1e-12);
  RC_ASSERT((*pure_curve(epsilon))(order) >= truth * (1 - 1e-30));
}

RC_GTEST_PROP(RandomizedResponse, AgreesWithItsMomentNextToOneHalfToo, ()) {
  const double order = random_order();
  const double p = *rc::gen::arbitrary<bool>() ? 0.5 + dpbudget::testing::log_uniform(1e-12, 0.4)
                                               : 1 - dpbudget::testing::log_uniform(1e-15, 0.4);
  RC_ASSERT(relative(randomized_response(order, p), response_truth(order, MorePrecise(p))) < 1e-11);
}

// accounting/renyi/proofs.md, 3.1
RC_GTEST_PROP(RandomizedResponse, OfManyCategoriesIsItsSumOverOutputs, ()) {
  const double order = random_order();
  const double epsilon = dpbudget::testing::log_uniform(1e-3, 5);
  const auto categories = static_cast<std::uint64_t>(*rc::gen::inRange(2, 40));
  const MorePrecise a = order;
  const MorePrecise odds = exp(MorePrecise(epsilon));
  const MorePrecise others = static_cast<double>(categories - 1);
  const MorePrecise truth_probability = odds / (odds + others);
  const MorePrecise lie = 1 / (odds + others);
  const MorePrecise moment =
      pow(truth_probability, a) * pow(lie, 1 - a) + pow(lie, a) * pow(truth_probability, 1 - a) + (others - 1) * lie;
  const MorePrecise truth = log(moment) / (a - 1);
  const double upper = (*randomized_response_curve(epsilon, categories))(order);
  RC_ASSERT(upper >= truth);
  RC_ASSERT(relative(upper, truth) < 1e-10);
}

// accounting/plan/proofs.md, 7.1, and accounting/renyi/proofs.md, 3.1 and 5.2, by every output
RC_GTEST_PROP(ToldResponseCurves, AreSumsOverOutputs, ()) {
  const double order = random_order();
  const double epsilon = dpbudget::testing::log_uniform(1e-2, 5);
  const double rate = dpbudget::testing::log_uniform(1e-2, 1);
  const ToldResponse response = told_response(SubsetSelection{epsilon, 7, 3});
  const MorePrecise a = order;
  const MorePrecise odds = exp(MorePrecise(epsilon));
  const MorePrecise told = MorePrecise(12) * (odds + 1) / (6 * (3 * odds + 4));
  const MorePrecise q = rate;
  const auto moment = [&](const MorePrecise& ratio_of_one, const MorePrecise& ratio_of_other,
                          const MorePrecise& p) -> MorePrecise {
    return told * (pow(ratio_of_one, p) / (odds + 1) + pow(ratio_of_other, p) * odds / (odds + 1)) + 1 - told;
  };
  const auto agrees = [&](double upper, const MorePrecise& m) {
    const MorePrecise truth = log(m) / (a - 1);
    RC_ASSERT(upper >= truth);
    RC_ASSERT(relative(upper, truth) < 1e-9);
  };
  agrees((*told_response_curve(response))(order), moment(odds, 1 / odds, a));
  const MorePrecise up = 1 - q + q * odds;
  const MorePrecise down = 1 - q + q / odds;
  agrees((*poisson_told_response_curve(rate, response))(order), std::max(moment(up, down, a), moment(up, down, 1 - a)));
}

TEST(Laplace, HasItsLimits) {
  EXPECT_DOUBLE_EQ(laplace(1, 2), 0.5 + std::exp(-0.5) - 1);
  EXPECT_DOUBLE_EQ(laplace(infinity, 4), 0.25);
  EXPECT_NEAR(laplace(1 + 1e-9, 3), laplace(1, 3), 1e-9);
}

TEST(Pure, HasItsLimits) {
  EXPECT_DOUBLE_EQ(pure(1, 2), 2 * std::tanh(1.0));
  EXPECT_EQ(pure(infinity, 2), 2);
  EXPECT_EQ(pure(3, 0), 0);
  EXPECT_DOUBLE_EQ(randomized_response(infinity, 0.25), std::log(3));
}

TEST(Leaves, RefuseBadInputByName) {
  const auto refuses = [](const std::string& name, auto&& call) {
    try {
      call();
      ADD_FAILURE() << "accepted a bad " << name;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(std::string(error.what()).find(name + " is "), 0U) << error.what();
    }
  };
  for (const double order : {0.999, 0.0, -1.0, nan}) {
    refuses("order", [&] { gaussian(order, 1); });
    refuses("order", [&] { laplace(order, 1); });
    refuses("order", [&] { pure(order, 1); });
    refuses("order", [&] { randomized_response(order, 0.6); });
  }
  refuses("order", [] { gaussian(infinity, 1); });
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    refuses("noise_multiplier", [&] { gaussian(2, bad); });
    refuses("scale", [&] { laplace(2, bad); });
    refuses("scale", [&] { laplace_curve(bad); });
  }
  for (const double bad : {-1.0, nan, infinity}) refuses("epsilon", [&] { pure(2, bad); });
  for (const double bad : {0.0, 1.0, -0.5, 1.5, nan})
    refuses("truth_probability", [&] { randomized_response(2, bad); });
}

}  // namespace
}  // namespace dpbudget::renyi
