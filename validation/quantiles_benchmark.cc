/// @file
/// Times of questions about random plans, each from a plan to its answer, as quantiles in seconds; the label is the
/// slowest plan. Another number of plans: --benchmark_filter takes Epsilon/10000 and the like.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/accounting/solve/rounds.h"

namespace dpbudget {
namespace {

constexpr std::uint64_t seed = 1;

// A plan, and the same with a ? in the place of a number.
struct Text {
  std::string known;
  std::string unknown;
};

struct RandomPlan {
  Text text;
  double delta;
};

// One to three parts, each repeated: releases, sampled or not, by all of its users or some, or shuffled.
class PlanWriter {
 public:
  RandomPlan operator()() {
    is_replaced_ = is_heads();
    const std::size_t parts = std::min<std::size_t>(3, 1 + below(5) / 2);
    Text text = part();
    for (std::size_t i = 1; i < parts; ++i) {
      const std::string more = " + " + part().known;
      text = {text.known + more, text.unknown + more};
    }
    const std::string adjacency = is_replaced_ ? " under replace_one" : " under add_or_remove_one";
    return {{text.known + adjacency, text.unknown + adjacency}, log_uniform(1e-12, 1e-4)};
  }

 private:
  Text part() {
    const std::string times = fmt::format("{:.0f} x ", log_uniform(1, 1e4));
    if (is_replaced_ && below(4) == 0)
      return around(times + fmt::format("shuffle({:.0f}, ", log_uniform(50, 1e6)), response());
    const Text released = below(3) == 0 ? leaf() : around(sampling(), few());
    if (below(3) != 0) return {times + released.known, times + released.unknown};
    return around(times + fmt::format("participates({:.6g}, ", uniform()), released);
  }

  std::string sampling() {
    if (!is_replaced_) return fmt::format("poisson({:.6g}, ", log_uniform(1e-4, 0.5));
    const double population = std::vector{50, 1000, 60000}[below(3)];
    return fmt::format("wor({:.0f} of {}, ", log_uniform(1, population / 2), population);
  }

  Text few() {
    const Text once = leaf();
    if (below(4) != 0) return once;
    const std::string times = fmt::format("{} x ", 2 + below(19));
    return {times + once.known, times + once.unknown};
  }

  Text leaf() {
    const auto one = [&](const char* name, double low, double high) {
      return Text{fmt::format("{}({:.6g})", name, log_uniform(low, high)), fmt::format("{}(?)", name)};
    };
    switch (below(8)) {
      case 0:
        return one("laplace", 0.5, 50);
      case 1:
        return one("discrete_gaussian", 1, 30);
      case 2:
        return one("discrete_laplace", 0.5, 20);
      case 3:
        return response();
      case 4:
        return one("pure", 0.005, 2);
      case 5: {
        const std::string rest = fmt::format(", {:.6g})", log_uniform(1e-12, 1e-7));
        return {fmt::format("approximate({:.6g}", log_uniform(0.01, 1)) + rest, "approximate(?" + rest};
      }
      default:
        return one("gaussian", 0.3, 50);
    }
  }

  Text response() {
    const std::string rest = is_heads() ? fmt::format(", {})", 2 + below(50)) : ")";
    return {fmt::format("rr({:.6g}", log_uniform(0.01, 4)) + rest, "rr(?" + rest};
  }

  static Text around(const std::string& head, const Text& inside) {
    return {head + inside.known + ")", head + inside.unknown + ")"};
  }

  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }
  bool is_heads() { return below(2) == 0; }

  std::mt19937_64 random_{seed};
  bool is_replaced_ = false;
};

double epsilon_of(const RandomPlan& plan) {
  const auto accountant = make_accountant(AccountantName::best, parse_plan(plan.text.known));
  return accountant.value()->epsilon(1, plan.delta).value().upper;
}

void ask_epsilon(const RandomPlan& plan, double /*spent*/) { epsilon_of(plan); }

void ask_rounds(const RandomPlan& plan, double spent) {
  solve::rounds(parse_plan(plan.text.known), AccountantName::best, default_tolerance, 3 * spent, plan.delta).value();
}

void ask_unknown(const RandomPlan& plan, double spent) {
  const Plan asked = plan_of(parse(plan.text.unknown), std::nullopt);
  solve::unknown(asked, AccountantName::best, default_tolerance, spent, plan.delta).value();
}

template <class Ask>
void time_questions(benchmark::State& state, const Ask& ask) {
  struct Time {
    double seconds;
    std::string plan;
  };
  std::vector<Time> times;
  double refused = 0;
  for (auto _ : state) {
    PlanWriter write;
    double all = 0;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      const RandomPlan plan = write();
      const double spent = epsilon_of(plan);
      if (!std::isfinite(spent)) continue;  // no budget to ask for
      const auto began = std::chrono::steady_clock::now();
      try {
        ask(plan, spent);
      } catch (const Unsupported&) {
        ++refused;
      }
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      times.push_back({seconds, fmt::format("{} at delta {:.6g}", plan.text.known, plan.delta)});
      all += seconds;
    }
    state.SetIterationTime(all);
  }
  std::ranges::sort(times, {}, &Time::seconds);
  const auto quantile = [&](double share) {
    return times[std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())))]
        .seconds;
  };
  state.counters["median"] = quantile(0.5);
  state.counters["90%"] = quantile(0.9);
  state.counters["99%"] = quantile(0.99);
  state.counters["most"] = times.back().seconds;
  state.counters["refused"] = refused;
  state.SetLabel(times.back().plan);
}

void Epsilon(benchmark::State& state) { time_questions(state, ask_epsilon); }
void Rounds(benchmark::State& state) { time_questions(state, ask_rounds); }
void Solve(benchmark::State& state) { time_questions(state, ask_unknown); }

void as_quantiles(benchmark::internal::Benchmark* questions) {
  questions->Arg(100)->Arg(300)->Arg(10000)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);
}
BENCHMARK(Epsilon)->Apply(as_quantiles);
BENCHMARK(Rounds)->Apply(as_quantiles);
BENCHMARK(Solve)->Apply(as_quantiles);

}  // namespace
}  // namespace dpbudget
