#include "dpbudget/accounting/solve/stepped.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/random_event.h"

namespace dpbudget::solve {
namespace {

using testing::log_uniform;

constexpr double infinity = std::numeric_limits<double>::infinity();

// What is beyond falls with some power of the value, which the steps do not know.
RC_GTEST_PROP(Stepped, EndsInsideALittleTooFar, ()) {
  const double least = log_uniform(1e-6, 1e6);
  const double away = log_uniform(1e-11, 1e-2);
  const double power = log_uniform(0.1, 30);
  int asked = 0;
  const auto beyond = [&](double value) {
    ++asked;
    return power * std::log(least / value);
  };
  const auto found = stepped(UnknownKind::noise, least * (1 - away), beyond);
  RC_ASSERT(found);
  RC_ASSERT(*found >= least);
  RC_ASSERT(*found <= least * (1 + 40 * away));
  RC_ASSERT(asked <= 8);
}

TEST(Stepped, LeavesAloneWhatIsInside) {
  EXPECT_EQ(stepped(UnknownKind::noise, 3, [](double) { return 0; }), 3);
  EXPECT_EQ(stepped(UnknownKind::count, 3, [](double) { return -1; }), 3);
}

TEST(Stepped, GoesDownWhereLessCostsLess) {
  const auto found = stepped(UnknownKind::rate, 0.5, [](double value) { return value / 0.4 - 1; });
  ASSERT_TRUE(found);
  EXPECT_LE(*found, 0.4);
  EXPECT_GT(*found, 0.3);
  const auto count = stepped(UnknownKind::count, 1000, [](double value) { return value / 900 - 1; });
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, std::round(*count));
  EXPECT_LE(*count, 900);
  EXPECT_GE(*count, 850);
}

// Steps grow where nothing is said of how far it is.
TEST(Stepped, FindsWhatIsInsideWhereverThatIs) {
  const auto found = stepped(UnknownKind::scale, 1, [](double value) { return value < 7 ? infinity : 0; });
  ASSERT_TRUE(found);
  EXPECT_GE(*found, 7);
  EXPECT_LE(*found, 14);
}

// Where the rest is too much no value is worth many questions.
TEST(Stepped, GivesUpSoonWhereNothingIsInside) {
  for (const UnknownKind kind : {UnknownKind::noise, UnknownKind::rate}) {
    int asked = 0;
    const auto beyond = [&](double value) {
      ++asked;
      return 1e-3 * (kind == UnknownKind::rate ? 1 + value : 1 + 1 / value);
    };
    EXPECT_FALSE(stepped(kind, 0.3, beyond));
    EXPECT_LE(asked, 12);
  }
}

// However far that is.
TEST(Stepped, FindsWhatIsFarAway) {
  const auto noise = stepped(UnknownKind::noise, 1, [](double value) { return 1e-3 * std::log(1e5 / value); });
  ASSERT_TRUE(noise);
  EXPECT_GE(*noise, 1e5);
  const auto rate = stepped(UnknownKind::rate, 1, [](double value) { return 1e-3 * std::log(value / 1e-5); });
  ASSERT_TRUE(rate);
  EXPECT_LE(*rate, 1e-5);
  EXPECT_GT(*rate, 0);
}

TEST(Stepped, GivesUp) {
  EXPECT_FALSE(stepped(UnknownKind::noise, 1, [](double) { return infinity; }));
  EXPECT_FALSE(stepped(UnknownKind::noise, 1, [](double value) { return value < 1.5 ? 0.5 : 0; }, 1e-2));
}

}  // namespace
}  // namespace dpbudget::solve
