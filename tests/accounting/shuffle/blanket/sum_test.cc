#include "dpbudget/accounting/shuffle/blanket/sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

TEST(BlanketSum, OfValuesOfNoSignHasNone) {
  const BlanketLaw law{.values = {{-1, 0.5}}, .rest = 0.5, .excess = 0, .relative_error = 0};
  EXPECT_EQ(log_mean_excess(law, 10, Side::upper), -std::numeric_limits<double>::infinity());
}

TEST(BlanketSum, OfOneCopyIsItsOwnExcess) {
  const BlanketLaw law{.values = {{2, 0.25}, {-1, 0.5}}, .rest = 0.25, .excess = 0, .relative_error = 0};
  EXPECT_NEAR(log_mean_excess(law, 1, Side::lower), std::log(0.5), 1e-12);
  EXPECT_NEAR(log_mean_excess(law, 1, Side::upper), std::log(0.5), 1e-12);
}

TEST(BlanketSum, OfManyValuesOrCopiesIsNotEnumerated) {
  const BlanketLaw law{.values = {{2, 0.25}, {-1, 0.5}}, .rest = 0.25, .excess = 0, .relative_error = 0};
  EXPECT_TRUE(enumerated_log_mean_excess(law, 100, Side::upper));
  EXPECT_FALSE(enumerated_log_mean_excess(law, 1000, Side::upper));
}

}  // namespace
}  // namespace dpbudget::shuffle
