#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tools/cli/program.h"

namespace dpbudget::testing {
namespace {

using Schedule = Program;

TEST_F(Schedule, ShowsWhatIsSpentAndWhereABudgetEnds) {
  const std::string run_of =
      "schedule chang1:beta=0.9,hold=3 --noise 20 --rounds 8 --user-rate 0.5 --record-rate 0.2 "
      "--local-steps 3 --accountant renyi";
  const Ran text = run(run_of + " --epsilon 100");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("participates(0.5, 3 x wor(0.2, gaussian(20)))"), std::string::npos);
  EXPECT_NE(text.out.find("\npublished    about "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("(estimate) by Chang, Seif, Tandon 2022, Theorem 1"), std::string::npos) << text.out;
  const auto whole = nlohmann::json::parse(run(run_of + " --json").out);
  ASSERT_EQ(whole["rounds"].size(), 8U);
  const double budget = whole["rounds"][4]["epsilon"]["renyi"]["upper"];
  const Ran over = run(run_of + " --json --epsilon " + std::to_string(1.001 * budget));
  EXPECT_EQ(over.status, 1);
  EXPECT_EQ(nlohmann::json::parse(over.out)["exhausted"]["renyi"]["rounds"], 5);
}

TEST_F(Schedule, FindsWhatIsLeftOpen) {
  const std::string rest = " --record-rate 0.2 --epsilon 1 --accountant renyi --json";
  for (const std::string open :
       {"constant --noise ? --rounds 5", "exponential:? --noise 9 --rounds 5",
        "chang2:beta=0.8,hold=? --noise 9 --rounds 5", "exponential:0.9 --noise 9 --rounds ?"}) {
    const Ran ran = run("schedule " + open + rest);
    EXPECT_EQ(ran.status, 0) << open << ran.err;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_LE(json["rounds"].back()["epsilon"]["renyi"]["upper"], 1) << open;
  }
  EXPECT_EQ(run("schedule exponential:? --noise 1 --rounds 5 --epsilon 0.01 --accountant renyi").status, 1);
}

TEST_F(Schedule, LooksForRoundsAsFarAsTheyGo) {
  // T Gaussians of noise s are one of noise s / sqrt(T): 3 / 1e-5^2 of noise 1e5 are one of noise 1 / sqrt(3).
  const double epsilon =
      nlohmann::json::parse(run("epsilon '3 x gaussian(1)' --delta 1e-5 --json").out)["epsilon"]["upper"];
  const Ran far =
      run("schedule constant --noise 1e5 --rounds ? --json --accountant exact --epsilon " + std::to_string(epsilon));
  const auto rounds = nlohmann::json::parse(far.out)["value"].get<double>();
  EXPECT_NEAR(rounds / 3e10, 1, 1e-5) << far.out << far.err;
  const Ran table = run("schedule 'table:30;20;10' --rounds ? --epsilon 5 --accountant exact");
  EXPECT_NE(table.out.find("3, all that the table has: "), std::string::npos) << table.out;
  const Ran endless = run("schedule constant --noise 1e12 --rounds ? --epsilon 5 --accountant exact");
  EXPECT_NE(endless.out.find("9,007,199,254,740,992 or more: "), std::string::npos) << endless.out;
}

// The unknown is all of a number: a digit beside it, or a second one, is a slip.
TEST_F(Schedule, RefusesUnknownsInPlaceOfLess) {
  const std::string rest = " --epsilon 1";
  for (const std::string noise : {"1?", "?0", "??"})
    refuses("schedule constant --rounds 5 --noise " + noise + rest, "--noise is " + noise);
  for (const std::string rounds : {"1?", "?0", "??"})
    refuses("schedule constant --noise 9 --rounds " + rounds + rest, "--rounds is " + rounds);
  for (const std::string shape : {"chang1:beta=?,hold=?", "chang1:beta=0.?", "chang1:beta=?5", "exponential:0.?", "?",
                                  "cha?g1:beta=0.9", "constant:?", "step:factor=0.5,every=?0"})
    refuses("schedule '" + shape + "' --noise 9 --rounds 5" + rest,
            "schedule is " + shape + ", but `?` must stand once");
  // Where the settings stand in another order it is found as well.
  EXPECT_EQ(run("schedule chang1:hold=?,beta=0.5 --noise 9 --rounds 5 --accountant renyi --epsilon 2").status, 0);
  write("what?.csv", "noise\n30\n20\n");
  EXPECT_EQ(run("schedule 'csv:what?.csv' --rounds 2 --accountant exact").status, 0);
}

TEST_F(Schedule, RefusesWhatNobodyAnswers) {
  refuses("schedule constant --noise 2 --accountant exact --step 'laplace(?)'", "there is no closed form for");
  refuses("schedule constant --noise 2 --step 'random_allocation(9, gaussian(?)) under replace_one'",
          "no accountant has a theorem for `random_allocation(9, gaussian(2))`");
}

TEST_F(Schedule, SaysThatAnEstimateProvesNothing) {
  const std::string sampled = "schedule constant --noise 2 --rounds 8 --record-rate 0.1 --accountant gdp --epsilon ";
  const Ran inside = run(sampled + "5");
  EXPECT_EQ(inside.status, 1);
  EXPECT_NE(inside.out.find("not within these 8 rounds (estimate)\nNothing proven says"), std::string::npos)
      << inside.out;
  const Ran outside = run(sampled + "0.4");
  EXPECT_NE(outside.out.find("one round later (estimate)"), std::string::npos) << outside.out;
  EXPECT_EQ(nlohmann::json::parse(run(sampled + "5 --json").out)["exhausted"]["gdp"]["guarantee"], "estimate");
}

TEST_F(Schedule, SaysWhereNothingIsClaimed) {
  const Ran ran = run("schedule constant --noise 9 --rounds 3 --accountant exact");
  EXPECT_NE(ran.out.find("\npublished    Chang, Seif, Tandon 2022, Theorem 1, which claims nothing here\n"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.out.find("inf"), std::string::npos) << ran.out;
}

// A table's numbers are standard deviations like --noise.
TEST_F(Schedule, DividesTablesByTheSensitivity) {
  const std::string rest = " --rounds 2 --accountant exact --json";
  EXPECT_EQ(nlohmann::json::parse(run("schedule 'table:30;20' --sensitivity 2" + rest).out)["rounds"],
            nlohmann::json::parse(run("schedule 'table:15;10'" + rest).out)["rounds"]);
}

TEST_F(Schedule, RefusesBadInput) {
  write("t.csv", "noise\n3\n2\n");
  refuses("schedule linear --noise 1", "schedule is linear");
  refuses("schedule constant", "--noise is missing");
  refuses("schedule constant --noise x", "--noise is x");
  refuses("schedule constant --noise ? --rounds 3", "--epsilon is missing");
  refuses("schedule exponential:? --noise ? --epsilon 1", "several `?`");
  refuses("schedule constant --noise 1 --rounds 0", "--rounds is 0");
  refuses("schedule constant --noise 1 --user-rate 2", "--user-rate is 2");
  refuses("schedule constant --noise 0", "--noise is 0");
  refuses("schedule constant --noise -1", "--noise is -1");
  refuses("schedule constant --noise 1 --accountant mine", "--accountant is mine, but must be one of best, exact");
  refuses("schedule csv:t.csv --rounds 3", "round is 3, but must be at most 2");
  refuses("schedule 'table:3;?' --rounds 2 --epsilon 1", "a table has no number to be found");
  refuses("schedule constant --noise 1 --plot no.txt", "--plot is no.txt");
  refuses("schedule constant --noise 1 --step 'gaussian(1)'", "step must have one unknown");
}

// Chang et al., section IV, in units of noise over 2 L / B: scheme 0 of 600 rounds against their schemes. The paper
// prints 497 and 428 rounds for its budget; its formula gives 493 and 438.
TEST_F(Schedule, SaysWhereTheClaimExhaustsTheBudget) {
  const std::string run_of =
      " --noise 707.10678118654752 --user-rate 0.2 --record-rate 0.2 --local-steps 50 --json --accountant renyi";
  const auto constant = nlohmann::json::parse(run("schedule constant --rounds 600" + run_of).out);
  const double budget = constant["rounds"].back()["published"]["upper"].get<double>() * (1 + 1e-12);
  for (const auto& [shape, rounds] :
       {std::pair{"chang1:beta=0.998,hold=200", 493}, std::pair{"chang2:beta=0.99992,hold=200", 438}}) {
    const Ran ran =
        run("schedule " + std::string(shape) + " --rounds 600 --epsilon " + fmt::format("{}", budget) + run_of);
    EXPECT_EQ(nlohmann::json::parse(ran.out)["exhausted"]["published"]["rounds"], rounds) << ran.err;
  }
}

TEST_F(Schedule, ShowsPrivacyBesideConvergence) {
  const std::string run_of =
      " --noise 20 --rounds 40 --user-rate 0.5 --record-rate 0.2 --local-steps 3 --accountant renyi --json --constants "
      "smoothness=2,distance=3,clip=1,batch=10,dimension=5,users=12,gradient_variance=1,control_error=0";
  const auto decays = nlohmann::json::parse(run("schedule exponential:0.95" + run_of).out);
  const auto constant = nlohmann::json::parse(run("schedule constant" + run_of).out);
  EXPECT_LT(decays["rounds"].back()["utility"], constant["rounds"].back()["utility"]);
  EXPECT_GT(decays["rounds"].back()["epsilon"]["renyi"]["upper"],
            constant["rounds"].back()["epsilon"]["renyi"]["upper"]);
  const auto alone = nlohmann::json::parse(
      run("converge dp-scaffold --json --rounds 40 --noise 20 --smoothness 2 --distance 3 --clip 1 --batch 10 "
          "--dimension 5 --users 12 --participants 6 --local-steps 3 --gradient-variance 1 --control-error 0")
          .out);
  EXPECT_EQ(alone["statements"][0]["rounds"].back()["total"], constant["rounds"].back()["utility"]);
  EXPECT_EQ(run("schedule constant --noise 20 --constants smoothness").status, 2);
  EXPECT_EQ(run("schedule constant --noise 20 --constants speed=2").status, 2);
}

}  // namespace
}  // namespace dpbudget::testing
