// What each reference function says of itself is held against what it does.

#include "dpbudget/tools/cli/eval/description.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "dpbudget/tools/cli/eval/functions.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;

json example_of(const EvalFunction& function) { return json::parse(function.example.inputs); }

json answer_to(const std::string& name, const json& inputs) {
  return evaluate({{"id", 1}, {"function", name}, {"inputs", inputs}});
}

std::string refusal_of(const std::string& name, const json& inputs) {
  return answer_to(name, inputs).value("refused", "");
}

double as_number(const json& value) {
  return value.is_number() ? value.get<double>() : std::stod(value.get<std::string>());
}

// The first input of a list, or the input itself, replaced.
json with(const EvalFunction& function, const Parameter& parameter, const json& value) {
  json inputs = example_of(function);
  const std::string name(parameter.name);
  if (parameter.type == ParameterType::numbers)
    inputs[name][0] = value;
  else
    inputs[name] = value;
  return inputs;
}

json json_of(double value) { return std::isinf(value) ? json(value > 0 ? "inf" : "-inf") : json(value); }

// What lies outside of the range: next to its ends, between whole numbers, and no number at all.
std::vector<json> outside(const Parameter& parameter) {
  if (parameter.type == ParameterType::text) return {3, "neither"};
  if (!parameter.choices.front().empty()) return {0, 2.5, 7, "nan"};
  std::vector<json> found{"nan", "text"};
  const Range& range = parameter.range;
  const double infinity = std::numeric_limits<double>::infinity();
  const auto add = [&](double end, bool is_inside, double beyond) {
    if (!is_inside)
      found.push_back(json_of(end));
    else if (std::isfinite(end))
      found.push_back(parameter.type == ParameterType::integer ? end + (beyond > 0 ? 1 : -1) * std::max(1.0, end * 1e-9)
                                                               : std::nextafter(end, beyond));
  };
  if (std::isfinite(range.low)) add(range.low, range.has_low, -infinity);
  add(range.high, range.has_high, infinity);
  if (parameter.type == ParameterType::integer) found.emplace_back(1.5);
  return found;
}

TEST(EvalFunctions, SayWhatTheyAre) {
  for (const auto& [name, function] : eval_functions()) {
    EXPECT_FALSE(function.summary.empty()) << name;
    EXPECT_FALSE(function.gives.empty()) << name;
    EXPECT_FALSE(function.accuracy.empty()) << name;
    EXPECT_FALSE(function.source.empty()) << name;
    std::set<std::string_view> names;
    for (const Parameter& parameter : function.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << name << " " << parameter.name;
      EXPECT_FALSE(range_text(parameter).empty()) << name << " " << parameter.name;
      EXPECT_TRUE(names.insert(parameter.name).second) << name << " " << parameter.name;
      for (const std::string_view alias : parameter.aliases)
        EXPECT_TRUE(alias.empty() || names.insert(alias).second) << name << " " << alias;
    }
  }
}

TEST(EvalFunctions, AnswerTheirExamplesAsTheySay) {
  for (const auto& [name, function] : eval_functions()) {
    const json answer = answer_to(name, example_of(function));
    ASSERT_TRUE(answer.contains("value")) << name << answer;
    const json stated = json::parse(function.example.value);
    ASSERT_EQ(answer["value"].is_array(), stated.is_array()) << name;
    const json found = stated.is_array() ? answer["value"] : json::array({answer["value"]});
    const json expected = stated.is_array() ? stated : json::array({stated});
    ASSERT_EQ(found.size(), expected.size()) << name << answer;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(as_number(found[i]), as_number(expected[i]), 1e-9 * std::abs(as_number(expected[i])))
          << name << answer;
  }
}

TEST(EvalFunctions, NeedWhatIsNotOptional) {
  for (const auto& [name, function] : eval_functions())
    for (const Parameter& parameter : function.parameters) {
      json inputs = example_of(function);
      const std::size_t erased = inputs.erase(std::string(parameter.name));
      EXPECT_TRUE(erased == 1 || parameter.is_optional()) << name << " " << parameter.name;
      if (!parameter.is_optional()) {
        EXPECT_EQ(refusal_of(name, inputs), std::string(parameter.name) + " is missing") << name;
      }
    }
}

