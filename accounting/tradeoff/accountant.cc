#include "dpbudget/accounting/tradeoff/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/exact/composed_gaussian.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/tradeoff/central_limit.h"

namespace dpbudget::tradeoff {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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
          if (gaussian == nullptr) refuse(accountant, event, adjacency_, takes);
          const double mu = 1 / gaussian->noise_multiplier.value();
          sum += count * mu * mu;
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
          has_poisson = true;
        },
        [&](const SampledWithoutReplacement& e) {
          if (adjacency_ != Adjacency::replace_one)
            refuse(accountant, event, adjacency_, "the limit for samples of a fixed size holds under replace_one");
          add_limit(clt_mu_without_replacement(e.rate.value(), noise_inside(event, *e.inner), count));
          has_without_replacement = true;
        },
        [&](const Participates&) { refuse(accountant, event, adjacency_, takes); },
        [&](const Shuffled&) { refuse(accountant, event, adjacency_, takes); });
  }

  bool is_limit() const { return has_poisson || has_without_replacement; }

  double sum = 0;
  bool has_poisson = false;
  bool has_without_replacement = false;

 private:
  double noise_inside(const Event& event, const Event& inner) const {
    const auto noise = gaussian_noise(inner, Rounding::down);
    if (!noise) refuse(accountant, event, adjacency_, takes);
    return *noise;
  }

  void add_limit(double mu) { sum += mu * mu; }

  Adjacency adjacency_;
};

Squares squares_of(const NormalPlan& plan) {
  Squares squares(plan.adjacency());
  squares.add(plan.event(), 1);
  return squares;
}

// What is said of an answer by a limit.
Bound limit_bound(const Squares& squares) {
  std::string theorem;
  if (squares.has_poisson) theorem += "Poisson sampling: Bu, Dong, Long, Su 2020, central limit theorem; ";
  if (squares.has_without_replacement)
    theorem += "sampling without replacement: Dong, Roth, Su 2019, Corollary 5.4, central limit theorem; ";
  theorem += "Gaussian: Balle, Wang 2018, Theorem 8";
  return {.lower = 0,
          .upper = 0,
          .guarantee = Guarantee::estimate,
          .theorem = std::move(theorem),
          .notes = {fmt::format("a limit for many steps at small rates, mu = {:.6g}: at any number of steps the true "
                                "value may be larger",
                                std::sqrt(squares.sum))},
          .accountant = "gdp"};
}

// epsilon of a Gaussian, also where mu or epsilon leaves the range of a double.
double limit_epsilon(double noise, double delta) {
  if (std::isinf(noise)) return 0;
  if (noise < 1e-150) return infinity;
  return profile::gaussian_epsilon(noise, delta);
}

}  // namespace

GaussianDp gaussian_dp(const NormalPlan& plan) {
  const Squares squares = squares_of(plan);
  return {std::sqrt(squares.sum), squares.is_limit() ? Guarantee::estimate : Guarantee::proven};
}

Bound epsilon(const NormalPlan& plan, double delta) {
  ranges::delta(delta);
  const Squares squares = squares_of(plan);
  if (!squares.is_limit()) {
    Bound bound = exact::composed_gaussian_epsilon(plan, delta);
    bound.accountant = "gdp";
    return bound;
  }
  Bound bound = limit_bound(squares);
  bound.upper = limit_epsilon(1 / std::sqrt(squares.sum), delta);
  return bound;
}

DeltaBound delta(const NormalPlan& plan, double epsilon) {
  ranges::epsilon(epsilon);
  const Squares squares = squares_of(plan);
  if (!squares.is_limit()) {
    DeltaBound found = exact::composed_gaussian_delta(plan, epsilon);
    found.bound.accountant = "gdp";
    return found;
  }
  DeltaBound found{limit_bound(squares), -infinity, 0};
  const double noise = 1 / std::sqrt(squares.sum);
  if (std::isinf(noise)) found.log_upper = -infinity;
  if (0 < noise && noise < infinity) found.log_upper = profile::gaussian_log_delta(epsilon, noise);
  found.bound.upper = std::min(1.0, std::exp(found.log_upper));
  return found;
}

}  // namespace dpbudget::tradeoff
