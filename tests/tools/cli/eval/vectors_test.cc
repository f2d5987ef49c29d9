// Every answer of eval is held against the referee's vectors, as accurately as its function says that it is.

#include "dpbudget/tools/cli/eval/vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/eval/functions.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;
using Real = boost::multiprecision::cpp_dec_float_50;

// By what the value may be off, relatively: of the logarithm of its size, and of how many numbers it was made of.
struct Stated {
  std::function<double(double log_size, std::size_t numbers)> off;
  bool from_above_alone = false;
  double absolute = 0;  // is enough as well
};

Stated relative(double most) {
  return {[most](double, std::size_t) { return most; }};
}
// constant + factor |log|
Stated with_log(double constant, double factor) {
  return {[=](double log_size, std::size_t) { return constant + factor * std::abs(log_size); }};
}

// What the accuracies that functions state mean. One that says "in double precision" is as good as a dozen operations,
// and one whose steps are chosen in double precision as good as these.
const std::map<std::string, Stated, std::less<>>& accuracies() {
  static const std::map<std::string, Stated, std::less<>> all = {
      {"relative error below 1e-10 at every reference vector", relative(1e-10)},
      {"relative error below 1e-10", relative(1e-10)},
      {"relative error below 1e-11", relative(1e-11)},
      {"relative error below 1e-12", relative(1e-12)},
      {"relative error below 1e-12 at every reference vector", relative(1e-12)},
      {"relative error below 1e-13", relative(1e-13)},
      {"relative error below 1e-14", relative(1e-14)},
      {"relative error below 1e-15", relative(1e-15)},
      {"relative error below 1e-11; an upper bound where noise_multiplier < 1e-3 and order < 1.001", relative(1e-11)},
      {"relative error below 1e-11; refused where the quadrature would need too many nodes", relative(1e-11)},
      {"relative error below 1e-11 where the delta at epsilon 0 is above 2 total_delta", relative(1e-11)},
      {"relative error below 1e-12 where the delta at epsilon 0 exceeds `delta` by that much", relative(1e-12)},
      {"relative error below 1e-13, or 1e-18 times the larger of two terms that nearly cancel", relative(1e-13)},
      {"relative error below 1e-14 times the number of mechanisms",
       {[](double, std::size_t numbers) { return 1e-14 * static_cast<double>(numbers); }}},
      {"relative error of either below 1e-12", relative(1e-12)},
      {"relative error of delta below 1e-11 + 1e-14 |log delta|", with_log(1e-11, 1e-14)},
      {"relative error of delta below 1e-14 (1 + |log delta|)", with_log(1e-14, 1e-14)},
      {"relative error below 1e-12 + 1e-14 |log delta|", with_log(1e-12, 1e-14)},
      {"relative error below 1e-12 + 1e-13 |log delta| to a deviation of 1e4 shift, else below 1e-9",
       with_log(1e-12, 1e-13)},
      {"relative error below 1e-10, or 1e-16 absolute where both nearly agree",
       {.off = relative(1e-10).off, .absolute = 1e-16}},
      {"relative error below 1e-10; to 1e-8 above 1e7 reports, to 1e-4 from 2^32 clones on", relative(1e-10)},
      {"relative error of log delta below 1e-14", with_log(0, 1e-14)},
      {"error of log delta below 1e-12 (1 + |log delta|)", with_log(1e-12, 1e-12)},
      {"error of log delta below 1e-11 (1 + |log delta|)", with_log(1e-11, 1e-11)},
      {"error of the logarithm below 1e-12 (1 + |log|)", with_log(1e-12, 1e-12)},
      {"error of the logarithm below 1e-13 (1 + |log|)", with_log(1e-13, 1e-13)},
      {"error of the logarithm below 1e-15 (1 + |log|)", with_log(1e-15, 1e-15)},
      {"in double precision", relative(1e-12)},
      {"each term rounded up", {.off = relative(1e-12).off, .from_above_alone = true}}};
  return all;
}

const std::vector<json>& vectors() {
  static const std::vector<json> all = [] {
    std::vector<json> parsed;
    for (const std::string_view line : vector_lines().subspan(1)) parsed.push_back(json::parse(line));
    return parsed;
  }();
  return all;
}

Real exactly(const json& text) { return Real(text.get<std::string>()); }

bool is_infinite(const json& value) { return value == "inf" || value == "-inf"; }

// Steps that a statement leaves to the program are doubles, for which a bound holds as for any others; at the
// referee's, by a rounding away, it may be less by about as much.
bool chooses_its_steps(const std::string& function) {
  return function == "convergence.lowy_stich_bound" || function == "convergence.lowy_multi_stage_bound";
}

std::size_t numbers_of(const json& inputs) {
  std::size_t most = 1;
  for (const json& input : inputs)
    if (input.is_array()) most = std::max(most, input.size());
  return most;
}

void hold(const json& found, const json& truth, bool is_log, const json& vector) {
  const std::string message = vector.dump() + " is answered " + found.dump();
  if (is_infinite(truth) || is_infinite(found)) {
    EXPECT_EQ(found, truth) << message;
    return;
  }
  const std::string function = vector["function"];
  const Stated& stated = accuracies().find(eval_function(function).accuracy)->second;
  const Real value(found.get<double>());
  const Real expected = exactly(truth);
  if (expected == 0) {
    EXPECT_LE(abs(value), stated.absolute) << message;
    return;
  }
  const double log_size = static_cast<double>(is_log ? expected : Real(log(abs(expected))));
  double allowed = stated.off(log_size, numbers_of(vector["inputs"]));
  // A difference of logarithms is a relative one of values.
  const Real off = is_log ? Real(value - expected) : Real((value - expected) / abs(expected));
  // What a double holds of a logarithm, and of a value.
  allowed += is_log ? 0x1p-52 * std::abs(log_size) : 0x1p-53;
  EXPECT_LE(abs(off), allowed + stated.absolute / static_cast<double>(abs(expected))) << message;
  if (stated.from_above_alone && !chooses_its_steps(function)) {
    EXPECT_GE(off, -0x1p-53) << message;
  }
}

