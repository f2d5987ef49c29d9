#include "dpbudget/tools/cli/simulation/evaluations.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <iostream>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/simulation/first_steps.h"
#include "dpbudget/tools/cli/simulation/scores.h"

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

// Every value of the run under its own name, as a ledger's header has it: a table's columns.
nlohmann::json parameters_json(const fl::SettledRun& run) {
  nlohmann::json json = nlohmann::json::object();
  const fl::RunRequest written = run.written();
  fl::visit_fields(written, [&](const auto& field, const auto& value) { json[field.key] = json_of(value); });
  for (const auto& [key, value] : written.options)
    json[key] = std::visit([](const auto& number) { return json_of(number); }, value);
  return json;
}

std::string epsilon_name(fl::Adversary adversary) { return fmt::format("epsilon_{}", to_string(adversary)); }

// Above a column of the printed table, which is as wide.
std::string heading_of(const std::string& measured) { return measured == "log10_gap" ? "log10(F - F*)" : measured; }

}  // namespace

Evaluations::Evaluations(const SeedRun& seed_run, std::string opening, std::string results,
                         std::vector<std::string> measured, bool is_quiet, Progress& progress,
                         const std::vector<std::uint64_t>& records, std::uint64_t dimension)
    : seed_run_(seed_run),
      run_(seed_run.run),
      opening_(std::move(opening)),
      measured_(std::move(measured)),
      is_quiet_(is_quiet),
      progress_(progress),
      records_(records),
      everybody_(fl::distinct_sizes(run_, records, dimension)),
      steps_(run_, records.size()),
      price_(run_->delta),
      parameters_(parameters_json(run_)),
      results_(std::move(results), columns()) {}

void Evaluations::operator()(const fl::Metrics& metrics) {
  progress_.clear();
  if (!has_begun_) begin(metrics);
  has_begun_ = true;
  if (!is_quiet_) print(metrics);
  if (!results_.is_wanted()) return;
  nlohmann::json line = parameters_;
  line["round"] = metrics.round;
  line["train_loss"] = metrics.train_loss;
  line["test_score"] = metrics.test_score;
  add_steps(metrics, line);
  add_epsilons(metrics, line);
  if (const auto error = seed_run_.relative_rmse(metrics)) line["relative_rmse"] = *error;
  if (metrics.personal_score) line["personal_score"] = *metrics.personal_score;
  for (const auto& [name, value] : metrics.measured) line[name] = json_number(value);
  results_.append(line);
}

// All that a row can have: first what is looked at, then what was asked for.
std::vector<std::string> Evaluations::columns() const {
  std::vector<std::string> names{"round", "train_loss", "test_score"};
  if (seed_run_.naive_error) names.emplace_back("relative_rmse");
  if (run_.algorithm().personalised) names.emplace_back("personal_score");
  names.insert(names.end(), measured_.begin(), measured_.end());
  if (run_.algorithm().adds_noise())
    for (const fl::Adversary adversary : fl::all_adversaries) names.push_back(epsilon_name(adversary));
  names.insert(names.end(), {"local_step", "local_step_most"});
  for (const auto& parameter : parameters_.items()) names.push_back(parameter.key());
  return names;
}

// Of the round that has ended, over all clients.
void Evaluations::add_steps(const fl::Metrics& metrics, nlohmann::json& line) const {
  if (metrics.round <= run_.warm_start_rounds()) return;
  const auto [least, most] = first_steps(steps_, records_, metrics.round - run_.warm_start_rounds());
  if (!least) return;
  line["local_step"] = *least;
  if (*most > *least) line["local_step_most"] = *most;
}

// What is proven to be spent so far against each adversary; null where nothing is.
void Evaluations::add_epsilons(const fl::Metrics& metrics, nlohmann::json& line) {
  if (!run_.algorithm().adds_noise()) return;
  for (const fl::Adversary adversary : fl::all_adversaries) {
    const double spent = metrics.round == 0 ? 0 : fl::worst_epsilon(run_, everybody_, adversary, metrics.round, price_);
    line[epsilon_name(adversary)] = std::isfinite(spent) ? nlohmann::json(spent) : nlohmann::json();
  }
}

void Evaluations::begin(const fl::Metrics& metrics) {
  results_.begin();
  if (is_quiet_) return;
  const std::string score = score_name(run_->model);
  std::string heading = fmt::format("{:>7}  {:>10}  {:>{}}", "round", "train loss", score, score.size());
  if (seed_run_.relative_rmse(metrics)) heading += "  relative RMSE";
  if (metrics.personal_score) heading += "  of clients' own models";
  for (const std::string& name : measured_) heading += "  " + heading_of(name);
  std::cout << opening_ << "\n" << heading << "\n" << std::string(heading.size(), '-') << "\n";
}

void Evaluations::print(const fl::Metrics& metrics) {
  std::cout << fmt::format("{:>7}  {:>10}  {:>{}}", metrics.round, loss_text(run_->model, metrics.train_loss),
                           score_text(run_->model, metrics.test_score), measures_accuracy(run_->model) ? 13 : 23);
  if (const auto error = seed_run_.relative_rmse(metrics)) std::cout << fmt::format("  {:>13.4f}", *error);
  if (metrics.personal_score) std::cout << fmt::format("  {:>22}", score_text(run_->model, *metrics.personal_score));
  for (const std::string& name : measured_)
    if (const auto found = metrics.measured.find(name); found != metrics.measured.end())
      std::cout << fmt::format("  {:>{}.5g}", found->second, heading_of(name).size());
  std::cout << "\n" << std::flush;
}

}  // namespace dpbudget::tools
