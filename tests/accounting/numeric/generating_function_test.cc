#include "dpbudget/accounting/numeric/generating_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::numeric {
namespace {

// Probabilities of 0, 1, ... by their ratios, until what is left is nothing.
struct CountLaw {
  std::vector<long double> masses;
  long double at(long double s) const {
    long double sum = 0;
    for (std::size_t k = masses.size(); k-- > 0;) sum = sum * s + masses[k];
    return sum;
  }
};

CountLaw poisson_law(long double mean) {
  CountLaw law{{std::exp(-mean)}};
  for (int k = 1; k < 4000; ++k) law.masses.push_back(law.masses.back() * mean / k);
  return law;
}

CountLaw negative_binomial_law(long double eta, long double gamma) {
  // From the first, whose weight is eta (1 - gamma), or 1 - gamma in the limit.
  std::vector<long double> weights{0, 1 - gamma};
  long double sum = weights.back();
  for (int k = 2; k < 60000; ++k) {
    weights.push_back(weights.back() * (1 - gamma) * (eta + k - 1) / k);
    sum += weights.back();
  }
  for (long double& weight : weights) weight /= sum;
  return {weights};
}

struct Case {
  GeneratingFunction function;
  CountLaw law;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const double mean : {0.01, 0.7, 10.0, 300.0})
    all.push_back({GeneratingFunction::poisson(mean), poisson_law(mean)});
  for (const auto& [eta, gamma] : {std::pair{1.0, 0.1}, std::pair{0.0, 0.02}, std::pair{-0.5, 0.01},
                                   std::pair{-0.95, 0.2}, std::pair{2.5, 0.05}, std::pair{1e-9, 0.3}})
    all.push_back({GeneratingFunction::negative_binomial(eta, gamma), negative_binomial_law(eta, gamma)});
  return all;
}

// accounting/numeric/proofs.md, 6.1
TEST(GeneratingFunction, DifferencesAreSumsOfTheLaw) {
  for (const Case& each : cases()) {
    long double mean = 0;
    for (std::size_t k = 1; k < each.law.masses.size(); ++k) mean += static_cast<long double>(k) * each.law.masses[k];
    EXPECT_NEAR(each.function.mean() / static_cast<double>(mean), 1, 1e-11);
    EXPECT_NEAR(each.function.at_zero(), static_cast<double>(each.law.masses[0]), 1e-15);
    for (const double outside : {0.0, 1e-3, 0.1, 0.6})
      for (const double a : {1e-3, 0.05, 0.2})
        for (const double b : {2e-3, 0.07, 0.15}) {
          const long double s = 1 - static_cast<long double>(outside);
          const auto first = static_cast<double>(each.law.at(s) - each.law.at(s - a));
          EXPECT_NEAR(each.function.difference(outside, a), first, 1e-11 * first + 1e-17);
          const auto second = static_cast<double>((each.law.at(s) - each.law.at(s - a)) -
                                                  (each.law.at(s - b) - each.law.at(s - a - b)));
          EXPECT_NEAR(each.function.second_difference(outside, a, b), second, 1e-10 * second + 1e-16)
              << outside << " " << a << " " << b;
        }
    for (const double s : {0.0, 1e-6, 0.3, 1.0}) {
      const auto from_zero = static_cast<double>(each.law.at(s) - each.law.at(0));
      EXPECT_NEAR(each.function.from_zero(s), from_zero, 1e-11 * from_zero + 1e-18);
    }
  }
}

// By differences of differences, of a step that both can afford.
// accounting/numeric/proofs.md, 6.2
TEST(GeneratingFunction, GrowthIsThatOfDifferences) {
  constexpr double step = 1e-4;
  for (const Case& each : cases()) {
    const auto log_slope = [&](double near, double far) {
      return std::log(each.function.second_difference(near, far - near, step));
    };
    double before = 0;
    for (const double near : {0.7, 0.4, 0.1, 0.01}) {
      const double far = near + 0.2;
      const double growth = each.function.growth_between(near, far);
      // second_difference(near, width, step) is G'(1 - near) - G'(1 - far), but for the step.
      const double numeric = (log_slope(near, far) - log_slope(near + step, far + step)) / step;
      EXPECT_NEAR(growth / numeric, 1, 0.02 * (1 + growth * step * 100));
      EXPECT_GE(growth, before * (1 - 1e-12));
      EXPECT_LE(each.function.growth(far), growth * (1 + 1e-12));
      EXPECT_GE(each.function.growth(near), growth * (1 - 1e-12));
      EXPECT_LE(each.function.growth_between(near, 2), growth * (1 + 1e-12));
      EXPECT_NEAR(each.function.growth_between(near, near * (1 + 1e-9)) / each.function.growth(near), 1, 1e-5);
      before = growth;
    }
    EXPECT_NEAR(each.function.log_growth_to(0.3),
                std::log(each.function.second_difference(0.7, step, step) /
                         each.function.second_difference(1 - 2 * step, step, step)),
                0.05 + each.function.growth(0.7) * 3 * step);
  }
}

TEST(GeneratingFunction, RefusesBadNumbersByName) {
  EXPECT_THROW(GeneratingFunction::poisson(0), InvalidArgument);
  EXPECT_THROW(GeneratingFunction::poisson(std::nan("")), InvalidArgument);
  EXPECT_THROW(GeneratingFunction::negative_binomial(-1, 0.5), InvalidArgument);
  EXPECT_THROW(GeneratingFunction::negative_binomial(1, 1), InvalidArgument);
  EXPECT_THROW(GeneratingFunction::negative_binomial(std::nan(""), 0.5), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::numeric
