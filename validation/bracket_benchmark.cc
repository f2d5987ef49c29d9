/// @file
/// Times of certified brackets on the workloads that other accountants are measured by: each from a plan to its answer,
/// nothing kept from one run to the next. The counters show the bracket, so that a fast wrong answer shows.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/accounting/solve/rounds.h"

namespace dpbudget {
namespace {

struct Workload {
  std::string name;
  Plan plan;
  double delta;
};

Plan noise_schedule() {
  std::vector<Event> rounds;
  for (int t = 0; t < 2000; ++t) rounds.push_back(PoissonSampled{0.02, Event(Gaussian{4 * std::pow(0.999, t)})});
  return {compose(std::move(rounds)), Adjacency::add_or_remove_one};
}

// Of samples so rare that the losses of a thousand hardly reach what one may be.
Plan drawn_noise_schedule(Rate rate) {
  std::vector<Event> rounds;
  for (int t = 0; t < 1000; ++t)
    rounds.push_back(SampledWithoutReplacement{rate, Event(Gaussian{4 * std::pow(0.999, t)})});
  return {compose(std::move(rounds)), Adjacency::replace_one};
}

// Of releases that are known by their laws alone, each by its own.
Plan schedule_of_laws(const std::string& release) {
  std::vector<Event> rounds;
  for (int t = 0; t < 200; ++t) rounds.push_back(parse_plan(fmt::format(fmt::runtime(release), 1 + t / 200.0)).event);
  return {compose(std::move(rounds)), Adjacency::replace_one};
}

std::vector<Workload> workloads() {
  return {{"W2: 10,000 x poisson(0.01, gaussian(1))", parse_plan("10000 x poisson(0.01, gaussian(1))"), 1e-5},
          {"W3: 14,100 x poisson(256 of 60000, gaussian(1.1))",
           parse_plan("14100 x poisson(256 of 60000, gaussian(1.1))"), 1e-5},
          {"W4: 1e6 x poisson(1e-4, gaussian(0.8))", parse_plan("1000000 x poisson(0.0001, gaussian(0.8))"), 1e-5},
          {"W5: 2,000 rounds of poisson(0.02, gaussian(4 * 0.999^t))", noise_schedule(), 1e-5},
          {"1,000 rounds of wor(0.02, gaussian(4 * 0.999^t))", drawn_noise_schedule(0.02), 1e-6},
          {"1,000 rounds of wor(256 of 60000, gaussian(4 * 0.999^t))", drawn_noise_schedule(Rate(256, 60000)), 1e-6},
          {"200 rounds of laplace(1 + t / 200)", schedule_of_laws("laplace({})"), 1e-6},
          {"200 rounds of wor(2 of 1000, laplace(1 + t / 200))", schedule_of_laws("wor(2 of 1000, laplace({}))"), 1e-6},
          {"200 rounds of with_replacement(10 of 1000, gaussian(1 + t / 200))",
           schedule_of_laws("with_replacement(10 of 1000, gaussian({}))"), 1e-6},
          {"200 rounds of shuffle(10000, rr(1 + t / 200))", schedule_of_laws("shuffle(10000, rr({}))"), 1e-6},
          {"W6: 1000 x laplace(10)", parse_plan("1000 x laplace(10)"), 1e-6},
          {"W11: 100 x gaussian(1)", parse_plan("100 x gaussian(1)"), 1e-5},
          {"428 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))",
           parse_plan("428 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))"), 2.5e-6}};
}

void time_epsilon(benchmark::State& state, const Workload& workload, AccountantName name) {
  Bound bound;
  for (auto _ : state) {
    const Answer<Bound> answer = make_accountant(name, workload.plan).value()->epsilon(1, workload.delta);
    if (!answer) {
      state.SkipWithError(answer.error().text().c_str());
      return;
    }
    benchmark::DoNotOptimize(bound = *answer);
  }
  state.counters["lower"] = bound.lower;
  state.counters["upper"] = bound.upper;
}

void NoiseForABudget(benchmark::State& state) {
  const Plan plan = parse_plan("1000 x poisson(0.01, gaussian(?))");
  double noise = 0;
  for (auto _ : state) {
    noise = solve::unknown(plan, AccountantName::best, default_tolerance, 1, 1e-6).value().value.value();
    benchmark::DoNotOptimize(noise);
  }
  state.counters["noise"] = noise;
}
BENCHMARK(NoiseForABudget)->Name("W7: noise of 1000 x poisson(0.01, gaussian(?))")->Unit(benchmark::kMillisecond);

void RoundsForABudget(benchmark::State& state) {
  const Plan round = parse_plan("poisson(0.02, gaussian(1.5))");
  std::uint64_t rounds = 0;
  for (auto _ : state) {
    rounds = solve::rounds(round, AccountantName::best, default_tolerance, 3, 1e-6).value().rounds;
    benchmark::DoNotOptimize(rounds);
  }
  state.counters["rounds"] = static_cast<double>(rounds);
}
BENCHMARK(RoundsForABudget)->Name("W8: rounds of poisson(0.02, gaussian(1.5))")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpbudget

int main(int argc, char** argv) {
  using dpbudget::AccountantName;
  for (const dpbudget::Workload& workload : dpbudget::workloads())
    for (const AccountantName name :
         {AccountantName::best, AccountantName::contour, AccountantName::loss_distribution}) {
      try {
        dpbudget::make_accountant(name, workload.plan).value();
      } catch (const dpbudget::Unsupported&) {
        continue;  // not every accountant takes every plan
      }
      benchmark::RegisterBenchmark((workload.name + ", " + std::string(to_string(name))).c_str(),
                                   [workload, name](benchmark::State& state) { time_epsilon(state, workload, name); })
          ->Unit(benchmark::kMillisecond);
    }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
