#include "dpbudget/accounting/solve/rounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::solve {
namespace {

// Spends its count's share, where it answers.
class InventedCounter final : public Accountant {
 public:
  InventedCounter(std::uint64_t first, std::uint64_t last) : first_(first), last_(last) {}
  Answer<Bound> epsilon(std::uint64_t count, double /*delta*/) override {
    if (count != 0 && !(first_ <= count && count <= last_)) return Refusal{"invented", "does not count so far"};
    Bound bound;
    bound.upper = static_cast<double>(count);
    return bound;
  }
  Answer<DeltaBound> delta(std::uint64_t /*count*/, double /*epsilon*/) override { return Refusal{"", "no"}; }

 private:
  std::uint64_t first_;
  std::uint64_t last_;
};

TEST(Rounds, AreTheMostThatFit) {
  for (const std::uint64_t start : {1U, 500U, 1234U, 100000U}) {
    InventedCounter all(1, ranges::max_count);
    const Rounds found = rounds(all, start, 1234.5, 0.1).value();
    EXPECT_EQ(found.rounds, 1234U) << start;
    EXPECT_EQ(found.at_rounds.upper, 1234) << start;
    EXPECT_EQ(found.at_next.upper, 1235) << start;
    EXPECT_FALSE(found.unbounded);
  }
}

// From above alone it says a little more.
class DearCounter final : public Accountant {
 public:
  Answer<Bound> epsilon(std::uint64_t count, double /*delta*/) override {
    ++asked;
    Bound bound;
    bound.upper = static_cast<double>(count);
    return bound;
  }
  Answer<Bound> epsilon_from_above(std::uint64_t count, double /*delta*/) override {
    Bound bound;
    bound.upper = 1.002 * static_cast<double>(count);
    return bound;
  }
  Answer<DeltaBound> delta(std::uint64_t /*count*/, double /*epsilon*/) override { return Refusal{"", "no"}; }

  int asked = 0;
};

TEST(Rounds, AreLookedForByUpperEndsAlone) {
  DearCounter dear;
  const Rounds found = rounds(dear, 10, 1234.5, 0.1).value();
  EXPECT_EQ(found.rounds, 1234U);
  EXPECT_EQ(found.at_rounds.upper, 1234);
  EXPECT_EQ(found.at_next.upper, 1235);
  EXPECT_LE(dear.asked, 8);
}

// Whose lower ends are below the upper ones by a tenth.
class WideCounter final : public Accountant {
 public:
  explicit WideCounter(double power) : power_(power) {}

  Answer<Bound> epsilon(std::uint64_t count, double /*delta*/) override {
    ++asked;
    Bound bound = at(count);
    bound.lower = 0.9 * bound.upper;
    return bound;
  }
  Answer<Bound> epsilon_from_above(std::uint64_t count, double /*delta*/) override {
    ++asked_above_[count];
    return at(count);
  }
  Answer<DeltaBound> delta(std::uint64_t /*count*/, double /*epsilon*/) override { return Refusal{"", "no"}; }

  int asked = 0;
  int asked_above_of(std::uint64_t count) { return asked_above_[count]; }

 private:
  Bound at(std::uint64_t count) const {
    Bound bound;
    bound.upper = std::pow(static_cast<double>(count), power_);
    return bound;
  }

  double power_;
  std::map<std::uint64_t, int> asked_above_;
};

// To look for lower ends takes long: they are asked for where they are said, or expected to exceed.
TEST(Rounds, AskForFewLowerEnds) {
  for (const double power : {0.5, 0.7, 1.0}) {
    WideCounter wide(power);
    const double epsilon = std::pow(12.5, power);
    const Rounds found = rounds(wide, 10, epsilon, 0.1).value();
    EXPECT_EQ(found.rounds, 12U);
    EXPECT_EQ(found.at_next.upper, std::pow(13.0, power));
    EXPECT_EQ(found.at_next.lower, found.at_rounds.lower);
    EXPECT_TRUE(found.at_next.lower_source);
    const double least = 12.5 * std::pow(1 / 0.9, 1 / power);
    EXPECT_GE(static_cast<double>(found.none_from.value()), least);
    EXPECT_LE(static_cast<double>(found.none_from.value()), 1.03 * least + 2);
    EXPECT_LE(wide.asked, 2) << power;
  }
  // Of few rounds one more may exceed.
  WideCounter wide(1);
  const Rounds found = rounds(wide, 1, 5.2, 0.1).value();
  EXPECT_EQ(found.rounds, 5U);
  EXPECT_GT(found.at_next.lower, 5.2);
  EXPECT_EQ(found.none_from, 6U);
  // Then for both its ends at once.
  EXPECT_EQ(wide.asked_above_of(6), 1);
}

TEST(Rounds, AreLookedForWhereTheAccountantAnswers) {
  for (const std::uint64_t start : {1U, 50U, 400U, 5000U}) {
    InventedCounter few(1, 1000);
    const Rounds found = rounds(few, start, 1234.5, 0.1).value();
    EXPECT_EQ(found.rounds, 1000U) << start;
    EXPECT_TRUE(std::isinf(found.at_next.upper));
    EXPECT_EQ(found.at_next.notes.front(), "invented does not count so far");
  }
  InventedCounter many(100, ranges::max_count);
  EXPECT_EQ(rounds(many, 1, 1234.5, 0.1).value().rounds, 1234U);
  InventedCounter none(2, 1);
  EXPECT_EQ(rounds(none, 1, 1234.5, 0.1).error().accountant, "invented");
}

// Its integral converges slowly for few rounds, where the Rényi accountant lets the search begin.
TEST(Rounds, AreThoseOfTheContourBeyondItsFirst) {
  const Plan round = parse_plan("poisson(0.01, gaussian(1))");
  const Rounds found = rounds(round, AccountantName::contour, default_tolerance, 1, 1e-5).value();
  EXPECT_EQ(found.rounds, 254U);
  EXPECT_LE(found.at_rounds.upper, 1);
  EXPECT_GT(found.at_next.lower, 1);
}

TEST(Rounds, RefuseWhatHasNoTheorem) {
  const auto refused = rounds(parse_plan("zcdp(1)"), AccountantName::contour, default_tolerance, 1, 1e-5);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().accountant, "contour");
  EXPECT_THROW(rounds(parse_plan("laplace(1)"), AccountantName::renyi, default_tolerance, -1, 1e-5), InvalidArgument);
}

// Where counts are stepped down to what delta has room for, the epsilon of one more was said to be that of many more.
TEST(Rounds, SayWhatOneMoreSpends) {
  const Plan round = parse_plan("poisson(0.00022149, laplace(1.8788))");
  constexpr double tolerance = 0.05;
  constexpr double delta = 1.8597e-08;
  const Rounds found = rounds(round, AccountantName::best, tolerance, 1.9811, delta).value();
  const Plan next{repeat(found.rounds + 1, round.event), round.adjacency};
  const Bound spent = make_accountant(AccountantName::best, next, tolerance).value()->epsilon(1, delta).value();
  EXPECT_LE(found.at_next.lower, spent.upper);
  EXPECT_GE(found.at_next.upper, spent.lower);
}

}  // namespace
}  // namespace dpbudget::solve
