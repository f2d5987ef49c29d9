// What rounds and solve answer is inside the budget for whoever asks about it afresh.
#include "dpbudget/accounting/solve/alone.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "accounting/random_event.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/accounting/solve/rounds.h"

namespace dpbudget::solve {
namespace {

using testing::log_uniform;

void must_be_inside(const Plan& plan, double tolerance, double epsilon, double delta) {
  const auto spent = make_accountant(AccountantName::best, plan, tolerance).value()->epsilon(1, delta);
  const auto left = make_accountant(AccountantName::best, plan, tolerance).value()->delta(1, epsilon);
  RC_LOG() << to_text(plan) << " spends " << spent->upper << " of " << epsilon << ", " << left->bound.upper << " of "
           << delta << "\n";
  RC_ASSERT(spent->upper <= epsilon);
  RC_ASSERT(left->bound.upper <= delta);
}

RC_GTEST_PROP(RoundsThatFit, AreInsideByQuestionsOfTheirOwn, ()) {
  if (*rc::gen::inRange(0, 4) != 0) return;
  const auto sampling = *rc::gen::element<std::string>("poisson", "wor");
  const Plan round{testing::random_event(1, sampling),
                   sampling == "wor" ? Adjacency::replace_one : Adjacency::add_or_remove_one};
  const double tolerance = log_uniform(1e-2, 0.3);
  const double epsilon = log_uniform(1e-2, 10);
  const double delta = log_uniform(1e-9, 1e-2);
  const auto found = rounds(round, AccountantName::best, tolerance, epsilon, delta);
  RC_LOG() << to_text(round) << "\n";
  if (!found || found->rounds == 0 || found->unbounded) return;
  must_be_inside({repeat(found->rounds, round.event), round.adjacency}, tolerance, epsilon, delta);
  if (found->none_from) RC_ASSERT(*found->none_from > found->rounds);
}

RC_GTEST_PROP(SolvedPlans, AreInsideByQuestionsOfTheirOwn, ()) {
  // Each takes a second or more.
  if (*rc::gen::inRange(0, 8) != 0) return;
  const auto* form = *rc::gen::element<const char*>(
      "? x poisson(RATE, laplace(2)) + gaussian(9)", "COUNT x poisson(RATE, gaussian(?))",
      "COUNT x poisson(?, rr(0.5))", "3 x laplace(?) + COUNT x pure(0.01)", "COUNT x participates(RATE, rr(?))",
      "COUNT x wor(RATE, gaussian(?))", "gaussian(8) + COUNT x participates(?, discrete_laplace(3))",
      "? x shuffle(200, rr(1))");
  std::string text(form);
  const auto fill = [&](std::string_view name, const std::string& value) {
    if (const auto at = text.find(name); at != std::string::npos) text.replace(at, name.size(), value);
  };
  fill("RATE", std::to_string(log_uniform(1e-3, 0.5)));
  fill("COUNT", std::to_string(*rc::gen::inRange(1, 200)));
  const Plan plan = parse_plan(text);
  const double tolerance = log_uniform(1e-3, 0.1);
  const double epsilon = log_uniform(0.1, 5);
  const double delta = log_uniform(1e-9, 1e-3);
  const auto found = unknown(plan, AccountantName::best, tolerance, epsilon, delta);
  RC_LOG() << text << "\n";
  if (!found || !found->value || *found->value == 0) return;
  RC_ASSERT(found->at_value.upper <= epsilon);
  must_be_inside({substitute(plan.event, *found->value), plan.adjacency}, tolerance, epsilon, delta);
}

TEST(SolvedPlans, SayWhatIsProvenWhereNothingIsFound) {
  const auto why = [](std::string_view plan, double epsilon) {
    const Solution found = unknown(parse_plan(plan), AccountantName::best, default_tolerance, epsilon, 1e-6).value();
    EXPECT_FALSE(found.value || found.every_value);
    return found.explanation;
  };
  EXPECT_EQ(why("gaussian(?) + gaussian(1)", 1), "no noise meets the budget: the rest of the plan exceeds it");
  // What it spends lies between the two ends, and the budget as well.
  EXPECT_EQ(why("gaussian(?) + zcdp(1)", 1)
                .find("no noise is proven to meet the budget: the rest of the plan spends "
                      "between 0 and "),
            0U);
}

TEST(RoundsThatFit, SayFromWhereOnNoneFits) {
  const Plan round = parse_plan("wor(0.01, gaussian(1))");
  const Rounds found = rounds(round, AccountantName::best, default_tolerance, 3, 1e-6).value();
  EXPECT_LE(found.at_next.lower, 3);
  ASSERT_TRUE(found.none_from);
  EXPECT_GT(*found.none_from, found.rounds);
  const Plan beyond{repeat(*found.none_from, round.event), round.adjacency};
  EXPECT_GT(make_accountant(AccountantName::best, beyond, default_tolerance).value()->epsilon(1, 1e-6)->lower, 3);
}

}  // namespace
}  // namespace dpbudget::solve
