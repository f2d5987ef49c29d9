#include "dpbudget/tools/cli/simulation/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tools/cli/program.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

const std::string simulate =
    "simulate --algorithm mb-sgd --model linear --users 1 --user-rate 1 --record-rate 1 "
    "--evaluate-every 1 --data csv:table.csv,target=y ";

// Of these five records one is tested, by which the naive predictor's error is known: 10 against the mean of four
// zeros, or 0 against 10 / 4. The initial model predicts 0.
TEST_F(Program, GivesRegressionsErrorRelativeToTheNaivePredictors) {
  write("table.csv", "x,y\n1,0\n2,0\n3,0\n4,0\n5,10\n");
  std::istringstream lines(run(simulate + "--step 0.1 --rounds 3 --seeds 20 --json --results run.jsonl").out);
  std::set<double> initial;
  for (std::string line; std::getline(lines, line);) {
    const json answer = json::parse(line);
    const double untrained = answer["history"][0]["test_score"];
    initial.insert(untrained);
    const double naive = untrained == 100 ? 100 : 6.25;
    for (const json& metrics : answer["history"]) {
      const double error = metrics["test_score"];
      EXPECT_NEAR(metrics["relative_rmse"].get<double>(), std::sqrt(error / naive), 1e-12);
    }
    EXPECT_EQ(answer["relative_rmse"], answer["history"].back()["relative_rmse"]);
  }
  EXPECT_EQ(initial, (std::set<double>{0, 100}));
  std::ifstream results(path("run.seed-20.jsonl"));
  for (std::string line; std::getline(results, line);) EXPECT_TRUE(json::parse(line).contains("relative_rmse")) << line;
}

