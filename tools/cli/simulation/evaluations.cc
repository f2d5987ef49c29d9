#include "dpbudget/tools/cli/simulation/evaluations.h"

#include <fmt/format.h>

#include <iostream>
#include <utility>

#include "dpbudget/tools/cli/simulation/scores.h"

namespace dpbudget::tools {
namespace {

// Above a column of the printed table, which is as wide.
std::string heading_of(const std::string& measured) { return measured == "log10_gap" ? "log10(F - F*)" : measured; }

}  // namespace

Evaluations::Evaluations(const SeedRun& seed_run, std::string opening, std::string results,
                         std::vector<std::string> measured, Seen seen, Progress& progress)
    : seed_run_(seed_run),
      run_(seed_run.run),
      opening_(std::move(opening)),
      measured_(std::move(measured)),
      seen_(seen),
      progress_(progress),
      row_(seed_run),
      results_(std::move(results), row_.columns(measured_)) {}

void Evaluations::operator()(const fl::Metrics& metrics) {
  progress_.clear();
  if (!has_begun_) begin(metrics);
  has_begun_ = true;
  if (seen_ == Seen::evaluations) print(metrics);
  if (results_.is_wanted()) results_.append(row_(metrics));
}

void Evaluations::begin(const fl::Metrics& metrics) {
  results_.begin();
  if (seen_ != Seen::evaluations) return;
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
