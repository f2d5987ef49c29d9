#include "dpbudget/fl/simulate/evaluation.h"

#include <cmath>
#include <numeric>

#include "dpbudget/fl/run/traits.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Stream;

std::vector<std::uint64_t> evaluated_clients(const SettledRun& run, std::uint64_t clients) {
  if (run->evaluate_clients && *run->evaluate_clients < clients) {
    Stream stream({run->seed, Purpose::evaluation, 0, 0, 0});
    const auto sample = mechanisms::sample_without_replacement(clients, *run->evaluate_clients, stream);
    return {sample.indices.begin(), sample.indices.end()};
  }
  std::vector<std::uint64_t> all(clients);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  return all;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double total_of(const std::vector<std::uint64_t>& chosen, const std::vector<std::uint64_t>& sizes) {
  std::uint64_t total = 0;
  for (const std::uint64_t client : chosen) total += sizes[client];
  return static_cast<double>(total);
}

}  // namespace

Evaluation::Evaluation(const SettledRun& run, const ClientSource& clients, const Model& model, Workers& workers)
    : clients_(clients),
      model_(model),
      workers_(workers),
      is_personalised_(run.algorithm().personalised && !clients.test_sizes().empty()),
      chosen_(evaluated_clients(run, clients.train_sizes().size())),
      is_scored_together_(clients.test_sizes().empty() ||
                          (clients.held() != nullptr && chosen_.size() == clients.test_sizes().size())) {}

Scores Evaluation::scores(const Vector& global, const std::map<std::uint64_t, ClientState>& states,
                          const Share& share) {
  Scores found{std::vector<double>(chosen_.size()), std::vector<double>(is_scored_together_ ? 0 : chosen_.size()),
               std::vector<double>(is_personalised_ ? chosen_.size() : 0)};
  workers_.for_each(chosen_.size(), [&](std::size_t i, Worker& worker) {
    const std::uint64_t client = chosen_[i];
    if (!share.has(client)) return;
    const ClientRecords records = clients_.of(client, !is_scored_together_ || is_personalised_, worker.records);
    Model::Workspace& workspace = *worker.release.model;
    found.losses[i] =
        static_cast<double>(records.rows.size()) * model_.loss(global, *records.train, records.rows, workspace);
    const auto score = [&](const Vector& model) {
      return model_.score(model, *records.test, records.test_rows, workspace);
    };
    if (!is_scored_together_) found.scores[i] = score(global);
    if (!is_personalised_) return;
    const auto state = states.find(client);
    found.own[i] = score(state == states.end() || state->second.model.size() == 0 ? global : state->second.model);
  });
  return found;
}

Metrics Evaluation::metrics(std::uint64_t round, const Vector& global, const Scores& all) {
  Metrics metrics;
  metrics.round = round;
  metrics.train_loss = sum_of(all.losses) / total_of(chosen_, clients_.train_sizes());
  if (!std::isfinite(metrics.train_loss)) return metrics;
  metrics.test_score = test_score(global, all.scores);
  if (is_personalised_) metrics.personal_score = sum_of(all.own) / static_cast<double>(all.own.size());
  return metrics;
}

// The mean over records, whether they are looked at together or client by client: accuracies to the last bit, because
// those of a client times its records is a whole number.
double Evaluation::test_score(const Vector& global, const std::vector<double>& scores) {
  if (is_scored_together_) {
    const Dataset& test = clients_.held()->test;
    std::vector<std::uint32_t> all(test.records());
    std::iota(all.begin(), all.end(), 0U);
    return model_.score(global, test, all, *workers_.local().release.model);
  }
  double sum = 0;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const double of_client = scores[i] * static_cast<double>(clients_.test_sizes()[chosen_[i]]);
    sum += model_.score_kind() == Score::accuracy ? std::round(of_client) : of_client;
  }
  return sum / total_of(chosen_, clients_.test_sizes());
}

}  // namespace dpbudget::fl
