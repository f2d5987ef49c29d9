#include "dpbudget/fl/tuning/trials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

Event event_of(const std::string& text) { return parse_plan(text + " under replace_one").event; }

std::string covering_text(const std::string& a, const std::string& b) {
  const auto found = covering(event_of(a), event_of(b));
  return found ? to_text({*found, Adjacency::replace_one}) : "none";
}

std::string text_of(const std::string& event) { return to_text({event_of(event), Adjacency::replace_one}); }

Released of_both(const std::string& record, const std::string& client) {
  Released released;
  released[Adversary::third_party] = {event_of(record)};
  released[Adversary::user_level] = {event_of(client)};
  return released;
}

constexpr double given_delta = 1e-6;

Bound epsilon_of(const Event& event) {
  return make_accountant(AccountantName::best, Plan{event, Adjacency::replace_one})
      .value()
      ->epsilon(1, given_delta)
      .value();
}

// fl/tuning/proofs.md, 3.2
TEST(Covering, HasTheLeastNoiseAndTheMostRepetitions) {
  EXPECT_EQ(covering_text("3 x participates(2 of 4, 2 x wor(4 of 24, gaussian(5)))",
                          "2 x participates(2 of 4, 5 x wor(4 of 24, gaussian(4)))"),
            text_of("3 x participates(2 of 4, 5 x wor(4 of 24, gaussian(4)))"));
  EXPECT_EQ(covering_text("gaussian(1) + 2 x gaussian(3)", "gaussian(2) + 3 x gaussian(2)"),
            text_of("gaussian(1) + 3 x gaussian(2)"));
  EXPECT_EQ(covering_text("laplace(1)", "laplace(1)"), text_of("laplace(1)"));
}

TEST(Covering, IsNotKnownOfPlansThatDifferInMore) {
  EXPECT_EQ(covering_text("wor(4 of 24, gaussian(5))", "wor(5 of 24, gaussian(5))"), "none");
  EXPECT_EQ(covering_text("participates(0.5, gaussian(5))", "wor(0.5, gaussian(5))"), "none");
  EXPECT_EQ(covering_text("gaussian(5)", "laplace(5)"), "none");
  EXPECT_EQ(covering_text("laplace(4)", "laplace(5)"), "none");
  EXPECT_EQ(covering_text("gaussian(5) + laplace(1)", "gaussian(5) + laplace(1) + gaussian(2)"), "none");
}

// A trial's profile is the mean of both runs', of which each costs more than the other at some epsilon.
// fl/tuning/proofs.md, 3.1
TEST(Covering, IsAboveTheMeanOfProfiles) {
  const auto delta_of = [](const std::string& event, double epsilon) {
    return make_accountant(AccountantName::best, Plan{event_of(event), Adjacency::replace_one})
        .value()
        ->delta(1, epsilon)
        .value()
        .bound.upper;
  };
  const std::string rare = "participates(0.1, gaussian(1)) + 2 x gaussian(9)";
  const std::string weak = "participates(0.1, gaussian(9)) + 2 x gaussian(3)";
  const std::string cover = "participates(0.1, gaussian(1)) + 2 x gaussian(3)";
  EXPECT_EQ(covering_text(rare, weak), text_of(cover));
  EXPECT_LT(delta_of(rare, 0), delta_of(weak, 0));
  EXPECT_GT(delta_of(rare, 4), delta_of(weak, 4));
  for (const double epsilon : {0.0, 1.0, 2.0, 4.0}) {
    const double mean = (delta_of(rare, epsilon) + delta_of(weak, epsilon)) / 2;
    EXPECT_GT(mean, std::min(delta_of(rare, epsilon), delta_of(weak, epsilon)));
    EXPECT_LT(mean, delta_of(cover, epsilon)) << epsilon;
  }
}

// fl/tuning/proofs.md, 3.3 and 3.4: of 3 runs on average, released together, and of the best.
TEST(TrialsCost, IsThatOfTheSelection) {
  const std::vector<Released> released = {of_both("2 x gaussian(5)", "2 x gaussian(4)"),
                                          of_both("gaussian(6)", "2 x gaussian(3)")};
  Pricing price(given_delta);
  EXPECT_FALSE(trials_cost(geometric(0.25), std::vector{released[0]}, Adversary::third_party, price) == std::nullopt);
  EXPECT_THROW(static_cast<void>(trials_cost(geometric(0.25), released, Adversary::third_party, price)),
               InvalidArgument);
  const auto cost = trials_cost(geometric(0.25), released, Adversary::user_level, price);
  ASSERT_TRUE(cost);
  EXPECT_EQ(to_text(cost->plan), "select(geometric(0.25), 2 x gaussian(3)) under replace_one");
  EXPECT_NEAR(cost->one.upper, epsilon_of(event_of("2 x gaussian(3)")).upper, 1e-9);
  EXPECT_NEAR(cost->composed.upper, epsilon_of(event_of("8 x gaussian(3)")).upper, 1e-9);
  const Bound selected = epsilon_of(event_of("select(geometric(0.25), 2 x gaussian(3))"));
  EXPECT_NEAR(cost->best.upper, selected.upper, 1e-9);
  EXPECT_NEAR(cost->best.lower, selected.lower, 1e-9);
  EXPECT_LT(cost->one.upper, cost->best.lower);
  EXPECT_LT(cost->best.upper, cost->composed.lower);
}

TEST(TrialsCost, IsNoneWhereARunHasNone) {
  Released none = of_both("gaussian(5)", "gaussian(5)");
  none[Adversary::third_party] = {std::nullopt};
  Pricing price(given_delta);
  const std::vector<Released> released = {of_both("gaussian(5)", "gaussian(5)"), none};
  EXPECT_FALSE(trials_cost(geometric(0.5), released, Adversary::third_party, price));
  EXPECT_TRUE(trials_cost(geometric(0.5), released, Adversary::user_level, price));
}

}  // namespace
}  // namespace dpbudget::fl
