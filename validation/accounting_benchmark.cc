/// @file
/// Times of the Rényi accountant and the solvers: the plans are built beforehand, every curve is computed afresh.

#include <benchmark/benchmark.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/solve/unknown.h"

namespace dpbudget {
namespace {

void time_epsilon(benchmark::State& state, const Plan& plan, double delta) {
  double epsilon = 0;
  for (auto _ : state) {
    epsilon = renyi::epsilon(plan, delta).upper;
    benchmark::DoNotOptimize(epsilon);
  }
  state.counters["epsilon"] = epsilon;
}

void PoissonGaussian(benchmark::State& state) {
  time_epsilon(state, parse_plan("10000 x poisson(0.01, gaussian(1))"), 1e-5);
}
BENCHMARK(PoissonGaussian)->Name("W1: 10,000 x poisson(0.01, gaussian(1))")->Unit(benchmark::kMillisecond);

void NoiseSchedule(benchmark::State& state) {
  std::vector<Event> rounds;
  for (int t = 0; t < 2000; ++t) rounds.push_back(PoissonSampled{0.02, Event(Gaussian{4 * std::pow(0.999, t)})});
  time_epsilon(state, {compose(std::move(rounds)), Adjacency::add_or_remove_one}, 1e-5);
}
BENCHMARK(NoiseSchedule)
    ->Name("W5: 2,000 rounds of poisson(0.02, gaussian(4 * 0.999^t))")
    ->Unit(benchmark::kMillisecond);

void WithoutReplacementGaussian(benchmark::State& state) {
  time_epsilon(state, parse_plan("1000 x wor(0.02, gaussian(2))"), 1e-5);
}
BENCHMARK(WithoutReplacementGaussian)->Name("W10: 1000 x wor(0.02, gaussian(2))")->Unit(benchmark::kMillisecond);

void Nested(benchmark::State& state) {
  time_epsilon(state, parse_plan("428 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))"), 2.5e-6);
}
BENCHMARK(Nested)
    ->Name("428 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))")
    ->Unit(benchmark::kMillisecond);

void RoundsOfNoble(benchmark::State& state) {
  const Plan round = parse_plan("participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))");
  std::uint64_t rounds = 0;
  for (auto _ : state) {
    rounds = renyi::rounds(round, 3, 2.5e-6).rounds;
    benchmark::DoNotOptimize(rounds);
  }
  state.counters["rounds"] = static_cast<double>(rounds);
}
BENCHMARK(RoundsOfNoble)
    ->Name("rounds of participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))")
    ->Unit(benchmark::kMillisecond);

void NoiseForABudget(benchmark::State& state) {
  const Plan plan = parse_plan("1000 x poisson(0.01, gaussian(?))");
  double noise = 0;
  for (auto _ : state) {
    noise = solve::unknown(plan, 1, 1e-6, renyi::epsilon).value().value.value();
    benchmark::DoNotOptimize(noise);
  }
  state.counters["noise"] = noise;
}
BENCHMARK(NoiseForABudget)->Name("W7: noise of 1000 x poisson(0.01, gaussian(?))")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpbudget
