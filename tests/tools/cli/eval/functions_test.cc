#include "dpbudget/tools/cli/eval/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "dpbudget/version.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;

double number(const json& value) {
  if (value.is_number()) return value.get<double>();
  // stold keeps numbers that leave the range of a double from throwing; they compare as 0 or infinity.
  return static_cast<double>(std::stold(value.get<std::string>()));
}

// Relative, or of the logarithm where the value leaves the range of a double.
double error_of(const json& value, const json& expected) {
  const double truth = number(expected);
  if (truth == 0 || std::isinf(truth)) return number(value) == truth ? 0 : 1;
  return std::abs(number(value) - truth) / std::abs(truth);
}

void hold_against(const json& vector) {
  const std::string id = vector["id"];
  const json answer = evaluate({{"id", id}, {"function", vector["function"]}, {"inputs", vector["inputs"]}});
  if (vector["expected"].is_null()) {
    EXPECT_TRUE(answer.contains("refused")) << id << " is answered " << answer;
    return;
  }
  ASSERT_TRUE(answer.contains("value")) << id << ": " << answer;
  if (vector["expected"].is_array()) {
    const bool is_plain = !vector.contains("expected_ln");
    const json& values = is_plain ? answer["value"] : answer["ln_value"];
    const json& expected = is_plain ? vector["expected"] : vector["expected_ln"];
    ASSERT_EQ(values.size(), expected.size()) << id;
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_LT(error_of(values[i], expected[i]), 1e-10) << id;
  } else if (vector.contains("expected_ln")) {
    EXPECT_LT(error_of(answer["ln_value"], vector["expected_ln"]), 1e-10) << id;
  } else {
    EXPECT_LT(error_of(answer["value"], vector["expected"]), 1e-10) << id << " " << answer["value"];
  }
}

// Answers every vector of a file whose function is known here, and returns how many there were.
int hold_against_file(const std::string& file) {
  std::ifstream lines(file);
  int held = 0;
  for (std::string line; std::getline(lines, line);) {
    const json vector = json::parse(line);
    if (!eval_functions().contains(vector["function"])) continue;
    hold_against(vector);
    ++held;
  }
  return held;
}

TEST(Eval, AnswersOurIndependentVectors) {
  EXPECT_GT(hold_against_file(DPBUDGET_SOURCE_DIR "/validation/renyi_vectors.jsonl"), 200);
}

TEST(Eval, AnswersOurIndependentVectorsOfTradeOffFunctions) {
  EXPECT_GT(hold_against_file(DPBUDGET_SOURCE_DIR "/validation/tradeoff_vectors.jsonl"), 600);
}

TEST(Eval, AnswersOurVectorsOfComposition) {
  EXPECT_GT(hold_against_file(DPBUDGET_SOURCE_DIR "/validation/approximate_vectors.jsonl"), 190);
}

TEST(Eval, AnswersTheSharedVectors) {
  const std::string file = DPBUDGET_SHARED_DIR "/reference/vectors.jsonl";
  if (!std::ifstream(file)) GTEST_SKIP() << "the shared reference vectors are not here";
  EXPECT_GE(hold_against_file(file), 185);
}

TEST(Eval, GivesTheLogarithmWhereTheValueLeavesTheRangeOfADouble) {
  const json answer = evaluate(
      {{"id", 7}, {"function", "renyi.to_delta.mironov"}, {"inputs", {{"order", 1e4}, {"rdp", 1}, {"epsilon", 3}}}});
  EXPECT_EQ(answer["id"], 7);
  EXPECT_EQ(answer["version"], version);
  EXPECT_EQ(answer["value"], 0);
  EXPECT_DOUBLE_EQ(answer["ln_value"], -2 * 9999.0);
}

TEST(Eval, AnswersWithTheProfilesOfSampledGaussians) {
  const auto step = [](double epsilon, const json& direction) {
    return evaluate(
        {{"function", "poisson_gaussian.delta"},
         {"inputs",
          {{"sampling_rate", 0.01}, {"noise_multiplier", 1.0}, {"epsilon", epsilon}, {"direction", direction}}}});
  };
  EXPECT_EQ(step(0.02, "add")["value"], 0);
  EXPECT_EQ(step(0.02, "add")["ln_value"], "-inf");
  EXPECT_LT(step(40, "remove")["ln_value"], -700);
  EXPECT_EQ(step(0.02, "both")["refused"], "direction is both, but must be remove or add");
  EXPECT_EQ(step(0.02, 1)["refused"], "direction is 1, but must be a string");
}

TEST(Eval, TakesLists) {
  const auto answer = [](const json& epsilons, const json& deltas) {
    return evaluate(
        {{"function", "approximate.basic_composition"}, {"inputs", {{"epsilons", epsilons}, {"deltas", deltas}}}});
  };
  EXPECT_EQ(answer({1, 0.5}, {0.25, 0.5})["value"], json({1.5, 0.75}));
  EXPECT_EQ(answer(1, {0})["refused"], "epsilons is 1, but must be a list of numbers");
  EXPECT_EQ(answer({1, "x"}, {0, 0})["refused"], "epsilons has the element \"x\", but must be a list of numbers");
  EXPECT_EQ(answer({1, "nan"}, {0, 0})["refused"], "one of epsilons is nan, but must be finite and at least 0");
  EXPECT_EQ(answer({1, 2}, json::array({0}))["refused"],
            "deltas is a list of 1, but must be as long as epsilons, a list of 2");
}

TEST(Eval, RefusesByTheNamesThatWereGiven) {
  const json half = {0.5, 0.5};
  const auto refusal = [](const json& r0, const json& r1, const json& others, double epsilon) {
    return evaluate({{"function", "shuffle.exact_delta"},
                     {"inputs", {{"R0", r0}, {"R1", r1}, {"Ri", others}, {"n", 3}, {"eps", epsilon}}}})
        .value("refused", "");
  };
  EXPECT_EQ(refusal(half, half, half, 1), "");
  EXPECT_EQ(refusal({0.5, 1.5}, half, half, 1), "R0 is 1.5, but must be a list of probabilities in [0, 1]");
  EXPECT_EQ(refusal(half, {0.5, 0.6}, half, 1), "R1 is 1.1, but must be a list of probabilities with sum 1");
  EXPECT_EQ(refusal(half, half, {0.5, 0.6}, 1), "Ri is 1.1, but must be a list of probabilities with sum 1");
  EXPECT_EQ(refusal(half, half, half, -1), "eps is -1, but must be finite and at least 0");
  const auto rate = [](const char* name) {
    return evaluate({{"function", "poisson_gaussian.delta"},
                     {"inputs", {{name, 2}, {"noise_multiplier", 1}, {"epsilon", 1}, {"direction", "add"}}}})
        .value("refused", "");
  };
  EXPECT_EQ(rate("rate"), "rate is 2, but must be in [0, 1]");
  EXPECT_EQ(rate("sampling_rate"), "sampling_rate is 2, but must be in [0, 1]");
}

// A finite randomiser given by its matrix is above what enumeration finds where the others hold one of its inputs.
TEST(Eval, BoundsShuffledReportsByTheirBlanket) {
  const auto value = [](const char* function, const json& inputs) {
    return evaluate({{"function", function}, {"inputs", inputs}});
  };
  const json matrix = {0.5, 0.3, 0.2, 0.2, 0.5, 0.3, 0.3, 0.2, 0.5};
  const double bound = value("shuffle.blanket_finite_delta",
                             {{"probabilities", matrix}, {"outputs", 3}, {"reports", 20}, {"epsilon", 0.3}})["value"];
  const double exact = value(
      "shuffle.exact_delta",
      {{"R0", {0.5, 0.3, 0.2}}, {"R1", {0.2, 0.5, 0.3}}, {"Ri", {0.3, 0.2, 0.5}}, {"n", 20}, {"eps", 0.3}})["value"];
  EXPECT_GE(bound, exact);
  EXPECT_LT(bound, 2 * exact);
  const double noise =
      value("shuffle.blanket_gaussian_delta",
            {{"noise", 3}, {"dimension", 1}, {"left_out", 1e-12}, {"reports", 1000}, {"epsilon", 0.2}})["value"];
  EXPECT_GT(noise, 1e-12);
  EXPECT_LT(noise, 1e-2);
  EXPECT_NE(value("shuffle.blanket_finite_delta",
                  {{"probabilities", matrix}, {"outputs", 2}, {"reports", 20}, {"epsilon", 0.3}})
                .value("refused", "")
                .find("probabilities is 9"),
            std::string::npos);
}

TEST(Eval, RefusesWithTheReason) {
  const auto refusal = [](const json& query) { return evaluate(query).value("refused", ""); };
  EXPECT_EQ(refusal({{"id", 1}, {"function", "renyi.gausian"}, {"inputs", json::object()}}),
            "function `renyi.gausian` is unknown; the nearest is `renyi.gaussian`");
  EXPECT_EQ(refusal({{"id", 1}, {"function", "renyi.gaussian"}, {"inputs", {{"order", 2}}}}),
            "noise_multiplier is missing");
  EXPECT_EQ(
      refusal({{"function", "renyi.gaussian"}, {"inputs", {{"order", 2}, {"noise_multiplier", 1}, {"noise", 3}}}}),
      "noise and noise_multiplier are the same input: give one");
  EXPECT_EQ(refusal({{"function", "renyi.gaussian"}, {"inputs", {{"order", 2}, {"noise_multipler", 3}}}}),
            "noise_multipler is not an input of this function; the nearest is noise_multiplier");
  EXPECT_NE(refusal({{"function", "renyi.gaussian"}, {"inputs", {{"order", "two"}, {"noise_multiplier", 1}}}})
                .find("order is \"two\""),
            std::string::npos);
  EXPECT_NE(refusal({{"function", "renyi.gaussian"}, {"inputs", 3}}).find("JSON object"), std::string::npos);
  EXPECT_NE(refusal({{"function", 3}}).find("form"), std::string::npos);
  EXPECT_NE(refusal({{"function", "renyi.gaussian"}, {"inputs", {{"order", "nan"}, {"noise_multiplier", 1}}}})
                .find("order is nan"),
            std::string::npos);
}

}  // namespace
}  // namespace dpbudget::tools
