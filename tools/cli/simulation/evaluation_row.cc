#include "dpbudget/tools/cli/simulation/evaluation_row.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <variant>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/simulation/first_steps.h"

namespace dpbudget::tools {
namespace {

template <class Value>
nlohmann::json json_of(const Value& value) {
  if constexpr (Named<Value>)
    return to_string(value);
  else if constexpr (std::same_as<Value, double>)
    return json_number(value);
  else if constexpr (requires { value.has_value(); })
    return value ? json_of(*value) : nlohmann::json();
  else
    return value;
}

}  // namespace

std::string epsilon_column(fl::Adversary adversary) { return fmt::format("epsilon_{}", to_string(adversary)); }

nlohmann::json parameters_json(const fl::SettledRun& run) {
  nlohmann::json json = nlohmann::json::object();
  const fl::RunRequest written = run.written();
  fl::visit_fields(written, [&](const auto& field, const auto& value) { json[field.key] = json_of(value); });
  for (const auto& [key, value] : written.options)
    json[key] = std::visit([](const auto& number) { return json_of(number); }, value);
  return json;
}

EvaluationRow::EvaluationRow(const SeedRun& seed_run)
    : seed_run_(seed_run),
      run_(seed_run.run),
      everybody_(fl::distinct_sizes(run_, seed_run.records, seed_run.dimension)),
      steps_(run_, seed_run.records.size()),
      price_(run_->delta),
      parameters_(parameters_json(run_)) {
  parameters_["data"] = seed_run.data;
  parameters_["fingerprint"] = fmt::format("{:016x}", seed_run.fingerprint);
}

nlohmann::json EvaluationRow::operator()(const fl::Metrics& metrics) {
  nlohmann::json row = parameters_;
  row["round"] = metrics.round;
  row["train_loss"] = metrics.train_loss;
  row["test_score"] = metrics.test_score;
  add_steps(metrics, row);
  add_epsilons(metrics, row);
  if (const auto error = seed_run_.relative_rmse(metrics)) row["relative_rmse"] = *error;
  if (metrics.personal_score) row["personal_score"] = *metrics.personal_score;
  for (const auto& [name, value] : metrics.measured) row[name] = json_number(value);
  row["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  return row;
}

std::vector<std::string> EvaluationRow::columns(const std::vector<std::string>& measured) const {
  std::vector<std::string> names{"round", "train_loss", "test_score"};
  if (seed_run_.naive_error) names.emplace_back("relative_rmse");
  if (run_.algorithm().personalised) names.emplace_back("personal_score");
  names.insert(names.end(), measured.begin(), measured.end());
  if (run_.algorithm().adds_noise())
    for (const fl::Adversary adversary : fl::all_adversaries) names.push_back(epsilon_column(adversary));
  names.insert(names.end(), {"local_step", "local_step_most", "seconds"});
  for (const auto& parameter : parameters_.items()) names.push_back(parameter.key());
  return names;
}

// Of the round that has ended, over all clients.
void EvaluationRow::add_steps(const fl::Metrics& metrics, nlohmann::json& row) const {
  if (metrics.round <= run_.warm_start_rounds()) return;
  const auto [least, most] = first_steps(steps_, seed_run_.records, metrics.round - run_.warm_start_rounds());
  if (!least) return;
  row["local_step"] = *least;
  if (*most > *least) row["local_step_most"] = *most;
}

void EvaluationRow::add_epsilons(const fl::Metrics& metrics, nlohmann::json& row) {
  if (!run_.algorithm().adds_noise()) return;
  for (const fl::Adversary adversary : fl::all_adversaries) {
    const double spent = metrics.round == 0 ? 0 : fl::worst_epsilon(run_, everybody_, adversary, metrics.round, price_);
    row[epsilon_column(adversary)] = std::isfinite(spent) ? nlohmann::json(spent) : nlohmann::json();
  }
}

}  // namespace dpbudget::tools
