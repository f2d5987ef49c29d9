#include <nlohmann/json.hpp>

#include "tools/cli/program.h"

namespace dpbudget::testing {
namespace {

using Heterogeneity = Program;

TEST_F(Heterogeneity, MeasuresWhatConvergeAsksFor) {
  const std::string data = "--data synthetic:0,1 --users 4 --records 40";
  const Ran ran = run("heterogeneity " + data + " --regularisation 0.05 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_LT(json["least"], json["least_found"]);
  EXPECT_NEAR(json["least_found"], json["least_by_records"], 2e-9);  // all clients hold as many
  EXPECT_GT(json["optima_gap"], 0);
  EXPECT_GE(json["heterogeneity_at_least"], json["dissimilarity_at_start"]);
  EXPECT_NEAR(json["zeta"], json["dissimilarity_at_optimum"], 1e-4);  // the mean gradient is next to 0 there
  EXPECT_NE(run("heterogeneity " + data).out.find("None of it is private"), std::string::npos);
  const Ran refused = run("heterogeneity " + data + " --model mlp:4");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("model is mlp:4, but must be convex"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace dpbudget::testing
