#include "dpbudget/tools/cli/check/claim.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::tools {
namespace {

Claim claim_of(const std::string& members, const std::string& folder = ".") {
  return claim_from(nlohmann::ordered_json::parse(R"j({"epsilon": 1, "delta": 1e-5, )j" + members + "}"), "line 7",
                    folder);
}

Plan plan_in(const std::string& members) { return std::get<Plan>(claim_of(members).of); }

std::string refusal_of(const std::string& members) {
  try {
    claim_of(members);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Claim, IsReadInEveryForm) {
  const Plan rounds = parse_plan("3 x poisson(0.5, gaussian(2)) + poisson(0.25, gaussian(4)) under add_or_remove_one");
  EXPECT_EQ(plan_in(R"j("opacus": [[2, 0.5, 3], [4, 0.25, 1]])j"), rounds);
  EXPECT_EQ(plan_in(R"j("opacus": {"mechanism": "rdp", "history": [[2, 0.5, 3], [4, 0.25, 1]]})j"), rounds);
  EXPECT_EQ(plan_in(R"j("plan": "3 x poisson(0.5, gaussian(2)) + poisson(0.25, gaussian(4))")j"), rounds);
  EXPECT_EQ(
      plan_in(
          R"j("plan": {"version": 1, "adjacency": "zero_out_one", "event": {"gaussian": {"noise_multiplier": 2}}})j"),
      parse_plan("gaussian(2) under zero_out_one"));
  EXPECT_EQ(std::get<RenyiTable>(claim_of(R"j("renyi": [[2, 0.5], [8, 1.5]])j").of), (RenyiTable{{2, 0.5}, {8, 1.5}}));
  EXPECT_EQ(claim_of(R"j("plan": "gaussian(1)")j").name, "line 7");
  EXPECT_EQ(claim_of(R"j("plan": "gaussian(1)", "claim": "theirs")j").name, "theirs");
}

// Their noise is relative to a contribution's norm: half the sensitivity where a record is replaced.
TEST(Claim, TakesDpAccountingsNoiseForRelativeToTheClippingNorm) {
  const std::string event =
      R"j("dp_event": {"module_name": "dp_accounting.dp_event", "class_name": "ComposedDpEvent", "events": [
          {"class_name": "SelfComposedDpEvent", "count": 5, "event": {"class_name": "PoissonSampledDpEvent",
           "sampling_probability": 0.5, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 2}}},
          {"class_name": "LaplaceDpEvent", "noise_multiplier": 8}, {"class_name": "ZCDpEvent", "rho": 0.5, "xi": 0}]})j";
  EXPECT_EQ(plan_in(event + R"j(, "adjacency": "add_or_remove_one")j"),
            parse_plan("5 x poisson(0.5, gaussian(2)) + laplace(8) + zcdp(0.5) under add_or_remove_one"));
  EXPECT_EQ(plan_in(event + R"j(, "adjacency": "replace_one")j"),
            parse_plan("5 x poisson(0.5, gaussian(1)) + laplace(4) + zcdp(0.5) under replace_one"));
  EXPECT_EQ(plan_in(R"j("dp_event": {"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 50,
                       "sample_size": 5, "event": {"class_name": "NonPrivateDpEvent"}}, "adjacency": "replace_one")j"),
            parse_plan("wor(5 of 50, approximate(0, 1))"));
}

TEST(Claim, ReadsRoundsFromAFile) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string name = "dpbudget-claim-rounds.csv";
  const auto with = [&](const std::string& text) {
    std::ofstream(folder / name) << text;
    return std::get<Plan>(claim_of(R"j("rounds": ")j" + name + "\"", folder.string()).of);
  };
  EXPECT_EQ(with("rate,noise,count\n0.5,2,3\n0.25,4,1\n"),
            parse_plan("3 x poisson(0.5, gaussian(2)) + poisson(0.25, gaussian(4))"));
  EXPECT_EQ(with("noise,rate\n2,0.5\n"), parse_plan("poisson(0.5, gaussian(2))"));
  EXPECT_THROW(with("noise,rate\n2\n"), InvalidArgument);
  EXPECT_THROW(with("noise,rate\n-2,0.5\n"), InvalidArgument);
  EXPECT_THROW(with("noise,rates\n2,0.5\n"), InvalidArgument);
  EXPECT_THROW(with("noise,rate,steps\n2,0.5,1\n"), InvalidArgument);
  EXPECT_THROW(with(""), InvalidArgument);
  std::filesystem::remove(folder / name);
}

TEST(Claim, NamesWhatIsWrong) {
  for (const auto& [members, named] : std::initializer_list<std::pair<std::string, std::string>>{
           {R"j("claim": "nothing")j", "of one of plan, dp_event, opacus, rounds, renyi"},
           {R"j("plan": "gaussian(1)", "renyi": [[2, 1]])j", "renyi"},
           {R"j("plan": "gaussian(1)", "note": "x")j", "note"},
           {R"j("plan": "gaussian(?)")j", "unknown"},
           {R"j("plan": "gaussian(1) under replace_one", "adjacency": "zero_out_one")j", "adjacency"},
           {R"j("plan": "gaussian(1)", "adjacency": "neighbours")j", "adjacency"},
           {R"j("opacus": [[1, 2, 3]])j", "rate"},
           {R"j("opacus": [[1, 0.5]])j", "opacus"},
           {R"j("opacus": [[1, 0.5, 1.5]])j", "opacus"},
           {R"j("opacus": "rdp")j", "opacus"},
           {R"j("renyi": [[1, 1]])j", "order"},
           {R"j("renyi": [])j", "renyi"},
           {R"j("renyi": [[2, 1]], "adjacency": "replace_one")j", "renyi"},
           {R"j("rounds": 3)j", "rounds"},
           {R"j("rounds": "no-such-file.csv")j", "no-such-file.csv"},
           {R"j("dp_event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1})j", "adjacency"},
           {R"j("dp_event": {"class_name": "TreeDpEvent"}, "adjacency": "replace_one")j", "class_name"},
           {R"j("dp_event": {"class_name": "GaussianDpEvent"}, "adjacency": "replace_one")j", "noise_multiplier"},
           {R"j("dp_event": {"class_name": "GaussianDpEvent", "noise_multiplier": -1}, "adjacency": "replace_one")j",
            "noise_multiplier"}})
    EXPECT_NE(refusal_of(members).find(named), std::string::npos) << members << ": " << refusal_of(members);
}

}  // namespace
}  // namespace dpbudget::tools
