#include "dpbudget/mechanisms/number_of_trials.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <vector>

#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

Trials poisson(double mean) { return {Trials::Poisson{mean}}; }
Trials negative_binomial(double eta, double gamma) { return {Trials::NegativeBinomial{eta, gamma}}; }

// The law by its definition, (1 - gamma)^k Gamma(k + eta) / k! divided by the sum; what is missing is in the last.
std::vector<double> law_of(const Trials& trials) {
  constexpr int most = 4000;
  std::vector<double> law{0};
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law)) {
    const boost::math::poisson distribution(poisson->mean.value());
    law.clear();
    for (int k = 0; k <= most; ++k) law.push_back(pdf(distribution, k));
    return law;
  }
  const auto& [eta, gamma] = std::get<Trials::NegativeBinomial>(trials.law);
  double sum = 0;
  for (int k = 1; k <= most; ++k) {
    law.push_back(std::exp(k * std::log1p(-gamma) + std::lgamma(k + eta) - std::lgamma(k + 1.0)));
    sum += law.back();
  }
  for (double& probability : law) probability /= sum;
  return law;
}

const std::vector<Trials> several = {poisson(0.3),
                                     poisson(10),
                                     poisson(1203.5),
                                     geometric(0.1),
                                     geometric(0.99),
                                     negative_binomial(0, 0.05),
                                     negative_binomial(1e-9, 0.05),
                                     negative_binomial(-0.5, 0.02),
                                     negative_binomial(40, 0.3)};

TEST(NumberOfTrials, HasItsLaw) {
  for (std::size_t i = 0; i < several.size(); ++i) {
    const std::vector<double> law = law_of(several[i]);
    std::vector<std::uint64_t> counts(law.size(), 0);
    Stream draws = stream_of(17, i);
    for (int draw = 0; draw < 100000; ++draw) {
      const std::uint64_t number = number_of_trials(several[i], draws);
      ASSERT_LT(number, counts.size());
      ++counts[number];
    }
    EXPECT_GT(goodness_of_fit(counts, law), 1e-6) << to_text(several[i]);
  }
}

TEST(NumberOfTrials, KnowsItsMean) {
  for (const Trials& trials : several) {
    double mean = 0;
    const std::vector<double> law = law_of(trials);
    for (std::size_t k = 0; k < law.size(); ++k) mean += static_cast<double>(k) * law[k];
    EXPECT_NEAR(mean_number(trials) / mean, 1, 1e-10) << to_text(trials);
  }
}

TEST(NumberOfTrials, IsNoneOfPoissonMeanZero) {
  Stream draws = stream_of(17, 50);
  EXPECT_EQ(number_of_trials(poisson(0), draws), 0U);
}

TEST(NumberOfTrials, RefusesWhatIsNoLaw) {
  const auto draw = [](const Trials& trials) {
    Stream draws = stream_of(17, 0);
    return number_of_trials(trials, draws);
  };
  EXPECT_REFUSED("mean", draw(poisson(-1)));
  EXPECT_REFUSED("trials", draw(poisson(10001)));
  EXPECT_REFUSED("gamma", draw(geometric(1)));
  EXPECT_REFUSED("trials", draw(geometric(9e-5)));
  EXPECT_REFUSED("eta", draw(negative_binomial(-1, 0.5)));
  EXPECT_REFUSED("trials is poisson(?)", draw({Trials::Poisson{Real::unknown()}}));
  EXPECT_REFUSED("mean", mean_number(poisson(-1)));
}

}  // namespace
}  // namespace dpbudget::mechanisms