// A line is a row of a table: everything that the run was, and what it had come to.
TEST_F(Program, WritesParametersStepsAndSpendingBesideMetrics) {
  const Ran ran =
      run("simulate --algorithm dp-fedavg --users 4 --records 50 --user-rate 1 --rounds 20 --local-steps 2 --noise 8 "
          "--clip 0.5 --step 0.5 --step-schedule exponential:0.9 --evaluate-every 5 --results r.jsonl --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json answer = json::parse(ran.out);
  std::ifstream results(path("r.jsonl"));
  std::vector<json> lines;
  for (std::string line; std::getline(results, line);) lines.push_back(json::parse(line));
  ASSERT_EQ(lines.size(), 5U);
  for (const json& line : lines) {
    EXPECT_EQ(line["algorithm"], "dp-fedavg");
    EXPECT_EQ(line["local_steps"], 2);
    EXPECT_EQ(line["noise"], 8);
    EXPECT_EQ(line["step_schedule"], "exponential:0.9");
    EXPECT_EQ(line["clipping"], "fixed");
    EXPECT_EQ(line["data"].get<std::string>().find("synthetic(1, 1), "), 0U);
    EXPECT_EQ(line["fingerprint"].get<std::string>().size(), 16U);
    EXPECT_GT(line["seconds"].get<double>(), 0);
    EXPECT_EQ(line.size(), lines.back().size() - (line["round"] == 0 ? 1 : 0));  // no step before the first round
  }
  // 0.5 / (0.2 * 2), times 0.9 a round.
  EXPECT_NEAR(lines[2]["local_step"].get<double>(), 1.25 * std::pow(0.9, 9), 1e-12);
  EXPECT_EQ(lines[0]["epsilon_server"], 0);
  for (const json& view : answer["views"])
    EXPECT_EQ(lines.back()["epsilon_" + view["adversary"].get<std::string>()], view["planned"]["epsilon"]["upper"]);
  EXPECT_NEAR(answer["test_score_of_last_tenth"].get<double>(), lines.back()["test_score"].get<double>(), 1e-15);
}

TEST_F(Program, ShowsTheRelativeErrorInTableAndSummary) {
  write("table.csv", "x,y\n1,1e5\n2,2e5\n3,3e5\n4,4e5\n5,5e5\n");
  const Ran ran = run(simulate + "--step 0.1 --rounds 3 --seeds 2");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string heading = "  round  train loss  test mean squared error  relative RMSE\n";
  const std::size_t at = ran.out.find(heading);
  ASSERT_NE(at, std::string::npos) << ran.out;
  // A squared error of any size fits its column.
  std::istringstream rows(ran.out.substr(at + 2 * heading.size()));
  for (int i = 0; i < 4; ++i) {
    std::string row;
    std::getline(rows, row);
    EXPECT_EQ(row.size() + 1, heading.size()) << row;
  }
  EXPECT_NE(ran.out.find("\nrelative RMSE "), std::string::npos) << ran.out;
}

TEST_F(Program, HasNoRelativeErrorWhereNothingIsToPredict) {
  write("table.csv", "x,y\n1,2\n2,2\n3,2\n4,2\n5,2\n");
  EXPECT_FALSE(json::parse(run(simulate + "--step 0.1 --rounds 3 --json").out).contains("relative_rmse"));
  write("classes.csv", "x,y\n1,a\n2,a\n3,b\n4,b\n5,b\n");
  const Ran classes =
      run("simulate --algorithm mb-sgd --users 1 --user-rate 1 --record-rate 1 --rounds 1 --data "
          "csv:classes.csv,target=y,categorical=y");
  EXPECT_EQ(classes.out.find("relative"), std::string::npos);
  EXPECT_NE(classes.out.find("test accuracy"), std::string::npos) << classes.out;
}

TEST_F(Program, DrawsRelativeErrors) {
  write("table.csv", "x,y\n1,0\n2,0\n3,0\n4,0\n5,10\n");
  EXPECT_EQ(run(simulate + "--step 0.1 --rounds 3 --plot run.svg").status, 0);
  std::ifstream in(path("run.svg"));
  const std::string picture(std::istreambuf_iterator<char>(in), {});
  EXPECT_NE(picture.find("relative RMSE"), std::string::npos);
}

// Nothing is proven with clipping at the median, so that no epsilon is there to draw against.
TEST_F(Program, DrawsAgainstEpsilonWhereThereIsOne) {
  const std::string private_run =
      "simulate --algorithm dp-fedavg --users 2 --records 20 --user-rate 1 --rounds 2 --local-steps 1 --noise 9 "
      "--clip 1 --plot run.svg ";
  const auto drawn = [&](const std::string& options, const std::string& said) {
    const Ran ran = run(private_run + options);
    EXPECT_NE(ran.out.find("\nfigure       run.svg" + said + "\n"), std::string::npos) << ran.out << ran.err;
    std::ifstream in(path("run.svg"));
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_NE(drawn("", "").find("epsilon spent"), std::string::npos);
  const std::string picture = drawn("--clipping median", ", against rounds only: nothing is proven against server");
  EXPECT_EQ(picture.find("epsilon spent"), std::string::npos);
  EXPECT_NE(picture.find("test accuracy"), std::string::npos);
}

TEST_F(Program, KeepsTheDataOfOtherSeeds) {
  const std::string small =
      "simulate --algorithm fedavg --users 3 --records 20 --user-rate 1 --rounds 2 --record-rate 0.2 --ledger ";
  const auto fingerprint = [&](const std::string& name) {
    const std::string text = text_of(name);
    return nlohmann::json::parse(text.substr(0, text.find('\n')))["fingerprint"].get<std::string>();
  };
  ASSERT_EQ(run(small + "a.jsonl --seed 1 --data-seed 7").status, 0);
  ASSERT_EQ(run(small + "b.jsonl --seed 2 --data-seed 7").status, 0);
  ASSERT_EQ(run(small + "c.jsonl --seed 7").status, 0);
  EXPECT_EQ(fingerprint("a.jsonl"), fingerprint("b.jsonl"));
  EXPECT_EQ(fingerprint("a.jsonl"), fingerprint("c.jsonl"));
  EXPECT_NE(text_of("a.jsonl").substr(text_of("a.jsonl").find('\n')),
            text_of("b.jsonl").substr(text_of("b.jsonl").find('\n')));
}

TEST_F(Program, SavesTheModel) {
  const std::string small = "simulate --algorithm fedavg --users 3 --records 20 --user-rate 1 --rounds 2 ";
  ASSERT_EQ(run(small + "--save-model model.json --seeds 2").status, 0);
  const nlohmann::json first = nlohmann::json::parse(text_of("model.seed-1.json"));
  EXPECT_EQ(first["model"], "softmax");
  EXPECT_EQ(first["rounds"], 2);
  EXPECT_EQ(first["parameters"].size(), 410U);
  EXPECT_NE(first["parameters"], nlohmann::json::parse(text_of("model.seed-2.json"))["parameters"]);
  refuses(small + "--save-model a.json --ledger a.json", "--save-model is a.json");
}

TEST_F(Program, RefusesAModelThatThereIsNoMemoryFor) {
  if (std::getenv("DPBUDGET_PROGRAM") != nullptr) GTEST_SKIP() << "sanitizers take more addresses than that";
  const Ran ran = run_after("ulimit -v 4000000",
                            "simulate --model mlp:1000000 --users 5 --records 50 --user-rate 1 --rounds 2 --algorithm "
                            "fedavg --ledger large.jsonl");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.err.starts_with("dpbudget: model is mlp:1000000, but its 51000010 parameters")) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_FALSE(std::filesystem::exists(path("large.jsonl")));
}

// One line, which says what to do about it, beside the evaluations up to there.
TEST_F(Program, SaysThatTrainingDiverges) {
  write("table.csv", "x,y\n1,0\n2,0\n3,0\n4,0\n5,10\n");
  const Ran ran = run(simulate + "--step 1e200 --rounds 9");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(ran.err.starts_with("dpbudget: the training diverged, a smaller --step may help: round ")) << ran.err;
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
}

TEST_F(Program, ShowsHowAModelWithAParameterIsWritten) {
  const std::string help = run("simulate --help").out;
  EXPECT_NE(help.find("hinge:SMOOTHING, mlp:UNITS"), std::string::npos) << help;
}

TEST_F(Program, SaysWhichModelTakesNumbers) {
  write("table.csv", "x,y\n1,0\n2,0\n3,0\n4,0\n5,10\n");
  refuses("simulate --algorithm mb-sgd --users 1 --user-rate 1 --record-rate 1 --data csv:table.csv,target=y",
          "two classes or more for model softmax; numbers are for model linear");
}

// F(w) = 1/2 mean (x w_1 + w_0 - y)^2 + 0.1/2 |w|^2 over (1, 2), (2, 1), (3, 5), (4, 4) is least by a linear equation.
TEST_F(Program, MeasuresHowFarModelsAreFromTheBestOne) {
  write("table.csv", "x,y\n1,2\n2,1\n3,5\n4,4\n");
  const std::string descend = simulate.substr(0, simulate.size() - 1) +
                              ",test=table.csv --standardise none --regularisation 0.1 --step 0.05 --rounds 200 "
                              "--optimum 1e-12 --json --results run.csv --save-model model.json";
  const Ran ran = run(descend);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json history = json::parse(ran.out)["history"];
  EXPECT_NEAR(history[0]["log10_gap"].get<double>(), 0.704466667178996, 1e-9);
  for (std::size_t i = 1; i < history.size(); ++i) EXPECT_LE(history[i]["log10_gap"], history[i - 1]["log10_gap"]);
  std::ifstream saved(path("model.json"));
  const auto w = json::parse(saved)["parameters"].get<std::vector<double>>();
  const double wanted = 0.05 * (std::pow(w[0] - 1.0071090047393367, 2) + std::pow(w[1] - 0.4383886255924158, 2));
  double quadratic = 0;
  for (const double x : {1.0, 2.0, 3.0, 4.0})
    quadratic += std::pow(x * (w[0] - 1.0071090047393367) + w[1] - 0.4383886255924158, 2) / 8;
  EXPECT_NEAR(history.back()["log10_gap"].get<double>(), std::log10(wanted + quadratic), 1e-6);

  refuses(simulate + "--optimum 0", "--optimum is 0, but must be positive");
  refuses(simulate + "--regularisation 0 --optimum 1e-3", "regularisation is 0, but must be positive");
  refuses("simulate --algorithm fedavg --users 2 --user-rate 1 --client-weights 1,2 --optimum 1e-3",
          "--optimum is given, but must be left out beside --client-weights");
  refuses("simulate --algorithm fedavg --users 2 --user-rate 1 --model mlp:4 --optimum 1e-3",
          "model is mlp:4, but must be convex");
}

TEST_F(Program, MeasuresHowFarClientsGradientsLieApart) {
  const Ran ran =
      run("simulate --algorithm fedavg --users 5 --records 40 --user-rate 1 --rounds 1 --json --optimum 1e-6");
  const Ran apart = run("heterogeneity --users 5 --records 40 --json");
  EXPECT_NEAR(json::parse(ran.out)["history"][0]["gradient_dissimilarity"].get<double>(),
              json::parse(apart.out)["dissimilarity_at_start"].get<double>(), 1e-12);
}

// Fields by RFC 4180: of quotes, commas and the ends of lines.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      is_quoted = !is_quoted;
    else if (line[i] == ',' && !is_quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

TEST_F(Program, WritesTheSameResultsAsCsv) {
  const std::string noisy =
      "simulate --algorithm dp-fedavg --users 3 --records 50 --user-rate 1 --rounds 4 --local-steps 2 "
      "--silo-noise 8,9,10 --clip 0.5 --evaluate-every 2 --optimum 1e-6 --results ";
  ASSERT_EQ(run(noisy + "r.jsonl").status, 0);
  ASSERT_EQ(run(noisy + "r.csv").status, 0);
  std::ifstream lines(path("r.jsonl")), table(path("r.csv"), std::ios::binary);
  const auto record = [&] {
    std::string line;
    std::getline(table, line);
    EXPECT_TRUE(line.ends_with('\r')) << line;
    line.pop_back();
    return csv_fields(line);
  };
  const std::vector<std::string> columns = record();
  EXPECT_EQ(columns[0], "round");
  EXPECT_EQ(std::set<std::string>(columns.begin(), columns.end()).size(), columns.size());
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    const json expected = json::parse(line);
    const std::vector<std::string> fields = record();
    ASSERT_EQ(fields.size(), columns.size());
    for (const auto& [key, value] : expected.items()) EXPECT_TRUE(std::ranges::count(columns, key) == 1) << key;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == "seconds") continue;
      const json value = expected.value(columns[i], json());
      EXPECT_EQ(fields[i], value.is_null()     ? ""
                           : value.is_string() ? value.get<std::string>()
                                               : value.dump())
          << columns[i];
    }
  }
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(table.peek(), std::char_traits<char>::eof());
}

}  // namespace
}  // namespace dpbudget::tools
