#include "dpbudget/accounting/accountants/best_of.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget {
namespace {

// Members that say what they are told to; those left out have no theorem.
class Invented {
 public:
  explicit Invented(std::map<AccountantName, Answer<Bound>> answers)
      : answers_(std::move(answers)),
        best_(
            [this](AccountantName name) -> Answer<std::unique_ptr<AccountantName>> {
              if (!answers_.contains(name)) return Refusal{std::string(to_string(name)), "has no theorem"};
              return std::make_unique<AccountantName>(name);
            },
            1e-3) {}

  Answer<Bound> ask(const Meshes& meshes = {}) {
    return best_.asked(
        [this](const AccountantName& member) {
          asked.push_back(member);
          return answers_.at(member);
        },
        meshes);
  }
  Answer<Bound> ask_until_at_most(double enough) {
    return best_.asked_until([=](const Bound& found) { return found.upper <= enough; },
                             [this](const AccountantName& member) {
                               asked.push_back(member);
                               return answers_.at(member);
                             });
  }
  std::optional<Refusal> refusal() { return best_.refusal(); }

  std::vector<AccountantName> asked;

 private:
  std::map<AccountantName, Answer<Bound>> answers_;
  BestOf<AccountantName> best_;
};

Bound between(double lower, double upper) {
  Bound bound;
  bound.lower = lower;
  bound.upper = upper;
  return bound;
}

TEST(BestOf, KeepsTheWitnessOfEitherEnd) {
  Bound above = between(0, 2);
  above.accountant = "renyi";
  above.witnesses.upper = witness::RenyiOrder{3, 1};
  Bound below = between(1, 2.5);
  below.accountant = "loss_distribution";
  below.theorems = {"two"};
  below.witnesses = {witness::Mesh{0.5, 1e-9}, witness::Mesh{0.25, 1e-9}};
  for (const bool is_first : {true, false}) {
    Bound merged = is_first ? above : below;
    merge(merged, is_first ? below : above);
    EXPECT_EQ(std::get<witness::RenyiOrder>(merged.witnesses.upper).order, 3);
    EXPECT_EQ(std::get<witness::Mesh>(merged.witnesses.lower).mesh, 0.5);
    ASSERT_TRUE(merged.lower_source);
    EXPECT_EQ(merged.lower_source->accountant, "loss_distribution");
    EXPECT_EQ(merged.lower_source->theorems, below.theorems);
    merge(merged, between(0.5, 3));
    EXPECT_EQ(merged.lower_source->accountant, "loss_distribution");
  }
}

TEST(BestOf, SaysWhoseLowerEndIsFarAboveThatOfTheUpperEndsOwner) {
  Bound above = between(0, 2);
  above.accountant = "approximate";
  above.theorems = {"one"};
  Bound below = between(1, 2.5);
  below.accountant = "loss_distribution";
  below.theorems = {"two", "three"};
  below.notes = {"four"};
  Bound merged = above;
  merge(merged, below);
  EXPECT_EQ(merged.lower, 1);
  EXPECT_EQ(merged.upper, 2);
  EXPECT_EQ(merged.theorems, above.theorems);
  EXPECT_EQ(merged.notes, std::vector<std::string>{"the lower end is by loss_distribution: two; three"});
  merged = below;
  merge(merged, above);
  EXPECT_EQ(merged.accountant, "approximate");
  EXPECT_EQ(merged.notes.size(), 1U);
  above.lower = 0.9999;
  merge(above, below);
  EXPECT_EQ(above.lower, 1);
  EXPECT_TRUE(above.notes.empty());
}

RC_GTEST_PROP(BestOf, IsNeverAboveAMemberByMoreThanWhatItLeavesOut, ()) {
  std::map<AccountantName, Answer<Bound>> answers;
  const double truth = testing::log_uniform(1e-3, 1e3);
  const auto slack = [] { return *rc::gen::arbitrary<bool>() ? 0.0 : testing::log_uniform(1e-9, 1); };
  for (const AccountantName name : best_members) {
    if (*rc::gen::inRange(0, 3) == 0) continue;
    if (*rc::gen::inRange(0, 5) == 0)
      answers.emplace(name, Refusal{"", "too many"});
    else
      answers.emplace(name, between(truth * (1 - slack()), truth * (1 + slack())));
  }
  Invented best(answers);
  const Answer<Bound> found = best.ask();
  for (const auto& [name, answer] : answers) {
    if (!answer) continue;
    const bool was_asked = std::ranges::find(best.asked, name) != best.asked.end();
    const double left_out = was_asked ? 0 : enough_without(name, 1e-3);
    RC_ASSERT(found->upper * (1 - left_out) <= answer->upper);
    RC_ASSERT(found->lower >= answer->lower || !was_asked);
  }
  RC_ASSERT(found.has_value() == std::ranges::any_of(answers, [](const auto& a) { return a.second.has_value(); }));
}

TEST(BestOf, AsksMeshesLastAndOnlyWhereTheRestIsWide) {
  Invented wide({{AccountantName::loss_distribution, between(1, 1.5)},
                 {AccountantName::renyi, between(0, 2)},
                 {AccountantName::approximate, between(0, 3)}});
  EXPECT_EQ(wide.ask()->upper, 1.5);
  EXPECT_EQ(wide.asked,
            (std::vector{AccountantName::approximate, AccountantName::renyi, AccountantName::loss_distribution}));
  Invented narrow({{AccountantName::loss_distribution, between(1, 1.5)},
                   {AccountantName::contour, between(1, 1.0005)},
                   {AccountantName::renyi, between(0, 1.0001)}});
  EXPECT_EQ(narrow.ask()->upper, 1.0001);
  EXPECT_EQ(narrow.asked, (std::vector{AccountantName::contour, AccountantName::renyi}));
  Invented closed({{AccountantName::exact, between(1, 1)}, {AccountantName::renyi, between(0, 1)}});
  closed.ask();
  EXPECT_EQ(closed.asked, std::vector{AccountantName::exact});
}

TEST(BestOf, AsksWhoKnowsNoBetterPairsOnlyWhereMeshesAreNotResolved) {
  for (const bool is_resolved : {true, false}) {
    Bound by_meshes = between(1, 1.5);
    by_meshes.is_resolved = is_resolved;
    Invented all({{AccountantName::exact, between(0.9, 3)},
                  {AccountantName::loss_distribution, by_meshes},
                  {AccountantName::renyi, between(0, 2)},
                  {AccountantName::approximate, between(0, 1.25)}});
    EXPECT_EQ(all.ask({.are_first = true, .are_best = true})->upper, is_resolved ? 1.5 : 1.25);
    std::vector expected{AccountantName::exact, AccountantName::loss_distribution};
    if (!is_resolved) expected.insert(expected.end(), {AccountantName::renyi, AccountantName::approximate});
    EXPECT_EQ(all.asked, expected);
  }
}

TEST(BestOf, AsksForNoClassicalCurveOfWhatMeshesHaveResolved) {
  for (const bool is_resolved : {true, false}) {
    Bound by_meshes = between(1, 1.5);
    by_meshes.is_resolved = is_resolved;
    Invented all({{AccountantName::loss_distribution, by_meshes},
                  {AccountantName::renyi, between(0, 2)},
                  {AccountantName::approximate, between(0, 1.25)}});
    EXPECT_EQ(all.ask({.are_first = true, .are_below_curves = true})->upper, is_resolved ? 1.5 : 1.25);
    std::vector expected{AccountantName::loss_distribution, AccountantName::renyi};
    if (!is_resolved) expected.push_back(AccountantName::approximate);
    EXPECT_EQ(all.asked, expected);
  }
}

TEST(BestOf, AsksWhoTakesLongerOnlyWhereMeshesAreWide) {
  for (const double upper : {1.0005, 1.5}) {
    Invented all({{AccountantName::loss_distribution, between(1, upper)},
                  {AccountantName::renyi, between(0, 2)},
                  {AccountantName::approximate, between(0, 1.25)}});
    EXPECT_EQ(all.ask({.are_first = true})->upper, std::min(upper, 1.25));
    std::vector expected{AccountantName::loss_distribution};
    if (upper == 1.5) expected.insert(expected.end(), {AccountantName::renyi, AccountantName::approximate});
    EXPECT_EQ(all.asked, expected);
  }
}

TEST(BestOf, AsksNobodyWhoHasNoSmallerDeltas) {
  const Meshes of_shuffles{.are_first = true, .are_best = true};
  const auto is_beyond_at = [](AccountantName name, double log_delta, const Meshes& meshes) {
    return is_beyond(name, DeltaBound{{}, -infinity, log_delta}, meshes);
  };
  EXPECT_FALSE(is_beyond_at(AccountantName::loss_distribution, -1e4, {}));  // by Chernoff's bound of a sharper pair
  EXPECT_TRUE(is_beyond_at(AccountantName::approximate, -691, of_shuffles));
  EXPECT_FALSE(is_beyond_at(AccountantName::approximate, -689, of_shuffles));
  EXPECT_FALSE(is_beyond_at(AccountantName::approximate, -691, {}));  // of Gaussians alone it has them exactly
  EXPECT_FALSE(is_beyond_at(AccountantName::renyi, -1e4, of_shuffles));
  EXPECT_FALSE(is_beyond(AccountantName::loss_distribution, between(0, 1e-300), of_shuffles));
}

struct AskInvented {
  std::map<AccountantName, double> uppers;
  std::vector<AccountantName>* asked;

