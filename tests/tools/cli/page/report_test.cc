// --report as a user gives it.
#include "dpbudget/tools/cli/page/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/tools/cli/page/renderings.h"
#include "dpbudget/version.h"
#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using testing::Program;
using testing::Ran;
using ReportOption = testing::Program;

void expect_all(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST_F(ReportOption, SaysWhatWasAskedAssumedAndFoundAndWhy) {
  const std::string command = "epsilon '1000 x poisson(0.01, gaussian(1.1))' --delta 1e-5";
  const Ran plain = run(command);
  const Ran reported = run(command + " --report page.md");
  EXPECT_EQ(reported.status, 0) << reported.err;
  EXPECT_EQ(reported.out, plain.out);
  const std::string page = text_of("page.md");
  expect_all(page, {"# dpbudget epsilon: epsilon that a plan spends at a given delta",
                    "    dpbudget epsilon '1000 x poisson(0.01, gaussian(1.1))' --delta 1e-5 --report page.md",
                    "| epsilon | at most 1.51537, at least 1.51536 (both proven) |", "| answered by | contour |",
                    "one of two data sets has one record more", "| poisson | each record joins a sample",
                    "| gaussian | a vector", "- Poisson-subsampled Gaussian: Zhu, Dong, Wang 2022, Theorem 11",
                    "<https://arxiv.org/abs/2106.08567>", std::string(version), "| epsilon | at most | at least |",
                    "    epsilon      at most 1.51537, at least 1.51536 (both proven)"});
}

TEST_F(ReportOption, IsTheSamePageAgain) {
  const std::string command = "rounds 'poisson(0.02, gaussian(1.5))' --epsilon 3 --delta 1e-6 --report page.html";
  ASSERT_EQ(run(command).status, 0);
  const std::string first = text_of("page.html");
  ASSERT_EQ(run(command).status, 0);
  EXPECT_EQ(text_of("page.html"), first);
  expect_all(first, {"<!DOCTYPE html>", "1,738", "data:image/svg+xml;base64,", "</html>"});
  EXPECT_EQ(first.find("src=\"http"), std::string::npos);
  EXPECT_EQ(first.find("<script"), std::string::npos);
}

TEST_F(ReportOption, IsThereForEveryCommandThatAnswers) {
  const std::string run_options =
      " --users 4 --records 20 --rounds 2 --user-rate 0.5 --local-steps 1 --noise 5 --clip 0.5";
  write("claims.jsonl",
        nlohmann::json{{"claim", "theirs"}, {"plan", "10 x gaussian(5)"}, {"epsilon", 0.1}, {"delta", 1e-5}}.dump());
  write("query.jsonl", R"({"function": "renyi.gaussian", "inputs": {"order": 2, "noise_multiplier": 3}})");
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands = {
      {"delta 'gaussian(1)' --epsilon 1", {"0.126937", "Balle, Wang 2018"}},
      {"solve 'gaussian(?)' --epsilon 1 --delta 1e-5", {"gaussian(3.730", "epsilon 1, delta 1e-05"}},
      {"solve 'pure(2) + gaussian(?)' --epsilon 1 --delta 1e-5", {"none"}},
      {"risk 'gaussian(1)' --fpr 0.1",
       {"TPR at FPR 0.1", "accounting/risk/proofs.md", "true- against false-positive rate"}},
      {"dpsgd --records 1000 --batch 10 --epochs 1 --noise 1 --delta 1e-5", {"batches drawn otherwise", "poisson"}},
      {"compare '5 x gaussian(3)' --delta 1e-5", {"loss\\_distribution", "renyi"}},
      {"schedule constant --noise 5 --rounds 3 --record-rate 0.5 --epsilon 9", {"sigma\\_0 = 5", "wor(0.5"}},
      {"converge dp-fedavg --rounds 400 --smoothness 1 --distance 5 --noise 30 --clip 1 --batch 800 --dimension 410 "
       "--users 100 --participants 20 --local-steps 10 --gradient-variance 1 --dissimilarity-offset 0.5",
       {"M. Noble, A. Bellet, A. Dieuleveut", "after 400 rounds: "}},
      {"heterogeneity --data synthetic:1,1 --users 3 --records 30", {"F\\* is at least this"}},
      {"plan dp-fedavg --noise 30", {"third\\_party", "sees every message", "is protected"}},
      {"plan dp-fedavg --noise 30 --epsilon 3", {"rounds are proven to fit epsilon 3"}},
      {"simulate --algorithm dp-fedavg" + run_options + " --ledger run.jsonl",
       {"noise\\_variance", "What each adversary learns", "losses, scores and other metrics"}},
      {"verify run.jsonl --epsilon 100", {"PASS", "Checks"}},
      {"ledger run.jsonl", {"2 of 2 planned"}},
      {"sweep --algorithm dp-fedavg" + run_options + " --grid step=0.1,1", {"Cells", "on the front"}},
      {"tune --algorithm dp-fedavg" + run_options + " --grid step=0.1,1 --folds 2", {"tuning and the last run"}},
      {"check claims.jsonl", {"unsafe"}},
      {"audit 'gaussian(1)' --runs 10 --canaries 20",
       {"at least", "a statistical estimate", "Steinke", "chooses its test"}},
      {"eval query.jsonl", {"\"value\""}},
  };
  for (const auto& [command, parts] : commands) {
    SCOPED_TRACE(command);
    std::filesystem::remove(path("page.md"));
    const Ran ran = run(command + " --report page.md");
    EXPECT_LE(ran.status, 1) << ran.err;
    expect_all(text_of("page.md"), {"## What was asked"});
    expect_all(text_of("page.md"), parts);
  }
}

TEST_F(ReportOption, IsRefusedWhereItWouldSpoilAFile) {
  write("plan.md", "gaussian(1)");
  for (const auto& [arguments, says] : std::vector<std::pair<std::string, std::string>>{
           {"epsilon 'gaussian(1)' --delta 1e-5 --report page.txt",
            "--report is page.txt, but must end in .html or .md"},
           {"epsilon 'gaussian(1)' --delta 1e-5 --report no/page.md", "there is no folder"},
           {"epsilon @plan.md --delta 1e-5 --report plan.md", "names the same file"},
           {"epsilon @plan.md --delta 1e-5 --report ./plan.md", "names the same file"},
           {"simulate --ledger page.md --report page.md", "--ledger names the same file"}}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(text_of("plan.md"), "gaussian(1)");
  EXPECT_FALSE(std::filesystem::exists(path("page.md")));
}

TEST_F(ReportOption, LeavesTheOldPageWhereThereIsNoAnswer) {
  write("page.html", "old");
  EXPECT_EQ(run("epsilon 'gaussian(-1)' --delta 1e-5 --report page.html").status, 2);
  EXPECT_EQ(text_of("page.html"), "old");
}

TEST_F(ReportOption, SaysWhyThereIsNoAnswer) {
  for (const auto& [command, says] : std::vector<std::pair<std::string, std::string>>{
           {"dpsgd --records 1000 --batch 10 --epochs '?' --noise 0.3 --delta 1e-5 --epsilon 0.1", "| ? | "},
           {"schedule exponential:? --noise 0.5 --rounds 20 --record-rate 0.1 --epsilon 0.1", "is proven to meet"}}) {
    SCOPED_TRACE(command);
    const Ran ran = run(command + " --report page.md");
    EXPECT_EQ(ran.status, 1) << ran.err << ran.out;
    expect_all(text_of("page.md"), {says});
  }
}

TEST_F(ReportOption, SpeaksOfBoundsOnlyWhereTheoremsGiveThem) {
  ASSERT_EQ(run("heterogeneity --data synthetic:1,1 --users 3 --records 30 --report page.md").status, 0);
  EXPECT_EQ(text_of("page.md").find("How to read it"), std::string::npos);
}

TEST_F(ReportOption, TakesAPlanThatIsLongerThanNamesOfFiles) {
  std::string plan = "gaussian(9)";
  for (int i = 0; i < 3000; ++i) plan += " + rr(0.001,3)";
  EXPECT_EQ(run("epsilon '" + plan + "' --delta 1e-5 --report page.md").status, 0);
}

TEST_F(ReportOption, ShowsMarksAsTheyAre) {
  write("a<b>&\".json",
        R"({"version": 1, "adjacency": "replace_one", "event": {"gaussian": {"noise_multiplier": 1}}})");
  ASSERT_EQ(run("epsilon '@a<b>&\".json' --delta 1e-5 --report page.html").status, 0);
  expect_all(text_of("page.html"), {"a&lt;b&gt;&amp;&quot;.json"});
}

TEST_F(ReportOption, GivesACommandThatMakesThePageAgain) {
  ASSERT_EQ(run("solve '1000 x poisson(0.01, gaussian(?))' --epsilon 1 --delta 1e-6 --accountant contour "
                "--adjacency add_or_remove_one --tolerance 0.001 --report page.md")
                .status,
            0);
  const std::string page = text_of("page.md");
  const std::size_t begin = page.find("    dpbudget ") + 13;
  const std::string arguments = page.substr(begin, page.find("\n\n", begin) - begin);
  EXPECT_NE(arguments.find("\\\n"), std::string::npos) << arguments;
  std::filesystem::remove(path("page.md"));
  ASSERT_EQ(run(arguments).status, 0);
  EXPECT_EQ(text_of("page.md"), page);
}

TEST(ShellText, IsReadBackByAShell) {
  const std::vector<const char*> words{"/usr/bin/dpbudget", "epsilon", "it's 2 x a", "", "--delta", "1e-5"};
  EXPECT_EQ(tools::shell_text(static_cast<int>(words.size()), words.data()),
            R"(dpbudget epsilon 'it'\''s 2 x a' '' --delta 1e-5)");
}

TEST(Assumptions, AreStatedForEveryKindOfEvent) {
  each_kind([]<class Kind>(std::type_identity<Kind>) { EXPECT_GT(Kind::name.assumes.size(), 30U) << Kind::name.json; });
}

TEST(Points, AreADozenOfAFigureFromFirstToLast) {
  tools::Line line{.title = "y", .x = {}, .y = {}};
  for (int i = 0; i < 100; ++i) {
    line.x.push_back(i);
    line.y.push_back(2 * i);
  }
  const auto rows = tools::points_of({.title = "", .x_label = "x", .y_label = "y", .lines = {line}});
  ASSERT_EQ(rows.size(), 13U);
  EXPECT_EQ(rows[0], (tools::Row{"x", "y"}));
  EXPECT_EQ(rows[1], (tools::Row{"0", "0"}));
  EXPECT_EQ(rows[12], (tools::Row{"99", "198"}));
}

}  // namespace
}  // namespace dpbudget
