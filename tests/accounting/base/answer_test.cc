#include "dpbudget/accounting/base/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

namespace dpbudget {
namespace {

TEST(Answer, IsWhatWasComputedOrWhyNot) {
  const auto root = [](double x) {
    return answered([&] {
      require(x <= 100, "x", x, "at most 100");
      if (x < 0) throw Unsupported(Refusal{"calculator", "has no root of negative numbers"});
      return std::sqrt(x);
    });
  };
  EXPECT_EQ(root(4).value(), 2);
  EXPECT_EQ(root(-1).error().text(), "calculator has no root of negative numbers");
  EXPECT_EQ(root(101).error().text(), "x is 101, but must be at most 100");
  EXPECT_TRUE(root(101).error().accountant.empty());
}

TEST(Answer, ThrowsTheRefusalWhereItsValueIsInsistedOn) {
  const Answer<double> none = Refusal{"nobody", "knows"};
  try {
    static_cast<void>(none.value());
    ADD_FAILURE();
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "nobody knows");
    EXPECT_EQ(error.refusal.accountant, "nobody");
  }
}

TEST(Answer, OfNothingKnownIsAnInfiniteBound) {
  const Bound bound = no_bound({"", "too many"});
  EXPECT_TRUE(std::isinf(bound.upper));
  EXPECT_EQ(bound.lower, 0);
  EXPECT_EQ(bound.notes.front(), "too many");
}

TEST(Refusals, AreNoneOfTheCallersFaults) {
  EXPECT_FALSE((std::is_base_of_v<InvalidArgument, Unsupported>));
  EXPECT_FALSE((std::is_base_of_v<Unsupported, InvalidArgument>));
}

}  // namespace
}  // namespace dpbudget
