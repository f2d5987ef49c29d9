#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/program.h"

namespace dpbudget::testing {
namespace {

class Sweep : public Program {
 protected:
  const std::string shape =
      "--rounds 3 --local-steps 2 --user-rate 0.5 --clip 1 --evaluate-every 3 --records 40 --results all.jsonl ";
  const std::string run_options =
      "--algorithm dp-fedavg --data synthetic:1,1 --users 4 --records 40 --rounds 3 --local-steps 2 --user-rate 0.5 "
      "--clip 1 --evaluate-every 3 ";
  const std::string begun = "sweep " + run_options;
  const std::string small = begun + "--results all.jsonl ";
  const std::string unseeded = "--noise 5 --grid step=0.1,1 --grid regularisation=0.01,0.1 ";
  const std::string grid = unseeded + "--seeds 2 ";

  std::vector<nlohmann::json> rows(const std::string& name = "all.jsonl") const {
    std::vector<nlohmann::json> rows;
    std::istringstream in(text_of(name));
    for (std::string line; std::getline(in, line);) rows.push_back(nlohmann::json::parse(line));
    return rows;
  }

  // But for how long they took, in no order.
  std::set<std::string> all_rows(const std::string& name = "all.jsonl") const {
    std::set<std::string> all;
    for (nlohmann::json row : rows(name)) {
      row.erase("seconds");
      all.insert(row.dump());
    }
    return all;
  }
};

TEST_F(Sweep, IsEverySimulationOfItsGrid) {
  const Ran ran = run(small + grid + "--json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["runs"], 8);
  EXPECT_EQ(json["done"], 8);
  ASSERT_EQ(json["cells"].size(), 4U);
  ASSERT_EQ(rows().size(), 8U);
  std::set<std::string> names;
  std::map<std::pair<double, double>, std::vector<double>> scores;  // by step and regularisation
  for (const auto& row : rows()) {
    names.insert(row["run"]);
    const Ran alone = run("simulate " + run_options + "--noise 5 --step " + row["step"].dump() + " --regularisation " +
                          row["regularisation"].dump() + " --seed " + row["seed"].dump() + " --json");
    const auto simulated = nlohmann::json::parse(alone.out);
    EXPECT_EQ(row["test_score"], simulated["test_score"]);
    EXPECT_EQ(row["train_loss"], simulated["train_loss"]);
    EXPECT_EQ(row["verified"], true);
    EXPECT_EQ(row["diverged"], false);
    scores[{row["step"], row["regularisation"]}].push_back(row["test_score"]);
  }
  EXPECT_EQ(names.size(), 8U);
  for (const auto& cell : json["cells"]) {
    const auto value = [&](const char* key) { return std::stod(cell["values"][key].get<std::string>()); };
    const auto& own = scores.at({value("step"), value("regularisation")});
    EXPECT_NEAR(cell["metrics"]["test_score"]["mean"].get<double>(), (own.at(0) + own.at(1)) / 2, 1e-12);
    EXPECT_EQ(cell["epsilon"], rows()[0]["epsilon_server"]);
  }
}

TEST_F(Sweep, HasTheSameRowsInAnyNumberOfProcessesAndShards) {
  ASSERT_EQ(run(small + grid + "--processes 1").status, 0);
  const auto expected = all_rows();
  ASSERT_EQ(expected.size(), 8U);
  ASSERT_EQ(run(begun + grid + "--processes 3 --threads 2 --results three.jsonl").status, 0);
  EXPECT_EQ(all_rows("three.jsonl"), expected);
  // Two at a time, into one file.
  const std::string shard = "'" + program() + "' " + begun + grid + "--results shards.jsonl --processes 2 --shard ";
  ASSERT_EQ(run_after("(" + shard + "1/3 > a & " + shard + "2/3 > b & wait)",
                      begun + grid + "--results shards.jsonl --shard 3/3")
                .status,
            0);
  EXPECT_EQ(all_rows("shards.jsonl"), expected);
}

TEST_F(Sweep, DoesOnlyWhatIsLeft) {
  ASSERT_EQ(run(small + grid).status, 0);
  const auto expected = all_rows();
  const std::string text = text_of("all.jsonl");
  std::size_t third = 0;
  for (int i = 0; i < 3; ++i) third = text.find('\n', third) + 1;
  // Three rows, and one that a process did not come to the end of.
  write("all.jsonl", text.substr(0, third + 40));
  const Ran rest = run(small + grid);
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_NE(rest.out.find("of which 3 are in all.jsonl already"), std::string::npos) << rest.out;
  EXPECT_EQ(all_rows(), expected);
  EXPECT_EQ(rows().size(), 8U);
  const Ran again = run(small + grid);
  EXPECT_NE(again.out.find("to be done   nothing"), std::string::npos) << again.out;
  EXPECT_EQ(rows().size(), 8U);
  // A larger sweep holds the smaller one's runs.
  EXPECT_EQ(run(small + unseeded + "--seeds 3").status, 0);
  EXPECT_EQ(rows().size(), 12U);
}

TEST_F(Sweep, FindsTheNoiseOfEveryCell) {
  const Ran ran =
      run("sweep " + shape + "--users 4 --noise '?' --grid epsilon=1,4 --grid algorithm=dp-fedavg,dp-scaffold --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const auto& row : rows()) {
    const double asked = row["epsilon"];
    EXPECT_LE(row["epsilon_server"], asked);
    EXPECT_GE(row["epsilon_server"], asked * 0.999);
    EXPECT_EQ(row["round"], 3);
    EXPECT_GT(row["noise"], 0);
  }
  EXPECT_EQ(rows().size(), 4U);
}

TEST_F(Sweep, VariesTheDataToo) {
  ASSERT_EQ(run("sweep --algorithm dp-fedavg " + shape +
                "--noise 5 --grid users=4,6 --grid 'data=synthetic:0,0|synthetic:1,1'")
                .status,
            0);
  std::set<std::string> data;
  for (const auto& row : rows()) data.insert(row["users"].dump() + " " + row["data"].get<std::string>());
  EXPECT_EQ(data.size(), 4U);
}

TEST_F(Sweep, DrawsMetricAndFront) {
  const Ran ran = run(small + "--grid noise=5,10,20 --grid step=0.1,1 --seeds 2 --plot sweep.svg");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string picture = text_of("sweep.svg");
  for (const char* text : {"Pareto front", "all cells", "step 0.1", "step 1", "epsilon (proven, server)"})
    EXPECT_NE(picture.find(text), std::string::npos) << text;
  ASSERT_EQ(run(small + "--grid noise=5,10,20 --grid step=0.1,1 --seeds 2 --plot step.svg --against step").status, 0);
  EXPECT_NE(text_of("step.svg").find("noise 20"), std::string::npos);
}

TEST_F(Sweep, TakesATrainingThatDivergesForAResult) {
  const Ran diverging = run(small + "--noise 5 --grid step=0.1,1e308 --seeds 1 --json");
  EXPECT_EQ(diverging.status, 0) << diverging.err;
  const auto json = nlohmann::json::parse(diverging.out);
  EXPECT_EQ(json["cells"][1]["diverged"], 1);
  EXPECT_EQ(json["cells"][0]["diverged"], 0);
  EXPECT_EQ(rows().size(), 2U);
}

TEST_F(Sweep, GoesOnBesidesARunThatIsRefused) {
  const Ran ran = run(small + "--noise 5 --grid epsilon=1e-9,50 --processes 1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("dpbudget: --epsilon 1e-9 --seed 1: epsilon is 1e-09, but must be enough for one round"),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(rows().size(), 1U);
}

TEST_F(Sweep, KeepsLedgersWhereTheyAreWanted) {
  ASSERT_EQ(run(small + "--noise 5 --grid step=0.1,1 --ledger run.jsonl").status, 0);
  for (const auto& row : rows()) {
    const Ran verified = run("verify run." + row["run"].get<std::string>() + ".jsonl");
    EXPECT_EQ(verified.status, 0) << verified.err;
  }
}

TEST_F(Sweep, RefusesWhatItCannotBe) {
  refuses(small + grid + "--shard 4/3", "--shard is 4/3");
  refuses(small + grid + "--metric score", "--metric is score");
  refuses(small + grid + "--plot a.svg --against clip", "--against is clip, but must be epsilon or an option that");
  refuses("sweep " + shape + "--users 4 --noise 5 --grid algorithm=dp-fedavg,dpnfl --plot a.svg --against algorithm",
          "--against is algorithm, but must be epsilon or an option whose values are numbers");
  refuses(small + grid + "--plot a.txt", "--plot is a.txt");
  refuses(small + grid + "--grid seed=1,2", "--grid has seed, which must be the same for all runs");
  refuses(small + grid + "--grid nose=1,2", "--grid has nose, which is no option of a run; the nearest is noise");
  refuses(small + unseeded + "--seeds 0", "--seeds is 0");
  refuses(small + grid + "--processes 0", "--processes is 0");
  refuses(small + "--noise 0 --grid step=0.1,1", "noise is 0");
  refuses(small + "--noise '?' --grid step=0.1,1", "noise is ?, but must be a number where no epsilon is given");
  EXPECT_FALSE(std::filesystem::exists(path("all.jsonl")));
  write("all.jsonl", "{\"mine\": 1}\n");
  refuses(small + grid, "--results all.jsonl: line 1 is of no run of this sweep");
  EXPECT_EQ(text_of("all.jsonl"), "{\"mine\": 1}\n");
  // Without an end of its last line it might be what a process did not come to the end of.
  for (const char* mine : {"{\"mine\": 1}", "mine", "[1", "{\"mine\": 1}{"}) {
    write("all.jsonl", mine);
    refuses(small + grid, "--results all.jsonl: line 1 is of no run of this sweep");
    EXPECT_EQ(text_of("all.jsonl"), mine);
  }
  for (const char* endless : {"/dev/zero", "/dev/stdout"})
    refuses(begun + "--noise 5 --grid step=0.1,1 --results " + endless, "--results is ");
  refuses(small + "--noise 5 --grid step=1,1.0", "--grid gives one run twice, with seed 1: as 1, and as 1.0");
}

TEST_F(Sweep, ReadsAConfiguration) {
  write("sweep.toml",
        "algorithm = \"dp-fedavg\"\nusers = 4\nrecords = 40\nrounds = 3\nlocal_steps = 2\nuser_rate = 0.5\nclip = 1\n"
        "noise = \"?\"\ngrid = \"epsilon=1,4; step=0.1,1\"\nseeds = 2\nresults = \"all.jsonl\"\n");
  const Ran ran = run("sweep --config sweep.toml");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(rows().size(), 8U);
  EXPECT_NE(ran.out.find("noise found"), std::string::npos) << ran.out;
}

TEST_F(Sweep, NoiseIsFoundForSimulateAndPlanToo) {
  const Ran planned =
      run("plan dp-fedavg --users 4 --records 32 --rounds 3 --local-steps 2 --user-rate 0.5 --noise '?' "
          "--epsilon 2 --json");
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto lines = nlohmann::json::parse(planned.out);
  const Ran simulated = run("simulate " + run_options + "--noise '?' --epsilon 2");
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_NE(simulated.out.find("the least found that is proven to keep all rounds to epsilon 2 against server"),
            std::string::npos)
      << simulated.out;
  const auto header =
      nlohmann::json::parse(text_of("dpbudget.ledger.jsonl").substr(0, text_of("dpbudget.ledger.jsonl").find('\n')));
  bool is_there = false;
  for (const auto& line : lines)
    if (line["adversary"] == "server" && line["basis"] == "proven") {
      is_there = true;
      EXPECT_LE(line["epsilon"], 2);
      EXPECT_GE(line["rounds"], 3);
    }
  EXPECT_TRUE(is_there);
  EXPECT_EQ(lines[0]["noise"], header["run"]["noise"]);
  refuses("plan dp-fedavg --noise '?'", "noise is ?, but must be a number where no epsilon is given");
}

}  // namespace
}  // namespace dpbudget::testing
