#include "dpbudget/accounting/concentrated/dpnfl.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::concentrated {
namespace {

using dpbudget::testing::log_uniform;

// The paper's own clients, records balanced: 600, 500 and 732 of them, one epoch of batches of 10 or 50 in tau steps.
Dpnfl mnist(double participations) { return {participations, 300, 1, 600, 10}; }
Dpnfl cifar10(double participations) { return {participations, 50, 1, 500, 50}; }
Dpnfl svhn(double participations) { return {participations, 50, 1, 732, 50}; }

constexpr double paper_epsilon = 0.3;
constexpr double paper_delta = 1e-2;

TEST(Dpnfl, IsLemmas4And3) {
  const TruncatedCdp tcdp = dpnfl_tcdp({100, 5, 1, 1000, 50}, 1);
  EXPECT_NEAR(tcdp.rho / (26 * 500 / 1e6), 1, 1e-14);
  EXPECT_NEAR(tcdp.omega / (2500 * std::log(20) / 8), 1, 1e-14);
}

RC_GTEST_PROP(Dpnfl, Theorem5IsOnePointOfTheConversion, ()) {
  const double records = *rc::gen::inRange(1000, 100000);
  const double batch = *rc::gen::inRange(1, 100);
  const Dpnfl training{static_cast<double>(*rc::gen::inRange(1, 1000)), static_cast<double>(*rc::gen::inRange(1, 100)),
                       log_uniform(1e-3, 1e3), records, batch};
  const double noise_std = training.gradient_bound / batch * log_uniform(4.5, 100);
  const auto [tcdp, epsilon, log_delta] = dpnfl_theorem5(training, noise_std);
  RC_PRE(log_delta > -700);
  RC_ASSERT(std::abs(tcdp_to_epsilon(tcdp.rho, tcdp.omega, std::exp(log_delta)) / epsilon - 1) < 1e-9);
  RC_ASSERT(std::abs(tcdp_to_log_delta(tcdp.rho, tcdp.omega, epsilon) / log_delta - 1) < 1e-9);
}

// Its two equations leave one noise for (0.3, 1e-2), and 0.137, 0.041 and 0.075 rounds of training (papers-audit.md,
// section 4). Epsilon grows with the noise and delta falls: from one round on, no noise meets both.
TEST(Dpnfl, Theorem5CannotCertifyThePapersSetting) {
  for (const auto& of : {mnist, cifar10, svhn})
    for (const double participations : {1, 2, 5, 20, 100}) {
      const Dpnfl training = of(participations);
      const double least_noise = std::sqrt(20) / training.batch * (1 + 1e-12);  // where a step's rho is 0.1
      double previous = 0;
      for (double factor = 1; factor < 1e6; factor *= 1.1) {
        const auto [tcdp, epsilon, log_delta] = dpnfl_theorem5(training, factor * least_noise);
        EXPECT_GT(epsilon, previous);
        EXPECT_GT(epsilon, paper_epsilon);
        previous = epsilon;
      }
    }
  // Where both hold with equality, omega is 32.193 and rho 0.004733, whatever the data.
  const double cost = -std::log(paper_delta);
  const double omega = 32.193;
  const double rho = cost / (omega - 1) / (omega - 1);
  EXPECT_NEAR(rho, 0.004733, 1e-6);
  EXPECT_NEAR(rho * (2 * omega - 1), paper_epsilon, 1e-5);
  const auto rounds = [&](const Dpnfl& one) {
    const TruncatedCdp tcdp = dpnfl_tcdp(one, 1e3);
    return rho * omega / (tcdp.rho * tcdp.omega);
  };
  EXPECT_NEAR(rounds(mnist(1)), 0.137, 5e-4);
  EXPECT_NEAR(rounds(cifar10(1)), 0.041, 5e-4);
  EXPECT_NEAR(rounds(svhn(1)), 0.075, 5e-4);
}

TEST(Dpnfl, TheDirectRouteGivesTheAuditsNoise) {
  struct {
    Dpnfl training;
    double noise_std;
  } const cases[] = {
      {mnist(1), 2.140},   {mnist(5), 4.784},   {mnist(10), 6.766},   {mnist(20), 9.569},
      {cifar10(1), 1.048}, {cifar10(5), 2.344}, {cifar10(10), 3.315}, {cifar10(20), 4.688},
      {svhn(1), 0.716},    {svhn(5), 1.601},    {svhn(10), 2.264},    {svhn(20), 3.202},
  };
  for (const auto& [training, noise_std] : cases)
    EXPECT_NEAR(dpnfl_noise_std(training, paper_epsilon, paper_delta), noise_std, 6e-4);
  // In proportion to the gradient bound.
  Dpnfl scaled = mnist(1);
  scaled.gradient_bound = 1e-3;
  EXPECT_NEAR(dpnfl_noise_std(scaled, paper_epsilon, paper_delta), 2.140e-3, 6e-7);
}

// Against a bisection, on both branches of the conversion.
RC_GTEST_PROP(Dpnfl, NoiseIsTheLeastThatMeetsTheTarget, ()) {
  const double batch = *rc::gen::inRange(1, 100);
  const Dpnfl training{static_cast<double>(*rc::gen::inRange(1, 50)), static_cast<double>(*rc::gen::inRange(1, 50)),
                       log_uniform(1e-3, 1e3), batch * *rc::gen::inRange(10, 1000), batch};
  const double epsilon = log_uniform(1e-3, 10);
  const double delta = log_uniform(1e-200, 0.5);
  const auto fits = [&](double noise_std) {
    const auto [rho, omega] = dpnfl_tcdp(training, noise_std);
    return tcdp_to_epsilon(rho, omega, delta) <= epsilon;
  };
  double low = training.gradient_bound / batch * std::sqrt(20) * (1 + 1e-12);
  if (fits(low)) {
    RC_ASSERT_THROWS_AS(dpnfl_noise_std(training, epsilon, delta), Unsupported);
    return;
  }
  const double found = dpnfl_noise_std(training, epsilon, delta);
  RC_ASSERT(fits(found));
  RC_ASSERT(!fits(found * (1 - 1e-9)));
}

TEST(Dpnfl, TheSecondBranchNeedsMoreNoiseThanTheFirst) {
  const Dpnfl training{1, 1, 1, 1000, 100};
  const double cost = 200 * std::log(10);
  const double first_rho = std::pow(std::sqrt(cost + 1) - std::sqrt(cost), 2);
  const double found = dpnfl_noise_std(training, 1, 1e-200);
  EXPECT_GT(found, 1.01 * std::sqrt(26 / first_rho) / 1000);
  const auto [rho, omega] = dpnfl_tcdp(training, found);
  EXPECT_LT((omega - 1) * (omega - 1) * rho, cost);
}

TEST(Dpnfl, NamesThePreconditionThatFails) {
  const auto refusal = [](const auto& ask) -> std::string {
    try {
      ask();
    } catch (const Unsupported& unsupported) {
      return unsupported.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const Dpnfl large_batch{1, 5, 1, 100, 11};
  EXPECT_TRUE(has(refusal([&] { dpnfl_theorem5(large_batch, 10); }), "sampling_rate <= 0.1"));
  EXPECT_TRUE(has(refusal([&] { dpnfl_noise_std(large_batch, 1, 1e-5); }), "sampling_rate <= 0.1"));
  const Dpnfl every_record{1, 5, 1, 100, 100};
  EXPECT_TRUE(has(refusal([&] { dpnfl_noise_std(every_record, 1, 1e-5); }), "sampling_rate <= 0.1"));
  EXPECT_TRUE(has(refusal([&] { dpnfl_theorem5(mnist(1), 0.4); }), "rho <= 0.1"));
  // So little noise would do that a step's rho exceeds 0.1.
  EXPECT_TRUE(has(refusal([&] { dpnfl_noise_std(mnist(1), 50, 1e-2); }), "rho <= 0.1"));
}

TEST(Dpnfl, RefusesBadInputByName) {
  const auto refuses = [](const Dpnfl& training, const std::string& name) {
    for (const bool solve : {false, true}) try {
        solve ? dpnfl_noise_std(training, 1, 1e-5) : dpnfl_theorem5(training, 1).epsilon;
        ADD_FAILURE() << name;
      } catch (const InvalidArgument& refusal) {
        EXPECT_EQ(std::string(refusal.what()).find(name + " is "), 0U) << refusal.what();
      }
  };
  for (const double bad : {0.0, -1.0, 1.5, 1e17, nan, infinity}) {
    refuses({bad, 5, 1, 1000, 10}, "participations");
    refuses({10, bad, 1, 1000, 10}, "local_steps");
    refuses({10, 5, 1, bad, 10}, "records");
    refuses({10, 5, 1, 1000, bad}, "batch");
  }
  refuses({10, 5, 1, 1000, 1001}, "batch");
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    refuses({10, 5, bad, 1000, 10}, "gradient_bound");
    EXPECT_THROW(dpnfl_theorem5(mnist(1), bad), InvalidArgument);
    EXPECT_THROW(dpnfl_noise_std(mnist(1), bad, 1e-5), InvalidArgument);
  }
  for (const double bad : {0.0, 1.0, nan}) EXPECT_THROW(dpnfl_noise_std(mnist(1), 1, bad), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::concentrated
