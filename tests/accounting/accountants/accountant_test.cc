#include "dpbudget/accounting/accountants/accountant.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {
namespace {

using testing::log_uniform;

// Wide brackets are cheap, and their ends as true as those of narrow ones.
constexpr double cheap = 0.3;

Plan random_plan() {
  const bool has_poisson = *rc::gen::arbitrary<bool>();
  const Event event = testing::random_event(*rc::gen::inRange(0, 4), has_poisson ? "poisson" : "wor");
  return {event, has_poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
}

// 10,000 of them by RC_PARAMS="max_success=10000".
RC_GTEST_PROP(EveryAccountant, IsAboveTheLowerBoundOfLossDistributions, ()) {
  const Plan plan = random_plan();
  const double delta = log_uniform(1e-12, 0.5);
  std::optional<Bound> referee;
  try {
    referee = make_accountant(AccountantName::loss_distribution, plan, cheap)->epsilon(1, delta);
  } catch (const Unsupported&) {
    RC_DISCARD("too wide for a grid");
  }
  for (const AccountantName name : all_accountants) {
    try {
      const bool is_referee = name == AccountantName::loss_distribution;
      const Bound bound = is_referee ? *referee : make_accountant(name, plan, cheap)->epsilon(1, delta);
      RC_LOG() << to_string(name) << " " << bound.lower << " to " << bound.upper << ", referee " << referee->lower
               << " to " << referee->upper << ": " << to_text(plan.event) << " at " << delta << "\n";
      if (bound.guarantee == Guarantee::estimate) {
        RC_ASSERT(name == AccountantName::gdp);
        continue;
      }
      RC_ASSERT(bound.upper >= referee->lower);
      RC_ASSERT(bound.lower <= referee->upper);
      RC_ASSERT(bound.lower <= bound.upper);
      RC_ASSERT(bound.accountant == to_string(name) || name == AccountantName::best);
    } catch (const Unsupported&) {
      RC_ASSERT(name != AccountantName::best);
    }
  }
}

TEST(EveryAccountant, HasOneName) {
  for (const AccountantName name : all_accountants) EXPECT_EQ(accountant_named(to_string(name)), name);
  EXPECT_EQ(accountant_named("abacus"), std::nullopt);
}

TEST(EveryAccountant, MarksLimitsAsEstimates) {
  const auto guarantee = [](const std::string& plan) {
    return make_accountant(AccountantName::gdp, parse_plan(plan))->epsilon(10, 1e-5).guarantee;
  };
  EXPECT_EQ(guarantee("gaussian(3)"), Guarantee::proven);
  EXPECT_EQ(guarantee("gaussian(3) + 5 x poisson(1, gaussian(2)) + poisson(0, gaussian(1))"), Guarantee::proven);
  EXPECT_EQ(guarantee("poisson(0.1, gaussian(3))"), Guarantee::estimate);
  EXPECT_EQ(guarantee("gaussian(3) + wor(0.1, gaussian(3))"), Guarantee::estimate);
}

// A mesh ends beyond the largest loss, and (epsilon, delta)-DP randomisers are known to one accountant only.
TEST(BestAccountant, NeverExceedsTheLocalGuaranteeOfShuffledReports) {
  const auto best = [](const std::string& plan) {
    return make_accountant(AccountantName::best, parse_plan(plan + " under replace_one"));
  };
  EXPECT_LE(best("shuffle(1000, pure(20))")->epsilon(1, 1e-6).upper, 20);
  EXPECT_GE(best("shuffle(1000, pure(20))")->epsilon(1, 1e-6).lower, 19.9);
  EXPECT_LE(best("shuffle(39, pure(15))")->epsilon(1, 1e-6).upper, 15);
  EXPECT_LE(best("shuffle(1000, rr(5))")->epsilon(1, 1e-9).upper, 5);
  EXPECT_LE(best("shuffle(10, approximate(1, 1e-9))")->epsilon(1, 1e-6).upper, 1);
  EXPECT_LE(best("wor(0.5, 2 x shuffle(10, approximate(1, 1e-9)))")->epsilon(1, 1e-6).upper, 2);
  EXPECT_LE(best("shuffle(9007199254740992, pure(8))")->epsilon(1, 1e-6).upper, 1e-5);
}

// Losses of 1e-9 have no tilt at which their delta, of 1e-10 at most, would be 1e-5.
TEST(EveryAccountant, SeesThatNothingIsLeftToSpend) {
  for (const std::string plan :
       {"2 x wor(8 of 32, gaussian(1e9))", "participates(3 of 3, 2 x wor(8 of 32, gaussian(9e8)))",
        "2 x poisson(0.25, gaussian(1e10))", "3 x laplace(1e9)"}) {
    for (const AccountantName name : {AccountantName::loss_distribution, AccountantName::best}) {
      const Bound bound = make_accountant(name, parse_plan(plan))->epsilon(1, 1e-5);
      EXPECT_EQ(bound.lower, 0) << plan;
      EXPECT_EQ(bound.upper, 0) << plan;
    }
  }
}

TEST(EveryAccountant, CitesNoTheoremForNothing) {
  for (const char* plan : {"0 x shuffle(10, rr(1))", "0 x laplace(1)", "nothing", "2 x 0 x gaussian(1)"}) {
    const auto exact = make_accountant(AccountantName::exact, parse_plan(plan));
    EXPECT_EQ(joined(exact->epsilon(1, 1e-6).theorems), "nothing is released: by definition") << plan;
    EXPECT_EQ(joined(exact->delta(1, 1).bound.theorems), "nothing is released: by definition") << plan;
    EXPECT_EQ(exact->epsilon(1, 1e-6).upper, 0) << plan;
  }
}

TEST(EveryAccountant, CitesACompositionOnlyWhereThereIsOne) {
  for (const AccountantName name : all_accountants) {
    const auto cites = [&](const char* plan, std::uint64_t count) {
      const std::string theorems = joined(make_accountant(name, parse_plan(plan))->epsilon(count, 1e-5).theorems);
      EXPECT_FALSE(theorems.empty());
      return theorems.find("omposition") != std::string::npos || theorems.find("together") != std::string::npos;
    };
    for (const char* one : {"gaussian(1.5)", "1 x gaussian(1.5)"}) {
      EXPECT_FALSE(cites(one, 1)) << to_string(name);
      EXPECT_TRUE(cites(one, 2)) << to_string(name);
    }
    EXPECT_TRUE(cites("2 x gaussian(1.5)", 1)) << to_string(name);
    EXPECT_TRUE(cites("gaussian(1.5) + gaussian(2)", 1)) << to_string(name);
  }
}

TEST(EveryAccountant, RefusesBadNumbersByName) {
  for (const AccountantName name : all_accountants) {
    const bool is_contour = name == AccountantName::contour;  // which leaves Gaussians to `exact`
    const auto accountant = make_accountant(name, parse_plan(is_contour ? "poisson(0.1, gaussian(1))" : "gaussian(1)"));
    EXPECT_THROW(accountant->epsilon(100, 0), InvalidArgument) << to_string(name);
    EXPECT_THROW(accountant->epsilon(100, 1), InvalidArgument) << to_string(name);
    EXPECT_THROW(accountant->delta(100, -1), InvalidArgument) << to_string(name);
  }
}

TEST(EveryAccountant, AnswersOrRefusesAtTheEndsOfADouble) {
  const auto epsilon = [](AccountantName name, const char* plan) {
    return make_accountant(name, parse_plan(plan))->epsilon(1, 1e-5);
  };
  EXPECT_EQ(epsilon(AccountantName::gdp, "0 x poisson(0.1, gaussian(1))").upper, 0);
  EXPECT_EQ(epsilon(AccountantName::gdp, "poisson(1e-200, gaussian(1))").upper, 0);
  EXPECT_THROW(make_accountant(AccountantName::contour, parse_plan("gaussian(1)"))->delta(1, 1e300), Unsupported);
  // One accountant's limit is not that of all.
  const auto best = make_accountant(AccountantName::best, parse_plan("discrete_gaussian(1e-160) + laplace(1)"));
  EXPECT_EQ(best->delta(1, 1).bound.upper, 1);
  // Losses near 10^4 leave no mesh that holds them.
  const auto nearly_noiseless =
      make_accountant(AccountantName::best, parse_plan("wor(0.01, 10 x wor(0.1, gaussian(0.01)))"));
  EXPECT_GE(nearly_noiseless->epsilon(1, 1e-5).upper, 6213);
  // An infinite epsilon is reached by no finite one.
  const auto approximate = make_accountant(AccountantName::approximate, parse_plan("approximate(1, 0.5)"));
  EXPECT_GE(approximate->delta(1, 1e300).bound.upper, 0.5);
}

}  // namespace
}  // namespace dpbudget