  Answer<Bound> operator()(const AccountantName& member) const {
    asked->push_back(member);
    return between(0, uppers.at(member));
  }
  bool is_in_vain(const AccountantName& member, const Bound& known) const { return uppers.at(member) > known.upper; }
};

TEST(BestOf, AsksNobodyInVain) {
  BestOf<AccountantName> best([](AccountantName name) { return std::make_unique<AccountantName>(name); }, 1e-3);
  std::vector<AccountantName> asked;
  std::map<AccountantName, double> uppers;
  double next = 2;
  for (const AccountantName name : best_members) uppers[name] = next++;
  EXPECT_EQ(best.asked(AskInvented{uppers, &asked})->upper, 2);
  EXPECT_EQ(asked, std::vector{best_members.front()});
}

TEST(BestOf, AsksMeshesThatAreCheapBeforeAllThatIsNotExact) {
  Invented all({{AccountantName::exact, between(0.5, 3)},
                {AccountantName::contour, between(0.9, 1.1)},
                {AccountantName::loss_distribution, between(1, 1 + 5e-8)},
                {AccountantName::renyi, between(0, 2)}});
  EXPECT_EQ(all.ask({.are_cheap = true})->upper, 1 + 5e-8);
  EXPECT_EQ(all.asked, (std::vector{AccountantName::exact, AccountantName::loss_distribution}));
  all.asked.clear();
  all.ask();
  EXPECT_EQ(all.asked, (std::vector{AccountantName::exact, AccountantName::contour, AccountantName::renyi,
                                    AccountantName::loss_distribution}));
}

TEST(BestOf, AsksContoursOfGaussiansBeforeMeshesThatAreCheap) {
  Invented all({{AccountantName::approximate, between(0, 3)},
                {AccountantName::contour, between(1, 1 + 2e-7)},
                {AccountantName::loss_distribution, between(1, 1 + 5e-8)},
                {AccountantName::renyi, between(0, 2)}});
  EXPECT_EQ(all.ask({.are_cheap = true, .are_after_contours = true})->upper, 1 + 5e-8);
  EXPECT_EQ(all.asked,
            (std::vector{AccountantName::approximate, AccountantName::contour, AccountantName::loss_distribution}));
}

TEST(BestOf, AsksFirstWhoTakesNextToNothing) {
  const std::map<AccountantName, Answer<Bound>> answers{{AccountantName::approximate, between(0, 0)},
                                                        {AccountantName::contour, between(0, 1e-9)},
                                                        {AccountantName::loss_distribution, between(0, 1e-9)}};
  Invented all(answers);
  EXPECT_EQ(all.ask({.are_after_roots = true})->upper, 0);
  EXPECT_EQ(all.asked, (std::vector{AccountantName::approximate}));
}

TEST(BestOf, AsksNobodyMoreOnceThatIsEnough) {
  const std::map<AccountantName, Answer<Bound>> answers{{AccountantName::loss_distribution, between(1, 1.5)},
                                                        {AccountantName::renyi, between(0, 2)},
                                                        {AccountantName::approximate, between(0, 3)}};
  Invented enough(answers);
  EXPECT_EQ(enough.ask_until_at_most(2)->upper, 2);
  EXPECT_EQ(enough.asked, (std::vector{AccountantName::approximate, AccountantName::renyi}));
  Invented too_little(answers);
  EXPECT_EQ(too_little.ask_until_at_most(1)->upper, 1.5);
  EXPECT_EQ(too_little.asked.size(), 3U);
}

TEST(BestOf, NamesNoMemberWhereNobodyAnswers) {
  Invented nobody({});
  EXPECT_EQ(nobody.refusal()->text(), "no accountant has a theorem");
  EXPECT_EQ(nobody.ask().error().text(), "no accountant has a theorem");
  Invented unable(
      {{AccountantName::loss_distribution, Refusal{"", "no mesh"}}, {AccountantName::exact, Refusal{"", "two"}}});
  EXPECT_FALSE(unable.refusal());
  EXPECT_EQ(unable.ask().error().text(), "no mesh");
}

TEST(BestOf, ReportsBracketsThatExcludeEachOther) {
  Invented torn({{AccountantName::exact, between(1, 2)}, {AccountantName::renyi, between(0, 0.5)}});
  EXPECT_THROW(torn.ask(), std::logic_error);
}

}  // namespace
}  // namespace dpbudget
