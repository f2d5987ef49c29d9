#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tools/cli/program.h"

namespace dpbudget::testing {
namespace {

using Tune = Program;

const std::string small =
    "tune --algorithm dp-fedavg --data synthetic:1,1 --users 4 --records 40 --rounds 3 --local-steps 2 --user-rate 0.5 "
    "--noise 5 --clip 1 --folds 4 ";

nlohmann::json json_of(const Ran& ran) { return nlohmann::json::parse(ran.out); }

double epsilon(const nlohmann::json& tuned, const std::string& adversary, const std::string& what) {
  for (const auto& spent : tuned["spending"])
    if (spent["adversary"] == adversary) return spent[what]["upper"];
  return std::nan("");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// 32 records of each user, of which 24 train: 2 of 4 users, 4 of 24 records.
// fl/tuning/proofs.md, 1.2
TEST_F(Tune, SpendsTheCompositionOfAllRuns) {
  const Ran ran = run(small + "--grid step=0.1,1 --grid regularisation=0.01,0.1 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto tuned = json_of(ran);
  EXPECT_EQ(tuned["runs"], 16);
  EXPECT_EQ(tuned["verified"], true);
  const auto priced = [&](const std::string& plan) {
    return nlohmann::json::parse(
               run("epsilon '" + plan + " under replace_one' --delta 1e-5 --json").out)["epsilon"]["upper"]
        .get<double>();
  };
  const std::string release = "participates(2 of 4, 2 x wor(4 of 24, gaussian(5)))";
  EXPECT_NEAR(epsilon(tuned, "server", "tuning") / priced("36 x " + release), 1,
              1e-6);  // 4 combinations, 3 folds, 3 rounds
  EXPECT_NEAR(epsilon(tuned, "server", "last") / priced("3 x participates(2 of 4, 2 x wor(6 of 32, gaussian(5)))"), 1,
              1e-6);
  EXPECT_NEAR(epsilon(tuned, "server", "both") /
                  priced("36 x " + release + " + 3 x participates(2 of 4, 2 x wor(6 of 32, gaussian(5)))"),
              1, 1e-6);
  EXPECT_GT(epsilon(tuned, "user_level", "tuning"), epsilon(tuned, "server", "tuning"));
}

TEST_F(Tune, TakesTheBestMeanAndSaysThatItIsNotPrivate) {
  const Ran ran = run(small + "--grid 'step=0.01,1; clip=0.1,1' --json");
  // --clip is given, and in the grid.
  EXPECT_EQ(ran.status, 2);
  const std::string grid =
      "tune --users 4 --records 40 --rounds 3 --local-steps 2 --user-rate 1 --noise 1 --folds 2 --algorithm dp-fedavg "
      "--grid 'step=0.01,1; clip=0.1,1' ";
  const auto tuned = json_of(run(grid + "--json"));
  double most = -1;
  nlohmann::json best;
  for (const auto& combination : tuned["combinations"]) {
    ASSERT_EQ(combination["scores"].size(), 2U);
    const double first = combination["scores"][0];
    const double second = combination["scores"][1];
    EXPECT_NEAR(combination["mean"], (first + second) / 2, 1e-15);
    EXPECT_NEAR(combination["deviation"], std::abs(first - second) / std::sqrt(2), 1e-15);
    if (combination["mean"] > most) {
      most = combination["mean"];
      best = combination["values"];
    }
  }
  EXPECT_EQ(tuned["combinations"].size(), 4U);
  EXPECT_EQ(tuned["best"], best);
  const std::string text = run(grid).out;
  EXPECT_NE(text.find("best         --step " + best["step"].get<std::string>()), std::string::npos) << text;
  EXPECT_NE(text.find("held-out records without noise"), std::string::npos) << text;
  EXPECT_NE(text.find("ledgers      PASS"), std::string::npos) << text;
}

// fl/tuning/proofs.md, 2.3
TEST_F(Tune, ShowsNoScoresWhereTheChoiceIsPrivate) {
  const std::string grid = small + "--grid step=0.1,1 ";
  const auto open = json_of(run(grid + "--json"));
  const auto closed = json_of(run(grid + "--selection-epsilon 0.5 --json"));
  for (const auto& combination : closed["combinations"]) EXPECT_EQ(combination.size(), 1U);
  EXPECT_GT(epsilon(closed, "server", "tuning"), epsilon(open, "server", "tuning"));
  EXPECT_LT(epsilon(closed, "server", "tuning"), epsilon(open, "server", "tuning") + 0.5 + 1e-6);
  const std::string text = run(grid + "--selection-epsilon 0.5").out;
  EXPECT_EQ(text.find('%'), std::string::npos) << text;
  EXPECT_NE(text.find("chosen       --step"), std::string::npos) << text;
}

// fl/tuning/proofs.md, 1.1
TEST_F(Tune, GivesEveryRunASeedAndALedgerOfItsOwn) {
  ASSERT_EQ(run(small + "--grid step=0.1,1 --seed 5 --ledger kept.jsonl --results runs.csv").status, 0);
  const std::vector<std::string> rows = lines_of(text_of("runs.csv"));
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0], "step,fold,tuning_seed,rounds_done,diverged,verified,train_loss,score\r");
  EXPECT_EQ(rows[1].substr(0, 23), "0.1,0,6,3,false,true,4.");
  std::set<std::string> noises;
  for (int seed = 6; seed < 14; ++seed) {
    const std::string name = "kept.seed-" + std::to_string(seed) + ".jsonl";
    EXPECT_EQ(run("verify " + name).status, 0) << name;
    const std::vector<std::string> lines = lines_of(text_of(name));
    noises.insert(lines[2].substr(lines[2].find("noise_sum_of_squares"), 40));
  }
  EXPECT_EQ(noises.size(), 8U);
  EXPECT_FALSE(std::filesystem::exists(path("kept.seed-5.jsonl")));
}

TEST_F(Tune, PassesOverWhatDiverges) {
  const std::string grid =
      "tune --algorithm fedavg --users 4 --records 40 --rounds 3 --local-steps 2 --folds 2 --user-rate 1 ";
  const Ran ran = run(grid + "--grid step=1e300,0.1 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(json_of(ran)["best"]["step"], "0.1");
  EXPECT_TRUE(json_of(ran)["combinations"][0]["mean"].is_null());
  EXPECT_TRUE(json_of(ran)["spending"].empty());
  EXPECT_EQ(run(grid + "--grid step=1e300,1e299").status, 3);
  EXPECT_NE(run(grid + "--grid step=0.1,0.2").out.find("fedavg adds no noise"), std::string::npos);
}

TEST_F(Tune, TakesTheLeastSquaredError) {
  std::string csv = "x,y,z\n";
  for (int i = 0; i < 60; ++i)
    csv += std::to_string(i % 7) + "," + std::to_string(i % 5) + "," + std::to_string(2 * (i % 7) - (i % 5)) + "\n";
  write("line.csv", csv);
  const std::string grid =
      "tune --algorithm fedavg --model linear --data csv:line.csv,target=z --users 2 --rounds 20 --local-steps 2 "
      "--folds 3 "
      "--user-rate 1 --grid step=0.0001,0.1 ";
  const auto tuned = json_of(run(grid + "--json"));
  EXPECT_LT(tuned["combinations"][1]["mean"], tuned["combinations"][0]["mean"]);
  EXPECT_EQ(tuned["best"]["step"], "0.1");
  refuses(grid + "--selection-epsilon 1", "--selection-epsilon is 1, but must be left out for model linear");
  refuses(grid + "--results line.csv", "--results is line.csv, but --data reads the same file");
}

// What a filter lets through need not be spent.
TEST_F(Tune, KnowsNothingFromBelowOfRunsThatAFilterStops) {
  const std::string trials =
      "tune --algorithm dp-fedavg --users 4 --records 40 --rounds 3 --user-rate 1 --noise 4 --clip 1 --grid step=0.1,1 "
      "--trials geometric:0.5 --json --epsilon 3 ";
  const auto tuned = json_of(run(trials + "--schedule validation:factor=0.5,patience=1"));
  ASSERT_FALSE(tuned["spending"].empty());
  for (const auto& spent : tuned["spending"])
    for (const std::string name : {"one", "best", "composed"}) {
      if (spent[name].is_null()) continue;
      EXPECT_EQ(spent[name]["lower"], 0) << spent;
    }
  EXPECT_GT(json_of(run(trials))["spending"][0]["best"]["lower"], 0);
}

TEST_F(Tune, HasNoGuaranteeWhereARunHasNone) {
  const auto tuned = json_of(run(small + "--clipping median --grid step=0.1,1 --json"));
  EXPECT_TRUE(tuned["spending"][1]["tuning"].is_null());
}

TEST_F(Tune, RefusesGridsThatAreNone) {
  refuses(small + "--grid step=1 --epsilon 3 --schedule validation:factor=0.5,patience=1",
          "--schedule is validation:factor=0.5,patience=1, but must be one that is fixed in advance, or --trials");
  refuses(small, "--grid is left out");
  refuses(small + "--grid step", "--grid has `step`, but must be OPTION=VALUE");
  refuses(small + "--grid 'step=1;'", "--grid has ``");
  refuses(small + "--grid step=", "--grid gives step a value that is empty");
  refuses(small + "--grid stp=1,2", "--grid has stp, which is no option of a run; the nearest is step");
  refuses(small + "--grid step=1,1", "--grid gives step the value 1 twice");
  refuses(small + "--grid step=1 --grid step=2", "--grid has step twice");
  refuses(small + "--grid step=a,1", "--step is a");
  refuses(small + "--grid seed=1,2", "--grid has seed, which must be the same for all runs");
  refuses(small + "--grid noise=1,2", "--noise is given, but --grid has noise, too");
  refuses(small + "--record-rate 0.2 --grid batch-size=1,2", "record_rate has no effect beside batch_size");
  refuses(small + "--grid model=softmax,linear", "of models whose scores compare");
  refuses("tune --grid algorithm=fedavg,none", "algorithm is `none`");
  const std::string few = "tune --algorithm fedavg --users 4 --records 40 --user-rate 1 --grid step=1,2 --folds ";
  refuses(few + "1", "folds is 1, but must be at least 2");
  refuses(few + "33", "folds is 33, but must be at most 32, the training records of client 0");
  refuses(small + "--grid step=1,2 --evaluate-clients 2", "--evaluate-clients is 2");
  refuses(small + "--grid step=1,2 --selection-epsilon 0", "--selection-epsilon is 0");
  refuses(small + "--grid step=1,2 --selection-epsilon 1 --results x.csv", "--results is x.csv");
  EXPECT_FALSE(std::filesystem::exists(path("x.csv")));
}

// All records of all clients in every round: 2 rounds of noise 5, whichever the values.
const std::string trials =
    "tune --algorithm dp-fedavg --data synthetic:1,1 --users 4 --records 40 --rounds 2 --local-steps 1 --user-rate 1 "
    "--record-rate 1 --noise 5 --clip 1 --grid step=0.01,1 ";

// fl/tuning/proofs.md, 3.3 and 3.4
TEST_F(Tune, CostsTheSelectionOfTheBestTrial) {
  const Ran ran = run(trials + "--trials geometric:0.25 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto tuned = json_of(ran);
  EXPECT_EQ(tuned["trials"], "geometric(0.25)");
  EXPECT_EQ(tuned["verified"], true);
  ASSERT_EQ(tuned["spending"].size(), 2U);
  for (const auto& spent : tuned["spending"]) {
    const std::string plan = spent["plan"];
    EXPECT_TRUE(plan.starts_with("select(geometric(0.25), 2 x ")) << plan;
    const auto priced = json_of(run("epsilon '" + plan + "' --delta 1e-5 --json"))["epsilon"];
    EXPECT_NEAR(spent["best"]["upper"], priced["upper"], 1e-9);
    EXPECT_NEAR(spent["best"]["lower"], priced["lower"], 1e-9);
    EXPECT_LT(spent["one"]["upper"], spent["best"]["lower"]);
    EXPECT_LT(spent["best"]["upper"], spent["composed"]["lower"]);
  }
  const std::string text = run(trials + "--trials 'geometric(0.25)'").out;
  EXPECT_NE(text.find("the best of a random number of runs"), std::string::npos) << text;
  EXPECT_NE(text.find("the server and the clients take part in every trial"), std::string::npos) << text;
}

// Whatever is printed is the same whether the best came first or last, and has nothing of the others.
// fl/tuning/proofs.md, 3.4
TEST_F(Tune, TellsNothingOfOtherTrials) {
  std::set<std::size_t> lengths;
  for (const int seed : {1, 2, 3, 4}) {
    const Ran ran =
        run(trials + "--trials poisson:6 --seed " + std::to_string(seed) + " --save-model best.json --json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    const auto tuned = json_of(ran);
    std::set<std::string> keys;
    for (const auto& item : tuned.items()) keys.insert(item.key());
    EXPECT_EQ(keys, (std::set<std::string>{"best", "combinations", "delta", "notes", "score", "spending", "trials",
                                           "verified"}));
    for (const auto& combination : tuned["combinations"]) EXPECT_EQ(combination.size(), 1U);
    const auto model = nlohmann::json::parse(text_of("best.json"));
    EXPECT_FALSE(model.contains("seed"));
    EXPECT_EQ(model["values"], tuned["best"]);
    EXPECT_EQ(model["rounds"], 2);
    lengths.insert(model["parameters"].size());
  }
  EXPECT_EQ(lengths.size(), 1U);
}

TEST_F(Tune, ReleasesThatNoTrialCameToAnEnd) {
  const Ran ran = run(trials + "--trials poisson:1e-9");
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("there was no trial, or the training diverged in each"), std::string::npos) << ran.err;
}

TEST_F(Tune, RefusesTrialsThatAreNotCovered) {
  refuses(trials + "--trials poisson:0", "--trials is poisson(0), but must be of a positive mean");
  refuses(trials + "--trials poisson:20000", "trials is poisson(20000), but must be at most 10000 on average");
  EXPECT_EQ(run(trials + "--trials uniform:3").status, 2);
  refuses(
      "tune --algorithm dp-prifedsync --users 4 --records 40 --rounds 2 --user-rate 1 --noise 5 --clip 1 "
      "--grid step=0.1,1 --trials geometric:0.5",
      "--trials is geometric(0.5), but must be left out for dp-prifedsync");
  refuses(trials + "--trials geometric:0.5 --results x.csv",
          "--results is x.csv, but must be left out beside --trials");
  refuses(trials + "--trials geometric:0.5 --ledger x.jsonl", "--ledger is x.jsonl, but must be left out");
  refuses(trials + "--save-model x.json", "--save-model is x.json, but must be left out without --trials");
  EXPECT_EQ(run(trials + "--trials geometric:0.5 --folds 3").status, 2);
  EXPECT_EQ(run(trials + "--trials geometric:0.5 --selection-epsilon 1").status, 2);
  refuses(
      "tune --algorithm dp-fedavg --users 4 --records 40 --rounds 2 --local-steps 1 --user-rate 1 --noise 5 "
      "--clip 1 --grid record-rate=0.5,1 --trials geometric:0.5",
      "--grid has values whose runs release");
  EXPECT_FALSE(std::filesystem::exists(path("x.csv")));
}

TEST_F(Tune, ReadsItsGridFromAFile) {
  write("c.toml", "grid = \"step=0.1,1; schedule=constant|exponential:0.9\"\nfolds = 2\n");
  const auto tuned =
      json_of(run("tune --algorithm dp-fedavg --users 4 --records 40 --rounds 2 --local-steps 1 "
                  "--user-rate 1 --noise 5 --clip 1 --config c.toml --json"));
  EXPECT_EQ(tuned["combinations"].size(), 4U);
  EXPECT_EQ(tuned["runs"], 8);
}

}  // namespace
}  // namespace dpbudget::testing
