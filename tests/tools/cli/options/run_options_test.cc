#include "dpbudget/tools/cli/options/run_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "dpbudget/fl/algorithms/averaging.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/known_options.h"
#include "mechanisms/refused.h"
#include "tools/cli/program.h"

namespace dpbudget::tools {
namespace {

class RunOptions : public testing::Program {
 protected:
  // What `arguments` make of a run whose configuration is `toml`.
  fl::RunRequest parsed(const std::string& toml, const std::vector<std::string>& arguments) const {
    write("run.toml", toml);
    fl::RunRequest run;
    const std::string file = path("run.toml");
    std::vector<const char*> words = {"program", "train", "--config", file.c_str()};
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    tools::Program program(static_cast<int>(words.size()), words.data(), "", "", "");
    const Command command = program.add("train", "");
    config_option(command);
    run_options(command, run);
    program.run();
    return run;
  }

  std::vector<nlohmann::json> results(const std::string& name) const {
    std::ifstream in(path(name));
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
};

const std::string small =
    "simulate --algorithm dp-fedavg --users 4 --records 50 --user-rate 0.5 --rounds 4 --local-steps 2 --noise 8 "
    "--clip 0.5 --evaluate-every 2 --delta 1e-4 ";

TEST_F(RunOptions, ReadsEveryTypeFromAFile) {
  const auto run = parsed(
      "# a run\nalgorithm = 'dp-prifedsync'\nrounds = 7\nlocal_steps = 3\nstep = 2.5e-1\nregularisation = 0\n"
      "client_sampling = 'poisson'\noptimiser = 'adam'\nsilo_noise = [1, 2.5, 4]\nschedule = 'exponential:0.9'\n"
      "epsilon = 3\nadversary = 'third-party'\nclip = inf\nbatches = 'with-replacement'\n",
      {});
  EXPECT_EQ(run.algorithm, "dp-prifedsync");
  EXPECT_EQ(run.rounds, 7U);
  EXPECT_EQ(run.local_steps, 3U);
  EXPECT_EQ(run.options.at("step"), fl::OptionValue(0.25));
  EXPECT_EQ(run.regularisation, 0);
  EXPECT_EQ(run.client_sampling, fl::ClientSampling::poisson);
  EXPECT_EQ(run.options.at("optimiser"), fl::OptionValue("adam"));
  EXPECT_EQ(run.silo_noise, (std::vector<double>{1, 2.5, 4}));
  EXPECT_EQ(run.schedule, "exponential:0.9");
  EXPECT_EQ(run.epsilon, 3);
  EXPECT_EQ(run.budget_for, fl::Adversary::third_party);
  EXPECT_EQ(run.batches, fl::Batches::with_replacement);
  EXPECT_TRUE(std::isinf(run.clip_norm));
}

TEST_F(RunOptions, PutsTheCommandLineBeforeTheFile) {
  const auto run =
      parsed("rounds = 7\nlocal_steps = 3\nsilo_noise = [1, 2]\n", {"--rounds", "9", "--silo-noise", "5,6,7"});
  EXPECT_EQ(run.rounds, 9U);
  EXPECT_EQ(run.local_steps, 3U);
  EXPECT_EQ(run.silo_noise, (std::vector<double>{5, 6, 7}));
}

// What is left out keeps its default; what is given is the field's own text, from the command line as from the file.
TEST_F(RunOptions, HasAnOptionForEveryField) {
  fl::RunRequest run;
  tools::Program program(0, nullptr, "", "", "");
  const Command all = program.add("train", "");
  const Command of_plans = program.add("plan", "");
  run_options(all, run);
  run_options(of_plans, run, Fields::of_plans);
  const std::set<std::string_view> budgets = {"algorithm", "epsilon", "adversary", "silo_epsilon", "silo_delta"};
  fl::visit_fields(run, [&](const auto& field, const auto&) {
    std::string flag = field.key;
    std::ranges::replace(flag, '_', '-');
    EXPECT_TRUE(all.find("--" + flag)) << field.key;
    EXPECT_EQ(of_plans.find("--" + flag).has_value(), field.about_privacy && !budgets.contains(field.key)) << field.key;
  });
  for (const fl::KnownOption& option : fl::known_options()) {
    std::string flag = option.info().key;
    std::ranges::replace(flag, '_', '-');
    EXPECT_TRUE(all.find("--" + flag)) << flag;
    EXPECT_EQ(of_plans.find("--" + flag).has_value(), option.info().about_privacy) << flag;
  }
  for (const char* private_one : {"--clip-noise", "--granularity", "--noise-bits"})
    EXPECT_TRUE(of_plans.find(private_one)) << private_one;
  EXPECT_EQ(parsed("", {}).rounds, fl::RunRequest().rounds);
}

struct OwnOptions {
  double decay = 0.5;
  std::uint64_t warmth = 3;
  fl::Batches order = fl::Batches::fresh;

