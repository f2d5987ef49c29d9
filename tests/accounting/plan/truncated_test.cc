#include "dpbudget/accounting/plan/truncated.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdint>

#include "accounting/random_event.h"

namespace dpbudget {
namespace {

using dpbudget::testing::log_uniform;

TruncatedPoisson truncated(Rate rate, std::uint64_t places, std::uint64_t records) {
  return {rate, {places, records}, Event(Gaussian{1.0})};
}

// accounting/plan/proofs.md, 5.1 and 5.3: term by term over how many of the others are drawn.
RC_GTEST_PROP(TruncatedSample, IsTheSumOverHowManyOthersAreDrawn, ()) {
  const auto records = static_cast<std::uint64_t>(*rc::gen::inRange(2, 60));
  const auto places = static_cast<std::uint64_t>(*rc::gen::inRange(1, static_cast<int>(records)));
  const double rate = log_uniform(1e-3, 0.999);
  const boost::math::binomial_distribution<> others(static_cast<double>(records - 1), rate);
  double filled = 0;
  double unfilled = 0;
  double in_filled = 0;
  for (std::uint64_t drawn = 0; drawn < records; ++drawn) {
    const double probability = pdf(others, static_cast<double>(drawn));
    (drawn < places ? unfilled : filled) += probability;
    if (drawn >= places) in_filled += probability * rate * static_cast<double>(places) / static_cast<double>(drawn + 1);
  }
  const TruncatedSample found = truncated_sample(truncated(rate, places, records));
  RC_LOG() << places << " of " << records << " at " << rate;
  RC_ASSERT(found.error < 1e-9);
  RC_ASSERT(std::abs(found.filled / filled - 1) < found.error + 1e-10);
  RC_ASSERT(std::abs(found.unfilled / unfilled - 1) < found.error + 1e-10);
  RC_ASSERT(found.rate >= rate);
  RC_ASSERT(found.rate_filled >= in_filled / filled * (1 - 1e-10));
  RC_ASSERT(found.rate_filled <= in_filled / filled * (1 + 1e-9));
  const double at_all = unfilled * rate + in_filled;
  const TruncatedPoisson event = truncated(rate, places, records);
  RC_ASSERT(rate_of_record(event, Rounding::down) <= at_all * (1 + 1e-10));
  RC_ASSERT(rate_of_record(event, Rounding::down) >= at_all * (1 - 1e-9));
  RC_ASSERT(rate_of_record(event, Rounding::up) >= at_all * (1 - 1e-10));
  RC_ASSERT(rate_of_record(event, Rounding::up) <= std::min(found.rate, at_all * (1 + 1e-9)));
}

TEST(TruncatedSample, HasNoEndsOfItsOwn) {
  // Next to never filled, next to always filled, and always.
  const TruncatedSample rarely = truncated_sample(truncated(1e-9, 1'000'000, 1'000'000'000));
  EXPECT_GT(rarely.filled, 0);
  EXPECT_LT(rarely.filled, 1e-300);
  EXPECT_NEAR(rarely.unfilled, 1, 1e-6);
  EXPECT_LE(rarely.rate_filled, 1e-9);
  const TruncatedSample mostly = truncated_sample(truncated(0.9, 10, std::uint64_t{1} << 53));
  EXPECT_NEAR(mostly.filled, 1, 1e-6);
  EXPECT_NEAR(mostly.rate_filled * 0x1p53 / 10, 1, 1e-6);
  EXPECT_LE(rate_of_record(truncated(0.9, 10, std::uint64_t{1} << 53), Rounding::down), 10 * 0x1p-53);
  const TruncatedSample always = truncated_sample(truncated(1, 3, 10));
  EXPECT_EQ(always.unfilled, 0);
  EXPECT_NEAR(always.filled, 1, 1e-14);
  EXPECT_NEAR(always.rate_filled, 0.3, 1e-14);
  for (const double rate : {5e-324, 1e-310, 1e-300}) {
    const TruncatedSample hardly = truncated_sample(truncated(rate, 1, 2));
    EXPECT_GE(hardly.rate, rate);
    EXPECT_GE(hardly.filled, rate);
    EXPECT_GE(hardly.unfilled, 1);
    EXPECT_LE(rate_of_record(truncated(rate, 1, 2), Rounding::down), rate);
  }
}

// accounting/plan/proofs.md, 5.4
TEST(TruncatedSample, TakesFractionsBetweenTheDoublesAroundThem) {
  const TruncatedSample found = truncated_sample(truncated({1, 3}, 1'000'000, 3'000'000));
  EXPECT_GE(std::fma(found.rate, 3, -1), 0);
  EXPECT_NEAR(found.filled, 0.5, 1e-3);
  EXPECT_LT(found.error, 1e-5);
}

}  // namespace
}  // namespace dpbudget
