#include "dpbudget/accounting/plan/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "accounting/random_event.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {
namespace {

using nlohmann::json;

TEST(PlanJson, IsTheDocumentedForm) {
  const Plan plan = parse_plan("10 x wor(800 of 4000, gaussian(10))");
  EXPECT_EQ(to_json(plan), json::parse(R"({"version": 1, "adjacency": "replace_one", "event": {"repeated": {"count": 10,
    "inner": {"sampled_without_replacement": {"rate": {"drawn": 800, "population": 4000},
    "inner": {"gaussian": {"noise_multiplier": 10.0}}}}}}})"));
}

TEST(Json, SaysDrawsWithReplacementExactly) {
  for (const char* text :
       {"2 x with_replacement(700 of 500, gaussian(2))", "with_replacement(? of 500, gaussian(2))"}) {
    const Plan plan = parse_plan(text);
    EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  }
  EXPECT_EQ(to_json(parse_plan("with_replacement(7 of 5, rr(1))"))["event"]["sampled_with_replacement"]["draws"],
            nlohmann::json::parse(R"({"drawn": 7, "population": 5})"));
  EXPECT_THROW(
      event_from_json(nlohmann::json::parse(
          R"({"sampled_with_replacement": {"draws": {"drawn": 0, "population": 5}, "inner": {"pure_dp": {"epsilon": 1}}}})")),
      InvalidArgument);
}

TEST(Json, SaysWhatIsPromisedOfABatchOnlyWhereItIs) {
  const Event plain = SampledWithoutReplacement{Rate(0.1), Event(Gaussian{2})};
  const Event promised = SampledWithoutReplacement{Rate(0.1), Event(Gaussian{2}), true};
  EXPECT_FALSE(to_json(plain)["sampled_without_replacement"].contains("clipped"));
  EXPECT_EQ(to_json(promised)["sampled_without_replacement"]["clipped"], true);
  EXPECT_EQ(event_from_json(to_json(promised)), promised);
  EXPECT_EQ(event_from_json(to_json(plain)), plain);
  nlohmann::json wrong = to_json(promised);
  wrong["sampled_without_replacement"]["clipped"] = 1;
  EXPECT_THROW(event_from_json(wrong), InvalidArgument);
}

TEST(PlanJson, CarriesTheUnknown) {
  for (const auto* text :
       {"? x gaussian(1)", "poisson(?, gaussian(1))", "5 x laplace(?)", "approximate(1, ?)",
        "random_allocation(?, gaussian(1))", "random_allocation(3 of 7, rr(1))", "shuffled_batches(?, rr(1))",
        "mixture(?; 0.5:1, 0.25:2.5)", "group(?, rr(1))", "tcdp(?, 20)", "renyi(2:0.5, 8:1) + ? x gaussian(1)",
        "truncated_poisson(?, 3 of 5, gaussian(1))"}) {
    const Plan plan = parse_plan(text);
    EXPECT_EQ(plan_from_json(json::parse(to_json(plan).dump())), plan) << text;
  }
}

RC_GTEST_PROP(PlanJson, TextAndJsonConvertIntoEachOtherWithoutLoss, ()) {
  const Plan plan{testing::random_event(4, ""), Adjacency::replace_one};
  const Plan through_json = plan_from_json(json::parse(to_json(plan).dump()));
  RC_ASSERT(through_json == plan);
  RC_ASSERT(to_text(through_json) == to_text(plan));
}

TEST(PlanJson, TakesWholeNumbersAsTheSchemaDoes) {
  EXPECT_EQ(plan_from_json(json::parse(R"({"version": 1.0, "adjacency": "replace_one", "event": {"repeated": {
    "count": 2.0, "inner": {"sampled_without_replacement": {"rate": {"drawn": -0, "population": 8e9},
    "inner": {"gaussian": {"noise_multiplier": 1}}}}}}})")),
            parse_plan("2 x wor(0 of 8000000000, gaussian(1))"));
}

class RefusedJson : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RefusedJson, NamingWhatIsWrong) {
  const auto& [text, reason] = GetParam();
  try {
    plan_from_json(json::parse(text));
    FAIL() << "accepted " << text;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    BadPlans, RefusedJson,
    ::testing::Values(
        std::pair{"[]", "plan must be a JSON object"}, std::pair{"{}", "lacks `version`"},
        std::pair{R"({"version": 2, "adjacency": "replace_one", "event": {"pure_dp": {"epsilon": 1}}})", "version"},
        std::pair{R"({"version": 1, "adjacency": "none", "event": {"pure_dp": {"epsilon": 1}}})", "adjacency"},
        std::pair{R"({"version": 1, "adjacency": "replace_one", "event": {"pure": {"epsilon": 1}}})",
                  "`pure` is unknown"},
        std::pair{R"({"version": 1, "adjacency": "replace_one", "event": {"pure_dp": {"epsilon": -1}}})",
                  "epsilon is -1"},
        std::pair{R"({"version": 1, "adjacency": "replace_one", "event": {"pure_dp": {"epsilon": "1"}}})", "a number"},
        std::pair{R"({"version": 1, "adjacency": "replace_one", "event": {"pure_dp": {"epsilon": 1, "x": 2}}})",
                  "too many"},
        std::pair{R"({"version": 1, "adjacency": "replace_one", "event": {"pure_dp": {"epsilon": 1}}, "x": 1})",
                  "too many"},
        std::pair{
            R"({"version": 1, "adjacency": "replace_one", "event": {"composed": {"parts": [{"pure_dp": {"epsilon": 1}}]}}})",
            "of one part"},
        std::pair{
            R"({"version": 1, "adjacency": "replace_one", "event": {"repeated": {"count": 1.5, "inner": {"pure_dp": {"epsilon": 1}}}}})",
            "count of repeated is 1.5"},
        std::pair{
            R"({"version": 1, "adjacency": "replace_one", "event": {"repeated": {"count": -1.0, "inner": {"pure_dp": {"epsilon": 1}}}}})",
            "count of repeated is -1.0"},
        std::pair{
            R"({"version": 1, "adjacency": "replace_one", "event": {"repeated": {"count": 1e20, "inner": {"pure_dp": {"epsilon": 1}}}}})",
            "but must be an integer in [0, 2^53]"},
        std::pair{
            R"({"version": 1, "adjacency": "replace_one", "event": {"repeated": {"count": "?", "inner": {"pure_dp": {"epsilon": "?"}}}}})",
            "more than one `?`"}));

}  // namespace
}  // namespace dpbudget
