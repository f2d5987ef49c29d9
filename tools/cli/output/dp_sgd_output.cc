#include "dpbudget/tools/cli/output/dp_sgd_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

std::string text_of(const solve::OtherSampling& other) {
  const std::string epsilon =
      other.epsilon ? bracket_text(*other.epsilon) : "not known: " + other.epsilon.error().text();
  return "\n" + field("instead", other.name) + field("plan", to_text(other.plan)) + field("epsilon", epsilon) +
         field("meaning", other.meaning);
}

nlohmann::json json_of(const solve::OtherSampling& other) {
  nlohmann::json json{
      {"name", other.name}, {"plan", dpbudget::to_json(other.plan)}, {"epsilon", nullptr}, {"meaning", other.meaning}};
  if (other.epsilon)
    json["epsilon"] = to_json(*other.epsilon);
  else
    json["refused"] = other.epsilon.error().text();
  return json;
}

}  // namespace

std::string text_of(const solve::DpSgd& run) {
  std::string text =
      field("run", fmt::format("{} steps on batches of {} of {} records: {:.6g} epochs", grouped(run.steps),
                               grouped(run.batch), grouped(run.records), run.epochs)) +
      field("noise", fmt::format("{}", run.noise)) + field("delta", fmt::format("{}", run.delta)) +
      field("epsilon", bracket_text(run.epsilon)) + field("assumed", run.assumed);
  for (const std::string& note : run.notes) text += field("note", note);
  text += field("plan", to_text(run.plan)) + reason_lines(run.epsilon);
  for (const solve::OtherSampling& other : run.others) text += text_of(other);
  return text;
}

nlohmann::json to_json(const solve::DpSgd& run) {
  nlohmann::json others = nlohmann::json::array();
  for (const solve::OtherSampling& other : run.others) others.push_back(json_of(other));
  return {{"records", run.records},
          {"batch", run.batch},
          {"epochs", run.epochs},
          {"steps", run.steps},
          {"noise", run.noise},
          {"delta", run.delta},
          {"epsilon", to_json(run.epsilon)},
          {"plan", dpbudget::to_json(run.plan)},
          {"assumed", run.assumed},
          {"others", others},
          {"notes", run.notes}};
}

}  // namespace dpbudget::tools
