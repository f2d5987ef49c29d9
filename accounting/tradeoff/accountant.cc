#include "dpbudget/accounting/tradeoff/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/exact/composed_gaussian.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/tradeoff/central_limit.h"

namespace dpbudget::tradeoff {
namespace {

constexpr std::string_view accountant = "gdp";
constexpr std::string_view takes = "it takes Gaussians and samples of them";

// Collects the squares of mu.
class Squares {
 public:
  explicit Squares(Adjacency adjacency) : adjacency_(adjacency) {}

  void add(const Event& event, double count) {
    match_node(
        event,
        [&](const Leaf& leaf) {
          const auto* gaussian = std::get_if<Gaussian>(&leaf.event());
          const auto* guarantee = std::get_if<dpbudget::GaussianDp>(&leaf.event());
          if (gaussian == nullptr && guarantee == nullptr) refuse(accountant, event, adjacency_, takes);
          const double mu = gaussian != nullptr ? 1 / gaussian->noise_multiplier.value() : guarantee->mu.value();
          squares_.sum += count * mu * mu;
        },
        [&](const Repeated& e) { add(*e.inner, count * static_cast<double>(e.count.value())); },
        [&](const Composed& e) {
          for (const Event& part : e.parts) add(part, count);
        },
        [&](const PoissonSampled& e) {
          if (adjacency_ == Adjacency::replace_one)
            refuse(accountant, event, adjacency_,
                   "the limit for Poisson sampling holds under add_or_remove_one or zero_out_one");
          add_limit(clt_mu_poisson(e.rate.value(), noise_inside(event, *e.inner), count));
          squares_.has_poisson = true;
        },
        [&](const SampledWithoutReplacement& e) {
          if (adjacency_ != Adjacency::replace_one)
            refuse(accountant, event, adjacency_, "the limit for samples of a fixed size holds under replace_one");
          add_limit(clt_mu_without_replacement(e.rate.value(), noise_inside(event, *e.inner), count));
          squares_.has_without_replacement = true;
        },
        [&](const SampledWithReplacement&) { refuse(accountant, event, adjacency_, takes); },
        [&](const TruncatedPoisson&) { refuse(accountant, event, adjacency_, takes); },
        [&](const Participates&) { refuse(accountant, event, adjacency_, takes); },
        [&](const Shuffled&) { refuse(accountant, event, adjacency_, takes); },
        [&](const RandomlyAllocated&) { refuse(accountant, event, adjacency_, takes); },
        [&](const Grouped& e) {
          const double noise = noise_inside(event, *e.inner);
          const double mu = static_cast<double>(e.records.value()) / noise;
          squares_.sum += count * mu * mu;
        });
  }

  const LimitSquares& found() const { return squares_; }

 private:
  double noise_inside(const Event& event, const Event& inner) const {
    const auto noise = gaussian_noise(inner, Rounding::down);
    if (!noise) refuse(accountant, event, adjacency_, takes);
    return *noise;
  }

  void add_limit(double mu) { squares_.sum += mu * mu; }

  Adjacency adjacency_;
  LimitSquares squares_;
};

LimitSquares squares_of(const NormalPlan& plan) {
  Squares squares(plan.adjacency());
  squares.add(plan.event(), 1);
  return squares.found();
}

LimitSquares repeated(std::uint64_t count, LimitSquares squares) {
  squares.sum *= static_cast<double>(count);
  return squares;
}

// What is said of an answer by a limit.
// accounting/tradeoff/proofs.md, 5.1
Bound limit_bound(const LimitSquares& squares) {
  std::vector<std::string> theorems;
  if (squares.has_poisson) theorems.emplace_back("Poisson sampling: Bu, Dong, Long, Su 2020, central limit theorem");
  if (squares.has_without_replacement)
    theorems.emplace_back("sampling without replacement: Dong, Roth, Su 2019, Corollary 5.4, central limit theorem");
  theorems.emplace_back("Gaussian: Balle, Wang 2018, Theorem 8");
  return {.lower = 0,
          .upper = 0,
          .guarantee = Guarantee::estimate,
          .theorems = std::move(theorems),
          .notes = {fmt::format("a limit for many steps at small rates, mu = {:.6g}: at any number of steps the true "
                                "value may be larger",
                                std::sqrt(squares.sum))},
          .accountant = std::string(accountant)};
}

// epsilon of a Gaussian, also where mu or epsilon leaves the range of a double.
double limit_epsilon(double noise, double delta) {
  if (std::isinf(noise)) return 0;
  if (noise < 1e-150) return infinity;
  return profile::gaussian_epsilon(noise, delta);
}

}  // namespace

GaussianDp gaussian_dp(const NormalPlan& plan) {
  const LimitSquares squares = squares_of(plan);
  return {std::sqrt(squares.sum), squares.is_limit() ? Guarantee::estimate : Guarantee::proven};
}

Accountant::Accountant(const NormalPlan& plan) : plan_(plan), squares_(squares_of(plan)) {}

Bound Accountant::epsilon(std::uint64_t count, double delta) const {
  ranges::count(count);
  ranges::delta(delta);
  if (count == 0 || !squares_.is_limit()) {
    Bound bound = exact::composed_gaussian_epsilon(plan_.repeated(count), delta);
    bound.accountant = accountant;
    return bound;
  }
  const LimitSquares all = repeated(count, squares_);
  Bound bound = limit_bound(all);
  bound.upper = limit_epsilon(1 / std::sqrt(all.sum), delta);
  return bound;
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) const {
  ranges::count(count);
  ranges::epsilon(epsilon);
  if (count == 0 || !squares_.is_limit()) {
    DeltaBound found = exact::composed_gaussian_delta(plan_.repeated(count), epsilon);
    found.bound.accountant = accountant;
    return found;
  }
  const LimitSquares all = repeated(count, squares_);
  DeltaBound found{limit_bound(all), -infinity, 0};
  const double noise = 1 / std::sqrt(all.sum);
  if (std::isinf(noise)) found.log_upper = -infinity;
  if (0 < noise && noise < infinity) found.log_upper = profile::gaussian_log_delta(epsilon, noise);
  found.bound.upper = std::min(1.0, numeric::exp_up(found.log_upper));
  return found;
}

}  // namespace dpbudget::tradeoff
