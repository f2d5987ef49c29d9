// `dpbudget dpsgd` as a user runs it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

const std::string run_of = "dpsgd --records 60000 --batch 256 --epochs 60 --delta 1e-5 ";

TEST_F(Program, SaysWhatDpSgdCostsAndWhichSamplingThatAssumes) {
  const Ran ran = run(run_of + "--noise 1.1");
  EXPECT_EQ(ran.status, 0);
  for (const auto* text : {"14,063 steps", "at most 2.38169, at least 2.38168 (both proven)",
                           "assumed      Poisson sampling", "60 epochs are 14062.5 steps, rounded up to 14063",
                           "14063 x wor(256 of 60000, gaussian(0.55)) under replace_one",
                           "61 x gaussian(1.1) under zero_out_one", "is not known"})
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << " is not in " << ran.out;
}

TEST_F(Program, DpSgdSpeaksJson) {
  const json found = json::parse(run(run_of + "--noise 1.1 --json").out);
  const json plan = json::parse(run("epsilon '14063 x poisson(256/60000, gaussian(1.1))' --delta 1e-5 --json").out);
  EXPECT_EQ(found["epsilon"], plan["epsilon"]);
  EXPECT_EQ(found["plan"], plan["plan"]);
  EXPECT_EQ(found["steps"], 14063);
  EXPECT_EQ(found["others"].size(), 2U);
}

TEST_F(Program, DpSgdFindsTheOneNumberThatIsUnknown) {
  const json noise = json::parse(run(run_of + "--noise '?' --epsilon 3 --json").out);
  EXPECT_NEAR(noise["noise"].get<double>(), 0.9684274155965, 1e-9);
  EXPECT_LE(noise["epsilon"]["upper"].get<double>(), 3);
  const json epsilon = json::parse(run(run_of + "--noise 1.1 --epsilon '?' --json").out);
  EXPECT_EQ(epsilon, json::parse(run(run_of + "--noise 1.1 --json").out));
  const Ran none = run("dpsgd --records 100 --batch 100 --epochs '?' --noise 0.01 --epsilon 1 --delta 1e-5");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "dpbudget: epochs has no value: one step alone is not proven to fit\n");
}

TEST_F(Program, DpSgdRefusesBadInput) {
  refuses(run_of, "--noise is required");
  refuses(run_of + "--noise 1.1 --epsilon 3", "no number is `?`");
  refuses(run_of + "--noise '?'", "noise and epsilon are `?`");
  refuses(run_of + "--noise 0", "noise is 0, but must be positive and finite");
  refuses(run_of + "--noise x", "--noise is x, but must be a number");
  refuses("dpsgd --records 2.5 --batch 1 --epochs 1 --noise 1 --delta 1e-5", "--records is 2.5");
  refuses("dpsgd --records 10 --batch 11 --epochs 1 --noise 1 --delta 1e-5", "batch is 11");
  refuses(run_of + "--noise 1 --accountant exact", "no closed form");
}

}  // namespace
}  // namespace dpbudget
