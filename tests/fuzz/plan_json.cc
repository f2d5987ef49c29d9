// Plans as JSON, as `plan_language` has them as text.

#include <nlohmann/json.hpp>
#include <string_view>

#include "dpbudget/accounting/plan/json.h"
#include "fuzz/ask_everybody.h"
#include "fuzz/target.h"

DPBUDGET_FUZZ_TARGET(const std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return;
  const dpbudget::Plan plan = dpbudget::plan_from_json(json);
  dpbudget::fuzz::expect(dpbudget::plan_from_json(dpbudget::to_json(plan)) == plan, "JSON and back");
  dpbudget::fuzz::ask_everybody(plan);
}
