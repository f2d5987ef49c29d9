// The program as a user runs it: what it prints, its exit status, and its answer to bad input.
#include "tools/cli/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/fl/run/traits.h"
#include "dpbudget/version.h"

namespace dpbudget {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

TEST_F(Program, AnswersTheQuestionsOfTheReadme) {
  const Ran epsilon = run("epsilon '10000 x poisson(0.01, gaussian(1))' --delta 1e-5");
  EXPECT_EQ(epsilon.status, 0);
  EXPECT_NE(epsilon.out.find("at most 6.18772, at least 6.18771 (both proven)"), std::string::npos) << epsilon.out;
  EXPECT_NE(epsilon.out.find("add_or_remove_one"), std::string::npos);
  const Ran rounds = run("rounds 'poisson(0.02, gaussian(1.5))' --epsilon 3 --delta 1e-6");
  EXPECT_NE(rounds.out.find("1,738"), std::string::npos) << rounds.out;
  const Ran delta = run("delta 'gaussian(1)' --epsilon 60");
  EXPECT_NE(delta.out.find("at most 1.94428e-773"), std::string::npos) << delta.out;
  const Ran solved = run("solve '1000 x poisson(0.01, gaussian(?))' --epsilon 1 --delta 1e-6");
  EXPECT_NE(solved.out.find("1.56266"), std::string::npos) << solved.out;
}

// Every command that gives a delta.
TEST_F(Program, PrintsNoDeltaBeyondADoubleAsZero) {
  constexpr double least = 0x1p-1074;
  const json delta = json::parse(run("delta 'gaussian(100)' --epsilon 100 --json").out)["delta"];
  EXPECT_EQ(delta["upper"], least);
  EXPECT_EQ(delta["lower"], 0);
  EXPECT_LT(delta["ln_upper"], -4e7);
  EXPECT_NE(run("delta 'gaussian(100)' --epsilon 100").out.find("at most 1.66138e-21714713"), std::string::npos);
  const json compared = json::parse(run("compare 'gaussian(100)' --epsilon 100 --json").out);
  for (const json& answer : compared["answers"]) {
    if (!answer.contains("delta")) continue;
    EXPECT_GT(answer["delta"]["upper"], 0) << answer;
  }
  const Ran solved = run("dpsgd --records 1000 --batch 1000 --epochs 1 --noise 100 --epsilon 90 --delta '?' --json");
  ASSERT_EQ(solved.status, 0) << solved.err;
  EXPECT_EQ(json::parse(solved.out)["delta"], least);
  // What is pure has a delta of 0.
  EXPECT_EQ(json::parse(run("delta 'laplace(1)' --epsilon 100 --json").out)["delta"]["upper"], 0);
}

TEST_F(Program, SpeaksJson) {
  const json epsilon = json::parse(run("epsilon 'gaussian(1)' --delta 1e-5 --json").out);
  EXPECT_NEAR(epsilon["epsilon"]["upper"].get<double>(), 4.37717809568, 1e-9);
  EXPECT_NEAR(epsilon["epsilon"]["lower"].get<double>(), 4.37717809568, 1e-9);
  EXPECT_EQ(epsilon["epsilon"]["accountant"], "exact");
  EXPECT_EQ(epsilon["epsilon"]["guarantee"], "proven");
  EXPECT_EQ(epsilon["plan"]["version"], 1);
  write("plan.json", epsilon["plan"].dump());
  EXPECT_EQ(json::parse(run("epsilon @plan.json --delta 1e-5 --json").out), epsilon);
  const json delta = json::parse(run("delta 'gaussian(1)' --epsilon 60 --json").out);
  EXPECT_LT(delta["delta"]["ln_upper"].get<double>(), -1700);
  const json rounds = json::parse(run("rounds 'pure(0.25)' --epsilon 1 --delta 1e-9 --json").out);
  EXPECT_GE(rounds["rounds"].get<int>(), 4);
  const json solved = json::parse(run("solve '? x pure(0.25)' --epsilon 1 --delta 1e-9 --json").out);
  EXPECT_EQ(solved["value"], rounds["rounds"]);
  const json plans = json::parse(run("plan dp-fedavg --noise 30 --epsilon 3 --json").out);
  EXPECT_EQ(plans.size(), 7U);
}

TEST_F(Program, AnAccountantCanBeChosen) {
  const auto upper = [&](const std::string& accountant) {
    const json answer = json::parse(
        run("epsilon '10000 x poisson(0.01, gaussian(1))' --delta 1e-5 --json --accountant " + accountant).out);
    EXPECT_EQ(answer["epsilon"]["accountant"], accountant);
    return answer["epsilon"]["upper"].get<double>();
  };
  EXPECT_NEAR(upper("renyi"), 6.71227, 1e-5);
  EXPECT_NEAR(upper("contour"), 6.18771239, 1e-8);
  EXPECT_NEAR(upper("loss_distribution"), 6.18771239, 6.2e-3);
  const json own = json::parse(run("epsilon 'approximate(1, 1e-5)' --delta 1e-5 --json").out);
  EXPECT_NEAR(own["epsilon"]["upper"].get<double>(), 1, 1e-9);
  const json fine = json::parse(run("epsilon '50 x laplace(9)' --delta 1e-5 --tolerance 1e-6 --json").out);
  EXPECT_LE(fine["epsilon"]["upper"].get<double>() / fine["epsilon"]["lower"].get<double>(), 1 + 1.1e-6);
}

TEST_F(Program, ExitStatusOneSaysThatABudgetIsExceeded) {
  EXPECT_EQ(run("rounds 'gaussian(0.1)' --epsilon 1 --delta 1e-6").status, 1);
  EXPECT_EQ(run("solve 'gaussian(0.1) + gaussian(?)' --epsilon 1 --delta 1e-6").status, 1);
  EXPECT_EQ(run("solve '? x gaussian(0.1)' --epsilon 1 --delta 1e-6").status, 1);
  EXPECT_EQ(run("solve '? x gaussian(100)' --epsilon 1 --delta 1e-6").status, 0);
}

TEST_F(Program, PrintsPlansThatItReads) {
  const Ran plan = run("plan dp-scaffold --noise 10 --rounds 428 --adversary server --basis proven");
  EXPECT_EQ(plan.out, "428 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(10))) under replace_one\n");
  EXPECT_EQ(run("plan dp-scaffold --noise 10 --rounds 428 --adversary server").out, plan.out);
  EXPECT_EQ(run("epsilon '" + plan.out + "' --delta 1e-5").status, 0);
  // 0.4 times 0.2 in binary is 0.08000000000000002.
  const Ran chang =
      run("plan dp-scaffold --schedule chang1:beta=0.999 --noise 90 --user-rate 0.4 --record-rate 0.2 "
          "--rounds 2 --adversary server --basis published");
  EXPECT_EQ(chang.out.find("10 x poisson(0.08, gaussian("), 0U) << chang.out << chang.err;
}

// The records of the silo with the least noise pay as if every silo had as little, but for the noise of the others.
TEST_F(Program, PlansForTheSiloWithTheLeastNoise) {
  const std::string four = "plan dp-fedavg --users 4 --user-rate 0.5 --rounds 20 ";
  const auto of = [&](const std::string& noise) { return json::parse(run(four + noise + " --json").out); };
  EXPECT_EQ(of("--silo-noise 9,2,9,30"), of("--silo-noise 2,2,2,2"));
  const std::string server = "--adversary server --basis proven";
  EXPECT_EQ(run(four + server + " --silo-noise 9,2,9,30").out, run(four + server + " --noise 2").out);
  EXPECT_NE(run(four + "--silo-noise 9,2,9,30").out.find("noise 2, the least of the silos'"), std::string::npos);
  refuses(four + "--silo-noise 9,2,9,30 --noise 30", "--noise excludes --silo-noise");
  refuses(four + "--silo-noise 9,2", "silo_noise is 2 numbers");
}

TEST_F(Program, PlansSayWhichBatchesTheyAreFor) {
  EXPECT_NE(run("plan dp-fedavg --noise 9 --batch-size 50").out.find("fresh batches of 50"), std::string::npos);
  EXPECT_NE(run("plan dp-mb-sgd --noise 9 --batches disjoint --rounds 40").out.find("disjoint batches of 100"),
            std::string::npos);
  EXPECT_NE(run("plan dp-fedavg --noise 9 --record-rate 0.1").out.find("s = 0.1"), std::string::npos);
  EXPECT_NE(run("plan dp-fedavg --noise 9 --record-rate 0.1 --batches shuffled").out.find("s = 0.1, shuffled"),
            std::string::npos);
  const Ran one_step = run("plan dp-mb-sgd --noise 9 --batches shuffled");
  EXPECT_EQ(one_step.status, 2);
  EXPECT_NE(
      one_step.err.find(
          "batches is shuffled, but must be fresh or disjoint or with_replacement for dp-mb-sgd with one local step"),
      std::string::npos)
      << one_step.err;
}

TEST_F(Program, SimulatesVerifiesAndCatchesAnEdit) {
  const std::string small = "--users 10 --records 100 --user-rate 0.3 --rounds 5 --local-steps 3 --seed 4 ";
  const Ran simulated =
      run("simulate --algorithm dp-scaffold " + small + "--noise 4 --clip 0.5 --ledger run.jsonl --epsilon 100");
  EXPECT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_NE(simulated.out.find("PASS"), std::string::npos) << simulated.out;
  EXPECT_EQ(run("verify run.jsonl --epsilon 100").status, 0);
  EXPECT_EQ(run("verify run.jsonl --epsilon 1e-3").status, 1);
  EXPECT_EQ(run("verify run.jsonl --epsilon 100 --adversary user-level").status, 1);
  // The ledger's own budget counts, whatever else is asked.
  EXPECT_NE(simulated.out.find(", 100 allowed (server)"), std::string::npos) << simulated.out;
  std::string poorer = text_of("run.jsonl");
  poorer.replace(poorer.find("\"epsilon\":100.0"), 15, "\"epsilon\":0.001");
  write("poorer.jsonl", poorer);
  for (const std::string budget : {"", " --epsilon 100", " --delta 1e-9", " --adversary user-level"}) {
    const Ran over = run("verify poorer.jsonl" + budget);
    EXPECT_EQ(over.status, 1) << budget;
    EXPECT_NE(over.out.find("spent, 0.001 allowed (server)"), std::string::npos) << over.out;
  }
  EXPECT_FALSE(json::parse(run("verify poorer.jsonl --json").out)["passed"]);
  // Whom the ledger's own budget is for, unless another is named.
  const json worst = json::parse(run("verify run.jsonl --json").out)["views"][4];
  ASSERT_EQ(worst["adversary"], "user_level");
  run("simulate --algorithm dp-scaffold " + small +
      "--noise 4 --clip 0.5 --ledger user.jsonl --epsilon 1e9 --adversary user-level");
  EXPECT_NE(run("verify user.jsonl --epsilon 1e9").out.find("(user_level)"), std::string::npos);
  EXPECT_EQ(run("verify user.jsonl --epsilon 100").status, 1);
  EXPECT_EQ(run("verify user.jsonl --epsilon 100 --adversary third-party").status, 0);
  const json report = json::parse(run("verify run.jsonl --json").out);
  EXPECT_TRUE(report["passed"]);
  EXPECT_EQ(report["views"].size(), 5U);

  std::string text = text_of("run.jsonl");
  const std::size_t value = text.rfind("\"noise_std\":") + 12;
  ASSERT_LT(value, text.size());
  const double noise = std::stod(text.substr(value));
  text.replace(value, text.find_first_of(",}", value) - value, json(0.99 * noise).dump());
  write("edited.jsonl", text);
  const Ran edited = run("verify edited.jsonl");
  EXPECT_EQ(edited.status, 1) << edited.out << edited.err;
  EXPECT_NE(edited.out.find("FAIL"), std::string::npos);

  const Ran plain = run("simulate --algorithm fedavg " + small + "--ledger plain.jsonl");
  EXPECT_NE(plain.out.find("no guarantee"), std::string::npos) << plain.out;
  EXPECT_EQ(run("verify plain.jsonl --epsilon 3").status, 1);
  refuses("simulate --algorithm fedavg " + small + "--ledger plain.jsonl --epsilon 3", "epsilon is 3");
}

// Also where no line is wrong by itself.
TEST_F(Program, NamesTheLedgerThatNothingCanBeProvenOf) {
  EXPECT_EQ(
      run("simulate --algorithm dp-fedavg --users 4 --records 50 --user-rate 1 --rounds 2 --local-steps 1 --noise 5 "
          "--clip 1 --clipping adaptive --ledger run.jsonl")
          .status,
      0);
  std::string text = text_of("run.jsonl");
  const std::string noise = "\"count_noise\":";
  const std::size_t value = text.find(noise) + noise.size();
  text.replace(value, text.find(',', value) - value, "0");
  write("edited.jsonl", text);
  refuses("verify edited.jsonl", "ledger edited.jsonl: noise_multiplier is 0");
}

TEST_F(Program, AnswersQueriesFromAFileAndFromStandardInput) {
  write("queries.jsonl", R"({"id": "a", "function": "renyi.gaussian", "inputs": {"order": 2, "noise_multiplier": 2}})"
                         "\n\n"
                         R"({"id": "b", "function": "renyi.gaussian", "inputs": {"order": 2, "noise_multiplier": 0}})"
                         "\n");
  const Ran ran = run("eval queries.jsonl");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out.find(R"({"id":"a","value":0.25,"version":")"), 0) << ran.out;
  EXPECT_NE(ran.out.find(R"({"id":"b","refused":"noise_multiplier is 0)"), std::string::npos) << ran.out;
  EXPECT_EQ(run("eval - < queries.jsonl").out, ran.out);
  EXPECT_NE(run("eval --list").out.find("renyi.poisson_gaussian(rate, noise_multiplier, order)\n"), std::string::npos);
  EXPECT_EQ(run("eval --list --json").out.find(R"({"functions":[{"accuracy":)"), 0);
}

TEST_F(Program, DescribesAReferenceFunction) {
  for (const std::string arguments : {"eval renyi.gaussian --help", "eval --help renyi.gaussian"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out.find("renyi.gaussian: "), 0) << ran.out;
  }
  EXPECT_EQ(run("eval --help").out.find("reference functions"), 0);
  refuses("eval renyi.gausian --help", "function `renyi.gausian` is unknown; the nearest is `renyi.gaussian`");
  refuses("eval renyi.gaussian", "queries file renyi.gaussian cannot be read; --help describes the function");
}

// The examples in help are commands: this shell knows the program by another name only.
TEST_F(Program, AnswersTheExamplesOfItsReferenceFunctions) {
  for (const std::string name : {"renyi.gaussian", "convergence.noble_fedavg_bound"}) {
    std::string help = run("eval " + name + " --help").out;
    const std::size_t from = help.find("  echo ") + 2;
    const std::size_t command_end = help.find("dpbudget eval -\n", from);
    ASSERT_NE(command_end, std::string::npos) << help;
    const std::string query = help.substr(from, command_end - from);
    const std::size_t quote = query.find('\'') + 1;
    std::string line = query.substr(quote, query.find('\'', quote) - quote);
    std::erase(line, '\n');
    write("query.jsonl", line + "\n");
    EXPECT_EQ("  " + run("eval query.jsonl").out, help.substr(help.find("  {\"id\":1"))) << help;
  }
}

// The words of a text, whatever its lines.
std::string words(const std::string& text) {
  std::istringstream in(text);
  std::string all;
  for (std::string word; in >> word;) all += word + " ";
  return all;
}

TEST_F(Program, HelpsANewcomer) {
  for (const auto* command : {"", "epsilon", "delta", "rounds", "solve", "dpsgd", "compare", "schedule", "converge",
                              "heterogeneity", "plan", "simulate", "verify", "ledger", "eval"}) {
    const Ran help = run(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_NE(help.out.find("Usage"), std::string::npos) << command;
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
  }
  EXPECT_EQ(run("--version").out, std::string(version) + "\n");
  const std::string simulate = words(run("simulate --help").out);
  std::string names;
  for (const fl::AlgorithmTraits& entry : fl::all_algorithms())
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  EXPECT_NE(simulate.find("what to run: " + names + " "), std::string::npos) << simulate;
  EXPECT_NE(simulate.find("NAME.seed-N.EXT"), std::string::npos);
}

TEST_F(Program, RefusesBadPlans) {
  for (const auto* noise : {"0", "-1", "nan", "1e400"})
    refuses("epsilon 'gaussian(" + std::string(noise) + ")' --delta 1e-5", "noise_multiplier is " + std::string(noise));
  refuses("epsilon 'poisson(1.5, gaussian(1))' --delta 1e-5", "rate is 1.5");
  refuses("epsilon 'poisson(-1, gaussian(1))' --delta 1e-5", "rate is -1");
  refuses("epsilon 'gausian(1)' --delta 1e-5", "unknown name `gausian`; the nearest is `gaussian`");
  refuses("epsilon 'gaussian(1' --delta 1e-5", "expected `)`");
  refuses("solve '? x gaussian(?)' --epsilon 1 --delta 1e-5", "second `?`");
  refuses("epsilon '2.5 x gaussian(1)' --delta 1e-5", "count is 2.5");
  refuses("epsilon 'gaussian(?)' --delta 1e-5", "unknown `?`");
  refuses("solve 'gaussian(1)' --epsilon 1 --delta 1e-5", "no `?`");
  refuses("epsilon 'poisson(0.1, laplace(1))' --adjacency replace_one --delta 1e-5", "replace_one");
  refuses("epsilon 'wor(0.1, gaussian(1))' --adjacency add_or_remove_one --delta 1e-5", "add_or_remove_one");
  refuses("epsilon 'gaussian(1)' --adjacency nearby --delta 1e-5", "--adjacency is nearby");
  refuses("epsilon @missing.plan --delta 1e-5", "missing.plan cannot be read");
  refuses("epsilon '{\"version\": 1' --delta 1e-5", "not JSON");
  refuses("epsilon 'approximate(1, 1e-5)' --accountant renyi --delta 1e-5", "approximate(1, 1e-05)");
  refuses("epsilon 'random_allocation(9, rr(1)) under replace_one' --delta 1e-5", "random_allocation(9, rr(1))");
  refuses("epsilon 'rr(1)' --accountant exact --delta 1e-5", "rr(1)");
  refuses("epsilon 'zcdp(1)' --accountant contour --delta 1e-5", "zcdp(1)");
  refuses("epsilon 'rr(1)' --accountant abacus --delta 1e-5", "--accountant is abacus");
}

TEST_F(Program, RefusesBadNumbers) {
  refuses("epsilon 'gaussian(1)' --delta 0",
          "no accountant has a theorem for pure DP (delta 0) of this plan: Gaussian noise");
  for (const auto* delta : {"1", "-1", "nan"})
    refuses("epsilon 'gaussian(1)' --delta " + std::string(delta), "delta is " + std::string(delta));
  refuses("epsilon 'gaussian(1)' --delta 1e400", "--delta is 1e400");
  refuses("epsilon 'gaussian(1)' --delta small", "--delta is small");
  refuses("epsilon 'gaussian(1)'", "--delta");
  refuses("rounds 'gaussian(1)' --epsilon -1 --delta 1e-5", "epsilon is -1");
  refuses("delta 'gaussian(1)' --epsilon nan", "epsilon is nan");
  refuses("", "subcommand");
  refuses("budget", "there is no command `budget`; the nearest is `");
  refuses("epsilom 'gaussian(1)' --delta 1e-5", "there is no command `epsilom`; the nearest is `epsilon`");
  refuses("epsilon 'gaussian(1)' --detla 1e-5", "epsilon has no option --detla; the nearest is --delta");
  refuses("simulate --algoritm=fedavg", "simulate has no option --algoritm; the nearest is --algorithm");
  refuses("epsilon 'gaussian(1)' --delta 1e-5 --accountant renyii", "approximate, gdp; the nearest is renyi");
  refuses("epsilon 'gaussian(1)' --delta 1e-5 --adjacency replace_on", "zero_out_one; the nearest is replace_one");
  refuses("epsilon 'gaussian(1) under replace_on' --delta 1e-5", "zero_out_one; the nearest is replace_one");
  refuses("epsilon 'select(poisso(3), gaussian(1))' --delta 1e-5", "the nearest is `poisson`");
  refuses("simulate --algorithm dp-scafold", "; the nearest is dp-scaffold");
  refuses("simulate --algorithm fedavg --model softmx", "; the nearest is softmax");
  refuses("plan dp-scafold --noise 1", "dp-scafold");
  refuses("plan dp-fedavg --noise 0", "noise");
  refuses("plan fedavg", "there is no plan for fedavg: it adds no noise");
  refuses("plan dp-fedavg --noise 1 --clipping median", "clipping at the median guarantees nothing");
  refuses("plan dpnfl --noise 1 --basis published --adversary server", "no published plan of dpnfl against server");
  refuses("plan dp-fedavg --noise 1 --dimension 9", "--dimension is 9, but must be left out for dp-fedavg");
  refuses("plan dp-fedavg --noise 1 --radius 2", "--radius");
  refuses("plan dp-fedavg --noise 1 --users 10 --user-rate 0.01", "user_rate");
  refuses("plan dp-fedavg --noise 1 --adversary nobody", "--adversary is nobody");
  refuses("plan dp-fedavg --noise 1 --basis hoped", "--basis is hoped");
}

TEST_F(Program, RefusesBadRunsAndWritesNothing) {
  const std::string run_options =
      "simulate --algorithm dp-fedavg --users 4 --records 50 --user-rate 0.5 --rounds 2 --ledger run.jsonl ";
  refuses(run_options + "--noise 0 --clip 1", "noise");
  refuses(run_options + "--noise -1 --clip 1", "noise");
  refuses(run_options + "--noise 1", "clip");
  refuses(run_options + "--noise 1 --clip 0", "clip");
  refuses(run_options + "--noise 1 --clip 1 --record-rate 2", "record_rate");
  refuses(run_options + "--noise 1 --clip 1 --threads 0", "--threads");
  refuses(run_options + "--noise 1 --clip 1 --rounds 0", "rounds");
  refuses(run_options + "--noise 1 --clip 1 --data synthetic:1", "--data");
  refuses("simulate --algorithm fedavg --ledger run.jsonl --data csv:1,2", "--data");
  refuses(run_options + "--noise 1 --clip 1 --data synthetic:-1,1", "alpha");
  EXPECT_FALSE(std::filesystem::exists(path("run.jsonl")));
  refuses("simulate --algorithm dp-fedavg --noise 1 --clip 1 --ledger missing/run.jsonl", "missing/run.jsonl");
}

// Of every command, by its own name, another one and a link.
TEST_F(Program, OverwritesNothingThatItReads) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"table.csv", "x,y\n1,0\n2,0\n3,0\n4,0\n5,10\n"},
      {"images", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x01\x05\x06", 18)},
      {"labels", std::string("\0\0\x08\x01\0\0\0\x02\0\x01", 10)},
      {"run.toml", "rounds = 2\n"},
      {"noise.csv", "noise\n9\n9\n"},
      {"noise.csv.part", "noise\n9\n9\n"},
      {"plan", "gaussian(9)\n"},
      {"plan.svg", "gaussian(9)\n"},
      {"noise.svg", "noise\n9\n9\n"},
      {"run.jsonl", "{}\n"},
      {"table.seed-2.csv", "x,y\n1,0\n2,0\n3,0\n4,0\n5,10\n"}};
  for (const auto& [name, text] : files) write(name, text);
  std::filesystem::create_hard_link(path("table.csv"), path("hard.csv"));
  std::filesystem::create_symlink("run.toml", path("link.toml"));
  const std::string table =
      "simulate --algorithm mb-sgd --model linear --users 1 --user-rate 1 --record-rate 1 --data ";
  const std::string noisy = "simulate --algorithm dp-fedavg --users 2 --user-rate 1 --rounds 2 --noise 1 --clip 1 ";
  const std::string read = "reads the same file";
  refuses(table + "csv:table.csv,target=y --results table.csv", "--results is table.csv, but --data " + read);
  refuses(table + "csv:table.csv,target=y --checkpoint ./table.csv", "--checkpoint is ./table.csv, but --data " + read);
  refuses(table + "csv:table.csv,target=y --ledger hard.csv", "--ledger is hard.csv, but --data " + read);
  refuses(table + "csv:table.seed-2.csv,target=y --seeds 2 --results table.csv",
          "--results is table.seed-2.csv, but --data " + read);
  refuses(table + "idx:images,labels --ledger labels", "--ledger is labels, but --data " + read);
  refuses(table + "idx:images,labels --ledger images", "--ledger is images, but --data " + read);
  refuses(table + "cifar:labels --results labels", "--results is labels, but --data " + read);
  refuses(noisy + "--config run.toml --ledger link.toml", "--ledger is link.toml, but --config " + read);
  refuses(noisy + "--schedule csv:noise.csv --checkpoint noise.csv",
          "--checkpoint is noise.csv, but --schedule " + read);
  refuses(noisy + "--schedule csv:noise.csv.part --checkpoint noise.csv",
          "--checkpoint is noise.csv by way of noise.csv.part, but --schedule " + read);
  refuses("schedule csv:noise.svg --plot noise.svg", "--plot is noise.svg, but schedule " + read);
  refuses("compare @plan.svg --delta 1e-5 --plot plan.svg", "--plot is plan.svg, but plan " + read);
  // What a command prints goes somewhere too.
  const auto printed_to = [&](const std::string& file, const std::string& arguments, const std::string& reader) {
    const Ran ran = run(arguments + " >> " + file);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.err, "dpbudget: standard output is " + std::filesystem::canonical(path(file)).string() + ", but " +
                           reader + " reads the same file\n");
  };
  printed_to("plan", "epsilon @plan --delta 1e-5", "plan");
  printed_to("noise.csv", "schedule csv:noise.csv --rounds 2", "schedule");
  printed_to("noise.csv", "plan dp-fedavg --noise 1 --schedule csv:noise.csv --rounds 2", "--schedule");
  printed_to("run.jsonl", "verify run.jsonl", "ledger");
  printed_to("run.jsonl", "eval run.jsonl", "queries");
  printed_to("table.csv", table + "csv:table.csv,target=y", "--data");
  for (const auto& [name, text] : files) EXPECT_EQ(text_of(name), text) << name;
}

