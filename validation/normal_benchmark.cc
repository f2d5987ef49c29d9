/// @file
/// Time of normal draws: one at a time, and as many at once as the argument says, from one stream;
/// and of what they are made by, with each instruction set.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/mechanisms/box_muller.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/threefry.h"

namespace dpbudget::mechanisms {
namespace {

const StreamKey key{1, Purpose::noise, 2, 3, 4};

void show_draws(benchmark::State& state) {
  state.counters["per draw"] =
      benchmark::Counter(static_cast<double>(state.range(0)),
                         static_cast<benchmark::Counter::Flags>(benchmark::Counter::kIsIterationInvariantRate |
                                                                benchmark::Counter::kInvert));
}

void one_at_a_time(benchmark::State& state) {
  Stream stream(key);
  std::vector<double> draws(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    for (double& draw : draws) draw = stream.normal();
    benchmark::DoNotOptimize(draws.data());
  }
  show_draws(state);
}

void together(benchmark::State& state) {
  Stream stream(key);
  std::vector<double> draws(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    stream.fill_normal(draws);
    benchmark::DoNotOptimize(draws.data());
  }
  show_draws(state);
}

// The transform alone, by each instruction set that this machine has.
void transform(benchmark::State& state, std::size_t version) {
  Stream stream(key);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(state.range(0)));
  std::vector<double> draws(words.size());
  for (std::uint64_t& word : words) word = stream();
  for (auto _ : state) {
    box_muller_versions()[version].transform(words.data(), draws.data(), words.size() / box_muller_words);
    benchmark::DoNotOptimize(draws.data());
  }
  state.SetLabel(std::string(box_muller_versions()[version].instructions));
  show_draws(state);
}

const auto lengths = [](benchmark::internal::Benchmark* benchmark) {
  for (const int draws : {1, 2, 3, 5, 10, 20, 100, 410, 1000, 10000}) benchmark->Arg(draws);
};
BENCHMARK(one_at_a_time)->Apply(lengths);
BENCHMARK(together)->Apply(lengths);

// The words alone, likewise.
void words(benchmark::State& state, std::size_t version) {
  constexpr ThreefrySequence sequence{{1, 5}, {2, 3, 4}};
  std::vector<std::uint64_t> words(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    threefry_versions()[version].blocks(sequence, 0, words.data(), words.size() / (4 * threefry_group));
    benchmark::DoNotOptimize(words.data());
  }
  state.SetLabel(std::string(threefry_versions()[version].instructions));
  show_draws(state);
}

const bool registered = [] {
  for (std::size_t i = 0; i < threefry_versions().size(); ++i)
    benchmark::RegisterBenchmark("words", words, i)->Arg(256);
  for (std::size_t i = 0; i < box_muller_versions().size(); ++i)
    benchmark::RegisterBenchmark("transform", transform, i)->Arg(256);
  return true;
}();

}  // namespace
}  // namespace dpbudget::mechanisms
