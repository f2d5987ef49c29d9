#include <nlohmann/json.hpp>

#include "tools/program.h"

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
  EXPECT_NE(text.out.find("estimate"), std::string::npos);
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

TEST_F(Schedule, RefusesBadInput) {
  write("t.csv", "noise\n3\n2\n");
  refuses("schedule linear --noise 1", "schedule is linear");
  refuses("schedule constant", "--noise is missing");
  refuses("schedule constant --noise x", "--noise is x");
  refuses("schedule constant --noise ? --rounds 3", "--epsilon is missing");
  refuses("schedule exponential:? --noise ? --epsilon 1", "several `?`");
  refuses("schedule constant --noise 1 --rounds 0", "--rounds is 0");
  refuses("schedule constant --noise 1 --user-rate 2", "--user-rate is 2");
  refuses("schedule constant --noise 1 --accountant mine", "--accountant is mine");
  refuses("schedule csv:t.csv --rounds 3", "round is 3, but must be at most 2");
  refuses("schedule 'table:3;?' --rounds 2 --epsilon 1", "a table has no number to be found");
  refuses("schedule constant --noise 1 --plot no.txt", "--plot is no.txt");
  refuses("schedule constant --noise 1 --step 'gaussian(1)'", "step must have one unknown");
}

}  // namespace
}  // namespace dpbudget::testing
