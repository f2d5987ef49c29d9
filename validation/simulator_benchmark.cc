/// @file
/// Time of one round of DP-SCAFFOLD, 40 features and 10 classes, K = 10, s = 0.2: on the setting of Noble et al. (M =
/// 100 users of 5000 records, 4000 of them train, l = 0.2), and with 10,000 users of 100 records, of whom 1 % take
/// part. And of a whole run on users whose records are drawn when they are needed, 20 each, of whom 1 % take part: 20
/// rounds of DP-FedAvg, K = 5, batches of 10, evaluated on 1000 users, with its ledger and what verifies it.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "dpbudget/fl/data/drawn_synthetic.h"
#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/synthetic.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::fl {
namespace {

struct Setting {
  std::size_t users;
  std::size_t records_per_user;  // a fifth of them test
  double user_rate;
};
constexpr Setting noble{100, 5000, 0.2};
constexpr Setting many_users{10000, 125, 0.01};

FederatedData data_of(const Setting& setting) {
  FederatedData made = synthetic(
      {.alpha = 1, .beta = 1, .users = setting.users, .records_per_user = setting.records_per_user, .seed = 1});
  standardise(made);
  normalise_records(made);
  return made;
}

RunRequest run_of(const Setting& setting, unsigned threads) {
  RunRequest run;
  run.algorithm = "dp-scaffold";
  run.user_rate = setting.user_rate;
  run.record_rate = 0.2;
  run.local_steps = 10;
  run.noise_multiplier = 60;
  run.clip_norm = 0.5;
  run.delta = 2.5e-6;
  run.threads = threads;
  return run;
}

// Of a whole run without a ledger, evaluated before the first and after the last round only.
double seconds_of(RunRequest run, const FederatedData& data, std::uint64_t rounds) {
  run.rounds = rounds;
  run.evaluate_every = rounds;
  const auto began = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(simulate(run, data));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// The most that the process ever held.
void show_memory(benchmark::State& state) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

// Two runs that differ by `more` rounds have everything else in common, checks and evaluations too: their difference
// is the time of those rounds. Memory is the most that the process ever held, the data included.
void dp_scaffold_round(benchmark::State& state, const Setting& setting) {
  constexpr std::uint64_t more = 20;
  const RunRequest run = run_of(setting, static_cast<unsigned>(state.range(0)));
  const FederatedData data = data_of(setting);
  for (auto _ : state) {
    const double one = seconds_of(run, data, 1);
    state.SetIterationTime((seconds_of(run, data, 1 + more) - one) / more);
  }
  show_memory(state);
}

// Twenty rounds among state.range(0) users.
void drawn_users(benchmark::State& state) {
  RunRequest run;
  run.algorithm = "dp-fedavg";
  run.rounds = 20;
  run.user_rate = 0.01;
  run.batch_size = 10;
  run.local_steps = 5;
  run.noise_multiplier = 10;
  run.clip_norm = 0.5;
  run.evaluate_clients = 1000;
  run.threads = 2;
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "dpbudget-simulator-benchmark.jsonl";
  for (auto _ : state) {
    const DrawnSynthetic users(
        {.alpha = 1, .beta = 1, .users = static_cast<std::uint64_t>(state.range(0)), .records_per_user = 20, .seed = 1},
        {.normalised = true});
    {
      LedgerWriter writer(file);
      Surroundings around;
      around.ledger = &writer;
      simulate(run, users, around);
    }
    if (!verify(read_ledger(file), 1e-5).passed) state.SkipWithError("the ledger does not verify");
  }
  std::filesystem::remove(file);
  show_memory(state);
}
BENCHMARK(drawn_users)->ArgName("users")->Arg(100'000)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);

const auto on_one_and_two_threads = [](benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("threads")->Arg(1)->Arg(2)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);
};
BENCHMARK_CAPTURE(dp_scaffold_round, noble, noble)->Apply(on_one_and_two_threads);
BENCHMARK_CAPTURE(dp_scaffold_round, many_users, many_users)->Apply(on_one_and_two_threads);

}  // namespace
}  // namespace dpbudget::fl
