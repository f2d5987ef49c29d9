#include "dpbudget/fl/audit/plan_audit.h"

#include <gtest/gtest.h>

#include <string>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/plan/language.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

double proven(const Plan& plan, double delta) {
  return make_accountant(AccountantName::best, plan).value()->epsilon(1, delta).value().upper;
}

TEST(PlanAudit, ReachesMostOfAGaussiansEpsilon) {
  const Plan plan = parse_plan("gaussian(1)");
  const double truth = proven(plan, 1e-5);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Attacked found = audit(plan, {.runs = 1000, .canaries = 1000, .delta = 1e-5, .seed = seed});
    EXPECT_GT(found.epsilon, 0.6 * truth) << seed;
    EXPECT_LT(found.epsilon, truth) << seed;
  }
  // A threshold that is fitted to a pilot's handful of mistakes shows less.
  EXPECT_GT(audit(plan, {.runs = 1000, .canaries = 100, .delta = 1e-5}).epsilon, 0.6 * truth);
}

TEST(PlanAudit, TakesFewerCanariesWhereManyTakeLong) {
  EXPECT_EQ(usual_canaries(parse_plan("gaussian(1)"), 1000), 1000U);
  EXPECT_EQ(usual_canaries(parse_plan("gaussian(1)"), 100000), 200U);  // of 2e7 trials at most
  EXPECT_EQ(usual_canaries(parse_plan("gaussian(1)"), 20000000), 1U);
  EXPECT_EQ(usual_canaries(parse_plan("20000 x laplace(1)"), 1000), 100U);
}

// Each may be above once in 10^6 audits.
TEST(PlanAudit, StaysBelowWhatIsProven) {
  for (const char* text :
       {"gaussian(1)", "laplace(1)", "discrete_gaussian(1)", "discrete_laplace(1)", "rr(1.5)", "pure(1)",
        "approximate(1, 0.01)", "gdp(1)", "zcdp(0.5)", "exponential(1)", "poisson(0.1, gaussian(1))",
        "20 x poisson(0.1, gaussian(1))", "10 x participates(0.3, gaussian(2))",
        "wor(1 of 10, gaussian(1)) under replace_one", "random_allocation(5, gaussian(1))",
        "shuffle(20, rr(2)) under replace_one", "group(2, gaussian(3))"}) {
    const Plan plan = parse_plan(text);
    const Attacked found = audit(plan, {.runs = 40, .canaries = 100, .delta = 0.01, .confidence = 1 - 1e-6});
    EXPECT_LE(found.epsilon, proven(plan, 0.01)) << text;
  }
}

// fl/audit/proofs.md, 1.1, 1.2 and 1.3: of 200 audits at 90 %, each with a pilot and a strategy of its own, more than
// 35 are above the truth with a probability below 1e-3. Epsilon of randomised response is known without any accountant,
// and at delta = 0 nothing of it is left over that would make bounds safe for another reason.
TEST(PlanAudit, IsAboveTheTruthAsRarelyAsItSays) {
  const Plan plan = parse_plan("rr(1)");
  for (const std::uint64_t runs : {1U, 30U}) {
    int above = 0;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const AuditRequest request{.runs = runs, .canaries = 300 / runs, .delta = 0, .confidence = 0.9, .seed = seed};
      const double found = audit(plan, request).epsilon;
      above += found > 1 ? 1 : 0;
      sum += found;
    }
    EXPECT_LE(above, 35) << runs;
    EXPECT_GT(sum / 200, 0.4) << runs;
  }
}

TEST(PlanAudit, FindsHalfTheNoise) {
  const AuditRequest request{.runs = 100, .canaries = 100, .delta = 1e-3, .confidence = 0.999};
  EXPECT_GT(audit(parse_plan("gaussian(1)"), request).epsilon, proven(parse_plan("gaussian(2)"), 1e-3));
  EXPECT_GT(audit(parse_plan("10 x poisson(0.5, gaussian(1))"), request).epsilon,
            proven(parse_plan("10 x poisson(0.5, gaussian(2))"), 1e-3));
}

// Laplace noise has losses of which half are one of two numbers, and they must be the same from both sides.
TEST(PlanAudit, OfLaplaceNoiseStaysBelowItsEpsilon) {
  const Attacked found = audit(parse_plan("laplace(1)"), {.runs = 1000, .canaries = 100, .confidence = 0.999});
  EXPECT_LE(found.epsilon, 1);
  EXPECT_GT(found.epsilon, 0.9);
}

// Where many score the same, a test takes all of them or none.
TEST(PlanAudit, ReachesMostOfTheEpsilonOfFewOutputs) {
  for (const char* text : {"rr(3)", "pure(3)", "oue(3, 4)", "shuffle(3, rr(3)) under replace_one"}) {
    const Plan plan = parse_plan(text);
    const Attacked found = audit(plan, {.runs = 100, .canaries = 100, .delta = 1e-3, .confidence = 0.999});
    EXPECT_GT(found.epsilon, 0.6 * proven(plan, 1e-3)) << text;
    EXPECT_LE(found.epsilon, proven(plan, 1e-3)) << text;
  }
}

TEST(PlanAudit, IsTheSameForTheSameSeed) {
  const Plan plan = parse_plan("gaussian(1)");
  AuditRequest request{.runs = 20, .canaries = 50, .delta = 1e-3};
  const Attacked first = audit(plan, request);
  EXPECT_EQ(audit(plan, request).epsilon, first.epsilon);
  request.seed = 2;
  EXPECT_NE(audit(plan, request).epsilon, first.epsilon);
}

TEST(PlanAudit, TakesOneRunOfManyCanaries) {
  const Plan plan = parse_plan("gaussian(0.5)");
  EXPECT_GT(audit(plan, {.runs = 1, .canaries = 2000, .delta = 1e-5}).epsilon, 1.5);
}

TEST(PlanAudit, RefusesWhatWouldTakeTooLong) {
  EXPECT_REFUSED("runs is 1000, but must be fewer",
                 audit(parse_plan("100000 x laplace(1)"), {.runs = 1000, .canaries = 1000}));
}

}  // namespace
}  // namespace dpbudget::fl
