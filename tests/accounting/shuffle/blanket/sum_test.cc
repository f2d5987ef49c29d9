#include "dpbudget/accounting/shuffle/blanket/sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/shuffle/blanket/enumeration.h"

namespace dpbudget::shuffle {
namespace {

// Three values of mean -0.2 or so, one of them rare, on any scale.
BlanketLaw law_of_three(double scale, double rest, double rare) {
  BlanketLaw law{.values = {{3.1 * scale, (1 - rest) * 0.3}, {-1.3 * scale, (1 - rest) * (0.7 - rare)}},
                 .rest = rest,
                 .excess = 0,
                 .relative_error = 0};
  law.values.push_back({-40 * scale, (1 - rest) * rare});
  long double excess = static_cast<long double>(law.rest) - 1;
  for (const Value& v : law.values) excess += static_cast<long double>(v.mass);
  law.excess = static_cast<double>(excess);
  return law;
}

// accounting/shuffle/blanket/proofs.md, 5.1, 5.2, 5.3, 5.4, 5.5 and 5.6
TEST(BlanketSum, EnclosesTheEnumeratedSum) {
  for (const double scale : {1e-9, 1.0, 1e9}) {
    for (const double rest : {1e-3, 0.4, 0.99}) {
      for (const double reports : {2.0, 19.0}) {
        const BlanketLaw law = law_of_three(scale, rest, 0.02);
        const auto truth = enumerated_log_mean_excess(law, reports, Side::upper);
        ASSERT_TRUE(truth);
        const double lower = log_mean_excess(law, reports, Side::lower);
        const double upper = log_mean_excess(law, reports, Side::upper);
        EXPECT_LE(lower, *truth + 1e-12);
        EXPECT_GE(upper, *truth - 1e-12);
        EXPECT_LT(upper - lower, 1e-3);
      }
    }
  }
}

// Where few reports tell something their sum is next to a lattice: long stretches of the integral are next to nothing,
// and what lies between comes again and again. accounting/shuffle/blanket/proofs.md, 5.2, 5.4 and 5.5
RC_GTEST_PROP(BlanketSum, EnclosesSumsOfFewThatTellSomething, ()) {
  const double reports = *rc::gen::inRange(20, 800);
  const double few = testing::log_uniform(1, 20) / reports;
  const double loss = testing::log_uniform(1e-2, 1);
  const double epsilon = loss * testing::log_uniform(1e-3, 0.5);
  // Of responses that speak for the one input, or for the other; the rest may be from anybody.
  BlanketLaw law{.values = {{std::exp(loss) - std::exp(epsilon), few}, {1 - std::exp(loss + epsilon), few}},
                 .rest = 1 - 2 * few,
                 .excess = 0,
                 .relative_error = 0};
  law.excess = static_cast<double>(static_cast<long double>(law.rest) - 1 + 2 * static_cast<long double>(few));
  RC_LOG() << reports << " reports, " << few << ", " << loss << ", " << epsilon;
  const auto least = enumerated_log_mean_excess(law, reports, Side::lower);
  const auto most = enumerated_log_mean_excess(law, reports, Side::upper);
  RC_ASSERT(least && most);
  for (const double accuracy : {full_accuracy, 5e-5, 1e-3}) {
    RC_ASSERT(log_mean_excess(law, reports, Side::lower, accuracy) <= *most);
    RC_ASSERT(log_mean_excess(law, reports, Side::upper, accuracy) >= *least);
  }
  RC_ASSERT(log_mean_excess(law, reports, Side::upper) - log_mean_excess(law, reports, Side::lower) < 0.02);
}

TEST(BlanketSum, OfValuesOfNoSignHasNone) {
  const BlanketLaw law{.values = {{-1, 0.5}}, .rest = 0.5, .excess = 0, .relative_error = 0};
  EXPECT_EQ(log_mean_excess(law, 10, Side::upper), -std::numeric_limits<double>::infinity());
}

// accounting/shuffle/blanket/proofs.md, 5.7
TEST(BlanketSum, OfOneCopyIsItsOwnExcess) {
  const BlanketLaw law{.values = {{2, 0.25}, {-1, 0.5}}, .rest = 0.25, .excess = 0, .relative_error = 0};
  EXPECT_NEAR(log_mean_excess(law, 1, Side::lower), std::log(0.5), 1e-12);
  EXPECT_NEAR(log_mean_excess(law, 1, Side::upper), std::log(0.5), 1e-12);
}

TEST(BlanketSum, OfManyValuesOrCopiesIsNotEnumerated) {
  const BlanketLaw law{.values = {{2, 0.25}, {-1, 0.5}}, .rest = 0.25, .excess = 0, .relative_error = 0};
  EXPECT_TRUE(enumerated_log_mean_excess(law, 800, Side::upper));
  EXPECT_FALSE(enumerated_log_mean_excess(law, 1000, Side::upper));
}

// The definition, outcome by outcome of every report, in a wider type.
long double mean_excess(const BlanketLaw& law, int reports, long double sum = 0) {
  if (reports == 0) return std::max(0.0L, sum);
  long double mean = law.rest * mean_excess(law, reports - 1, sum);
  for (const Value& v : law.values) mean += v.mass * mean_excess(law, reports - 1, sum + v.value);
  return mean;
}

TEST(BlanketSum, IsTheSumOverAllOutcomes) {
  for (const double rest : {0.0, 1e-3, 0.4}) {
    for (const int reports : {1, 2, 5, 8}) {
      const BlanketLaw law = law_of_three(1.7, rest, 1e-4);
      const auto truth = static_cast<double>(std::log(mean_excess(law, reports) / reports));
      const double lower = *enumerated_log_mean_excess(law, reports, Side::lower);
      const double upper = *enumerated_log_mean_excess(law, reports, Side::upper);
      EXPECT_LE(lower, truth + 1e-14);
      EXPECT_GE(upper, truth - 1e-14);
      EXPECT_LT(upper - lower, 1e-11);
    }
  }
}

// Powers of the rarest value are far below what a double holds.
TEST(BlanketSum, IsEnumeratedWhereMostOutcomesUnderflow) {
  const BlanketLaw law = law_of_three(1, 0.9, 1e-9);
  const double lower = *enumerated_log_mean_excess(law, 120, Side::lower);
  const double upper = *enumerated_log_mean_excess(law, 120, Side::upper);
  EXPECT_LE(lower, upper);
  EXPECT_LT(upper - lower, 1e-9);
  EXPECT_LE(log_mean_excess(law, 120, Side::lower), upper);
  EXPECT_GE(log_mean_excess(law, 120, Side::upper), lower);
}

}  // namespace
}  // namespace dpbudget::shuffle
