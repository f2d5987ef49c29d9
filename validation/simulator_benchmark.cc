/// @file
/// Time of one round of DP-SCAFFOLD: M = 100 users of 5000 records (4000 of them train), l = 0.2, s = 0.2, K = 10, 40
/// features, 10 classes.

#include <benchmark/benchmark.h>

#include <chrono>

#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/synthetic.h"
#include "dpbudget/fl/runner.h"

namespace dpbudget::fl {
namespace {

const FederatedData& paper_data() {
  static const FederatedData data = [] {
    FederatedData made = synthetic({.alpha = 1, .beta = 1, .users = 100, .records_per_user = 5000, .seed = 1});
    standardise(made);
    normalise_records(made);
    return made;
  }();
  return data;
}

Run paper_run(unsigned threads) {
  Run run;
  run.algorithm = "dp-scaffold";
  run.user_rate = 0.2;
  run.record_rate = 0.2;
  run.local_steps = 10;
  run.noise_multiplier = 60;
  run.clip_norm = 0.5;
  run.delta = 2.5e-6;
  run.threads = threads;
  return run;
}

// Of a whole run without a ledger, evaluated before the first and after the last round only.
double seconds_of(Run run, std::uint64_t rounds) {
  run.rounds = rounds;
  run.evaluate_every = rounds;
  const auto began = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(simulate(run, paper_data()));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Two runs that differ by `more` rounds have everything else in common, checks and evaluations too: their difference
// is the time of those rounds.
void DpScaffoldRound(benchmark::State& state) {
  constexpr std::uint64_t more = 20;
  const Run run = paper_run(static_cast<unsigned>(state.range(0)));
  paper_data();
  for (auto _ : state) {
    const double one = seconds_of(run, 1);
    state.SetIterationTime((seconds_of(run, 1 + more) - one) / more);
  }
}
BENCHMARK(DpScaffoldRound)
    ->Name("round of DP-SCAFFOLD, M=100, R=5000, l=0.2, s=0.2, K=10")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpbudget::fl
