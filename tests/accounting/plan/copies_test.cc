#include "dpbudget/accounting/plan/copies.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {
namespace {

Event of_three(const char* text) { return for_copies(parse(text).event, 3).value(); }

// accounting/plan/proofs.md, 1.1
TEST(ForCopies, KnowsWhatGroupsOfRecordsCost) {
  EXPECT_NEAR(std::get<Gaussian>(of_three("gaussian(6)")).noise_multiplier.value(), 2, 1e-14);
  EXPECT_NEAR(std::get<Laplace>(of_three("laplace(6)")).scale.value(), 2, 1e-14);
  EXPECT_NEAR(std::get<ConcentratedDp>(of_three("discrete_gaussian(6)")).rho.value(), 0.125, 1e-14);
  EXPECT_NEAR(std::get<PureDp>(of_three("discrete_laplace(6)")).epsilon.value(), 0.5, 1e-14);
  EXPECT_NEAR(std::get<PureDp>(of_three("rr(0.5, 4)")).epsilon.value(), 1.5, 1e-14);
  EXPECT_NEAR(std::get<ConcentratedDp>(of_three("zcdp(0.1)")).rho.value(), 0.9, 1e-14);
  EXPECT_NEAR(std::get<GaussianDp>(of_three("gdp(0.1)")).mu.value(), 0.3, 1e-14);
  EXPECT_NEAR(std::get<BoundedRange>(of_three("exponential(0.1)")).epsilon.value(), 0.3, 1e-14);
  const auto approximate = std::get<ApproximateDp>(of_three("approximate(0.5, 1e-3)"));
  EXPECT_NEAR(approximate.delta.value(), 1e-3 * (1 + std::exp(0.5) + std::exp(1.0)), 1e-15);
  EXPECT_EQ(std::get<ApproximateDp>(of_three("approximate(0, 0.4)")).delta.value(), 1);
  EXPECT_EQ(unknowns(of_three("2 x gaussian(3) + rr(1)")), 0U);
  EXPECT_EQ(for_copies(parse("rr(1, 4)").event, 1), parse("rr(1, 4)").event);
}

TEST(ForCopies, DoesNotFollowSamplesInsideOfBatches) {
  for (const char* text : {"wor(0.5, gaussian(1))", "participates(0.5, rr(1))", "2 x poisson(0.5, rr(1))",
                           "with_replacement(2 of 5, rr(1))", "rr(1) + random_allocation(3, rr(1))", "pure(1e308)"})
    EXPECT_FALSE(for_copies(parse(text).event, 2)) << text;
}

// accounting/plan/proofs.md, 2.5
TEST(TimesDrawn, IsTheBinomialLawGivenThatOneIsDrawn) {
  for (const Draws& draws : {Draws{10, 100}, Draws{424, 1000}, Draws{3000, 7}, Draws{1'000'000, 1000}}) {
    const boost::math::binomial law(static_cast<double>(draws.number.value()),
                                    1.0 / static_cast<double>(draws.population));
    const double rate = 1 - pdf(law, 0);
    EXPECT_NEAR(rate_of_record(draws, true) / rate, 1, 1e-12);
    EXPECT_LT(rate_of_record(draws, false), rate_of_record(draws, true));
    const TimesDrawn found = times_drawn(draws, 1e-20);
    EXPECT_LE(found.kinds.size(), most_kinds);
    EXPECT_LE(found.beyond, 1e-20 * (1 + 1e-9));
    EXPECT_GE(found.beyond, cdf(complement(law, static_cast<double>(found.kinds.back().copies))) / rate * (1 - 1e-12));
    double sum = 0;
    for (std::size_t i = 0; i < found.kinds.size(); ++i) {
      sum += found.kinds[i].probability;
      const double copies = static_cast<double>(found.kinds[i].copies);
      EXPECT_NEAR(sum, (cdf(law, copies) - pdf(law, 0)) / rate, 1e-10) << copies;
    }
    EXPECT_NEAR(sum, 1, found.error + 1e-12);
  }
}

TEST(TimesDrawn, OfOneRecordIsAllDraws) {
  const TimesDrawn found = times_drawn(Draws{7, 1}, 1e-9);
  ASSERT_EQ(found.kinds.size(), 1U);
  EXPECT_EQ(found.kinds[0].copies, 7U);
  EXPECT_EQ(rate_of_record(Draws{7, 1}, true), 1);
}

TEST(TimesDrawn, OfAGroupInASample) {
  for (const auto& [records, rate] : {std::pair{7, 0.3}, {1, 1e-9}, {300, 0.999}, {100000, 0.5}}) {
    const Occurrences of_group = Occurrences::of_group(static_cast<std::uint64_t>(records), rate);
    const boost::math::binomial law(records, rate);
    const double any = -std::expm1(records * std::log1p(-rate));
    EXPECT_NEAR(rate_of_record(of_group, true) / any, 1, 1e-13);
    const TimesDrawn found = times_drawn(of_group, 1e-15);
    double sum = 0;
    for (const auto& [probability, copies] : found.kinds) {
      sum += probability;
      EXPECT_NEAR(sum, (cdf(law, static_cast<double>(copies)) - pdf(law, 0)) / any, 1e-10 + 4e-16 / any) << copies;
    }
    EXPECT_GE(sum + found.beyond, 1 - found.error - 1e-12);
  }
  EXPECT_EQ(times_drawn(Occurrences::of_group(7, 1), 1e-9).kinds[0].copies, 7U);
}

// accounting/plan/proofs.md, 2.5
TEST(ExceededRarely, IsTheQuantile) {
  const boost::math::binomial law(424, 1e-3);
  for (const double probability : {0.5, 1e-3, 1e-12}) {
    const std::uint64_t copies = exceeded_rarely(Draws{424, 1000}, probability);
    EXPECT_LE(cdf(complement(law, static_cast<double>(copies))), probability);
    if (copies > 1) {
      EXPECT_GT(cdf(complement(law, static_cast<double>(copies - 1))), probability * (1 - 1e-8));
    }
  }
  EXPECT_EQ(exceeded_rarely(Draws{424, 1000}, 0), 424U);
}

}  // namespace
}  // namespace dpbudget
