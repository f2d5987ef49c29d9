/// @file
/// Times of amplification by shuffling, where other libraries take seconds and leave percents between their bounds.

#include <benchmark/benchmark.h>

#include <cmath>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget {
namespace {

void Clones(benchmark::State& state) {
  numeric::Bracket found{};
  for (auto _ : state) {
    const shuffle::ClonePair pair =
        shuffle::clones(static_cast<double>(state.range(1)), std::pow(10.0, static_cast<double>(state.range(0))));
    found = shuffle::epsilon_bracket(pair, std::log(1e-6), {8e-5});
    benchmark::DoNotOptimize(found);
  }
  state.counters["upper"] = found.upper;
  state.counters["width"] = (found.upper - found.lower) / found.upper;
}
BENCHMARK(Clones)
    ->Name("clones, epsilon bracket, 10^n reports, local epsilon")
    ->ArgsProduct({{4, 5, 6, 8, 9}, {1, 2, 4}})
    ->Unit(benchmark::kMillisecond);

void Blanket(benchmark::State& state) {
  const shuffle::Randomizer response = shuffle::randomized_response(1, 10);
  Bound found;
  for (auto _ : state) {
    found = shuffle::blanket_epsilon(response, static_cast<std::uint64_t>(state.range(0)), 1e-6);
    benchmark::DoNotOptimize(found);
  }
  state.counters["upper"] = found.upper;
}
BENCHMARK(Blanket)
    ->Name("privacy blanket of randomised response over 10 values, reports")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void ComposedShuffles(benchmark::State& state) {
  const Plan plan = parse_plan("1000 x shuffle(10000, rr(2)) + gaussian(4)");
  Bound found;
  for (auto _ : state) {
    found = make_accountant(AccountantName::loss_distribution, plan).value()->epsilon(1, 1e-6).value();
    benchmark::DoNotOptimize(found);
  }
  state.counters["lower"] = found.lower;
  state.counters["upper"] = found.upper;
}
BENCHMARK(ComposedShuffles)->Name("1000 x shuffle(10000, rr(2)) + gaussian(4)")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpbudget
