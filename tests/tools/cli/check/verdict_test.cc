#include "dpbudget/tools/cli/check/verdict.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::tools {
namespace {

Bound between(double lower, double upper) { return {lower, upper, Guarantee::proven, {}, {}, {}}; }

TEST(Verdict, SaysNoMoreThanIsProven) {
  EXPECT_EQ(judge(0.99, between(1, 1.2), 0.01), Verdict::unsafe);
  EXPECT_EQ(judge(1, between(1, 1.2), 0.01), Verdict::undecided);
  EXPECT_EQ(judge(1.2, between(1, 1.2), 0.01), Verdict::safe);  // from 0 to 20 % above the truth
  EXPECT_EQ(judge(1.3, between(1, 1.2), 0.01), Verdict::safe_but_loose);
  EXPECT_EQ(judge(1.005, between(1, 1.001), 0.01), Verdict::safe_and_tight);
  EXPECT_EQ(judge(5, between(0, 1), 0.01), Verdict::safe_but_loose);
  EXPECT_EQ(judge(1, between(0, 1), 0.01), Verdict::safe);
  EXPECT_EQ(judge(0, between(0, 0), 0), Verdict::safe_and_tight);
  EXPECT_EQ(judge(1e300, between(0, std::numeric_limits<double>::infinity()), 0.01), Verdict::undecided);
}

RC_GTEST_PROP(VerdictProperty, ALargerClaimIsNeverLessSafe, ()) {
  const double lower = *rc::gen::inRange(0, 100) / 10.0;
  const Bound spent = between(lower, lower + *rc::gen::inRange(0, 100) / 50.0);
  const double slack = *rc::gen::inRange(0, 50) / 100.0;
  const auto is_safe = [&](double claimed) {
    const Verdict verdict = judge(claimed, spent, slack);
    return verdict != Verdict::unsafe && verdict != Verdict::undecided;
  };
  const double claimed = *rc::gen::inRange(0, 200) / 10.0;
  const double larger = claimed + *rc::gen::inRange(0, 100) / 10.0;
  RC_ASSERT(!is_safe(claimed) || is_safe(larger));
  RC_ASSERT((judge(claimed, spent, slack) == Verdict::unsafe) == (claimed < spent.lower));
  RC_ASSERT(is_safe(claimed) == (spent.upper <= claimed));
}

Finding found(const std::string& plan, double epsilon) {
  return checked({"a claim", parse_plan(plan), epsilon, 1e-5}, AccountantName::best, default_tolerance, default_slack);
}

// The central limit theorem's 6.007 is below the 6.18771 that peers agree on.
TEST(Checked, FindsTheCentralLimitUnsafeAndRenyiLoose) {
  const Finding limit = found("10000 x poisson(0.01, gaussian(1))", 6.007);
  EXPECT_EQ(limit.verdict, Verdict::unsafe);
  EXPECT_NE(limit.says.find("at least 6.18771 is spent"), std::string::npos) << limit.says;
  ASSERT_FALSE(limit.hints.empty());
  EXPECT_TRUE(limit.hints.back().starts_with("attained where one data set has a record more")) << limit.hints.back();
  const Finding loose = found("10000 x poisson(0.01, gaussian(1))", 6.71228);
  EXPECT_EQ(loose.verdict, Verdict::safe_but_loose);
  EXPECT_EQ(loose.says, "6.71228 is claimed, where 6.18772 suffices: about 8.48 % more");
  EXPECT_EQ(found("10000 x poisson(0.01, gaussian(1))", 6.19).verdict, Verdict::safe_and_tight);
}

TEST(Checked, SaysUnderWhichAdjacencyAClaimHolds) {
  const Finding replaced = found("1000 x poisson(0.01, gaussian(0.5)) under replace_one", 2.2);
  EXPECT_EQ(replaced.verdict, Verdict::unsafe);
  const Finding added = found("wor(0.01, gaussian(1)) under add_or_remove_one", 0.3);
  EXPECT_EQ(added.verdict, Verdict::not_covered);
  ASSERT_EQ(added.hints.size(), 1U);
  EXPECT_TRUE(added.hints[0].starts_with("under replace_one it spends at most ")) << added.hints[0];
  // The same noise relative to the same sensitivity hides a blanked record better.
  const Bound blanked = found("50 x poisson(0.1, gaussian(2)) under zero_out_one", 0).spent;
  const Finding meant = found("50 x poisson(0.1, gaussian(2)) under replace_one", blanked.upper);
  EXPECT_NE(meant.verdict, Verdict::not_covered);
}

// Gaussian noise 1 has Renyi divergence order / 2: what converts from it is implied, and nothing is known from below.
TEST(Checked, TakesATableAtItsWord) {
  const Claim claim{"a table", RenyiTable{{2, 1}, {4, 2}, {8, 4}}, 5.6, 1e-5};
  const Finding finding = checked(claim, AccountantName::best, default_tolerance, default_slack);
  EXPECT_EQ(finding.spent.lower, 0);
  EXPECT_GT(finding.spent.upper, 4);  // what gaussian(1) costs is 4.377
  EXPECT_EQ(finding.verdict, Verdict::safe_but_loose);
  const Finding below = checked({"", claim.of, 4, 1e-5}, AccountantName::best, default_tolerance, default_slack);
  EXPECT_EQ(below.verdict, Verdict::undecided);
}

TEST(Checked, ProvesNothingByAnEstimate) {
  const Claim claim{"", parse_plan("100 x poisson(0.01, gaussian(1))"), 1, 1e-5};
  const Finding finding = checked(claim, AccountantName::gdp, default_tolerance, default_slack);
  EXPECT_EQ(finding.verdict, Verdict::not_covered);
  EXPECT_NE(finding.says.find("estimate"), std::string::npos) << finding.says;
}

}  // namespace
}  // namespace dpbudget::tools