TEST(Vectors, AreAnsweredAsAccuratelyAsEachFunctionStates) {
  for (const json& vector : vectors()) {
    const std::string function = vector["function"];
    ASSERT_TRUE(accuracies().contains(eval_function(function).accuracy))
        << function << ": " << eval_function(function).accuracy;
    json answer = evaluate(vector);
    // Where a value that is large has no logarithm of its own.
    if (vector.contains("ln_value") && answer.contains("value") && !answer.contains("ln_value"))
      answer["ln_value"] = std::log(answer["value"].get<double>());
    const char* name = vector.contains("value") ? "value" : "ln_value";
    ASSERT_TRUE(answer.contains(name)) << vector << ": " << answer;
    const auto as_list = [](const json& value) { return value.is_array() ? value : json::array({value}); };
    const json found = as_list(answer[name]);
    const json truth = as_list(vector[name]);
    ASSERT_EQ(answer[name].is_array(), vector[name].is_array()) << vector << ": " << answer;
    ASSERT_EQ(found.size(), truth.size()) << vector << ": " << answer;
    for (std::size_t i = 0; i < truth.size(); ++i) hold(found[i], truth[i], vector.contains("ln_value"), vector);
  }
}

TEST(Vectors, AreOfEveryFunctionThatAStatementFixes) {
  std::map<std::string, int> counts;
  for (const json& vector : vectors()) ++counts[vector["function"]];
  const json& head = vectors_head();
  EXPECT_EQ(head["vectors"], vectors().size());
  EXPECT_GE(vectors().size(), 3000U);
  EXPECT_EQ(head["functions"], counts.size());
  for (const auto& [name, function] : eval_functions()) {
    EXPECT_NE(counts.contains(name), head["not_stated"].contains(name)) << name;
    if (counts.contains(name)) {
      EXPECT_GE(counts[name], 30) << name;
    }
  }
  EXPECT_EQ(counts.size() + head["not_stated"].size(), eval_functions().size());
}

TEST(Vectors, GiveAsManyDigitsAsTheySay) {
  for (const json& vector : vectors()) {
    const json& value = vector.contains("value") ? vector["value"] : vector["ln_value"];
    for (const json& one : value.is_array() ? value : json::array({value})) {
      if (is_infinite(one)) continue;
      std::string digits = one.get<std::string>().substr(0, one.get<std::string>().find('e'));
      std::erase_if(digits, [](char c) { return c == '-' || c == '.'; });
      EXPECT_LE(digits.size() - std::min(digits.find_first_not_of('0'), digits.size()), 25U) << vector;
    }
  }
}

TEST(Vectors, HaveIdsAndInputsOfTheirOwn) {
  std::set<std::string> ids;
  std::set<std::string> queries;
  for (const json& vector : vectors()) {
    EXPECT_TRUE(ids.insert(vector["id"]).second) << vector;
    EXPECT_TRUE(queries.insert(vector["function"].get<std::string>() + vector["inputs"].dump()).second) << vector;
  }
}

// Each parameter is drawn, and those that are numbers at more than one place.
TEST(Vectors, AreSpreadOverTheParameters) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> drawn;
  for (const json& vector : vectors())
    for (const auto& [name, value] : vector["inputs"].items()) drawn[vector["function"]][name].insert(value.dump());
  for (const auto& [function, inputs] : drawn)
    for (const Parameter& parameter : eval_function(function).parameters) {
      const auto found = inputs.find(std::string(parameter.name));
      ASSERT_NE(found, inputs.end()) << function << " " << parameter.name;
      EXPECT_GE(found->second.size(), parameter.choices.front().empty() ? 3U : 2U) << function << " " << parameter.name;
    }
}

TEST(Vectors, AreThoseOfTheFileInTheTree) {
  std::ifstream file(DPBUDGET_SOURCE_DIR "/tools/cli/eval/vectors.jsonl");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    ASSERT_LT(count, vector_lines().size());
    ASSERT_EQ(line, vector_lines()[count]);
  }
  EXPECT_EQ(count, vector_lines().size());
  std::ifstream schema(DPBUDGET_SOURCE_DIR "/tools/cli/eval/vectors.schema.json");
  std::ostringstream text;
  text << schema.rdbuf();
  EXPECT_EQ(text.str(), vectors_schema());
  EXPECT_EQ(json::parse(vectors_schema())["$defs"]["head"]["properties"]["format"]["const"], vectors_head()["format"]);
}

TEST(Vectors, OfOneFunctionAreItsOwn) {
  const auto found = vectors_of("renyi.gaussian");
  ASSERT_FALSE(found.empty());
  for (const std::string_view line : found) EXPECT_EQ(json::parse(line)["function"], "renyi.gaussian");
  const auto all = std::ranges::count_if(vectors(), [](const json& v) { return v["function"] == "renyi.gaussian"; });
  EXPECT_EQ(found.size(), static_cast<std::size_t>(all));
}

TEST(Vectors, AreRefusedWhereThereAreNone) {
  EXPECT_THROW(vectors_of("renyi.gausian"), InvalidArgument);
  EXPECT_THROW(vectors_of("shuffle.blanket_finite_delta"), Unsupported);
}

}  // namespace
}  // namespace dpbudget::tools
