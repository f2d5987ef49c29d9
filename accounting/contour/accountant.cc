#include "dpbudget/accounting/contour/accountant.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/contour/inversion.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// A contour made for a guess is made anew, nearer to the answer, when its bounds on log delta are farther apart...
constexpr double narrow = 1e-8;
// ... and its bounds are not given at all when they are this far apart.
constexpr double widest = 1e-3;

// A composed loss in one direction.
struct Losses {
  const Transform& loss;
  double count;

  // Whether every outcome's loss is at most epsilon.
  bool has_no_delta_at(double epsilon) const { return count * loss.max_loss() <= epsilon; }
};

// Of log delta, or of epsilon.
struct Found {
  numeric::Bracket bounds;
  double c;  ///< of the contour
};

Found delta_at(const Losses& losses, double epsilon, double guess) {
  if (losses.has_no_delta_at(epsilon)) return {{-infinity, -infinity}, guess};
  Target target = saddle_for_epsilon(losses.loss, losses.count, epsilon, guess);
  for (bool is_last : {false, true}) {
    const auto inversion = Inversion::make(losses.loss, losses.count, target);
    if (!inversion) break;
    const numeric::Bracket bounds = inversion->log_delta(epsilon);
    if (bounds.width() < narrow || (is_last && bounds.width() < widest)) return {bounds, target.c};
    target.log_delta = bounds.upper;
  }
  throw DoesNotConverge();
}

// Whether delta at epsilon is proven to be at most e^log_delta, by a contour through a point that need not be its own.
bool is_below(const Losses& losses, const Target& target) {
  if (losses.has_no_delta_at(target.epsilon)) return true;
  if (chernoff(losses.loss, losses.count, target.c, target.epsilon) <= target.log_delta) return true;
  const auto inversion = Inversion::make(losses.loss, losses.count, target);
  return inversion && inversion->log_delta(target.epsilon).upper <= target.log_delta;
}

// The first of e + by, e + 2 by, e + 4 by, ... at which the bounds lie on the side asked for; 0 when that is reached
// on the way down.
template <class Holds>
double first_that_holds(double epsilon, double by, Holds&& holds) {
  for (; std::isfinite(by); by *= 2) {
    const double moved = std::max(0.0, epsilon + by);
    if (holds(moved)) return moved;
    if (by < 0 && moved == 0) return 0;
  }
  throw DoesNotConverge();
}

Found epsilon_at(const Losses& losses, double log_delta) {
  Target target = saddle_for_delta(losses.loss, losses.count, log_delta);
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (!(target.epsilon > 0)) {
      const Found at_zero = delta_at(losses, 0, target.c);
      if (at_zero.bounds.upper <= log_delta) return {{0, 0}, at_zero.c};
      target = {at_zero.c, 0, log_delta};
    }
    const auto inversion = Inversion::make(losses.loss, losses.count, target);
    if (!inversion) throw DoesNotConverge();
    const double root = inversion->epsilon_of(log_delta, target.epsilon);
    const numeric::Bracket bounds = inversion->log_delta(root);
    if (bounds.width() < (attempt < 3 ? narrow : widest)) {
      const double rounding = unit * std::abs(log_delta);
      const double step = 2 * (bounds.width() + rounding) / inversion->c();
      return {{first_that_holds(root, -step,
                                [&](double e) { return inversion->log_delta(e).lower > log_delta + rounding; }),
               first_that_holds(root, step,
                                [&](double e) { return inversion->log_delta(e).upper < log_delta - rounding; })},
              target.c};
    }
    target = saddle_for_epsilon(losses.loss, losses.count, root, target.c);
    target.log_delta = log_delta;
  }
  throw DoesNotConverge();
}

}  // namespace

Contour::Contour(const NormalPlan& round) : transforms_(transforms_of(round)) {}

std::vector<std::string> Contour::theorems(std::uint64_t count) const {
  PlanTransforms used = transforms_;
  if (count > 1) used.cite_composition();
  used.theorems.emplace_back(
      "contour integral of the moment generating function, both errors bounded: accounting/contour/proofs.md");
  return used.theorems;
}

Bound Contour::epsilon(std::uint64_t count, double delta) const {
  ranges::delta(delta);
  Bound bound{.lower = 0,
              .upper = 0,
              .guarantee = Guarantee::proven,
              .theorems = theorems(count),
              .notes = {},
              .accountant = "contour"};
  if (transforms_.directions.empty() || count == 0) return bound;
  const auto times = static_cast<double>(count);
  const double log_delta = std::log(delta);
  const Found first = epsilon_at({*transforms_.directions.front(), times}, log_delta);
  bound.lower = first.bounds.lower;
  bound.upper = first.bounds.upper;
  for (const TransformPtr& loss : std::span(transforms_.directions).subspan(1)) {
    if (is_below({*loss, times}, {first.c, first.bounds.upper, log_delta})) continue;
    const Found other = epsilon_at({*loss, times}, log_delta);
    bound.lower = std::max(bound.lower, other.bounds.lower);
    bound.upper = std::max(bound.upper, other.bounds.upper);
  }
  return bound;
}

DeltaBound Contour::delta(std::uint64_t count, double epsilon) const {
  ranges::epsilon(epsilon);
  numeric::Bracket bounds{-infinity, -infinity};
  double c = 1;
  const auto times = static_cast<double>(count);
  if (count > 0) {
    for (const TransformPtr& loss : transforms_.directions) {
      const Losses losses{*loss, times};
      if (bounds.upper > -infinity && is_below(losses, {c, epsilon, bounds.lower})) continue;
      const Found at = delta_at(losses, epsilon, c);
      c = at.c;
      bounds.lower = std::max(bounds.lower, at.bounds.lower);
      bounds.upper = std::max(bounds.upper, at.bounds.upper);
    }
  }
  bounds.upper = std::min(bounds.upper, 0.0);
  const auto error = [](double log_value) { return 4 * unit * (1 + std::abs(log_value)); };
  Bound bound{.lower = std::nextafter(std::exp(bounds.lower) * (1 - error(bounds.lower)), 0.0),
              .upper = std::min(1.0, numeric::raised(std::exp(bounds.upper), error(bounds.upper))),
              .guarantee = Guarantee::proven,
              .theorems = theorems(count),
              .notes = {},
              .accountant = "contour"};
  if (std::isinf(bounds.lower)) bound.lower = 0;
  if (std::isinf(bounds.upper)) bound.upper = 0;
  return {std::move(bound), bounds.lower, bounds.upper};
}

Bound epsilon(const NormalPlan& plan, double delta) { return Contour(plan).epsilon(1, delta); }

DeltaBound delta(const NormalPlan& plan, double epsilon) { return Contour(plan).delta(1, epsilon); }

}  // namespace dpbudget::contour
