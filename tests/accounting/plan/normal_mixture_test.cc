#include "dpbudget/accounting/plan/normal_mixture.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {
namespace {

std::optional<NormalMixture> mixture_of(const std::string& text, Rounding rounding, double negligible = 1e-20) {
  const ParsedPlan plan = parse(text);
  return normal_mixture(plan.event, plan.adjacency.value_or(Adjacency::add_or_remove_one), rounding, negligible);
}

// The probability of a shift by `mean` at least.
double from(const NormalMixture& mixture, double mean) {
  double sum = mixture.beyond;
  for (const NormalShift& shift : mixture.shifts)
    if (shift.mean >= mean) sum += shift.probability;
  return sum;
}

TEST(RestOf, KeepsTheDigitsOfWhatIsLeft) {
  EXPECT_EQ(rest_of({{0.75, 1}, {0.25, 2}}), 0);
  EXPECT_EQ(rest_of({{0x1p-60, 1}, {0.75, 2}, {0.25 - 0x1p-50, 3}}), 0x1p-50 - 0x1p-60);
  EXPECT_EQ(rest_of(std::vector<NormalShift>(10, {0.1, 1})), -0x1p-54);
}

TEST(NormalMixture, OfShiftsIsRelativeToTheNoise) {
  const NormalMixture up = mixture_of("mixture(2; 0.25:1, 0.25:0, 0:7, 0.125:3)", Rounding::up).value();
  ASSERT_EQ(up.shifts.size(), 2U);
  EXPECT_EQ(up.shifts[0].probability, 0.25);
  EXPECT_NEAR(up.shifts[0].mean, 0.5, 1e-14);
  EXPECT_GE(up.shifts[0].mean, 0.5);
  EXPECT_NEAR(up.highest_mean(), 1.5, 1e-14);
  EXPECT_NEAR(up.at_zero, 0.625, 1e-15);
  EXPECT_LE(mixture_of("mixture(2; 0.25:1, 0.125:3)", Rounding::down)->highest_mean(), 1.5);
  // Shares of a sum that is 1 but for rounding.
  EXPECT_EQ(mixture_of("mixture(1; 0.1:1, 0.2:2, 0.7:3)", Rounding::up)->at_zero, 0);
}

// accounting/plan/proofs.md, 3.2 and 3.3
TEST(NormalMixture, OfAGroupIsTheBinomialLawRoundedToItsSide) {
  for (const auto& [records, rate] : {std::pair{2, 0.1}, {5, 0.5}, {40, 0.9}, {5000, 0.3}, {1000, 1e-5}}) {
    const std::string text =
        "group(" + std::to_string(records) + ", poisson(" + std::to_string(rate) + ", gaussian(4)))";
    const boost::math::binomial law(records, std::stod(std::to_string(rate)));
    for (const auto& [plan, step] : {std::pair{text, 0.25}, {text + " under replace_one", 0.125}}) {
      const NormalMixture up = mixture_of(plan, Rounding::up).value();
      const NormalMixture down = mixture_of(plan, Rounding::down).value();
      EXPECT_LE(up.beyond, 1e-20 * (1 + 1e-9));
      for (int j = 1; j <= records; j = j * 5 / 4 + 1) {
        const double truth = cdf(complement(law, j - 1));
        if (truth < 1e-15) break;
        EXPECT_GE(from(up, j * step), truth * (1 - 1e-11)) << plan << " " << j;
        EXPECT_LE(from(down, j * step), truth * (1 + 1e-11)) << plan << " " << j;
        if (records <= 1000) {
          EXPECT_LE(from(up, j * step * (1 + 1e-13)), cdf(complement(law, j)) + 1e-11) << plan << " " << j;
          EXPECT_GE(from(down, j * step * (1 - 1e-13)), truth * (1 - 1e-9) - 1e-19) << plan << " " << j;
        }
      }
    }
  }
}

// All that is not counted is as if the whole group were in the sample.
TEST(NormalMixture, OfALargeGroupMayHaveNothingBeyond) {
  const NormalMixture mixture = mixture_of("group(1000000000, poisson(0.5, gaussian(1e9)))", Rounding::up, 0).value();
  EXPECT_EQ(mixture.beyond, 0);
  EXPECT_LE(mixture.shifts.size(), 257U);
  EXPECT_NEAR(mixture.highest_mean(), 1, 1e-12);
  EXPECT_LT(mixture.shifts.back().probability, 1e-200);
  EXPECT_NEAR(from(mixture, 0.4), 1, 1e-9);
}

TEST(NormalMixture, IsOfNothingElse) {
  for (const char* text :
       {"gaussian(1)", "mixture(1; 0.1:1, 0.1:2) under replace_one", "group(2, poisson(0.1, laplace(1)))",
        "group(2, gaussian(1))", "group(2, wor(0.5, gaussian(1)))", "mixture(1; 0.5:0)", "mixture(1e-300; 1:1)"})
    EXPECT_FALSE(mixture_of(text, Rounding::up)) << text;
  EXPECT_EQ(mixture_of("group(3, poisson(1, gaussian(1)))", Rounding::up)->shifts.size(), 1U);
}

}  // namespace
}  // namespace dpbudget
