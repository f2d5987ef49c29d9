#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using CheckProgram = testing::Program;

const std::string claims =
    R"j({"claim": "<limit>", "plan": "10000 x poisson(0.01, gaussian(1))", "epsilon": 6.007, "delta": 1e-5})j"
    "\n"
    R"j({"plan": "gaussian(2)", "epsilon": 2.5, "delta": 1e-5})j"
    "\n\n"
    R"j({"plan": "wor(0.01, gaussian(1))", "adjacency": "add_or_remove_one", "epsilon": 1, "delta": 1e-5})j"
    "\n";

TEST_F(CheckProgram, FailsWhereAClaimIsUnsafe) {
  write("claims.jsonl", claims);
  const testing::Ran ran = run("check claims.jsonl --junit junit.xml");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("verdict      unsafe: 6.007 is claimed, but at least 6.18771 is spent"), std::string::npos);
  const std::string xml = text_of("junit.xml");
  EXPECT_NE(xml.find("<testsuite name=\"claims.jsonl\" tests=\"3\" failures=\"1\" skipped=\"1\">"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("name=\"&lt;limit&gt;\""), std::string::npos) << xml;
}

TEST_F(CheckProgram, PrintsALineAClaimAsJson) {
  write("claims.jsonl", claims);
  const testing::Ran ran = run("check claims.jsonl --json");
  EXPECT_EQ(ran.status, 1);
  std::istringstream lines(ran.out);
  std::string line;
  std::vector<std::string> verdicts;
  while (std::getline(lines, line)) verdicts.push_back(nlohmann::json::parse(line).at("verdict"));
  EXPECT_EQ(verdicts, (std::vector<std::string>{"unsafe", "safe_but_loose", "not_covered"}));
}

TEST_F(CheckProgram, EndsWellWhereNoneIs) {
  write("claims.jsonl", R"j({"plan": "gaussian(2)", "epsilon": 2.5, "delta": 1e-5})j");
  EXPECT_EQ(run("check claims.jsonl").status, 0);
}

TEST_F(CheckProgram, RefusesWhatItCannotReadAndWritesNothing) {
  write("claims.jsonl", claims + R"j({"plan": "gaussian(2", "epsilon": 1, "delta": 1e-5})j");
  refuses("check claims.jsonl --junit junit.xml", "line 5 of claims.jsonl");
  EXPECT_FALSE(std::filesystem::exists(path("junit.xml")));
  write("twice.jsonl", R"j({"plan": "gaussian(2)", "epsilon": 1, "epsilon": 9, "delta": 1e-5})j");
  refuses("check twice.jsonl", "line 1 of twice.jsonl");
  write("empty.jsonl", "\n");
  refuses("check empty.jsonl", "claims");
  refuses("check no-such-file", "no-such-file");
  refuses("check claims.jsonl --junit claims.jsonl", "--junit");
  refuses("check claims.jsonl --slack -1", "--slack");
}

TEST_F(CheckProgram, HoldsOneClaimAgainstAnAnswer) {
  const testing::Ran unsafe = run("epsilon 'gaussian(2)' --delta 1e-5 --claim 1");
  EXPECT_EQ(unsafe.status, 1);
  EXPECT_NE(unsafe.out.find("claim        unsafe: 1 is claimed"), std::string::npos) << unsafe.out;
  EXPECT_EQ(run("epsilon 'gaussian(2)' --delta 1e-5 --claim 3").status, 0);
  EXPECT_EQ(run("delta 'gaussian(2)' --epsilon 1 --claim 1e-9").status, 1);
  EXPECT_EQ(run("delta 'gaussian(2)' --epsilon 1 --claim 0.5 --json").status, 0);
  for (const char* claim : {"three", "-1", "nan", "inf"})
    refuses(std::string("epsilon 'gaussian(2)' --delta 1e-5 --claim ") + claim, "--claim");
  refuses("delta 'gaussian(2)' --epsilon 1 --claim nan", "--claim");
  refuses("verify --matrix --claim 3", "--claim");
}

}  // namespace
}  // namespace dpbudget