TEST_F(Program, SaysThatStandardOutputCannotBeWritten) {
  const std::string training =
      "simulate --algorithm dp-fedavg --users 2 --records 20 --user-rate 1 --rounds 3 --noise 9 "
      "--clip 1 ";
  EXPECT_EQ(run(training + "--ledger run.jsonl").status, 0);
  for (const std::string arguments :
       {"--help", "--version", "epsilon 'gaussian(1)' --delta 1e-5", "epsilon 'gaussian(1)' --delta 1e-5 --json",
        "delta 'gaussian(1)' --epsilon 1", "rounds 'pure(0.1)' --epsilon 1 --delta 1e-9",
        "solve 'gaussian(?)' --epsilon 1 --delta 1e-9", "compare 'gaussian(1)' --delta 1e-5 --csv",
        "schedule constant --noise 9 --rounds 2", "plan dp-fedavg --noise 9 --json", "verify run.jsonl --json",
        "eval --list"}) {
    const Ran ran = run(arguments + " > /dev/full");
    EXPECT_EQ(ran.status, 4) << arguments;
    EXPECT_EQ(ran.err, "dpbudget: standard output could not be written\n") << arguments;
  }
  // What is printed does not go into the file that is opened next where standard output was closed.
  for (const std::string lost : {"> /dev/full", ">&-"}) {
    const Ran ran = run(training + "--ledger again.jsonl " + lost);
    EXPECT_EQ(ran.status, 4) << lost;
    EXPECT_EQ(ran.err, "dpbudget: standard output could not be written\n") << lost;
    EXPECT_EQ(text_of("again.jsonl"), text_of("run.jsonl")) << lost;
  }
}

