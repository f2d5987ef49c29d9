#include "dpbudget/accounting/numeric/certified_root.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::numeric {
namespace {

using testing::log_uniform;

// A function that falls through 0 at `root`, with a memory; steep, flat and with a jump.
class Falling {
 public:
  Falling(double root, int shape) : root_(root), shape_(shape) {}

  double operator()(double at) {
    const double distance = root_ - at;
    const double jump = distance > 0 ? 1 : distance < 0 ? -1 : 0;
    const double value = shape_ == 0   ? distance
                         : shape_ == 1 ? std::expm1(distance)
                         : shape_ == 2 ? std::tanh(distance) + 1e-3 * distance * distance * distance
                         : shape_ == 3 ? jump + distance
                         : jump == 0   ? 0
                                       : jump * infinity;
    return values_[at] = value;
  }
  double known(double at) const { return values_.at(at); }  // throws where it was not asked
  std::size_t evaluations() const { return values_.size(); }

 private:
  double root_;
  int shape_;
  std::map<double, double> values_;
};

RC_GTEST_PROP(CertifiedRoot, HandsBackEvaluatedEndsOnEitherSide, ()) {
  const double root = log_uniform(1e-3, 1e3);
  Falling falling(root, *rc::gen::inRange(0, 5));
  const double relative = log_uniform(1e-14, 1e-2);
  const Bracket found =
      certified_root([&](double at) { return falling(at); }, 0.0, 1e4, RootPrecision{.relative = relative});
  RC_ASSERT(falling.known(found.lower) >= 0);
  RC_ASSERT(falling.known(found.upper) <= 0);
  RC_ASSERT(found.lower <= root);
  RC_ASSERT(root <= found.upper);
  RC_ASSERT(found.width() <= std::max(relative, 1e-15) * found.upper);
  RC_ASSERT(falling.evaluations() <= most_root_evaluations);
}

RC_GTEST_PROP(CertifiedRoot, FindsTheRootOfWhatRisesInTheSamePlace, ()) {
  const double root = log_uniform(1e-3, 1e3);
  Falling falling(root, *rc::gen::inRange(0, 5));
  const Bracket fallen = certified_root([&](double at) { return falling(at); }, 0.0, 1e4);
  const Bracket risen = certified_root([&](double at) { return -falling(at); }, 0.0, 1e4);
  RC_ASSERT(fallen.lower == risen.lower);
  RC_ASSERT(fallen.upper == risen.upper);
}

TEST(CertifiedRoot, HandsBackTheNearerEndOfARangeWithoutARoot) {
  const auto falling = [](double at) { return 1 - at; };
  for (const auto& [lower, upper, nearest] :
       {std::array{-3.0, 0.5, 0.5}, std::array{2.0, 9.0, 2.0}, std::array{1.0, 9.0, 1.0}, std::array{-9.0, 1.0, 1.0}}) {
    const Bracket found = certified_root(falling, lower, upper);
    EXPECT_EQ(found.lower, nearest);
    EXPECT_EQ(found.upper, nearest);
  }
}

TEST(CertifiedRoot, EndsAfterSoManyEvaluations) {
  Falling falling(1.0 / 3, 4);
  const Bracket found = certified_root([&](double at) { return falling(at); }, 0.0, 1.0, RootPrecision{}, 5);
  EXPECT_LE(falling.evaluations(), 8U);
  EXPECT_GT(found.width(), 1e-4);
  EXPECT_TRUE(found.lower < 1.0 / 3 && 1.0 / 3 < found.upper);
}

RC_GTEST_PROP(RangeAround, HoldsTheRootOrEndsAtALimit, ()) {
  const double root = log_uniform(1e-3, 1e3);
  const double guess = log_uniform(1e-3, 1e3);
  const Bracket limits{guess * *rc::gen::element(0.0, 0.5, 1.0), guess * *rc::gen::element(1.0, 1.5, infinity)};
  Falling falling(root, *rc::gen::inRange(0, 5));
  const EvaluatedRange range =
      range_around([&](double at) { return falling(at); }, guess, {log_uniform(1e-3, 1), 3}, limits);
  for (const Evaluated& end : {range.lower, range.upper}) RC_ASSERT(falling.known(end.at) == end.value);
  RC_ASSERT(limits.lower <= range.lower.at);
  RC_ASSERT(range.upper.at <= limits.upper);
  RC_ASSERT(range.lower.at <= std::max(root, limits.lower));
  RC_ASSERT(range.upper.at >= std::min(root, limits.upper));
}

}  // namespace
}  // namespace dpbudget::numeric
