// `dpbudget risk`, and `dpbudget solve` for what an attacker may reach, as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

TEST_F(Program, SolvesForWhatAnAttackerMayReach) {
  const Ran ran = run("solve 'gaussian(?)' --tpr 0.05 --fpr 0.01");
  EXPECT_EQ(ran.status, 0);
  for (const auto* text :
       {"TPR 0.05 at FPR 0.01", "1.46736", "spends       TPR at most 0.05, at least 0.0499", "(both proven)"})
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << " is not in " << ran.out;
  const json found = json::parse(run("solve 'rr(?) under replace_one' --advantage 0.1 --json").out);
  EXPECT_EQ(found["advantage"], 0.1);
  EXPECT_NEAR(found["value"].get<double>(), 0.2006706955, 1e-9);
  EXPECT_LE(found["at_value"]["upper"].get<double>(), 0.1);
  EXPECT_FALSE(found.contains("epsilon"));
  const Ran none = run("solve 'gaussian(2) + gaussian(?)' --tpr 0.03 --fpr 0.01");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.out.find("none"), std::string::npos);
}

TEST_F(Program, SolvesForOneLimitAlone) {
  for (const auto* given : {"", "--epsilon 1", "--delta 1e-5", "--tpr 0.1", "--fpr 0.1", "--advantage 0.1 --fpr 0.1",
                            "--advantage 0.1 --epsilon 1 --delta 1e-5", "--tpr 0.1 --fpr 0.05 --delta 1e-5"}) {
    const Ran ran = run(std::string("solve 'gaussian(?)' ") + given);
    EXPECT_EQ(ran.status, 2) << given;
    EXPECT_NE(ran.err.find("give --epsilon and --delta, or --advantage, or --tpr and --fpr"), std::string::npos)
        << given;
  }
  EXPECT_EQ(run("solve 'gaussian(?)' --tpr 0.1 --fpr 0.2").err,
            "dpbudget: tpr is 0.1, but must be in (0.2, 1): who guesses has 0.2\n");
}

TEST_F(Program, DrawsWhatAnAttackerReaches) {
  const Ran ran = run("risk '20 x gaussian(10)' --plot roc.svg");
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.out.find("plot         roc.svg"), std::string::npos) << ran.out;
  const std::string drawn = text_of("roc.svg");
  for (const auto* text : {"false-positive rate", "true-positive rate", "at most", "at least", "who guesses"})
    EXPECT_NE(drawn.find(text), std::string::npos) << text;
  EXPECT_NE(run("risk 'gaussian(1)' --accountant dpnfl --plot other.svg").status, 0);
  EXPECT_FALSE(std::filesystem::exists(path("other.svg")));
  EXPECT_NE(run("risk 'gaussian(1)' --plot roc.txt").err.find("--plot is roc.txt"), std::string::npos);
}

}  // namespace
}  // namespace dpbudget
