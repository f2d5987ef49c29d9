#include <nlohmann/json.hpp>

#include "tools/cli/program.h"

namespace dpbudget::testing {
namespace {

using Converge = Program;

const std::string constants =
    " --smoothness 2 --distance 3 --noise 1.5 --clip 0.7 --batch 10 --dimension 5 --users 12 --participants 4 "
    "--local-steps 6 --gradient-variance 0.9";

TEST_F(Converge, ShowsWhatIsKnownTermByTerm) {
  const Ran text = run("converge dp-fedavg --dissimilarity-offset 1 --rounds 40" + constants);
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"noble_fedavg_bound (proven)", "noble_fedavg_orders (order)", "client_sampling",
                           "Not answered:\nnoble_fedavg_theorem42    epsilon is missing"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  const auto json =
      nlohmann::json::parse(run("converge dp-fedavg --dissimilarity-offset 1 --rounds 40 --json" + constants).out);
  const auto& proven = json["statements"][0];
  EXPECT_EQ(proven["name"], "noble_fedavg_bound");
  ASSERT_EQ(proven["rounds"].size(), 11U);
  EXPECT_GT(proven["rounds"][0]["total"], proven["rounds"][10]["total"]);
  double sum = 0;
  for (const double term : proven["rounds"][10]["terms"]) sum += term;
  EXPECT_NEAR(sum, proven["rounds"][10]["total"], 1e-12 * sum);
  EXPECT_FALSE(json["statements"][1]["rounds"][0].contains("total"));
}

TEST_F(Converge, RefusesWhatNothingReads) {
  const Ran missing = run("converge dp-mb-sgd --rounds 40 --smoothness 1");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("is missing"), std::string::npos) << missing.err;
  const Ran idle = run("converge dp-scaffold --control-error 1 --adaptivity 1" + constants);
  EXPECT_EQ(idle.status, 2);
  EXPECT_NE(idle.err.find("adaptivity is given, but no statement"), std::string::npos) << idle.err;
  EXPECT_EQ(run("converge dp-prifedsync" + constants).status, 2);
  const Ran far = run("converge dp-ac-sa --rounds 9007199254740992" + constants.substr(0, constants.find("--local")) +
                      "--gradient-variance 1 --heterogeneity 1");
  EXPECT_NE(far.out.find("9007199254740992, but must be in"), std::string::npos) << far.out << far.err;
  EXPECT_EQ(run("converge dp-fedavg --rounds 0" + constants).status, 2);
  const Ran outside = run("converge dp-fedavg --smoothness -1 --distance 3" + constants.substr(27));
  EXPECT_EQ(outside.status, 2) << outside.out;
}

TEST_F(Converge, TakesSchedulesWhereTheoremsDo) {
  const Ran decays =
      run("converge dp-scaffold --control-error 1 --schedule chang1:beta=0.9,hold=20 --rounds 40 --json" + constants);
  const Ran constant = run("converge dp-scaffold --control-error 1 --rounds 40 --json" + constants);
  EXPECT_EQ(decays.status, 0) << decays.err;
  const auto total = [](const Ran& ran) {
    return nlohmann::json::parse(ran.out)["statements"][0]["rounds"][10]["total"].get<double>();
  };
  EXPECT_LT(total(decays), total(constant));
}

}  // namespace
}  // namespace dpbudget::testing
