#include "dpbudget/fl/verify/same_plan.h"

#include <gtest/gtest.h>

#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::fl {
namespace {

bool same(const char* recorded, const char* computed) {
  return is_same_plan(parse_plan(recorded), parse_plan(computed));
}

TEST(SamePlan, AllowsWhatASolverMayMiss) {
  EXPECT_TRUE(same("participates(2 of 4, approximate(113.64291578, 5e-6)) under replace_one",
                   "participates(2 of 4, approximate(113.64291579, 5e-6)) under replace_one"));
  EXPECT_TRUE(same("3 x poisson(0.1, gaussian(2)) + approximate(1, 1e-6)",
                   "3 x poisson(0.1, gaussian(2)) + approximate(1.0000001, 1e-6)"));
}

TEST(SamePlan, AllowsNothingElse) {
  for (const char* other : {
           "2 x poisson(0.1, gaussian(1.0000001)) + approximate(1, 1e-6)",
           "2 x poisson(0.1, gaussian(1)) + approximate(1.00001, 1e-6)",
           "2 x poisson(0.1, gaussian(1)) + approximate(1, 1.0000001e-6)",
           "2 x poisson(0.1, gaussian(1)) + pure(1)",
           "2 x poisson(0.1000001, gaussian(1)) + approximate(1, 1e-6)",
           "2 x poisson(1 of 10, gaussian(1)) + approximate(1, 1e-6)",
           "3 x poisson(0.1, gaussian(1)) + approximate(1, 1e-6)",
           "2 x poisson(0.1, gaussian(1)) + approximate(1, 1e-6) + gaussian(1)",
           "2 x poisson(0.1, gaussian(1))",
           "2 x poisson(0.1, gaussian(1)) + approximate(1, 1e-6) under zero_out_one",
       })
    EXPECT_FALSE(same("2 x poisson(0.1, gaussian(1)) + approximate(1, 1e-6)", other)) << other;
  EXPECT_FALSE(same("shuffle(10, rr(1, 3))", "shuffle(10, rr(1, 4))"));
  EXPECT_FALSE(same("shuffle(10, rr(1), 2)", "shuffle(10, rr(1))"));
}

}  // namespace
}  // namespace dpbudget::fl