TEST_F(Program, SaysThatAPictureCannotBeWritten) {
  const std::string drawing = "schedule constant --noise 9 --rounds 2 --plot ";
  write("old.svg", "kept");
  for (const std::string file : {"new.svg", "new.png", "new.pdf", "old.svg"}) {
    // Beyond 4 kB the disk is full: what gnuplot is told fits, what it draws does not.
    const Ran ran = run_after("ulimit -f 8 && trap '' XFSZ", drawing + file);
    EXPECT_EQ(ran.status, 4) << file;
    EXPECT_EQ(ran.out, "") << file;
    EXPECT_EQ(ran.err, "dpbudget: --plot " + file + " could not be written\n");
  }
  write("gnuplot", "#!/bin/sh\necho half a picture\nexit 1\n");
  std::filesystem::permissions(path("gnuplot"), std::filesystem::perms::owner_all);
  const Ran failed = run_after("export PATH=\"$PWD:$PATH\"", drawing + "old.svg");
  EXPECT_EQ(failed.status, 2);
  EXPECT_EQ(failed.err, "dpbudget: --plot is old.svg, but gnuplot could not draw it\n");
  EXPECT_EQ(text_of("old.svg"), "kept");
  const std::set<std::string> expected = {"err", "gnuplot", "old.svg"};
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_TRUE(expected.contains(entry.path().filename())) << entry.path();
}

