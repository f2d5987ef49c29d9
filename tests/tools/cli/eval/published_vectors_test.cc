#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "dpbudget/tools/cli/eval/functions.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;

const std::vector<std::string> prefixes = {"schedule.", "algorithm.lowy"};

bool is_ours(const std::string& function) {
  for (const std::string& prefix : prefixes)
    if (function.starts_with(prefix)) return true;
  return false;
}

TEST(EvalOfPublishedClaims, HoldsEverySharedVectorToTwelveDigits) {
  std::ifstream lines(DPBUDGET_SHARED_DIR "/reference/vectors.jsonl");
  if (!lines) GTEST_SKIP() << "the shared reference vectors are not here";
  int held = 0;
  for (std::string line; std::getline(lines, line);) {
    const json vector = json::parse(line);
    if (!is_ours(vector["function"])) continue;
    const json answer = evaluate(vector);
    ASSERT_TRUE(answer.contains("value")) << vector["id"] << ": " << answer;
    const double truth = std::stod(vector["expected"].get<std::string>());
    EXPECT_NEAR(answer["value"].get<double>() / truth, 1, 1e-12) << vector["id"];
    ++held;
  }
  EXPECT_GE(held, 12);
}

json theorem(const json& changes) {
  json inputs{{"order", 2.0}, {"user_rate", 0.1}, {"record_rate", 0.1}, {"lipschitz", 1.0}, {"local_steps", 5},
              {"batch", 10},  {"sigma0", 10.0},   {"hold_rounds", 20},  {"rounds", 100},    {"decay", 0.99}};
  inputs.update(changes);
  return evaluate({{"function", "schedule.chang_theorem1"}, {"inputs", inputs}});
}

TEST(EvalOfPublishedClaims, RefusesByName) {
  const auto begins = [](const json& answer, const std::string& name) {
    return !answer.contains("value") && answer.value("refused", "").starts_with(name);
  };
  EXPECT_TRUE(theorem(json::object()).contains("value"));
  EXPECT_TRUE(begins(theorem({{"order", 1}}), "order"));
  EXPECT_TRUE(begins(theorem({{"user_rate", 1.5}}), "user_rate"));
  EXPECT_TRUE(begins(theorem({{"record_rate", "nan"}}), "record_rate"));
  EXPECT_TRUE(begins(theorem({{"lipschitz", 0}}), "lipschitz"));
  EXPECT_TRUE(begins(theorem({{"local_steps", 2.5}}), "local_steps"));
  EXPECT_TRUE(begins(theorem({{"local_steps", 0}}), "local_steps"));
  EXPECT_TRUE(begins(theorem({{"batch", 0}}), "batch"));
  EXPECT_TRUE(begins(theorem({{"sigma0", "inf"}}), "sigma0"));
  EXPECT_TRUE(begins(theorem({{"hold_rounds", 101}}), "hold_rounds"));
  EXPECT_TRUE(begins(theorem({{"rounds", -1}}), "rounds"));
  EXPECT_TRUE(begins(theorem({{"decay", 1.01}}), "decay"));
  const json sum{{"scheme", 3}, {"local_steps", 1}, {"sigma0", 1}, {"hold_rounds", 0}, {"rounds", 1}, {"decay", 1}};
  EXPECT_TRUE(begins(evaluate({{"function", "schedule.sum_inverse_variance"}, {"inputs", sum}}), "scheme"));
}

}  // namespace
}  // namespace dpbudget::tools
