#include "dpbudget/tools/cli/simulation/matrix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/synthetic.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/report_output.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/simulation/temporary_ledger.h"

namespace dpbudget::tools {
namespace {

constexpr std::array<std::string_view, 5> schedules = {"constant", "chang1:beta=0.9,hold=1", "chang2:beta=0.97,hold=1",
                                                       "exponential:0.95", "step:factor=0.8,every=2"};

// A run, and what is particular about it.
struct Case {
  std::string name;
  fl::RunRequest run;
};

fl::RunRequest small_run(const fl::AlgorithmTraits& entry) {
  fl::RunRequest run;
  run.algorithm = entry.name;
  run.rounds = 4;
  run.user_rate = 0.5;
  run.record_rate = 0.25;
  if (entry.steps == fl::Steps::given) run.local_steps = 3;
  if (entry.warm_starts) run.warm_start_rounds = 2;
  run.clip_norm = 0.5;
  const fl::MechanismTraits& mechanism = fl::traits_of(entry.mechanism);
  if (mechanism.takes_multipliers) run.noise_multiplier = 4;
  if (mechanism.encodes_bits) run.batches = fl::Batches::disjoint;
  if (entry.takes("step")) run.options["step"] = 0.2;
  run.evaluate_every = 4;
  return run;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const fl::AlgorithmTraits& entry : fl::all_algorithms())
    if (entry.adds_noise()) all.push_back({std::string(entry.name), small_run(entry)});
  const auto variant = [&](const std::string& algorithm, const std::string& what, const auto& change) {
    fl::RunRequest run = small_run(fl::find_algorithm(algorithm));
    change(run);
    all.push_back({algorithm + ", " + what, run});
  };
  variant("dp-fedavg", "one local step", [](fl::RunRequest& run) { run.local_steps = 1; });
  variant("dp-fedavg", "user-level noise", [](fl::RunRequest& run) { run.unit = fl::Unit::user; });
  variant("dp-fedavg", "adaptive clipping", [](fl::RunRequest& run) { run.clipping = fl::AdaptiveClipping{}; });
  variant("dp-fedavg", "per-tensor clipping", [](fl::RunRequest& run) { run.clipping = fl::PerTensorClipping{}; });
  variant("dp-fedavg", "a noise for each silo", [](fl::RunRequest& run) { run.silo_noise = {3, 3, 3, 3, 4, 4, 5, 6}; });
  variant("dp-fedavg", "a budget for each silo", [](fl::RunRequest& run) {
    run.noise_multiplier = 0;
    run.silo_epsilon = {2, 2, 2, 2, 2, 2, 2, 8};
    run.silo_delta = {1e-5, 1e-5, 1e-5, 1e-5, 1e-6, 1e-6, 1e-6, 1e-6};
  });
  variant("dp-prifedsync", "Adam, Poisson sampling, personalised", [](fl::RunRequest& run) {
    run.client_sampling = fl::ClientSampling::poisson;
    run.options["optimiser"] = "adam";
    run.options["interpolation"] = 0.1;
  });
  variant("dpnfl", "clients by multinomial draws", [](fl::RunRequest& run) {
    run.client_sampling = fl::ClientSampling::md;
    run.weights = fl::Weights::records;
  });
  variant("addpnfl", "FedAvg's sampling", [](fl::RunRequest& run) {
    run.client_sampling = fl::ClientSampling::fedavg;
    run.weights = fl::Weights::records;
  });
  for (const char* name : {"dp-mb-sgd", "dp-ac-sa", "dp-multi-stage-ac-sa"})
    variant(name, "one pass", [](fl::RunRequest& run) { run.batches = fl::Batches::disjoint; });
  for (const char* name : {"dp-fedavg", "dp-mb-sgd", "dp-ac-sa"})
    variant(name, "drawn with replacement", [](fl::RunRequest& run) { run.batches = fl::Batches::with_replacement; });
  variant("dp-fedavg", "shuffled, with records left over", [](fl::RunRequest& run) {
    run.batches = fl::Batches::shuffled;
    run.local_steps = 3;
  });
  variant("dp-fedsgd", "shuffled", [](fl::RunRequest& run) { run.batches = fl::Batches::shuffled; });
  for (const char* name : {"dp-fedavg", "dp-scaffold", "dpnfl"})
    variant(name, "stopped by a filter", [](fl::RunRequest& run) {
      run.schedule = "validation:factor=0.7,patience=1";
      run.rounds = 12;
      run.evaluate_every = 1;
      run.epsilon = 4;
    });
  return all;
}

fl::Report run_and_verify(const fl::RunRequest& run, const fl::FederatedData& data, double delta, fl::Fault fault) {
  const TemporaryLedger file;
  fl::LedgerWriter writer(file.path());
  fl::Surroundings around;
  around.ledger = &writer;
  around.fault = fault;
  fl::simulate(run, data, around);
  return fl::verify(file.path(), delta);
}

// Those under which a run is tried: its own, where it has one.
std::vector<std::string_view> schedules_for(const fl::RunRequest& run) {
  if (run.schedule != "constant") return {run.schedule};
  if (!fl::traits_of(fl::find_algorithm(run.algorithm).mechanism).takes_multipliers) return {"constant"};
  return {schedules.begin(), schedules.end()};
}

std::vector<fl::Fault> faults_for(const fl::RunRequest& run) {
  std::vector<fl::Fault> faults = {fl::Fault::unclipped, fl::Fault::drawn_twice, fl::Fault::weak_noise,
                                   fl::Fault::shared_noise};
  if (std::holds_alternative<fl::AdaptiveClipping>(run.clipping))
    faults.insert(faults.end(), {fl::Fault::weak_count_noise, fl::Fault::shared_count_noise, fl::Fault::noiseless_count,
                                 fl::Fault::stuck_norm});
  if (run.batches == fl::Batches::shuffled) faults.push_back(fl::Fault::reused_batch);
  if (fl::validation_of(run.schedule)) faults.push_back(fl::Fault::ignored_filter);
  if (schedules_for(run).size() > 1) faults.push_back(fl::Fault::shifted_schedule);
  return faults;
}

std::string bracket(const std::optional<fl::Priced>& priced) {
  if (!priced) return "none";
  return fmt::format("[{}, {}]", rounded_down(priced->epsilon.lower), rounded_up(priced->epsilon.upper));
}

}  // namespace

