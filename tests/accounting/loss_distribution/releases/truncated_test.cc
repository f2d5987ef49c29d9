#include "dpbudget/accounting/loss_distribution/releases/truncated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

Bound delta_told_by(AccountantName name, const std::string& plan, double epsilon) {
  return make_accountant(name, parse_plan(plan), 1e-4).value()->delta(1, epsilon).value().bound;
}

using Law = std::map<double, double>;  // of a batch's sum

// Every subset of the records, and of it every batch.
Law sums(const std::vector<double>& records, double rate, int places) {
  Law law;
  const auto number = static_cast<unsigned>(records.size());
  const auto size = [](unsigned subset) { return std::popcount(subset); };
  const auto sum = [&](unsigned subset) {
    double all = 0;
    for (unsigned i = 0; i < number; ++i) all += (subset >> i & 1U) != 0 ? records[i] : 0;
    return all;
  };
  for (unsigned drawn = 0; drawn < 1U << number; ++drawn) {
    const double probability = std::pow(rate, size(drawn)) * std::pow(1 - rate, static_cast<int>(number) - size(drawn));
    std::vector<unsigned> kept;
    for (unsigned batch = 0; batch < 1U << number; ++batch)
      if ((batch & ~drawn) == 0 && size(batch) == std::min(places, size(drawn))) kept.push_back(batch);
    for (const unsigned batch : kept) law[sum(batch)] += probability / static_cast<double>(kept.size());
  }
  return law;
}

// Of what is released with noise: the trapezoidal rule, which is exact to rounding but for where the integrand begins.
double hockey_stick(const Law& p, const Law& q, double noise, double epsilon) {
  constexpr double step = 1e-3;
  const auto density = [&](const Law& law, double x) {
    double all = 0;
    for (const auto& [mean, weight] : law) all += weight * std::exp(-std::pow((x - mean) / noise, 2) / 2);
    return all / (noise * std::sqrt(2 * std::numbers::pi));
  };
  double all = 0;
  for (double x = -25; x <= 25; x += step)
    all += step * std::max(0.0, density(p, x) - std::exp(epsilon) * density(q, x));
  return all;
}

struct Case {
  double rate;
  int places;
  int records;
  double noise;
  double epsilon;
};

std::string plan_of(const Case& given) {
  return "truncated_poisson(" + std::to_string(given.rate) + ", " + std::to_string(given.places) + " of " +
         std::to_string(given.records) + ", gaussian(" + std::to_string(given.noise) + "))";
}

// The most that data sets tell whose other records are each -1, 0 or 1 and whose record is 1.
double most_told(const Case& given) {
  double most = 0;
  const int others = given.records - 1;
  for (int below = 0; below <= others; ++below)
    for (int above = 0; below + above <= others; ++above) {
      std::vector<double> records(static_cast<std::size_t>(others), 0);
      std::fill_n(records.begin(), below, -1);
      std::fill_n(records.rbegin(), above, 1);
      const Law without = sums(records, given.rate, given.places);
      records.push_back(1);
      const Law with = sums(records, given.rate, given.places);
      most = std::max({most, hockey_stick(with, without, given.noise, given.epsilon),
                       hockey_stick(without, with, given.noise, given.epsilon)});
    }
  return most;
}

// accounting/plan/proofs.md, 5.1, 5.2 and 5.3
TEST(Truncated, CostsNoLessThanTinyDataSetsTell) {
  for (const Case& given :
       {Case{0.5, 1, 3, 1, 0.5}, Case{0.2, 2, 4, 0.7, 1}, Case{0.9, 2, 3, 2, 0}, Case{0.9, 3, 4, 1, 2}}) {
    const double told = most_told(given);
    for (const AccountantName name :
         {AccountantName::loss_distribution, AccountantName::renyi, AccountantName::approximate}) {
      const Bound found = delta_told_by(name, plan_of(given), given.epsilon);
      EXPECT_GE(found.upper, told - 1e-6) << plan_of(given) << " by " << to_string(name);
      EXPECT_LE(found.lower, told + 1e-6) << plan_of(given) << " by " << to_string(name);
    }
  }
}

