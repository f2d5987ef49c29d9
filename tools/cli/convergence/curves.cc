#include "dpbudget/tools/cli/convergence/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <utility>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

std::string heading_of(const Statement& statement) {
  std::string lines = field("statement", fmt::format("{} ({})", statement.name, to_string(statement.standing)));
  lines += field("bounds", statement.measures) + field("by", statement.source);
  if (!statement.note.empty()) lines += field("note", statement.note);
  if (statement.standing == Standing::order)
    lines += field("", "an order: each term up to a constant that is not known");
  return lines;
}

// Upper bounds are rounded up.
Row row_of(std::uint64_t rounds, const Evaluation& found) {
  Row row{grouped(rounds)};
  for (const Term& step : found.steps) row.push_back(fmt::format("{:.6g}", step.value));
  for (const Term& term : found.terms) row.push_back(rounded_up(term.value));
  if (found.total) row.push_back(rounded_up(*found.total));
  return row;
}

Row titles_of(const Evaluation& found) {
  Row row{"rounds"};
  for (const Term& step : found.steps) row.push_back(step.name);
  for (const Term& term : found.terms) row.push_back(term.name);
  if (found.total) row.emplace_back("total");
  return row;
}

std::string table_of(const Convergence& found, const ConvergenceCurve& curve) {
  // What a table shows of many rounds.
  constexpr std::size_t table_rows = 11;
  std::vector<Row> rows;
  const std::size_t last = curve.at.size() - 1;
  const std::size_t shown = std::min(table_rows, last + 1);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t i = shown == 1 ? last : k * last / (shown - 1);
    if (!curve.at[i]) continue;
    if (rows.empty()) rows.push_back(titles_of(*curve.at[i]));
    rows.push_back(row_of(found.rounds[i], *curve.at[i]));
  }
  if (rows.empty()) return {};
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < rows.front().size(); ++i) right.push_back(i);
  return table(rows, right);
}

// Notes the constants that were asked for in `asked`.
ConvergenceCurve curve_of(const Statement& statement, const nlohmann::json& constants,
                          const std::vector<std::uint64_t>& rounds, std::set<std::string>& asked) {
  ConvergenceCurve curve{&statement, {}, ""};
  for (const std::uint64_t count : rounds) {
    Inputs inputs(constants, statement.constants);
    std::optional<Evaluation>& at = curve.at.emplace_back();
    try {
      at = statement.at(inputs, count);
      for (const Term& term : at->terms)
        if (std::isnan(term.value))
          throw InvalidArgument("it cannot be computed in double precision for these numbers");
    } catch (const InvalidArgument& refusal) {
      at.reset();
      curve.refusal = refusal.what();
    } catch (const Unsupported& refusal) {
      curve.refusal = refusal.what();
    }
    for (const auto& [name, value] : constants.items())
      if (inputs.is_asked(name)) asked.insert(name);
  }
  return curve;
}

nlohmann::json json_of_terms(const std::vector<Term>& terms) {
  nlohmann::json json = nlohmann::json::object();
  for (const Term& term : terms) json[term.name] = json_number(term.value);
  return json;
}

}  // namespace

bool ConvergenceCurve::has_answer() const {
  return std::ranges::any_of(at, [](const auto& evaluation) { return evaluation.has_value(); });
}

nlohmann::json read_constants(const std::string& text) {
  nlohmann::json given = nlohmann::json::object();
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const bool is_known = std::ranges::find(constants(), name, &Parameter::name) != constants().end();
    if (equals == std::string::npos || !is_known)
      throw InvalidArgument(fmt::format(
          "--constants has `{}`, but must be a list of NAME=NUMBER, with the names of `dpbudget converge`", part));
    given[name] = json_number(read_number(fmt::format("--constants {}", name), part.substr(equals + 1)));
  }
  return given;
}

Convergence convergence(fl::Analysis analysis, const nlohmann::json& constants, std::vector<std::uint64_t> rounds) {
  Convergence found{std::move(rounds), {}};
  std::set<std::string> asked;
  for (const Statement& statement : statements())
    if (std::ranges::find(statement.about, analysis) != statement.about.end())
      found.curves.push_back(curve_of(statement, constants, found.rounds, asked));
  if (found.curves.empty())
    throw InvalidArgument("nothing is known of the convergence of this algorithm: no paper of it has a theorem");
  if (std::ranges::none_of(found.curves, &ConvergenceCurve::has_answer))
    throw InvalidArgument(found.curves.front().refusal);
  // Who refuses may not have come to all of its constants.
  if (std::ranges::all_of(found.curves, [](const ConvergenceCurve& curve) { return curve.refusal.empty(); }))
    for (const auto& [name, value] : constants.items())
      if (!asked.contains(name))
        throw InvalidArgument(fmt::format("{} is given, but no statement about this algorithm reads it", name));
  return found;
}

std::string convergence_text(const Convergence& found) {
  std::string text;
  std::string refusals;
  for (const ConvergenceCurve& curve : found.curves) {
    if (!curve.has_answer()) {
      refusals += field(curve.statement->name, curve.refusal, 26);
      continue;
    }
    text += heading_of(*curve.statement);
    if (!curve.refusal.empty()) text += field("elsewhere", "refused: " + curve.refusal);
    text += "\n" + table_of(found, curve) + "\n";
  }
  return refusals.empty() ? text : text + "Not answered:\n" + refusals;
}

nlohmann::json convergence_json(const Convergence& found) {
  nlohmann::json json = nlohmann::json::array();
  for (const ConvergenceCurve& curve : found.curves) {
    nlohmann::json entry{{"name", curve.statement->name},         {"standing", to_string(curve.statement->standing)},
                         {"measures", curve.statement->measures}, {"source", curve.statement->source},
                         {"note", curve.statement->note},         {"rounds", nlohmann::json::array()}};
    if (!curve.refusal.empty()) entry["refused"] = curve.refusal;
    for (std::size_t i = 0; i < found.rounds.size(); ++i) {
      if (!curve.at[i]) continue;
      entry["rounds"].push_back({{"round", found.rounds[i]},
                                 {"terms", json_of_terms(curve.at[i]->terms)},
                                 {"steps", json_of_terms(curve.at[i]->steps)}});
      if (curve.at[i]->total) entry["rounds"].back()["total"] = json_number(*curve.at[i]->total);
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Plot convergence_plot(const Convergence& found) {
  Plot plot{.title = "How far from the optimum",
            .x_label = "rounds",
            .y_label = "bound",
            .has_log_x = true,
            .has_log_y = true,
            .lines = {}};
  for (const ConvergenceCurve& curve : found.curves) {
    Line line{fmt::format("{} ({})", curve.statement->name, to_string(curve.statement->standing)),
              {},
              {},
              curve.statement->standing == Standing::proven ? Stroke::solid : Stroke::dashed};
    for (std::size_t i = 0; i < found.rounds.size(); ++i)
      if (curve.at[i] && curve.at[i]->total && 0 < *curve.at[i]->total && std::isfinite(*curve.at[i]->total)) {
        line.x.push_back(static_cast<double>(found.rounds[i]));
        line.y.push_back(*curve.at[i]->total);
      }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
  return plot;
}

}  // namespace dpbudget::tools
