#include "dpbudget/accounting/exact/shuffled.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "mechanisms/refused.h"

namespace dpbudget::exact {
namespace {

using dpbudget::testing::log_uniform;

Event event(std::string_view text) { return parse_plan(text).event; }

Shuffled random_shuffle() {
  const double local_epsilon = log_uniform(1e-2, 8);
  const auto reports = static_cast<std::uint64_t>(log_uniform(1, 2000));
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return {reports, Event(RandomizedResponse{local_epsilon, 2})};
    case 1:
      return {reports, Event(RandomizedResponse{local_epsilon, static_cast<std::uint64_t>(*rc::gen::inRange(3, 20))})};
    case 2:
      return {reports, Event(Laplace{1 / local_epsilon})};
    case 3:
      return {reports, Event(PureDp{local_epsilon}), 2};
    default:
      return {reports, Event(PureDp{local_epsilon})};
  }
}

RC_GTEST_PROP(ShuffledProfile, DeltaAndEpsilonAgree, ()) {
  const Shuffled shuffled = random_shuffle();
  const double delta = log_uniform(1e-30, 0.5);
  const Bound epsilon = shuffled_epsilon(shuffled, Adjacency::replace_one, 1, delta);
  RC_ASSERT(0 <= epsilon.lower && epsilon.lower <= epsilon.upper);
  const DeltaBound back = shuffled_delta(shuffled, Adjacency::replace_one, 1, epsilon.upper);
  RC_ASSERT(back.log_lower <= back.log_upper);
  RC_ASSERT(back.log_lower <= std::log(delta) + 1e-9);
  if (epsilon.lower > 0) {
    const DeltaBound below = shuffled_delta(shuffled, Adjacency::replace_one, 1, epsilon.lower);
    RC_ASSERT(below.log_upper >= std::log(delta) - 1e-9 * (1 - std::log(delta)));
  }
}

TEST(ShuffledProfile, HoldsTheBracketOfLossDistributions) {
  for (const char* text :
       {"shuffle(1000, rr(1))", "shuffle(3000, rr(1, 5))", "shuffle(1000, pure(1))", "shuffle(1000, approximate(1, 0))",
        "shuffle(1000, laplace(1))", "shuffle(100, pure(0.1), 5)"}) {
    const Plan plan = parse_plan(text);
    const auto numerical = make_accountant(AccountantName::loss_distribution, plan).value();
    const auto best = make_accountant(AccountantName::best, plan).value();
    const Bound wide = numerical->epsilon(1, 1e-5).value();
    const Bound found = best->epsilon(1, 1e-5).value();
    const Bound exact = make_accountant(AccountantName::exact, plan).value()->epsilon(1, 1e-5).value();
    EXPECT_LE(found.upper, exact.upper) << text;
    EXPECT_GE(found.upper, exact.upper * (1 - 1e-4)) << text;  // the same clones, a little closer
    EXPECT_EQ(found.guarantee, Guarantee::proven);
    EXPECT_LE(found.upper, wide.upper * (1 + 1e-4)) << text;
    EXPECT_GE(found.lower, wide.lower * (1 - 2e-3)) << text;
    EXPECT_LE(found.lower, found.upper) << text;
    const DeltaBound delta = best->delta(1, found.upper).value();
    EXPECT_LE(delta.bound.lower, 1e-5 * (1 + 1e-9)) << text;
    EXPECT_NE(best->epsilon(2, 1e-5).value().accountant, "exact") << text;
    EXPECT_EQ(best->epsilon(0, 1e-5).value().upper, 0) << text;
  }
}

TEST(ShuffledProfile, OfPureDpIsThatOfItsClones) {
  const Bound found = shuffled_epsilon({10000, Event(PureDp{1})}, Adjacency::replace_one, 1, 1e-6);
  const double truth = shuffle::clones_epsilon(1, 1e4, 1e-6);
  EXPECT_GE(found.upper, truth * (1 - 1e-9));
  EXPECT_LE(found.upper, truth * (1 + 2e-4));
  EXPECT_GT(found.lower, 0.6 * truth);
}

TEST(ShuffledProfile, OfManyCategoriesIsThatOfTheBlanket) {
  const Shuffled responses{10000, Event(RandomizedResponse{1, 10})};
  const Bound found = shuffled_epsilon(responses, Adjacency::replace_one, 1, 1e-6);
  EXPECT_NEAR(found.upper, 0.0232533, 1e-6);
  EXPECT_GT(found.lower, 0.999 * found.upper);
  EXPECT_NEAR(shuffled_delta(responses, Adjacency::replace_one, 1, found.upper).bound.upper, 1e-6, 1e-10);
}

// So many clones cannot be gone through one by one.
TEST(ShuffledProfile, AnswersForAsManyReportsAsThereAreIntegers) {
  double last = 1;
  for (const auto* reports : {"1125899906842624", "9007199254740992"}) {
    const Event pure = event(std::string("shuffle(") + reports + ", pure(8))");
    const DeltaBound delta = shuffled_delta(std::get<Shuffled>(pure), Adjacency::replace_one, 1, 1e-6);
    EXPECT_LT(delta.bound.lower, delta.bound.upper);
    EXPECT_GT(delta.bound.lower, 0);
    EXPECT_LT(delta.bound.upper, last);
    last = delta.bound.upper;
  }
}

// Clones are then too rare for a double; binary randomised response alone attains (e^e - e^epsilon) / (e^e + 1).
TEST(ShuffledProfile, BeyondTheLargestLocalEpsilonIsTheLocalGuarantee) {
  for (const char* text : {"shuffle(10, pure(700))", "shuffle(10, rr(700))", "shuffle(10, rr(700, 5))",
                           "shuffle(10, pure(700), 3)", "shuffle(10, approximate(700, 0))"}) {
    const Plan plan = parse_plan(text);
    for (const AccountantName name : {AccountantName::exact, AccountantName::renyi, AccountantName::loss_distribution,
                                      AccountantName::approximate, AccountantName::best}) {
      const auto accountant = make_accountant(name, plan).value();
      const Bound found = accountant->epsilon(1, 0.5).value();
      EXPECT_GE(found.upper, 700 + std::log(0.5)) << text << to_string(name);
      EXPECT_NE(joined(found.theorems).find("the local guarantee, kept by shuffling"), std::string::npos)
          << text << to_string(name) << joined(found.theorems);
      const bool is_closed_form = name == AccountantName::exact || name == AccountantName::best;
      EXPECT_LE(found.upper, is_closed_form ? 700 + std::log(0.5) + 1e-9 : 700) << text;
    }
  }
  const DeltaBound delta = shuffled_delta({10, Event(PureDp{700})}, Adjacency::replace_one, 1, 690);
  EXPECT_GE(delta.log_upper, std::log(-std::expm1(-10)));
  EXPECT_NEAR(delta.log_upper, std::log(-std::expm1(-10)), 1e-12);
  EXPECT_EQ(shuffled_delta({10, Event(PureDp{700})}, Adjacency::replace_one, 1, 700).bound.upper, 0);
}

// What is attained of Laplace noise and of guarantees is what others attain that they dominate
// (accounting/shuffle/proofs.md, 7.5).
TEST(ShuffledProfile, IsAtLeastThatOfWhatTheRandomizerAllows) {
  const auto ends = [](const char* text, double delta) {
    return shuffled_epsilon(std::get<Shuffled>(event(text)), Adjacency::replace_one, 1, delta);
  };
  // 1/0.7 is no double.
  EXPECT_NEAR(ends("shuffle(300, discrete_laplace(0.7))", 1e-5).upper,
              ends("shuffle(300, rr(1.4285714285714286))", 1e-5).upper, 1e-9);
  EXPECT_NEAR(ends("shuffle(300, discrete_laplace(0.7))", 1e-5).lower,
              ends("shuffle(300, rr(1.4285714285714286))", 1e-5).lower, 1e-3);
  for (const char* reports : {"20", "300", "100000"}) {
    const auto of = [&](const std::string& local) { return "shuffle(" + std::string(reports) + ", " + local + ")"; };
    EXPECT_GE(ends(of("pure(1)").c_str(), 1e-4).lower, ends(of("rr(1)").c_str(), 1e-4).lower * (1 - 1e-3));
    EXPECT_GE(ends(of("pure(1)").c_str(), 1e-4).lower, ends(of("rr(1, 3)").c_str(), 1e-4).lower * (1 - 1e-3));
    const Bound laplace = ends(of("laplace(1)").c_str(), 1e-4);
    EXPECT_GE(laplace.lower, ends(of("rr(0.831)").c_str(), 1e-4).lower * (1 - 1e-3));
    EXPECT_LE(laplace.upper, ends(of("pure(1)").c_str(), 1e-4).upper * (1 + 1e-6));
    EXPECT_GE(laplace.lower, 0.7 * laplace.upper);
  }
}

TEST(ShuffledProfile, OfNothingIsNothing) {
  EXPECT_EQ(shuffled_epsilon({10, Event(RandomizedResponse{0, 2})}, Adjacency::replace_one, 1, 1e-6).upper, 0);
  EXPECT_EQ(shuffled_delta({10, Event(PureDp{0})}, Adjacency::replace_one, 1, 0).bound.upper, 0);
}

TEST(ShuffledProfile, RefusesBadInput) {
  const Shuffled binary{10, Event(RandomizedResponse{1, 2})};
  const Shuffled gaussian{10, Event(Gaussian{1})};
  for (const double bad : {0.0, 1.0, std::nan("")})
    EXPECT_REFUSED("delta", shuffled_epsilon(binary, Adjacency::replace_one, 1, bad));
  for (const double bad : {-1.0, HUGE_VAL, std::nan("")})
    EXPECT_REFUSED("epsilon", shuffled_delta(binary, Adjacency::replace_one, 1, bad));
  EXPECT_REFUSED("exact has no theorem", shuffled_epsilon(binary, Adjacency::add_or_remove_one, 1, 0.1));
  EXPECT_REFUSED("exact has no theorem", shuffled_delta(gaussian, Adjacency::replace_one, 1, 1));
}

}  // namespace
}  // namespace dpbudget::exact
