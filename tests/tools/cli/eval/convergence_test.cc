#include "dpbudget/tools/cli/eval/convergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dpbudget/fl/convergence/chang.h"
#include "dpbudget/fl/convergence/lowy.h"
#include "dpbudget/fl/convergence/noble.h"
#include "dpbudget/fl/convergence/noble_steps.h"
#include "dpbudget/fl/run/traits.h"
#include "fl/convergence/noble_problem.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;

const json everything = {{"rounds", 50},
                         {"smoothness", 2},
                         {"strong_convexity", 0.5},
                         {"distance", 3},
                         {"gap", 4},
                         {"noise", 1.5},
                         {"clip", 0.7},
                         {"batch", 10},
                         {"dimension", 5},
                         {"users", 12},
                         {"participants", 12},
                         {"local_steps", 6},
                         {"local_step", 1e-7},
                         {"gradient_variance", 0.9},
                         {"gradient_bound", 1},
                         {"heterogeneity", 0.3},
                         {"dissimilarity_offset", 0.4},
                         {"optima_gap", 0.1},
                         {"control_error", 0.2},
                         {"records", 100},
                         {"epsilon", 0.5},
                         {"delta", 1e-5}};

json asked(const Statement& statement, json inputs) {
  return evaluate({{"id", 1}, {"function", "convergence." + std::string(statement.name)}, {"inputs", inputs}});
}

// Of `everything`, what the statement does not refuse as no input of its own.
json answered(const Statement& statement, json inputs) {
  for (;;) {
    json answer = asked(statement, inputs);
    const std::string refused = answer.value("refused", "");
    const std::size_t at = refused.find(" is not an input");
    if (at == std::string::npos) return answer;
    inputs.erase(refused.substr(0, at));
  }
}

TEST(Statements, AnswerEval) {
  std::set<std::string_view> names;
  for (const Statement& statement : statements()) {
    EXPECT_TRUE(names.insert(statement.name).second);
    json inputs = everything;
    // Its round numbers are large where losses are strongly convex.
    if (statement.name.ends_with("orders")) inputs["strong_convexity"] = 0;
    const json answer = answered(statement, inputs);
    ASSERT_TRUE(answer.contains("value")) << statement.name << answer;
    for (const json& value : answer["value"]) EXPECT_LE(0, value) << statement.name << answer;
  }
}

TEST(Statements, AreAboutEveryAlgorithmWithAnAnalysis) {
  for (const fl::AlgorithmTraits& traits : fl::all_algorithms()) {
    const bool is_known = std::ranges::any_of(statements(), [&](const Statement& statement) {
      return std::ranges::find(statement.about, traits.analysis) != statement.about.end();
    });
    EXPECT_EQ(is_known, traits.analysis != fl::Analysis::none) << traits.name;
    EXPECT_EQ(is_known, !traits.personalised) << traits.name;
  }
}

TEST(Statements, AreTheLibrarysNumbers) {
  const fl::NobleRun run = fl::twelve_users();
  const fl::ConvexLosses losses{.distance = 3};
  const json inputs = {{"rounds", 50},      {"smoothness", 2},  {"distance", 3},           {"noise", 1.5},
                       {"clip", 0.7},       {"batch", 10},      {"dimension", 5},          {"users", 12},
                       {"participants", 4}, {"local_steps", 6}, {"gradient_variance", 0.9}};
  const auto value = [&](const std::string& function, json with) {
    with.update(inputs);
    const json answer = evaluate({{"id", 1}, {"function", "convergence." + function}, {"inputs", with}});
    EXPECT_TRUE(answer.contains("value")) << answer;
    return answer["value"];
  };
  const json averaging = value("noble_fedavg_bound", {{"dissimilarity_offset", 1.3}});
  const double step = fl::noble_fedavg_best_step(run, losses, {.offset = 1.3}, 1, 50);
  EXPECT_DOUBLE_EQ(averaging[5], fl::noble_fedavg_bound(run, losses, {.offset = 1.3}, {.local = step}, 50).total);
  EXPECT_DOUBLE_EQ(averaging[6], step);
  // Chang's noise is that of the whole vector.
  const json scaffold = value("chang_corollary", {{"schedule", "chang1:beta=0.9,hold=10"}, {"control_error", 0}});
  const fl::NoiseSchedule schedule(fl::RoundDecay{.beta = 0.9, .hold = 10}, std::sqrt(5) * 2 * 0.7 * 1.5 / 10, 6);
  const fl::ChangBound bound = fl::chang_convergence({.distance = 3,
                                                      .control_error = 0,
                                                      .gradient_variance = 0.9,
                                                      .batch = 10,
                                                      .users = 12,
                                                      .participants = 4,
                                                      .server_step = 1,
                                                      .smoothness = 2},
                                                     schedule, 50);
  const double rate = std::min(bound.best_rate, bound.rate_cap);
  EXPECT_DOUBLE_EQ(scaffold[4], 9 / (50 * rate) + rate * (bound.noise + bound.control + bound.sampling));
  EXPECT_DOUBLE_EQ(scaffold[5], rate / 6);
}

}  // namespace
}  // namespace dpbudget::tools
