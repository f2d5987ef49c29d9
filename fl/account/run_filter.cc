#include "dpbudget/fl/account/run_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/fl/account/proven_plan.h"
#include "dpbudget/fl/round/recipe.h"

namespace dpbudget::fl {
namespace {

constexpr double kept_back = 1e-9;

// Close enough that the best of them lets through nearly as many rounds as any order.
constexpr std::array orders = {1.25, 1.5,  1.75, 2.0,  2.5,  3.0,  4.0,  5.0,  6.0,  8.0,   10.0,
                               12.0, 16.0, 20.0, 24.0, 32.0, 40.0, 48.0, 64.0, 96.0, 128.0, 256.0};

// What may be added up, the best for Gaussians alone first.
std::vector<filter::Measure> measures() {
  std::vector<filter::Measure> all = {filter::Gaussians{}};
  for (const double order : orders) all.emplace_back(filter::AtOrder{order});
  return all;
}

double share_of_first(const SettledRun& run, const std::vector<Sizes>& everybody) {
  return RunFilter(run, everybody).share(run, 1);
}

}  // namespace

RunFilter::RunFilter(const SettledRun& run, std::vector<Sizes> everybody) : everybody_(std::move(everybody)) {
  for (const Sizes& sizes : everybody_) check(run, sizes);
}

double RunFilter::one_round(const SettledRun& run, std::size_t kind, std::size_t stretch, std::uint64_t number) {
  const auto [found, is_new] = known_.try_emplace({kind, stretch}, infinity);
  if (!is_new) return found->second;
  try {
    const auto round = proven_round(run, everybody_[kind], run->budget_for, number);
    if (round) found->second = run.filter()->measured(*round);
  } catch (const Unsupported&) {
    // Nothing is known of it.
  } catch (const InvalidArgument&) {
    // The noise has left the range of a double.
  }
  return found->second;
}

double RunFilter::share(const SettledRun& run, std::uint64_t rounds) {
  double most = 0;
  for (std::size_t kind = 0; kind < everybody_.size(); ++kind) {
    double used = 0;
    std::size_t stretch = 0;
    for (std::uint64_t number = 1; number <= rounds; ++stretch) {
      const std::uint64_t next = std::min(next_noise_change(run, number), rounds + 1);
      used = numeric::add_up(
          used, numeric::multiply_up(static_cast<double>(next - number), one_round(run, kind, stretch, number)));
      number = next;
    }
    most = std::max(most, used);
  }
  return most / run.filter()->budget();
}

bool RunFilter::admits(const SettledRun& run, std::uint64_t rounds) { return share(run, rounds) <= 1 - kept_back; }

Bound of_run(const SettledRun& run, Bound of_plan) {
  if (run.filter() == nullptr) return of_plan;
  const Bound& filtered = run.filter()->guarantee();
  of_plan.lower = 0;
  of_plan.theorems.insert(of_plan.theorems.begin(), filtered.theorems.front());
  of_plan.notes.push_back(filtered.notes.front());
  return of_plan;
}

SettledRun with_chosen_filter(const SettledRun& run, const std::vector<Sizes>& everybody) {
  if (!run.validation()) return run;
  if (run.filter() != nullptr) {
    require(share_of_first(run, everybody) < infinity, "schedule", run.written().schedule,
            "one whose filter takes such rounds: leave it out, and one is chosen");
    return run;
  }
  std::optional<SettledRun> best;
  double least = infinity;
  for (const filter::Measure& measure : measures()) {
    std::optional<SettledRun> with;
    try {
      with = run.with_filter(measure);
    } catch (const InvalidArgument&) {
      continue;  // at this order nothing is within the budget
    }
    const double share = share_of_first(*with, everybody);
    if (!(share < least)) continue;
    least = share;
    best = std::move(with);
    if (std::holds_alternative<filter::Gaussians>(measure)) break;  // exact
  }
  require(
      best.has_value(), "epsilon", run->epsilon.value(),
      fmt::format("enough for one round of this run against {} at delta {}", to_string(run->budget_for), run->delta));
  return *std::move(best);
}

}  // namespace dpbudget::fl