  static auto options() {
    return std::tuple(fl::option(&OwnOptions::decay, "own_decay", "how fast steps fall", fl::range::share),
                      fl::option(&OwnOptions::warmth, "own_warmth", "how warm it is"),
                      fl::option(&OwnOptions::order, "own_order", "what comes first"));
  }
};

class OwnAlgorithm final : public fl::LocalSteps {
 public:
  fl::OptionList options() const override { return fl::OptionList::of<OwnOptions>(); }
};

// From its one list: command line, configuration file, help.
TEST_F(RunOptions, KnowsTheOptionsOfAnAlgorithmThatWasAdded) {
  fl::add_algorithm({.name = "own"}, std::make_unique<OwnAlgorithm>());
  const auto run = parsed("algorithm = 'own'\nown_warmth = 5\nown_order = 'disjoint'\n", {"--own-decay", "0.25"});
  const fl::SettledRun settled = fl::settle(run);
  const auto& options = settled.options<OwnOptions>();
  EXPECT_EQ(options.decay, 0.25);
  EXPECT_EQ(options.warmth, 5U);
  EXPECT_EQ(options.order, fl::Batches::disjoint);
  EXPECT_REFUSED("own_decay is 2, but must be in [0, 1]", fl::settle(parsed("algorithm = 'own'\nown_decay = 2\n", {})));
  EXPECT_REFUSED("own_decay is given, but fedavg does not take it",
                 fl::settle(parsed("algorithm = 'fedavg'\nown_decay = 0.5\n", {})));
  EXPECT_REFUSED("--own-warmth is 2.5", parsed("own_warmth = 2.5\n", {}));
  EXPECT_REFUSED("--own-order is other, but must be one of fresh, disjoint", parsed("own_order = 'other'\n", {}));
  ::testing::internal::CaptureStdout();
  fl::RunRequest any;
  const std::array words = {"program", "train", "--help"};
  tools::Program program(static_cast<int>(words.size()), words.data(), "", "", "");
  run_options(program.add("train", ""), any);
  EXPECT_EQ(program.run(), 0);
  const std::string help = ::testing::internal::GetCapturedStdout();
  const std::size_t heading = help.find("\nOptions of own:\n");
  ASSERT_NE(heading, std::string::npos) << help;
  EXPECT_LT(heading, help.find("--own-decay NUMBER")) << help;
  EXPECT_NE(help.find("how fast steps fall; left out, 0.5"), std::string::npos) << help;
  EXPECT_NE(help.find("--own-warmth COUNT"), std::string::npos) << help;
  EXPECT_NE(help.find("--own-order NAME"), std::string::npos) << help;
  EXPECT_EQ(help.find("\n\n\n"), std::string::npos) << help;
}

// Help says beside each option who takes it, and once what several say alike.
TEST_F(RunOptions, StandUnderTheAlgorithmsThatTakeThem) {
  const std::string help = run("simulate --help").out;
  const auto stands_under = [&](const std::string& flag, const std::string& heading) {
    const std::size_t at = help.find("\n  --" + flag + " ");
    const std::size_t begin = help.rfind("\n\n", at) + 2;
    EXPECT_EQ(help.substr(begin, heading.size() + 1), heading + ":") << flag;
  };
  stands_under("clip-quantile", "Options of --clipping adaptive");
  stands_under("step",
               "Options of all algorithms but multi-stage-ac-sa, dp-multi-stage-ac-sa, binomial-multi-stage-ac-sa");
  stands_under("optimiser", "Options of prifedsync, dp-prifedsync");
  stands_under("interpolation", "Options of prifedsync, dp-prifedsync");
  stands_under("momentum", "Options of prifedsync, dp-prifedsync, adnfl, addpnfl");
  stands_under("noise-bits", "Options of binomial-ac-sa, binomial-multi-stage-ac-sa");
  EXPECT_NE(help.find("for prifedsync, dp-prifedsync: beta_1"), std::string::npos) << help;
  EXPECT_NE(help.find("for adnfl, addpnfl: "), std::string::npos) << help;
}

TEST_F(RunOptions, RefusesABadFileByLineAndKey) {
  EXPECT_REFUSED("--config " + path("run.toml") + ": there is no `local_step`; the nearest is `local_steps`",
                 parsed("local_step = 3\n", {}));
  EXPECT_REFUSED("--config " + path("run.toml") + ": there is no `regularization`; the nearest is `regularisation`",
                 parsed("rounds = 3\nregularization = 1\n", {}));
  EXPECT_REFUSED("--config " + path("run.toml") + ": line 2, column ", parsed("rounds = 3\nnoise = = 1\n", {}));
  EXPECT_REFUSED("--config " + path("run.toml") + ": line 2, column 3: a character beyond ASCII",
                 parsed("rounds = 3\ngröße = 1\n", {}));
  EXPECT_REFUSED("--config " + path("run.toml") + ": `rounds`", parsed("rounds = 2020-01-01\n", {}));
  EXPECT_REFUSED("--config " + path("run.toml") + ": `rounds`", parsed("[rounds]\nx = 1\n", {}));
  EXPECT_REFUSED("--rounds", parsed("rounds = -3\n", {}));
  EXPECT_REFUSED("--rounds", parsed("rounds = 2.5\n", {}));
  EXPECT_REFUSED("--noise", parsed("noise = 'much'\n", {}));
  EXPECT_REFUSED("--optimiser", parsed("optimiser = 'sdg'\n", {}));
  EXPECT_REFUSED("--silo-noise", parsed("silo_noise = [1, 'x']\n", {}));
  refuses("simulate --config missing.toml", "--config missing.toml cannot be read");
  refuses("simulate --config .", "--config . cannot be read");
}

TEST_F(RunOptions, SimulatesFromAFileAsFromTheCommandLine) {
  ASSERT_EQ(run(small + "--ledger a.jsonl").status, 0);
  write("run.toml",
        "algorithm = 'dp-fedavg'\nusers = 4\nrecords = 50\nuser_rate = 0.5\nrounds = 5\nlocal_steps = 2\n"
        "noise = 8\nclip = 0.5\nevaluate_every = 2\ndelta = 1e-4\nledger = 'b.jsonl'\njson = true\n");
  const testing::Ran ran = run("simulate --config run.toml --rounds 4");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["ledger"], "b.jsonl");
  std::ifstream a(path("a.jsonl")), b(path("b.jsonl"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(a), {}), std::string(std::istreambuf_iterator<char>(b), {}));
}

TEST_F(RunOptions, RunsSeveralSeedsIntoFilesOfTheirOwn) {
  const testing::Ran ran = run(small + "--ledger run.jsonl --seed 3 --seeds 2 --results result.jsonl --plot run.svg");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("standard deviation"), std::string::npos) << ran.out;
  for (const std::string seed : {"3", "4"}) {
    EXPECT_TRUE(std::filesystem::exists(path("run.seed-" + seed + ".jsonl")));
    const auto lines = results("result.seed-" + seed + ".jsonl");
    ASSERT_EQ(lines.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(lines[i]["round"], 2 * i);
      EXPECT_EQ(lines[i]["seed"], std::stoi(seed));
      EXPECT_GT(lines[i]["train_loss"].get<double>(), 0);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path("run.jsonl")));
  refuses(small + "--seeds 0", "--seeds");
}

TEST_F(RunOptions, FindsTheNoiseOfEachSilosBudget) {
  const std::string silos =
      "simulate --algorithm dp-fedavg --users 3 --records 50 --user-rate 1 --rounds 2 --local-steps 2 --clip 0.5 "
      "--ledger run.jsonl ";
  write("run.toml", "silo_epsilon = [1, 2, 4]\nsilo_delta = [1e-6, 1e-5, 1e-4]\njson = true\n");
  const testing::Ran ran = run(silos + "--config run.toml");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json report = nlohmann::json::parse(ran.out);
  ASSERT_EQ(report["silos"].size(), 3U);
  for (std::size_t silo = 0; silo < 3; ++silo) {
    const nlohmann::json& one = report["silos"][silo];
    EXPECT_EQ(one["silo"], silo);
    EXPECT_EQ(one["epsilon"], 1 << silo);
    EXPECT_LE(one["planned"]["upper"], one["epsilon"]);
    EXPECT_EQ(one["executed"]["upper"], one["planned"]["upper"]);
  }
  EXPECT_GT(report["silos"][0]["noise"], report["silos"][2]["noise"]);
  const testing::Ran verified = run("verify run.jsonl");
  EXPECT_EQ(verified.status, 0);
  EXPECT_NE(verified.out.find("epsilon allowed"), std::string::npos) << verified.out;
  EXPECT_NE(verified.out.find("silo_budgets"), std::string::npos);
  refuses(silos + "--silo-epsilon 1,2", "silo_epsilon is 2 numbers, but must be one for each of 3 clients");
  refuses(silos + "--silo-epsilon 1,2,3 --silo-noise 1,2,3", "silo_noise is given");
  refuses(silos + "--silo-epsilon 1,2,3 --noise 4", "noise is 4");
  refuses(silos + "--silo-epsilon 1,2,x", "--silo-epsilon is x");
  refuses(silos + "--noise 4 --silo-delta 1e-5,1e-5,1e-5", "silo_delta is given");
}

TEST_F(RunOptions, VerifiesATableWithoutItsFile) {
  write("noise.csv", "noise\n3\n2\n1.5\n1.25\n");
  ASSERT_EQ(run(small + "--ledger run.jsonl --schedule csv:noise.csv").status, 0);
  std::filesystem::remove(path("noise.csv"));
  const testing::Ran ran = run("verify run.jsonl");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  ASSERT_EQ(run(small + "--ledger inline.jsonl --schedule 'table:3;2;1.5;1.25'").status, 0);
  std::ifstream a(path("run.jsonl")), b(path("inline.jsonl"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(a), {}), std::string(std::istreambuf_iterator<char>(b), {}));
}

TEST_F(RunOptions, ResumesOnlyWithACheckpoint) {
  refuses(small + "--resume", "--checkpoint");
  refuses(small + "--resume --checkpoint none.state --results run.results", "none.state");
  EXPECT_FALSE(std::filesystem::exists(path("run.results")));
  refuses(small + "--checkpoint a.state --checkpoint-every 0", "--checkpoint-every");
  ASSERT_EQ(run(small + "--ledger run.jsonl --checkpoint run.state").status, 0);
  EXPECT_EQ(run(small + "--ledger run.jsonl --checkpoint run.state --resume").status, 0);
  refuses(small + "--ledger run.jsonl --checkpoint run.state --resume --seed 9", "run.state");
}

// Before anything is computed, printed or written; what stands there already stays.
TEST_F(RunOptions, ChecksItsFilesFirst) {
  refuses(small + "--ledger run.jsonl --results ./run.jsonl", "--results is ./run.jsonl, but --ledger goes to");
  refuses(small + "--ledger run.jsonl --checkpoint " + path("run.jsonl"), "but --ledger goes to the same file");
  refuses(small + "--checkpoint run.svg --plot run.svg", "--plot is run.svg, but --checkpoint goes to the same file");
  refuses(small + "--seeds 2 --ledger run.svg --plot run.seed-1.svg", "--plot is run.seed-1.svg");
  for (const std::string option : {"--ledger", "--results", "--checkpoint", "--plot"}) {
    refuses(small + option + " missing/run.svg", option + " is missing/run.svg, but there is no folder");
    const testing::Ran ran = run(small + option + " .");
    EXPECT_EQ(ran.status, 4) << option;
    EXPECT_EQ(ran.out, "") << option;
    EXPECT_EQ(ran.err, "dpbudget: " + option + " is ., which cannot be opened for writing\n");
  }
  write("run.results", "kept");
  refuses(small + "--results run.results --checkpoint missing/run.state", "--checkpoint");
  EXPECT_EQ(std::filesystem::file_size(path("run.results")), 4U);
  EXPECT_FALSE(std::filesystem::exists(path("dpbudget.ledger.jsonl")));
}

}  // namespace
}  // namespace dpbudget::tools
