#include "dpbudget/tools/cli/eval/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/eval/functions.h"
#include "dpbudget/tools/cli/eval/vector_lines.h"

namespace dpbudget::tools {

std::span<const std::string_view> vector_lines() { return vectors_file(); }

const nlohmann::json& vectors_head() {
  static const nlohmann::json head = nlohmann::json::parse(vectors_file().front());
  return head;
}

std::string vectors_schema() {
  std::string text;
  for (const std::string_view line : vectors_schema_file()) text.append(line).append("\n");
  return text;
}

std::span<const std::string_view> vectors_of(const std::string& function) {
  eval_function(function);
  const nlohmann::json& reasons = vectors_head()["not_stated"];
  if (reasons.contains(function))
    throw Unsupported(
        fmt::format("function {} has no vectors: {}", function, reasons[function].get<std::string_view>()));
  const auto is_of_it = [begin = fmt::format(R"({{"id":"{}/)", function)](std::string_view line) {
    return line.starts_with(begin);
  };
  const std::span<const std::string_view> all = vectors_file();
  const auto first = std::ranges::find_if(all, is_of_it);
  const auto end = std::find_if_not(first, all.end(), is_of_it);
  return {first, end};
}

}  // namespace dpbudget::tools