Matrix verify_matrix(double delta, const std::function<void(const std::string&)>& progress) {
  fl::FederatedData data = fl::synthetic({.alpha = 1, .beta = 1, .users = 8, .records_per_user = 60, .seed = 1});
  fl::standardise(data);
  fl::normalise_records(data);
  Matrix matrix{{}, {}, true};
  for (const Case& one : cases()) {
    for (const std::string_view schedule : schedules_for(one.run)) {
      fl::RunRequest run = one.run;
      run.schedule = schedule;
      run.delta = delta;
      progress(fmt::format("{}, {}", one.name, schedule));
      matrix.runs.push_back({one.name, run.schedule, run_and_verify(run, data, delta, fl::Fault::none)});
      matrix.passed = matrix.passed && matrix.runs.back().report.passed;
    }
    for (const fl::Fault fault : faults_for(one.run)) {
      fl::RunRequest run = one.run;
      run.delta = delta;
      // Every round of it has noise of its own.
      if (fault == fl::Fault::shifted_schedule) run.schedule = "exponential:0.95";
      progress(fmt::format("{}, fault {}", one.name, to_string(fault)));
      const fl::Report report = run_and_verify(run, data, delta, fault);
      MatrixFault found{one.name, fault, {}};
      for (const fl::Check& check : report.checks)
        if (!check.passed) found.caught_by.push_back(check.name);
      matrix.passed = matrix.passed && !found.caught_by.empty();
      matrix.faults.push_back(std::move(found));
    }
  }
  return matrix;
}

std::string matrix_text(const Matrix& matrix) {
  std::vector<Row> rows{{"run", "schedule", "adversary", "published", "planned, proven", "executed, proven",
                         "worst client's records", "verdict"}};
  for (const MatrixRun& run : matrix.runs)
    for (const fl::View& view : run.report.views) {
      // What one client's records paid holds for who knows when it took part: the server.
      const auto worst = view.adversary == fl::Adversary::server ? run.report.worst_client : std::nullopt;
      rows.push_back({run.name, run.schedule, std::string(to_string(view.adversary)), claimed_text(view.published),
                      bracket(view.planned), bracket(view.executed),
                      worst ? rounded_up(run.report.clients[*worst].paid->epsilon.upper) : "",
                      run.report.passed ? "PASS" : "FAIL"});
    }
  std::string text = fmt::format("epsilon at delta {}; [at least, at most]\n{}\n",
                                 matrix.runs.empty() ? 0 : matrix.runs.front().report.delta, table(rows));
  std::vector<Row> faults{{"run", "mistake", "found by"}};
  for (const MatrixFault& fault : matrix.faults)
    faults.push_back({fault.name, std::string(to_string(fault.fault)),
                      fault.caught_by.empty() ? "NOTHING" : fmt::format("{}", fmt::join(fault.caught_by, ", "))});
  text += table(faults) + "\n";
  return text + field("verdict", matrix.passed ? "PASS: every run verifies, every mistake is found"
                                               : "FAIL: see the rows marked FAIL or NOTHING");
}

nlohmann::json matrix_json(const Matrix& matrix) {
  nlohmann::json runs = nlohmann::json::array();
  for (const MatrixRun& run : matrix.runs) {
    nlohmann::json json = report_json(run.report, {std::nullopt, fl::Adversary::server});
    json["name"] = run.name;
    json["schedule"] = run.schedule;
    runs.push_back(std::move(json));
  }
  nlohmann::json faults = nlohmann::json::array();
  for (const MatrixFault& fault : matrix.faults)
    faults.push_back({{"name", fault.name}, {"fault", to_string(fault.fault)}, {"caught_by", fault.caught_by}});
  return {{"runs", runs}, {"faults", faults}, {"passed", matrix.passed}};
}

}  // namespace dpbudget::tools
