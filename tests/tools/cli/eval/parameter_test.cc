#include "dpbudget/tools/cli/eval/parameter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dpbudget::tools {
namespace {

constexpr Parameter order = {.name = "order", .meaning = "of the divergence", .range = range::open(1, range::infinity)};

TEST(Parameter, SaysItsRange) {
  EXPECT_EQ(range_text(order), "in (1, inf)");
  EXPECT_EQ(range_text(order.within(range::without_low(1e-300, 0x1p20))), "in (1e-300, 2^20]");
  EXPECT_EQ(range_text(order.under("at most ten")), "in (1, inf), at most ten");
  Parameter other = order.within(range::counts);
  other.type = ParameterType::integer;
  EXPECT_EQ(range_text(other), "an integer in [1, 2^53]");
  other.type = ParameterType::numbers;
  EXPECT_EQ(range_text(other), "each in [1, 2^53]");
  other.choices = {"1", "3"};
  EXPECT_EQ(range_text(other), "1 or 3");
  other = order.under("a name");
  other.type = ParameterType::text;
  EXPECT_EQ(range_text(other), "a name");
}

TEST(Parameter, IsJson) {
  Parameter given = order.optional("2");
  given.aliases = {"alpha"};
  EXPECT_EQ(
      parameter_json(given),
      nlohmann::json(
          {{"name", "order"},
           {"meaning", "of the divergence"},
           {"unit", "1"},
           {"type", "number"},
           {"range", {{"text", "in (1, inf)"}, {"low", 1.0}, {"high", "inf"}, {"has_low", false}, {"has_high", false}}},
           {"optional", true},
           {"left_out", "2"},
           {"aliases", {"alpha"}}}));
  given.choices = {"1", "3"};
  EXPECT_EQ(parameter_json(given)["range"], nlohmann::json({{"text", "1 or 3"}, {"choices", {"1", "3"}}}));
}

}  // namespace
}  // namespace dpbudget::tools