TEST_F(Program, RefusesOptionsThatWouldChangeNothing) {
  const std::string run_options =
      "simulate --algorithm dp-fedavg --users 4 --user-rate 0.5 --rounds 2 --clip 1 --ledger run.jsonl ";
  refuses(run_options + "--noise 1 --silo-noise 1,1,1,1", "--noise excludes --silo-noise");
  refuses(run_options + "--noise 1 --batch-size 5 --record-rate 0.2", "--record-rate excludes --batch-size");
  for (const std::string command : {"simulate --clip 1 --algorithm ", "plan "}) {
    refuses(command + "dp-local-sgd --noise 1 --record-rate 0.5",
            "--record-rate is 0.5, but must be left out for dp-local");
    refuses(command + "dp-mb-sgd --noise 1 --batches disjoint --record-rate 0.5", "left out when batches are disjoint");
  }
  refuses(run_options + "--noise 1 --similarity 5", "--similarity is 5, but must be left out for synthetic data");
  refuses(run_options + "--noise 1 --records 5 --data csv:t.csv,target=y", "--records is 5, but must be left out");
  refuses(run_options + "--noise 1 --checkpoint-every 5", "--checkpoint-every requires --checkpoint");
  refuses("eval --list queries.jsonl", "--list");
  refuses("verify --matrix --epsilon 3", "--epsilon and --adversary");
  refuses("verify --matrix --adversary server", "--epsilon and --adversary");
  refuses("schedule constant --noise 1 --step 'gaussian(?)' --record-rate 1", "--record-rate excludes --step");
}

