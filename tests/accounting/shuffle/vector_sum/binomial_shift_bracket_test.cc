#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift_bracket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "accounting/random_event.h"
#include "accounting/shuffle/vector_sum/shifted_binomial.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
using testing::Precise;

// accounting/shuffle/vector_sum/proofs.md, 5.1 and 5.2
RC_GTEST_PROP(BinomialShiftBracket, EnclosesTheHockeyStickOfItsMasses, ()) {
  const int trials = *rc::gen::inRange(1, 300);
  const double p = *rc::gen::arbitrary<bool>() ? log_uniform(1e-9, 0.9999) : 1 - log_uniform(1e-9, 0.5);
  const int shift = *rc::gen::inRange(1, trials + 3);
  const double epsilon = *rc::gen::arbitrary<bool>() ? 0 : log_uniform(1e-3, 30);
  const Precise truth = log(testing::hockey_stick(trials, p, shift, epsilon));
  const auto [lower, upper] = binomial_shift_log_delta_bracket(trials, p, shift, epsilon);
  const double digits = 1e-45;  // what 50 of them may be off
  RC_ASSERT(lower <= truth + digits);
  RC_ASSERT(truth <= upper + digits);
  RC_ASSERT(upper - lower <= 1e-10 + 1e-12 * static_cast<double>(abs(truth)));
}

// Where blocks are long: all terms added up, with noise of a few thousand outcomes.
// accounting/shuffle/vector_sum/proofs.md, 5.1 and 5.2
TEST(BinomialShiftBracket, EnclosesLongSums) {
  for (const auto& [trials, probability, shift, epsilon] :
       std::vector<std::tuple<int, double, int, double>>{{40000000, 0.5, 1, 0},
                                                         {40000000, 0.25, 1, 1e-3},
                                                         {90000000, 0.5, 300, 0.3},
                                                         {40000000, 0.3, 9000, 0},
                                                         {40000000, 0.7, 9000, 20}}) {
    const Precise truth = log(testing::hockey_stick_near_mode(trials, probability, shift, epsilon));
    const auto [lower, upper] = binomial_shift_log_delta_bracket(trials, probability, shift, epsilon);
    EXPECT_LE(lower, truth) << trials << ' ' << shift << ' ' << epsilon;
    EXPECT_LE(truth, upper) << trials << ' ' << shift << ' ' << epsilon;
    EXPECT_LT(upper - lower, 1e-6);
  }
}

RC_GTEST_PROP(BinomialShiftBracket, HoldsTheReference, ()) {
  const double trials = std::floor(log_uniform(1, 9e15));
  const double p = log_uniform(1e-6, 0.9);
  const double shift = std::floor(log_uniform(1, std::max(2.0, std::sqrt(trials))));
  const double epsilon = log_uniform(1e-6, 5) * shift / std::sqrt(trials * p * (1 - p));
  const double reference = binomial_shift_log_delta(trials, p, shift, epsilon);
  const auto [lower, upper] = binomial_shift_log_delta_bracket(trials, p, shift, epsilon);
  const double slack = 2e-9 + 1e-12 * std::abs(reference);
  RC_ASSERT(lower <= reference + slack);
  RC_ASSERT(reference - slack <= upper);
}

TEST(BinomialShiftBracket, HasItsLimits) {
  EXPECT_EQ(binomial_shift_log_delta_bracket(10, 0.5, 0, 0).upper, -infinity);
  EXPECT_EQ(binomial_shift_log_delta_bracket(10, 0.5, 11, 100).lower, 0);
  // Shifts that leave hardly any outcome in common, of so many trials that no log mass at the ends is known.
  const double most = 0x1p53;
  for (const double shift : {most, most - 1, most / 2}) {
    const auto [lower, upper] = binomial_shift_log_delta_bracket(most, 0.5, shift, 1);
    EXPECT_EQ(upper, 0);
    EXPECT_GT(lower, -1e-5);
  }
  const auto [lower, upper] = binomial_shift_log_delta_bracket(most, 0.5, 1, 30);  // only all trials at once tell
  EXPECT_LE(lower, -most * std::log(2) * (1 - 1e-10));
  EXPECT_GE(upper, -most * std::log(2) * (1 + 1e-10));
}

TEST(BinomialShiftBracket, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(binomial_shift_log_delta_bracket(nan, 0.5, 1, 1), InvalidArgument);
  EXPECT_THROW(binomial_shift_log_delta_bracket(10, nan, 1, 1), InvalidArgument);
  EXPECT_THROW(binomial_shift_log_delta_bracket(10, 0.5, 0.5, 1), InvalidArgument);
  EXPECT_THROW(binomial_shift_log_delta_bracket(10, 0.5, 1, nan), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::shuffle
