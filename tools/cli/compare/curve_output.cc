#include "dpbudget/tools/cli/compare/curve_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

constexpr std::size_t table_rows = 12;

std::string csv_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string upper_text(const Question& question, const Answer& answer) {
  if (!answer.found) return "-";
  const BoundText text = question.wants_epsilon ? texts_of(answer.found->bound) : texts_of(*answer.found);
  return (answer.found->bound.guarantee == Guarantee::estimate ? "~" : "") + text.most;
}

// The answer at the most rounds; nothing when there is none.
const Answer* last_of(const RoundsCurve& curve, std::size_t k) {
  const Answer* last = nullptr;
  for (const auto& answers : curve.answers)
    if (answers[k].found) last = &answers[k];
  return last;
}

// The columns: accountants that answer at least once.
std::vector<std::size_t> answering(const RoundsCurve& curve) {
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < curve.answers.front().size(); ++k)
    if (last_of(curve, k) != nullptr) columns.push_back(k);
  return columns;
}

}  // namespace

std::string curve_table(const RoundsCurve& curve) {
  const std::vector<std::size_t> columns = answering(curve);
  std::vector<Row> rows{{"rounds"}};
  std::vector<std::size_t> right{0};
  for (const std::size_t k : columns) {
    rows.front().emplace_back(to_string(curve.answers.front()[k].accountant));
    right.push_back(right.size());
  }
  const std::size_t last = curve.rounds.size() - 1;
  const std::size_t shown = std::min(table_rows, last + 1);
  for (std::size_t r = 0; r < shown; ++r) {
    const std::size_t i = shown == 1 ? 0 : r * last / (shown - 1);
    Row row{grouped(curve.rounds[i])};
    for (const std::size_t k : columns) row.push_back(upper_text(curve.question, curve.answers[i][k]));
    rows.push_back(std::move(row));
  }
  std::string result;
  if (!columns.empty()) {
    result = fmt::format("{} at most, by rounds (~ marks an estimate):\n\n", curve.question.wanted_name()) +
             table(rows, right) + "\nBy these theorems, at the most rounds answered:\n";
    for (const std::size_t k : columns)
      result += theorem_lines(to_string(curve.answers.front()[k].accountant), last_of(curve, k)->found->bound);
  }
  std::string refusals;
  for (std::size_t k = 0; k < curve.answers.front().size(); ++k)
    for (std::size_t i = 0; i < curve.rounds.size(); ++i)
      if (const Answer& answer = curve.answers[i][k]; !answer.found) {
        const bool is_always = last_of(curve, k) == nullptr;
        const std::string at = is_always ? "" : fmt::format("at T = {}: ", grouped(curve.rounds[i]));
        refusals += named_lines(to_string(answer.accountant), at + answer.refusal);
        break;
      }
  return refusals.empty() ? result : result + (result.empty() ? "" : "\n") + "Not answered by:\n" + refusals;
}

std::string curve_csv(const RoundsCurve& curve) {
  std::string csv = "rounds,accountant,lower,upper,ln_lower,ln_upper,guarantee,theorem,seconds,refusal\n";
  for (std::size_t i = 0; i < curve.rounds.size(); ++i)
    for (const Answer& answer : curve.answers[i]) {
      csv += fmt::format("{},{},", curve.rounds[i], to_string(answer.accountant));
      if (answer.found) {
        const Bound& bound = answer.found->bound;
        const std::string logs =
            curve.question.wants_epsilon ? "," : fmt::format("{},{}", answer.found->log_lower, answer.found->log_upper);
        csv += fmt::format("{},{},{},{},{},{},\n", bound.lower, bound.upper, logs, to_string(bound.guarantee),
                           csv_text(joined(bound.theorems)), answer.seconds);
      } else {
        csv += fmt::format(",,,,,,{},{}\n", answer.seconds, csv_text(answer.refusal));
      }
    }
  return csv;
}

nlohmann::json curve_json(const RoundsCurve& curve) {
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t i = 0; i < curve.rounds.size(); ++i) {
    nlohmann::json answers = nlohmann::json::array();
    for (const Answer& answer : curve.answers[i]) answers.push_back(to_json(curve.question, answer));
    json.push_back({{"rounds", curve.rounds[i]}, {"answers", answers}});
  }
  return json;
}

}  // namespace dpbudget::tools
