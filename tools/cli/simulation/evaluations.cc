#include "dpbudget/tools/cli/simulation/evaluations.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <iostream>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/files/cannot_write.h"
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

}  // namespace

Evaluations::Evaluations(const SeedRun& seed_run, std::string opening, std::string results, bool is_quiet,
                         Progress& progress, const std::vector<std::uint64_t>& records, std::uint64_t dimension)
    : seed_run_(seed_run),
      run_(seed_run.run),
      opening_(std::move(opening)),
      results_(std::move(results)),
      is_quiet_(is_quiet),
      progress_(progress),
      records_(records),
      everybody_(fl::distinct_sizes(run_, records, dimension)),
      steps_(run_, records.size()),
      price_(run_->delta),
      parameters_(parameters_json(run_)) {}

void Evaluations::operator()(const fl::Metrics& metrics) {
  progress_.clear();
  if (!has_begun_) begin(metrics);
  has_begun_ = true;
  if (!is_quiet_) print(metrics);
  if (results_.path().empty()) return;
  nlohmann::json line = parameters_;
  line["round"] = metrics.round;
  line["train_loss"] = metrics.train_loss;
  line["test_score"] = metrics.test_score;
  add_steps(metrics, line);
  add_epsilons(metrics, line);
  if (const auto error = seed_run_.relative_rmse(metrics)) line["relative_rmse"] = *error;
  if (metrics.personal_score) line["personal_score"] = *metrics.personal_score;
  if (!results_.append(line.dump() + '\n'))
    throw CannotWrite(fmt::format("--results {} could not be written", results_.path().string()));
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
    line[fmt::format("epsilon_{}", to_string(adversary))] =
        std::isfinite(spent) ? nlohmann::json(spent) : nlohmann::json();
  }
}

void Evaluations::begin(const fl::Metrics& metrics) {
  if (!results_.path().empty()) results_.begin();
  if (is_quiet_) return;
  const std::string score = score_name(run_->model);
  std::string heading = fmt::format("{:>7}  {:>10}  {:>{}}", "round", "train loss", score, score.size());
  if (seed_run_.relative_rmse(metrics)) heading += "  relative RMSE";
  if (metrics.personal_score) heading += "  of clients' own models";
  std::cout << opening_ << "\n" << heading << "\n" << std::string(heading.size(), '-') << "\n";
}

void Evaluations::print(const fl::Metrics& metrics) {
  std::cout << fmt::format("{:>7}  {:>10}  {:>{}}", metrics.round, loss_text(run_->model, metrics.train_loss),
                           score_text(run_->model, metrics.test_score), measures_accuracy(run_->model) ? 13 : 23);
  if (const auto error = seed_run_.relative_rmse(metrics)) std::cout << fmt::format("  {:>13.4f}", *error);
  if (metrics.personal_score) std::cout << fmt::format("  {:>22}", score_text(run_->model, *metrics.personal_score));
  std::cout << "\n" << std::flush;
}

}  // namespace dpbudget::tools