TEST_F(Program, StopsARunWhoseNoiseFollowsErrorsByAFilter) {
  const std::string following =
      "simulate --algorithm dp-fedavg --users 4 --records 50 --user-rate 0.5 --rounds 60 --local-steps 2 --clip 0.5 "
      "--evaluate-every 1 --ledger run.jsonl --schedule validation:factor=0.5,patience=2 ";
  const Ran ran = run(following + "--noise 20 --epsilon 2");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const auto* text : {"the filter lets no further one through", "the noise is 0.5 times as much from rounds",
                           "filter by the Rényi divergence of order", "PASS: at most 2 spent, 2 allowed (server)"})
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << " is not in " << ran.out;
  EXPECT_NE(text_of("run.jsonl").find(",filter=renyi:"), std::string::npos);
  const Ran replayed = run("verify run.jsonl --replay synthetic:1,1 --users 4 --records 50");
  EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
  EXPECT_NE(run(following + "--noise 3 --epsilon 2").out.find("the run stops there, or before,"), std::string::npos);
  EXPECT_EQ(run(following + "--noise 20 --epsilon 2").status, 0);
  // A claim of less is not shown to be unsafe: the filter's budget need not have been spent.
  EXPECT_EQ(run("verify run.jsonl --claim 1.9").out.find("unsafe"), std::string::npos);
  std::string forged = text_of("run.jsonl");
  const std::size_t error = forged.rfind("\"validation_error\":");
  forged.replace(error, forged.find_first_of(",}", error) - error, "\"validation_error\":0.123");
  write("forged.jsonl", forged);
  const std::string differs = run("verify forged.jsonl --replay synthetic:1,1 --users 4 --records 50").out;
  EXPECT_NE(differs.find("the end: another validation error"), std::string::npos) << differs;
  const std::size_t first = forged.find("\"validation_error\":");
  forged.replace(first, forged.find_first_of(",}", first) - first, "\"validation_error\":0.999");
  write("forged.jsonl", forged);
  const std::string earlier = run("verify forged.jsonl --replay synthetic:1,1 --users 4 --records 50").out;
  EXPECT_NE(earlier.find("round 1: another validation error"), std::string::npos) << earlier;
  refuses(following + "--noise 20", "unless epsilon is given");
  refuses(following + "--noise ? --epsilon 2", "noise is ?");
  refuses(following + "--noise 20 --epsilon 1e-9", "epsilon is 1e-09");
  refuses("plan dp-fedavg --noise 20 --schedule validation:factor=0.5,patience=2", "--schedule is validation");
  refuses("schedule validation:factor=0.5,patience=2 --noise 20 --rounds 5", "`dpbudget simulate` alone");
}

