/// @file
/// Times of compositions that no other library has, or that others overflow on: many different (epsilon, delta)-DP
/// mechanisms, and subsampled trade-off functions.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"

namespace dpbudget {
namespace {

// `count` mechanisms with epsilons spread over [0.01, 0.2].
Plan different_mechanisms(int count) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> epsilon(0.01, 0.2);
  std::vector<Event> parts;
  parts.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) parts.emplace_back(ApproximateDp{epsilon(bits), 1e-9});
  return {compose(std::move(parts)), Adjacency::add_or_remove_one};
}

void bracket(benchmark::State& state, const Plan& plan) {
  Bound bound;
  for (auto _ : state) {
    bound = make_accountant(AccountantName::loss_distribution, plan).value()->epsilon(1, 1e-5).value();
    benchmark::DoNotOptimize(bound);
  }
  state.counters["lower"] = bound.lower;
  state.counters["upper"] = bound.upper;
}

void Heterogeneous(benchmark::State& state) { bracket(state, different_mechanisms(static_cast<int>(state.range(0)))); }
BENCHMARK(Heterogeneous)
    ->Name("optimal composition of different mechanisms")
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

void Homogeneous(benchmark::State& state) {
  double epsilon = 0;
  for (auto _ : state) {
    epsilon = approximate::optimal_composition_epsilon(1e-3, 1e-15, static_cast<double>(state.range(0)), 1e-6);
    benchmark::DoNotOptimize(epsilon);
  }
  state.counters["epsilon"] = epsilon;
}
BENCHMARK(Homogeneous)
    ->Name("optimal composition of equal mechanisms, epsilon of delta")
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void ZhengRow(benchmark::State& state) {
  const auto noise = static_cast<double>(state.range(3)) / 100;
  const Event step = SampledWithoutReplacement{
      Rate(static_cast<std::uint64_t>(state.range(1)), static_cast<std::uint64_t>(state.range(2))),
      Event(Gaussian{noise})};
  bracket(state, {repeat(static_cast<std::uint64_t>(state.range(0)), step), Adjacency::replace_one});
}
BENCHMARK(ZhengRow)
    ->Name("C_p composed: steps/B/n/100 noise")
    ->Args({38 * 93, 16, 600, 100})
    ->Args({38 * 245, 16, 600, 75})
    ->Args({76 * 266, 8, 600, 100})
    ->Args({32 * 468, 16, 500, 100})
    ->Args({32 * 207, 16, 500, 50})
    ->Args({32 * 405, 16, 500, 50})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpbudget
