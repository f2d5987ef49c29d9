// The program as a user runs it: what it prints, its exit status, and its answer to bad input.
#include "tools/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

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
  const json report = json::parse(run("verify run.jsonl --json").out);
  EXPECT_TRUE(report["passed"]);
  EXPECT_EQ(report["views"].size(), 5U);

  std::ifstream in(path("run.jsonl"));
  std::string text(std::istreambuf_iterator<char>(in), {});
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

TEST_F(Program, AnswersQueriesFromAFileAndFromStandardInput) {
  write("queries.jsonl", R"({"id": "a", "function": "renyi.gaussian", "inputs": {"order": 2, "noise_multiplier": 2}})"
                         "\n\n"
                         R"({"id": "b", "function": "renyi.gaussian", "inputs": {"order": 2, "noise_multiplier": 0}})"
                         "\n");
  const Ran ran = run("eval queries.jsonl");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out.substr(0, ran.out.find('\n')), R"({"id":"a","value":0.25})");
  EXPECT_NE(ran.out.find(R"({"id":"b","refused":"noise_multiplier is 0)"), std::string::npos) << ran.out;
  EXPECT_EQ(run("eval - < queries.jsonl").out, ran.out);
  EXPECT_NE(run("eval --list").out.find("renyi.poisson_gaussian\n"), std::string::npos);
}

TEST_F(Program, HelpsANewcomer) {
  for (const auto* command : {"", "epsilon", "delta", "rounds", "solve", "plan", "simulate", "verify", "eval"}) {
    const Ran help = run(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_NE(help.out.find("Usage"), std::string::npos) << command;
  }
  EXPECT_EQ(run("--version").status, 0);
}

TEST_F(Program, RefusesBadPlans) {
  for (const auto* noise : {"0", "-1", "nan", "1e400"})
    refuses("epsilon 'gaussian(" + std::string(noise) + ")' --delta 1e-5", "noise_multiplier is " + std::string(noise));
  refuses("epsilon 'poisson(1.5, gaussian(1))' --delta 1e-5", "rate is 1.5");
  refuses("epsilon 'poisson(-1, gaussian(1))' --delta 1e-5", "rate is -1");
  refuses("epsilon 'gausian(1)' --delta 1e-5", "unknown name `gausian`");
  refuses("epsilon 'gaussian(1' --delta 1e-5", "expected `)`");
  refuses("solve '? x gaussian(?)' --epsilon 1 --delta 1e-5", "second `?`");
  refuses("epsilon '2.5 x gaussian(1)' --delta 1e-5", "count is 2.5");
  refuses("epsilon 'gaussian(?)' --delta 1e-5", "unknown `?`");
  refuses("solve 'gaussian(1)' --epsilon 1 --delta 1e-5", "no `?`");
  refuses("epsilon 'poisson(0.1, gaussian(1))' --adjacency replace_one --delta 1e-5", "replace_one");
  refuses("epsilon 'wor(0.1, gaussian(1))' --adjacency add_or_remove_one --delta 1e-5", "add_or_remove_one");
  refuses("epsilon 'gaussian(1)' --adjacency nearby --delta 1e-5", "--adjacency is nearby");
  refuses("epsilon @missing.plan --delta 1e-5", "missing.plan cannot be read");
  refuses("epsilon '{\"version\": 1' --delta 1e-5", "not JSON");
  refuses("epsilon 'approximate(1, 1e-5)' --accountant renyi --delta 1e-5", "approximate(1, 1e-05)");
  refuses("epsilon 'shuffle(100, gaussian(1))' --delta 1e-5", "shuffle(100, gaussian(1))");
  refuses("epsilon 'rr(1)' --accountant exact --delta 1e-5", "rr(1)");
  refuses("epsilon 'rr(1)' --accountant contour --delta 1e-5", "rr(1)");
  refuses("epsilon 'rr(1)' --accountant abacus --delta 1e-5", "--accountant is abacus");
}

TEST_F(Program, RefusesBadNumbers) {
  for (const auto* delta : {"0", "1", "-1", "nan"})
    refuses("epsilon 'gaussian(1)' --delta " + std::string(delta), "delta is " + std::string(delta));
  refuses("epsilon 'gaussian(1)' --delta 1e400", "--delta is 1e400");
  refuses("epsilon 'gaussian(1)' --delta small", "--delta is small");
  refuses("epsilon 'gaussian(1)'", "--delta");
  refuses("rounds 'gaussian(1)' --epsilon -1 --delta 1e-5", "epsilon is -1");
  refuses("delta 'gaussian(1)' --epsilon nan", "epsilon is nan");
  refuses("", "subcommand");
  refuses("budget", "budget");
  refuses("plan dp-scafold --noise 1", "dp-scafold");
  refuses("plan dp-fedavg --noise 0", "noise");
  refuses("plan fedavg", "no such claim");
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
  refuses(run_options + "--noise 1 --clip 1 --data csv:1,2", "--data");
  refuses(run_options + "--noise 1 --clip 1 --data synthetic:-1,1", "alpha");
  EXPECT_FALSE(std::filesystem::exists(path("run.jsonl")));
  refuses("simulate --algorithm dp-fedavg --noise 1 --clip 1 --ledger missing/run.jsonl", "missing/run.jsonl");
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
  refuses("eval", "queries");
  write("bad.jsonl", "not json\n");
  refuses("eval bad.jsonl", "line 1");
}

}  // namespace
}  // namespace dpbudget
