// Queries of `dpbudget eval`: every function, of any numbers that ask for no more than a little work.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "dpbudget/tools/cli/eval/functions.h"
#include "fuzz/target.h"

namespace {

// Long lists, and numbers of whatever is counted, may take as long as they say.
bool is_little_work(const nlohmann::json& inputs) {
  for (const auto& [name, value] : inputs.items()) {
    if (value.is_array() && value.size() > 8) return false;
    const bool is_counted = value.is_number() && std::abs(value.get<double>() - std::round(value.get<double>())) < 1e-9;
    if (is_counted && std::abs(value.get<double>()) > 200) return false;
  }
  return true;
}

}  // namespace

DPBUDGET_FUZZ_TARGET(const std::string_view text) {
  const nlohmann::json query = nlohmann::json::parse(text, nullptr, false);
  if (!query.is_object()) return;
  if (query.contains("inputs") && !is_little_work(query["inputs"])) return;
  const nlohmann::json answer = dpbudget::tools::evaluate(query);
  dpbudget::fuzz::expect(answer.contains("value") != answer.contains("refused"), "a value or a refusal");
}