TEST_F(Program, RefusesBadFilesByName) {
  const std::string idx = "simulate --algorithm fedavg --users 2 --rounds 1 --ledger run.jsonl --data idx:";
  write("labels", std::string("\0\0\x08\x01\0\0\0\x02\x01\x02", 10));
  write("images", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x01\x05", 17));  // one pixel short
  write("other", std::string("\0\0\x09\x03\0\0\0\x02\0\0\0\x01\0\0\0\x01\x05\x06", 18));
  refuses(idx + "missing,labels", "missing");
  refuses(idx + "images,labels", "images");
  refuses(idx + "other,labels", "other");
  refuses("verify missing.jsonl", "missing.jsonl");
  write("table.csv", "round,client\n1,2\n");
  refuses("verify table.csv", "line 1");
  refuses("eval missing.jsonl", "missing.jsonl");
  refuses("eval .", "queries file . cannot be read");
  refuses("eval", "queries");
  write("bad.jsonl", "not json\n");
  refuses("eval bad.jsonl", "line 1");
  // None is taken for an option that was not given.
  for (const std::string option : {"--certificate", "--report"})
    refuses("epsilon 'gaussian(1)' --delta 1e-5 " + option + " ''", option + ": is the name of no file");
  refuses("ledger run.jsonl --to ''", "--to: is the name of no file");
}

}  // namespace
}  // namespace dpbudget
