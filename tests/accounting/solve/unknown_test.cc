#include "dpbudget/accounting/solve/unknown.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/accountant.h"

namespace dpbudget::solve {

using numeric::largest_that_fits;
namespace {

Solution solved(std::string_view plan, double epsilon, double delta) {
  return unknown(parse_plan(plan), epsilon, delta, renyi::epsilon).value();
}

double spent(std::string_view plan, double value, double delta) {
  const Plan unsolved = parse_plan(plan);
  return renyi::epsilon({substitute(unsolved.event, value), unsolved.adjacency}, delta).upper;
}

TEST(Unknown, MeetsTheBudgetFromTheSafeSideAndJustSo) {
  struct Case {
    const char* plan;
    double beyond;  // a factor that leaves the budget
  };
  for (const auto& [plan, beyond] :
       {Case{"1000 x poisson(0.01, gaussian(?))", 1 - 1e-9}, Case{"10 x laplace(?)", 1 - 1e-9},
        Case{"1000 x poisson(?, gaussian(1.5))", 1 + 1e-9}, Case{"100 x wor(?, gaussian(5))", 1 + 1e-9},
        Case{"100 x participates(?, gaussian(2))", 1 + 1e-9}, Case{"20 x rr(?)", 1 + 1e-9},
        Case{"5 x pure(?)", 1 + 1e-9}, Case{"10 x discrete_gaussian(?) + gaussian(20)", 1 - 1e-9}}) {
    const Solution found = solved(plan, 1, 1e-6);
    ASSERT_TRUE(found.value) << plan;
    EXPECT_LE(found.at_value.upper, 1) << plan;
    EXPECT_EQ(found.at_value.upper, spent(plan, *found.value, 1e-6)) << plan;
    EXPECT_GT(spent(plan, *found.value * beyond, 1e-6), 1) << plan;
  }
}

TEST(Unknown, AgreesWithThePeersNoise) {
  // Other Rényi accountants give 1.659489 to 1.659546.
  const Solution found = solved("1000 x poisson(0.01, gaussian(?))", 1, 1e-6);
  EXPECT_LE(*found.value, 1.659489);
  EXPECT_GT(*found.value, 1.6594);
}

TEST(Unknown, CountsAreWhole) {
  EXPECT_EQ(solved("? x poisson(0.02, gaussian(1.5))", 3, 1e-6).value, 1504);
  EXPECT_EQ(solved("gaussian(5) + ? x pure(0.125)", 0.93, 1e-6).value, 0);
  EXPECT_EQ(solved("gaussian(5) + ? x pure(0.125)", 1.5, 1e-300).value, std::nullopt);
  EXPECT_EQ(solved("2 x ? x pure(0.125)", 1, 1e-300).value, 4);
}

TEST(Unknown, SaysWhenNoValueOrEveryValueMeetsTheBudget) {
  for (const auto* plan : {"gaussian(0.5) + gaussian(?)", "gaussian(0.5) + poisson(?, gaussian(1))",
                           "gaussian(0.5) + rr(?)", "gaussian(0.5) + ? x gaussian(1)"}) {
    const Solution found = solved(plan, 1, 1e-6);
    EXPECT_FALSE(found.value) << plan;
    EXPECT_FALSE(found.every_value) << plan;
    EXPECT_NE(found.explanation.find("no "), std::string::npos);
  }
  for (const auto* plan : {"poisson(0, gaussian(?))", "wor(?, gaussian(100))", "? x gaussian(1e300)"}) {
    const Solution found = solved(plan, 1, 1e-6);
    EXPECT_FALSE(found.value) << plan;
    EXPECT_TRUE(found.every_value) << plan;
  }
}

TEST(Unknown, FindsTheFewestReports) {
  // As epsilon falls with reports: by their root, at once, or in steps that hardly change.
  const auto reports = [](const auto& epsilon_of, double budget) {
    return unknown(parse_plan("shuffle(?, rr(1))"), budget, 1e-6,
                   [&](const Plan& plan, double) {
                     Bound bound{};
                     bound.upper = epsilon_of(static_cast<double>(std::get<Shuffled>(plan.event).reports.value()));
                     return bound;
                   })
        .value();
  };
  const auto root = [](double n) { return std::min(1.0, 3 / std::sqrt(n)); };
  EXPECT_EQ(reports(root, 0.03).value, 10000);
  EXPECT_EQ(reports(root, 3 / std::sqrt(123457.0)).value, 123457);
  EXPECT_EQ(reports([](double n) { return n < 77777 ? 1.0 : 0.0; }, 0.5).value, 77777);
  EXPECT_EQ(reports([](double n) { return 1 - n * 0x1p-30; }, 0.5).value, 0x1p29);
  EXPECT_EQ(reports([](double n) { return n < 2 ? 1.0 : 0.0; }, 0.0).value, 2);
  EXPECT_TRUE(reports(root, 1).every_value);
  const Solution none = reports(root, 1e-9);
  EXPECT_FALSE(none.value);
  EXPECT_FALSE(none.every_value);
  EXPECT_EQ(none.explanation, "no number of reports up to 9007199254740992 is proven to meet the budget");
  EXPECT_EQ(reports(root, 3 * 0x1p-20).value, 0x1p40);
}

TEST(Unknown, LooksForReportsAsFarAsTheAccountantAnswers) {
  const auto reports = [](double most, double budget) {
    return unknown(parse_plan("shuffle(?, rr(1))"), budget, 1e-6,
                   [&](const Plan& plan, double) {
                     const auto n = static_cast<double>(std::get<Shuffled>(plan.event).reports.value());
                     if (n > most) throw Unsupported("too many to go through");
                     Bound bound{};
                     bound.upper = 1 / std::sqrt(n);
                     return bound;
                   })
        .value();
  };
  for (const double most : {1.01e6, 3e6, 1e9}) EXPECT_EQ(reports(most, 1e-3).value, 1e6) << most;
  const Solution none = reports(123456, 1e-3);
  EXPECT_FALSE(none.value || none.every_value);
  EXPECT_NE(none.explanation.find("no number of reports up to 123"), std::string::npos) << none.explanation;
  EXPECT_NE(none.explanation.find("is proven to meet the budget: too many to go through"), std::string::npos)
      << none.explanation;
  EXPECT_THROW(reports(0, 0.5), Unsupported);
}

TEST(Unknown, LooksForNoMoreReportsThanASampleHas) {
  const auto solved_in = [](const std::string& sample, double needed) {
    return unknown(parse_plan("wor(" + sample + ", shuffle(?, rr(1)))"), 0.5, 1e-6,
                   [&](const Plan& plan, double) {
                     const auto& inner = std::get<SampledWithoutReplacement>(plan.event).inner;
                     Bound bound{};
                     bound.upper = static_cast<double>(std::get<Shuffled>(*inner).reports.value()) < needed ? 1 : 0;
                     return bound;
                   })
        .value();
  };
  EXPECT_EQ(solved_in("10 of 100", 10).value, 10);
  for (const auto* sample : {"10 of 100", "1 of 100"}) {
    const Solution none = solved_in(sample, 11);
    EXPECT_FALSE(none.value || none.every_value);
    EXPECT_NE(none.explanation.find("the sample has records for no more"), std::string::npos) << none.explanation;
  }
}

// A theorem may hold from some value on: what it leaves out does not fit.
TEST(Unknown, LooksWhereTheAccountantAnswers) {
  const auto least = [](double answers_from, double fits_from) {
    return unknown(UnknownKind::noise, 1, [=](double noise) -> Answer<Bound> {
      if (noise < answers_from) return Refusal{"", "too little noise"};
      Bound bound{};
      bound.upper = fits_from / noise;
      return bound;
    });
  };
  EXPECT_NEAR(least(8, 5).value().value.value(), 8, 1e-11);
  EXPECT_NEAR(least(5, 8).value().value.value(), 8, 1e-11);
  EXPECT_GE(least(8, 5).value().value.value(), 8);
  const auto never = least(std::numeric_limits<double>::infinity(), 1);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().text(), "too little noise");
  const auto counts = unknown(UnknownKind::count, 1, [](double count) -> Answer<Bound> {
    if (count > 100) return Refusal{"", "too many"};
    return Bound{};
  });
  EXPECT_EQ(counts.value().value, 100);
}

TEST(Unknown, AsksAboutEveryValueOnce) {
  std::map<double, int> asked;
  const auto found = unknown(UnknownKind::scale, 1, [&](double scale) -> Answer<Bound> {
    EXPECT_EQ(++asked[scale], 1) << scale;
    Bound bound{};
    bound.upper = 3 / scale;
    return bound;
  });
  EXPECT_NEAR(*found.value().value, 3, 1e-11);
}

// What is far from the budget on either side is not halved to the last digit: each question may take long.
TEST(Unknown, FindsWhereABoundJumps) {
  int asked = 0;
  const auto found = unknown(UnknownKind::rate, 0.1, [&](double rate) {
    ++asked;
    Bound bound{};
    bound.upper = rate <= 3e-80 ? 0 : 0.5;
    return Answer<Bound>(bound);
  });
  EXPECT_LE(*found.value().value, 3e-80);
  EXPECT_GT(*found.value().value, 3e-80 * (1 - 1e-6));
  EXPECT_LT(asked, 100);
}

// Steps from a guess grow as what they bring says, and do not go on doubling.
TEST(Unknown, AsksLittleWhereLittleChanges) {
  for (const double share : {1e-3, 1e-6, 1e-9}) {
    int asked = 0;
    const auto found = unknown(
        UnknownKind::noise, 1 + share / 100,
        [&](double noise) {
          ++asked;
          Bound bound{};
          bound.upper = 1 + share / noise / noise;
          return Answer<Bound>(bound);
        },
        1);
    EXPECT_NEAR(*found.value().value, 10, 0.1);
    EXPECT_LE(asked, 20) << share;
  }
}

// From far away, where the rest of the plan spends nearly all of the budget: the bound's logarithm is no straight line.
TEST(Unknown, AsksLittleWhereTheRestSpendsMost) {
  for (const double share : {1e-2, 1e-3, 1e-4}) {
    int asked = 0;
    const auto found = unknown(
        UnknownKind::noise, 1 + share,
        [&](double noise) {
          ++asked;
          Bound bound{};
          bound.upper = 1 + 0.03 / noise / noise;
          return Answer<Bound>(bound);
        },
        std::nullopt, 1e-7);
    EXPECT_NEAR(*found.value().value, std::sqrt(0.03 / share), 1e-2 * std::sqrt(0.03 / share));
    EXPECT_LE(asked, 11) << share;
  }
}

// And from so far that the limit is reached.
TEST(Unknown, AsksLittleFromWhereNothingIsLeft) {
  int asked = 0;
  const auto found = unknown(
      UnknownKind::noise, 1.001,
      [&](double noise) {
        ++asked;
        Bound bound{};
        bound.upper = 1 + 1e-3 * std::pow(noise / 1e12, -2);
        return Answer<Bound>(bound);
      },
      std::exp(500), 1e-7);
  EXPECT_NEAR(*found.value().value, 1e12, 1e10);
  EXPECT_LE(asked, 60);
}

// Ends of a bracket that is a hundredth wide, with jumps of a thousandth at any value.
TEST(Unknown, AsksLittleWhereEndsAreNotSmooth) {
  int asked = 0;
  const auto found = unknown(UnknownKind::noise, 1, [&](double noise) {
    ++asked;
    Bound bound{};
    const double wobble = 1e-3 * std::abs(std::sin(1e13 * std::min(noise, 1e9)));
    bound.upper = 2 / noise * (1 + wobble);
    bound.lower = 1.98 / noise;
    return Answer<Bound>(bound);
  });
  EXPECT_NEAR(*found.value().value, 2, 3e-3);
  EXPECT_LE(found.value().at_value.upper, 1);
  EXPECT_LE(asked, 16);
}

// Of resolved ends of which nothing is known from below a value that is inside by a millionth is near enough.
TEST(Unknown, AsksLittleWhereNothingIsKnownFromBelow) {
  const auto questions = [](bool is_resolved, double tolerance) {
    int asked = 0;
    const auto bound_at = [&](double noise) {
      ++asked;
      Bound bound{};
      bound.upper = 2 / noise * (1 + 1e-7 * std::abs(std::sin(1e13 * std::min(noise, 1e9))));
      bound.is_resolved = is_resolved;
      return Answer<Bound>(bound);
    };
    const auto found = unknown(UnknownKind::noise, 1, bound_at, std::nullopt, 1e-13, tolerance);
    EXPECT_NEAR(*found.value().value, 2, 4e-6);
    EXPECT_LE(found.value().at_value.upper, 1);
    return asked;
  };
  EXPECT_LT(questions(true, 1e-3), questions(false, 1e-3));
  EXPECT_EQ(questions(true, 0), questions(false, 1e-3));
}

// Of a budget of 0 the side is all that is known, and no jump.
TEST(Unknown, FindsWhereNothingIsSpentToTheLastDigit) {
  const auto found = unknown(UnknownKind::scale, 0, [](double scale) {
    Bound bound{};
    bound.upper = std::max(0.0, 3 - scale);
    return Answer<Bound>(bound);
  });
  EXPECT_GE(*found.value().value, 3);
  EXPECT_NEAR(*found.value().value, 3, 1e-11);
}

TEST(Unknown, RefusesBadQuestions) {
  EXPECT_THROW(solved("gaussian(1)", 1, 1e-6), InvalidArgument);
  EXPECT_THROW(solved("gaussian(?)", -1, 1e-6), InvalidArgument);
  EXPECT_THROW(solved("gaussian(?)", 1, 0), Unsupported);
  EXPECT_THROW(solved("gaussian(?)", 1, std::numeric_limits<double>::quiet_NaN()), InvalidArgument);
  EXPECT_THROW(solved("shuffle(10, gaussian(?)) under zero_out_one", 1, 1e-6), Unsupported);
  const Event two = Composed{{Event(Gaussian{Real::unknown()}), Event(Gaussian{Real::unknown()})}};
  EXPECT_THROW(unknown({two, Adjacency::replace_one}, 1, 1e-6, renyi::epsilon).value(), InvalidArgument);
}

RC_GTEST_PROP(LargestThatFits, IsFoundFromAnyStart, ()) {
  const auto end = static_cast<std::uint64_t>(*rc::gen::inRange(1, 1000000));
  const auto truth = static_cast<std::uint64_t>(*rc::gen::inRange(0, static_cast<int>(end)));
  const auto start = static_cast<std::uint64_t>(*rc::gen::inRange(0, static_cast<int>(end)));
  int asked = 0;
  const auto found = largest_that_fits(start, end, [&](std::uint64_t count) {
    ++asked;
    RC_ASSERT(0 < count && count < end);
    return count <= truth;
  });
  RC_ASSERT(found == truth);
  RC_ASSERT(asked <= 60);
}

}  // namespace
}  // namespace dpbudget::solve