TEST(Truncated, IsAttainedWhereOthersAlwaysFillTheBatch) {
  for (const Case& given : {Case{1, 1, 2, 1, 0.5}, Case{1, 2, 4, 0.7, 1}, Case{1, 3, 4, 2, 0}})
    EXPECT_NEAR(delta_told_by(AccountantName::loss_distribution, plan_of(given), given.epsilon).upper, most_told(given),
                2e-5)
        << plan_of(given);
}

TEST(Truncated, IsAPoissonSampleWhereTheBatchIsHardlyEverFilled) {
  const auto epsilon_of = [](const char* text) {
    return make_accountant(AccountantName::best, parse_plan(text), 1e-3).value()->epsilon(1, 1e-6).value();
  };
  const Bound sampled = epsilon_of("1000 x poisson(0.01, gaussian(1))");
  const Bound roomy = epsilon_of("1000 x truncated_poisson(0.01, 1500 of 100000, gaussian(1))");
  EXPECT_NEAR(roomy.upper, sampled.upper, 2e-4);
  EXPECT_NEAR(roomy.lower, sampled.lower, 2e-4);
  EXPECT_EQ(epsilon_of("1000 x truncated_poisson(0.01, 100 of 100, gaussian(1))").upper, sampled.upper);
  // The event of dp_accounting 0.6 costs 14.2092 on a mesh of 1e-3: it moves both data sets.
  EXPECT_LE(epsilon_of("500 x truncated_poisson(0.04, 50 of 1000, gaussian(1))").upper, 13.63);
}

TEST(Truncated, ComposesAndHoldsCompositions) {
  const auto bracket = [](AccountantName name, const std::string& text) {
    return make_accountant(name, parse_plan(text), 1e-3).value()->epsilon(1, 1e-5).value();
  };
  const std::string sample = "truncated_poisson(0.3, 2 of 5, 2 x rr(0.5) + laplace(3))";
  for (const std::string& plan : {sample, "10 x " + sample, sample + " + gaussian(2)"}) {
    const Bound meshes = bracket(AccountantName::loss_distribution, plan);
    const Bound renyi = bracket(AccountantName::renyi, plan);
    const Bound best = bracket(AccountantName::best, plan);
    EXPECT_LE(meshes.lower, renyi.upper) << plan;
    EXPECT_LE(best.upper, std::min(meshes.upper, renyi.upper) * (1 + 1e-12)) << plan;
    EXPECT_LT(meshes.lower, meshes.upper) << plan;
    EXPECT_LE(meshes.lower, bracket(AccountantName::approximate, plan).upper) << plan;
  }
  EXPECT_NEAR(bracket(AccountantName::loss_distribution, "2 x " + sample).upper,
              bracket(AccountantName::loss_distribution, sample + " + " + sample).upper, 1e-9);
  // A guarantee's two cases: log(1 + 0.25 (e^2 - 1)).
  EXPECT_NEAR(make_accountant(AccountantName::best, parse_plan("truncated_poisson(0.5, 1 of 2, pure(1))"), 1e-3)
                  .value()
                  ->epsilon(1, 0)
                  .value()
                  .upper,
              std::log1p(0.25 * std::expm1(2)), 1e-9);
}

TEST(Truncated, IsRefusedByNameWhereNothingIsKnown) {
  for (const char* plan : {"truncated_poisson(0.5, 1 of 2, gaussian(1)) under replace_one",
                           "truncated_poisson(0.5, 1 of 2, gaussian(1)) under zero_out_one",
                           "truncated_poisson(0.5, 1 of 2, poisson(0.5, gaussian(1)))",
                           "truncated_poisson(0.5, 1 of 2, discrete_gaussian(1))"}) {
    const auto found = make_accountant(AccountantName::loss_distribution, parse_plan(plan), 1e-3);
    ASSERT_FALSE(found) << plan;
    EXPECT_NE(found.error().text().find("has no theorem for"), std::string::npos) << found.error().text();
  }
  EXPECT_TRUE(
      make_accountant(AccountantName::renyi, parse_plan("truncated_poisson(0.5, 1 of 2, discrete_gaussian(1))"), 1e-3));
  EXPECT_THROW(parse_plan("truncated_poisson(0.5, ? of 2, gaussian(1))"), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
