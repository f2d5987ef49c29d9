// `dpbudget vectors` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

TEST_F(Program, PrintsTheReferenceVectors) {
  const Ran ran = run("vectors");
  EXPECT_EQ(ran.status, 0);
  std::istringstream lines(ran.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const json head = json::parse(line);
  EXPECT_EQ(head["digits"], 25);
  int count = 0;
  for (; std::getline(lines, line); ++count) EXPECT_TRUE(json::parse(line).contains("inputs")) << line;
  EXPECT_EQ(count, head["vectors"]);
}

TEST_F(Program, PrintsVectorsThatEvalTakes) {
  const Ran ran = run("vectors --function tradeoff.laplace");
  EXPECT_EQ(ran.status, 0);
  write("queries.jsonl", ran.out);
  const Ran answers = run("eval queries.jsonl");
  EXPECT_EQ(answers.status, 0);
  EXPECT_EQ(std::count(answers.out.begin(), answers.out.end(), '\n'), std::count(ran.out.begin(), ran.out.end(), '\n'));
  EXPECT_EQ(answers.out.find("refused"), std::string::npos);
}

TEST_F(Program, PrintsTheSchemaOfVectors) {
  const Ran ran = run("vectors --schema");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(json::parse(ran.out).contains("$defs"));
}

TEST_F(Program, RefusesVectorsOfNoFunction) {
  refuses("vectors --function renyi.gausian", "`renyi.gausian` is unknown; the nearest is `renyi.gaussian`");
  refuses("vectors --function shuffle.blanket_finite_delta",
          "shuffle.blanket_finite_delta has no vectors: its value is");
  refuses("vectors --function renyi.gaussian --schema", "--schema");
}

}  // namespace
}  // namespace dpbudget
