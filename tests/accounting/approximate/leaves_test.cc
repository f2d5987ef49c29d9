#include "dpbudget/accounting/approximate/leaves.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/approximate/reference.h"
#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/discrete_gaussian.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;
using testing::Precise;

RC_GTEST_PROP(GaussianLeaf, InvertsItsProfile, ()) {
  const double noise = log_uniform(0.05, 1e4);
  const double delta = log_uniform(1e-300, 0.5);
  const double epsilon = gaussian_curve(noise)->epsilon(delta);
  RC_ASSERT(profile::gaussian_log_delta(epsilon, noise) <= std::log(delta));
  RC_ASSERT(epsilon == 0 || profile::gaussian_log_delta(epsilon * (1 - 1e-9), noise) > std::log(delta) - 1e-12);
}

// accounting/approximate/proofs.md, 3.1
RC_GTEST_PROP(DiscreteGaussianLeaf, InvertsItsProfile, ()) {
  const double noise = log_uniform(0.1, 1000);
  const double delta = log_uniform(1e-30, 0.1);
  const double epsilon = discrete_gaussian_curve(noise)->epsilon(delta);
  RC_ASSERT(profile::discrete_gaussian_log_delta(epsilon, noise, 1) <= std::log(delta));
  // Exact up to a noise of 100; beyond, a few percent of delta are given away.
  const double loss = noise <= 100 ? 1e-8 : 0.1;
  RC_ASSERT(epsilon < 1e-6 ||
            profile::discrete_gaussian_log_delta(epsilon * (1 - 1e-8), noise, 1) > std::log(delta) - loss);
}

RC_GTEST_PROP(LaplaceLeaf, InvertsItsProfile, ()) {
  const double scale = log_uniform(0.01, 1e4);
  const double delta = log_uniform(1e-20, 0.9);
  const double epsilon = laplace_curve(scale)->epsilon(delta);
  const Precise truth = 1 / Precise(scale) + 2 * boost::math::log1p(Precise(-delta));
  RC_ASSERT(epsilon >= truth);
  RC_ASSERT(epsilon <= std::max(0.0, static_cast<double>(truth)) + 1e-13 / scale + 1e-13);
}

RC_GTEST_PROP(ResponseLeaves, InvertTheirProfiles, ()) {
  const double parameter = log_uniform(1e-6, 20);
  const int categories = *rc::gen::inRange(2, 50);
  const double failing = log_uniform(1e-12, 0.1);
  const double delta = log_uniform(1e-15, 0.9);
  const Precise odds = exp(Precise(parameter));
  const auto least = [&](const Precise& left, int others) {
    const Precise power = odds - left * (odds + others);
    return power > 1 ? log(power) : Precise(0);
  };
  const auto holds = [](double epsilon, const Precise& truth) { return epsilon >= truth && epsilon <= truth + 1e-12; };
  RC_ASSERT(holds(randomized_response_curve(parameter, categories)->epsilon(delta), least(delta, categories - 1)));
  RC_ASSERT(holds(approximate_dp_curve(parameter, 0)->epsilon(delta), least(delta, 1)));
  const double epsilon = approximate_dp_curve(parameter, failing)->epsilon(delta);
  if (delta < failing) {
    RC_ASSERT(epsilon == infinity);
  } else {
    RC_ASSERT(holds(epsilon, least((Precise(delta) - failing) / (1 - Precise(failing)), 1)));
  }
}

TEST(Leaves, AnswerAtTheEdges) {
  EXPECT_EQ(gaussian_curve(1)->epsilon(0), infinity);
  EXPECT_EQ(gaussian_curve(1e-200)->epsilon(0.1), infinity);
  EXPECT_EQ(gaussian_curve(1e10)->epsilon(0.1), 0);
  EXPECT_TRUE(std::isfinite(gaussian_curve(1)->epsilon(5e-324)));
  EXPECT_EQ(discrete_gaussian_curve(1)->epsilon(0), infinity);
  EXPECT_EQ(discrete_gaussian_curve(1e10)->epsilon(0.1), 0);
  EXPECT_TRUE(std::isfinite(discrete_gaussian_curve(0.01)->epsilon(1e-10)));
  EXPECT_NEAR(laplace_curve(2)->epsilon(0), 0.5, 1e-14);
  EXPECT_EQ(approximate_dp_curve(1, 0.1)->epsilon(0.1), 1);
  EXPECT_EQ(approximate_dp_curve(1, 1)->epsilon(0.9), infinity);
  EXPECT_EQ(approximate_dp_curve(1, 0.1)->least_delta(), 0.1);
  EXPECT_EQ(randomized_response_curve(0, 2)->epsilon(0), 0);
}

TEST(Leaves, RefuseWhatIsOutOfRange) {
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(gaussian_curve(bad), InvalidArgument);
    EXPECT_THROW(discrete_gaussian_curve(bad), InvalidArgument);
    EXPECT_THROW(laplace_curve(bad), InvalidArgument);
    EXPECT_THROW(randomized_response_curve(bad, 2), InvalidArgument);
    EXPECT_THROW(approximate_dp_curve(bad, 0), InvalidArgument);
    EXPECT_THROW(approximate_dp_curve(1, bad), InvalidArgument);
  }
  EXPECT_THROW(randomized_response_curve(1, 1), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::approximate
