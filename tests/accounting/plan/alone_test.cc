#include "dpbudget/accounting/plan/alone.h"

#include <gtest/gtest.h>

#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {
namespace {

TEST(Alone, LooksIntoCompositionsOfOneRelease) {
  const Event one = Gaussian{2.0};
  EXPECT_EQ(alone(one), one);
  EXPECT_EQ(alone(Repeated{Count(1), Event(Composed{{one}})}), one);
  EXPECT_EQ(alone(Composed{{Event(Repeated{Count(1), one})}}), one);
}

TEST(Alone, LeavesEverythingElse) {
  for (const char* text :
       {"2 x gaussian(2)", "0 x gaussian(2)", "nothing", "gaussian(2) + gaussian(3)", "poisson(0.1, gaussian(2))"}) {
    const Event event = parse_plan(text).event;
    EXPECT_EQ(alone(event), event) << text;
  }
}

}  // namespace
}  // namespace dpbudget
