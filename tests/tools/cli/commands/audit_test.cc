// `dpbudget audit` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/program.h"

namespace dpbudget {
namespace {

using nlohmann::json;
using testing::Program;
using testing::Ran;

const std::string one_round =
    "audit --algorithm dp-fedavg --rounds 1 --local-steps 1 --user-rate 1 --record-rate 1 --noise 2 --clip 1 "
    "--delta 0.01 ";
const std::string small_run = one_round + "--runs 10 --canaries 50";

TEST_F(Program, AuditsAPlan) {
  const Ran ran = run("audit 'gaussian(1)' --delta 1e-3 --runs 50 --canaries 100");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const auto* text :
       {"epsilon      at least ", "with confidence 0.95 (a statistical estimate)", "Clopper, Pearson",
        "proven       at most 3.1386", "50 runs of 100 canaries, at delta 0.001"})
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << " is not in " << ran.out;
  EXPECT_EQ(ran.out.find("EXCEEDED"), std::string::npos);
}

TEST_F(Program, AuditsWhatIsClaimedOfAPlan) {
  const Ran ran = run("audit 'gaussian(0.5)' --against 'gaussian(2)' --delta 1e-3 --runs 50 --canaries 100");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_NE(ran.out.find("against      gaussian(2)"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("EXCEEDED     with confidence 0.95, more is released than is proven of what is claimed"),
            std::string::npos);
  const json found = json::parse(
      run("audit 'gaussian(0.5)' --against 'gaussian(2)' --delta 1e-3 --runs 50 --canaries 100 --json").out);
  EXPECT_TRUE(found["exceeded"]);
  EXPECT_GT(found["attack"]["epsilon"].get<double>(), found["proven"]["upper"].get<double>());
  EXPECT_EQ(found["attack"]["guarantee"], "estimate");
}

TEST_F(Program, AuditsARunTheSameOnEveryNumberOfThreads) {
  const Ran one = run(small_run + " --threads 1");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.out.find("dp-fedavg, against server"), std::string::npos) << one.out;
  EXPECT_EQ(run(small_run + " --threads 2").out, one.out);
  EXPECT_NE(run(small_run + " --seed 2").out, one.out);
}

TEST_F(Program, FindsAMistakeOfARun) {
  const Ran ran = run(one_round + "--runs 40 --canaries 100 --fault shared-noise");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_NE(ran.out.find("EXCEEDED     with confidence 0.95, more is released than is proven: what ran"),
            std::string::npos)
      << ran.out;
}

TEST_F(Program, RefusesAuditsByName) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"audit", "audit takes either a plan, or --algorithm with its run"},
      {"audit 'gaussian(1)' --algorithm dp-fedavg", "audit takes either a plan, or --algorithm with its run"},
      {"audit 'gaussian(?)'", "the plan has an unknown `?`"},
      {"audit 'gaussian(1)' --runs 0", "runs is 0, but must be an integer in [1, 20000000]"},
      {"audit 'gaussian(1)' --canaries 0", "canaries is 0, but must be an integer in [1, 20000]"},
      {"audit 'gaussian(1)' --runs x", "--runs is x"},
      {"audit 'gaussian(1)' --confidence 1", "confidence is 1, but must be in (0, 1)"},
      {"audit 'gaussian(1)' --confidence nan", "confidence is nan, but must be in (0, 1)"},
      {"audit 'gaussian(1)' --delta 1", "delta is 1, but must be in [0, 1)"},
      {"audit 'gaussian(1)' --delta -0.1", "delta is -0.1, but must be in [0, 1)"},
      {"audit 'gaussian(1)' --adjacency none", "--adjacency is none, but must be"},
      {"audit 'gaussian(1)' --fault weak-noise", "--fault is given, but must be left out for a plan"},
      {"audit 'gaussian(1)' --noise 2", "--noise is given, but must be left out for a plan"},
      {"audit 'gaussian(1)' --users 2", "--users is given, but must be left out for a plan"},
      {"audit 'gaussian(1)' --against 'gaussian(1) under replace_one'", "--against is a plan under replace_one"},
      {"audit 'gaussian(1)' --against ''", "--against is empty, but must be a plan"},
      {"audit 'discrete_laplace(1e17)'", "its scale is above 1e13"},
      {"audit 'gaussian(1e-320)'", "its means are above 1e150 deviations apart"},
      {"audit '100000000000 x laplace(1)' --runs 1 --canaries 1", "plan is 100000000000 x laplace(1), but must be"},
      {"audit 'tcdp(0.1, 5)'", "plan has tcdp(0.1, 5), whose outputs are not drawn"},
      {"audit '100000 x laplace(1)' --canaries 9999", "runs is 1000, but must be fewer"},
      {small_run + " --adjacency replace_one", "--adjacency is given, but must be left out for a run"},
      {small_run + " --against 'gaussian(1)'", "--against is given, but must be left out for a run"},
      {small_run + " --evaluate-every 2", "--evaluate-every"},
      {small_run + " --fault none-such", "--fault is none-such, but must be one of none, weak_noise"},
      {small_run + " --canary large", "--canary is large, but must be one of opposite, small"},
      {small_run + " --records 2", "records is 2, but must be an odd number"},
      {small_run + " --users 99", "users is 99, but must be in [100, 2000000]"},
      {small_run + " --adversary user-level", "adversary is user_level, but must be server, third_party or one_client"},
      {small_run + " --model logistic", "model is logistic, but must be softmax"},
      {small_run + " --threads 0", "--threads is 0, but must be in [1, 4096]"},
      {"audit --algorithm none-such", "none-such"},
      {"audit --algorithm dp-fedavg --delta 0 --noise 1 --clip 1", "delta is 0, but must be in (0, 1)"},
  };
  for (const auto& [arguments, says] : refused) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments << ran.out;
    EXPECT_NE(ran.err.find(says), std::string::npos) << arguments << ": " << ran.err;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(Program, OverwritesNothingByAudits) {
  write("plan.md", "gaussian(1)");
  const Ran ran = run("audit @plan.md --runs 2 --report plan.md");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(text_of("plan.md"), "gaussian(1)");
  EXPECT_EQ(run("audit 'gaussian(2)' --against @plan.md --runs 2 --report plan.md").status, 2);
  EXPECT_EQ(text_of("plan.md"), "gaussian(1)");
  EXPECT_EQ(run("audit @plan.md --runs 2 --report page.md").status, 0);
}

}  // namespace
}  // namespace dpbudget
