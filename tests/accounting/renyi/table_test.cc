#include "dpbudget/accounting/renyi/table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {
namespace {

using dpbudget::testing::log_uniform;

// accounting/renyi/proofs.md, 10.1: of tables of what is known at every order, at and between the table's orders.
RC_GTEST_PROP(TableCurve, IsNoLessThanWhatTheTableIsOf, ()) {
  const CurvePtr truth = *rc::gen::arbitrary<bool>() ? gaussian_curve(log_uniform(0.01, 4))
                                                     : randomized_response_curve(log_uniform(0.1, 5), 2);
  Table rows;
  double order = 1;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    order += log_uniform(0.01, 20);
    rows.push_back({order, (*truth)(order)});
  }
  const CurvePtr table = table_curve(rows);
  for (const auto& [at, epsilon] : rows) RC_ASSERT(std::abs((*table)(at)-epsilon) <= 1e-12 * epsilon);
  for (int i = 0; i < 20; ++i) {
    const double between = 1 + (order - 1) * log_uniform(1e-6, 1);
    RC_ASSERT((*table)(between) >= (*truth)(between) * (1 - 1e-12));
    RC_ASSERT((*table)(between) <= rows.back().second * (1 + 1e-12));
  }
  RC_ASSERT((*table)(order * (1 + 1e-9)) == infinity);
}

TEST(TableCurve, TakesTheLeastOfAllChords) {
  // The second row says more than the chord between the others does: log moments 0.1, 3 and 1 at orders 2, 4 and 6.
  const CurvePtr table = table_curve({{2, 0.1}, {4, 1}, {6, 0.2}});
  EXPECT_NEAR((*table)(4), (0.1 + 1) / 2 / 3, 1e-12);
  EXPECT_NEAR((*table)(1.5), 0.1, 1e-12);
  EXPECT_NEAR((*table)(6), 0.2, 1e-12);
}

Bound epsilon_of(const char* plan, AccountantName name = AccountantName::best) {
  return make_accountant(name, parse_plan(plan), 1e-3).value()->epsilon(1, 1e-5).value();
}

TEST(TableCurve, AnswersForPlans) {
  // A Gaussian's table costs little more than the Gaussian by the same theorems, and composes with all else.
  const double gaussian = epsilon_of("10 x gaussian(10)", AccountantName::renyi).upper;
  const double table = epsilon_of("10 x renyi(4:0.02, 8:0.04, 12:0.06, 16:0.08, 24:0.12, 64:0.32)").upper;
  EXPECT_GE(table, gaussian * (1 - 1e-9));
  EXPECT_LE(table, gaussian * 1.01);
  EXPECT_GT(epsilon_of("renyi(8:0.1) + laplace(10)").upper, epsilon_of("renyi(8:0.1)").upper);
  EXPECT_LT(epsilon_of("poisson(0.01, renyi(2:0.02, 3:0.03, 4:0.04, 8:0.08, 32:0.32))").upper,
            epsilon_of("renyi(2:0.02, 3:0.03, 4:0.04, 8:0.08, 32:0.32)").upper);
  EXPECT_EQ(epsilon_of("renyi(2:0)").upper, 0);
}

TEST(TruncatedCurve, IsZcdpBelowItsLargestOrder) {
  EXPECT_NEAR((*truncated_curve(0.1, 8))(7.5), 0.75, 1e-12);
  EXPECT_EQ((*truncated_curve(0.1, 8))(8), infinity);
  EXPECT_NEAR(epsilon_of("tcdp(0.01, 1e9)").upper, epsilon_of("zcdp(0.01)").upper, 1e-9);
  EXPECT_GT(epsilon_of("tcdp(0.01, 4)").upper, epsilon_of("zcdp(0.01)").upper);
  EXPECT_NEAR(epsilon_of("group(3, tcdp(0.01, 300))", AccountantName::concentrated).upper,
              epsilon_of("tcdp(0.09, 100)", AccountantName::concentrated).upper, 1e-9);
  EXPECT_FALSE(make_accountant(AccountantName::concentrated, parse_plan("group(3, tcdp(0.01, 2))"), 1e-3));
  for (const AccountantName name : {AccountantName::loss_distribution, AccountantName::approximate})
    for (const char* plan : {"tcdp(0.1, 8)", "renyi(2:0.1)", "2 x renyi(2:0.1) + gaussian(1)"})
      EXPECT_FALSE(make_accountant(name, parse_plan(plan), 1e-3)) << plan;
}

}  // namespace
}  // namespace dpbudget::renyi