TEST(EvalFunctions, RefuseWhatIsOutsideTheirRangesByName) {
  for (const auto& [name, function] : eval_functions())
    for (const Parameter& parameter : function.parameters) {
      // Of what is given in another's place it says so.
      if (parameter.is_optional() && !example_of(function).contains(parameter.name)) continue;
      for (const json& value : outside(parameter)) {
        const std::string refusal = refusal_of(name, with(function, parameter, value));
        EXPECT_NE(refusal.find(parameter.name), std::string::npos)
            << name << " " << parameter.name << " " << value << ": " << refusal;
      }
    }
}

// Ends of moderate size alone: at the others there is much work.
TEST(EvalFunctions, TakeTheEndsThatTheirRangesHave) {
  for (const auto& [name, function] : eval_functions())
    for (const Parameter& parameter : function.parameters) {
      if (!parameter.condition.empty() || !parameter.choices.front().empty()) continue;
      for (const auto& [end, is_inside] : {std::pair(parameter.range.low, parameter.range.has_low),
                                           std::pair(parameter.range.high, parameter.range.has_high)}) {
        if (!is_inside || std::abs(end) > 1000) continue;
        const std::string refusal = refusal_of(name, with(function, parameter, end));
        EXPECT_FALSE(refusal.starts_with(std::string(parameter.name) + " is "))
            << name << " " << parameter.name << " " << end << ": " << refusal;
      }
    }
}

TEST(EvalFunctions, TakeTheirAliases) {
  for (const auto& [name, function] : eval_functions())
    for (const Parameter& parameter : function.parameters)
      for (const std::string_view alias : parameter.aliases) {
        const json example = example_of(function);
        if (alias.empty() || !example.contains(parameter.name)) continue;
        json inputs = example;
        inputs[std::string(alias)] = inputs[std::string(parameter.name)];
        EXPECT_EQ(refusal_of(name, inputs).find("are the same input: give one") != std::string::npos, true) << name;
        inputs.erase(std::string(parameter.name));
        EXPECT_EQ(answer_to(name, inputs), answer_to(name, example)) << name << " " << alias;
      }
}

TEST(EvalFunctions, AreDescribedInLinesOfAHundredCharacters) {
  const auto check = [](const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto letters = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
      // The answer to an example is printed as it is.
      EXPECT_TRUE(letters <= 100 || line.starts_with("  {\"id\":1")) << line;
    }
  };
  check(functions_text());
  for (const auto& [name, function] : eval_functions()) check(function_text(name, function));
}

TEST(EvalFunctions, AreDescribedToPrograms) {
  const json all = functions_json()["functions"];
  EXPECT_EQ(all.size(), eval_functions().size());
  const auto gaussian = std::ranges::find_if(all, [](const json& f) { return f["name"] == "renyi.poisson_gaussian"; });
  ASSERT_NE(gaussian, all.end());
  EXPECT_EQ((*gaussian)["kind"], "exact");
  const json& rate = (*gaussian)["parameters"][0];
  EXPECT_EQ(rate["name"], "rate");
  EXPECT_EQ(rate["aliases"], json::array({"sampling_rate"}));
  EXPECT_EQ(rate["range"],
            json({{"text", "in [0, 1]"}, {"low", 0}, {"high", 1}, {"has_low", true}, {"has_high", true}}));
  for (const json& function : all) EXPECT_EQ(function["example"]["inputs"].empty(), false) << function["name"];
}

TEST(EvalFunctions, AreDescribedToPeople) {
  const std::string text = function_text("renyi.gaussian", eval_function("renyi.gaussian"));
  EXPECT_NE(text.find("  order             order of the Rényi divergence; in [1, inf)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("source       Mironov 2017"), std::string::npos) << text;
  EXPECT_NE(text.find("\"inputs\": {\"order\": 2, \"noise_multiplier\": 3}}' |\n      dpbudget eval -\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace dpbudget::tools
