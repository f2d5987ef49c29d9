#include "dpbudget/accounting/contour/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/contour/inversion.h"
#include "dpbudget/accounting/contour/one_sided.h"
#include "dpbudget/accounting/loss_distribution/finite_plan.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// A contour made for a guess is made anew, nearer to the answer, when its bounds on log delta are farther apart...
constexpr double narrow = 1e-8;
// ... or by so much, where the next one would be much the same ...
constexpr double fairly_narrow = 1e-6;
// ... and its bounds are not given at all when they are this far apart.
constexpr double widest = 1e-3;
// A contour that is made for what is no more 1/c away than this is as good as that for its root.
constexpr double near_root = 0.01;
// The transforms of so few hardly decay, and meshes are as good as contours whose tails are larger than these times
// what is wished for.
constexpr double few_releases = 48;
constexpr double loosest_of_few = 100;

// A composed loss in one direction.
struct Losses {
  const Transform& loss;
  double count;
  Inversion::Limits limits;
  witness::Way way = witness::Way::remove;

  // Whether every outcome's loss is at most epsilon.
  bool has_no_delta_at(double epsilon) const { return count * loss.max_loss() <= epsilon; }
};

// Of log delta, or of epsilon.
struct Found {
  numeric::Bracket bounds;
  double c;  ///< of the contour
  Witnesses witnesses = {};
};

Checkable checkable(const Found& found) { return {found.bounds, found.witnesses}; }

// Of which the larger ends count.
Checkable larger(Checkable first, const Checkable& second) {
  if (second.bounds.lower > first.bounds.lower)
    first.bounds.lower = second.bounds.lower, first.witnesses.lower = second.witnesses.lower;
  if (second.bounds.upper > first.bounds.upper)
    first.bounds.upper = second.bounds.upper, first.witnesses.upper = second.witnesses.upper;
  return first;
}

// The upper end of the one, which no data sets attain, and the lower one of the other.
Checkable joined(const Checkable& dominating, const Checkable& attained) {
  return {{attained.bounds.lower, dominating.bounds.upper}, {attained.witnesses.lower, dominating.witnesses.upper}};
}

Found delta_at(const Losses& losses, double epsilon, double guess) {
  if (losses.has_no_delta_at(epsilon)) return {{-infinity, -infinity}, guess, {{}, witness::LargestLoss{epsilon}}};
  Target target = saddle_for_epsilon(losses.loss, losses.count, epsilon, guess);
  for (bool is_last : {false, true}) {
    const auto inversion = Inversion::make(losses.loss, losses.count, target, losses.limits);
    if (!inversion) break;
    const numeric::Bracket bounds = inversion->log_delta(epsilon);
    if (bounds.width() < narrow || (is_last && bounds.width() < widest)) {
      const Witness contour = inversion->witness(epsilon, losses.way);
      return {bounds, target.c, {contour, contour}};
    }
    target.log_delta = bounds.upper;
  }
  throw DoesNotConverge();
}

// Whether delta at epsilon is proven to be at most e^log_delta, by a contour through a point that need not be its own.
bool is_below(const Losses& losses, const Target& target) {
  if (losses.has_no_delta_at(target.epsilon)) return true;
  if (chernoff(losses.loss, losses.count, target.c, target.epsilon) <= target.log_delta) return true;
  const auto inversion = Inversion::make(losses.loss, losses.count, target, losses.limits);
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
      if (at_zero.bounds.upper <= log_delta) return {{0, 0}, at_zero.c, at_zero.witnesses};
      target = {at_zero.c, 0, log_delta};
    }
    const auto inversion = Inversion::make(losses.loss, losses.count, target, losses.limits);
    if (!inversion) throw DoesNotConverge();
    const double root = inversion->epsilon_of(log_delta, target.epsilon);
    const numeric::Bracket bounds = inversion->log_delta(root);
    // The next one would be much the same.
    const bool is_near = std::abs(root - target.epsilon) * target.c < near_root;
    if (bounds.width() < (attempt == 3 ? widest : is_near ? fairly_narrow : narrow)) {
      const double rounding = unit * std::abs(log_delta);
      const double step = 2 * (bounds.width() + rounding) / inversion->c();
      const double lower =
          first_that_holds(root, -step, [&](double e) { return inversion->log_delta(e).lower > log_delta + rounding; });
      const double upper =
          first_that_holds(root, step, [&](double e) { return inversion->log_delta(e).upper < log_delta - rounding; });
      return {{lower, upper}, target.c, {inversion->witness(lower, losses.way), inversion->witness(upper, losses.way)}};
    }
    target = saddle_for_epsilon(losses.loss, losses.count, root, target.c);
    target.log_delta = log_delta;
  }
  throw DoesNotConverge();
}

constexpr std::array ways = {witness::Way::remove, witness::Way::add};

// Whether one mesh of it takes long.
bool is_dealt_or_selected(const Event& event) {
  bool found = std::holds_alternative<RandomlyAllocated>(event) || std::holds_alternative<Selected>(event);
  each_child(event, [&](const Event& child) { found = found || is_dealt_or_selected(child); });
  return found;
}

}  // namespace

Contour::Contour(const NormalPlan& round, double tolerance) : round_(round), tolerance_(tolerance), losses_(round) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  if (!losses_.is_exact() || losses_.is_nothing()) return;
  exact_.push_back(losses_.exact(Direction::remove));
  if (losses_.is_directed()) exact_.push_back(losses_.exact(Direction::add));
  if (!losses_.is_unattained()) return;
  for (const Direction direction : {Direction::remove, Direction::add})
    attained_.push_back(losses_.exact(direction, loss_distribution::Pair::attained));
}

bool Contour::has_few_releases(double count) const { return losses_.releases() * count <= few_releases; }

Inversion::Limits Contour::limits(double count) const {
  return {has_few_releases(count) ? loosest_of_few : Inversion::loosest_tail, losses_.work()};
}

void Contour::require_worthwhile(std::uint64_t count) const {
  if (has_shuffled(round_.event()))
    throw Unsupported("contour takes longer than loss_distribution over shuffled reports; use that");
  if (is_dealt_or_selected(round_.event()))
    throw Unsupported("contour takes longer than loss_distribution over random allocations and selection; use that");
  if (has_few_releases(static_cast<double>(count)))
    throw Unsupported("contour converges slowly for so few releases; use loss_distribution");
  if (losses_.has_many_continuous())
    throw Unsupported("contour takes longer than loss_distribution over so many different releases; use that");
  if (loss_distribution::has_few_outcomes(round_, count))
    throw Unsupported("contour is not needed where outcomes are few enough to be added up; use loss_distribution");
}

template <class Exact, class OneSided>
Checkable Contour::sharpest(std::uint64_t count, const Exact& exact, const OneSided& one_sided) const {
  if (losses_.is_exact()) {
    try {
      return exact();
    } catch (const DoesNotConverge&) {
      if (has_few_releases(static_cast<double>(count)) || losses_.has_many_exact()) throw;
    }
  }
  require_worthwhile(count);
  return one_sided();
}

// Of the direction that spends more; where one does not converge, the other may be far below it.
Checkable Contour::attained_epsilon(double count, double log_delta) const {
  Checkable largest{{0, 0}};
  for (std::size_t i = 0; i < attained_.size(); ++i) {
    const Losses losses{*attained_[i], count, limits(count), ways[i]};
    const double lower = largest.bounds.lower;
    if (lower == 0 || !is_below(losses, {1, lower, log_delta}))
      largest = larger(largest, checkable(epsilon_at(losses, log_delta)));
  }
  return largest;
}

Checkable Contour::attained_log_delta(double count, double epsilon) const {
  Checkable largest{{-infinity, -infinity}};
  for (std::size_t i = 0; i < attained_.size(); ++i)
    largest = larger(largest, checkable(delta_at({*attained_[i], count, limits(count), ways[i]}, epsilon, 1)));
  return largest;
}

Checkable Contour::exact_epsilon(const Question& question, double log_delta) const {
  const auto count = static_cast<double>(question.count);
  const Found first = epsilon_at({*exact_.front(), count, limits(count)}, log_delta);
  const Losses other{*exact_.back(), count, limits(count), witness::Way::add};
  const Checkable found = checkable(first);
  if (losses_.is_unattained()) {
    const Checkable dominating = losses_.is_directed() ? larger(found, checkable(epsilon_at(other, log_delta))) : found;
    return joined(dominating, question.is_from_above ? Checkable{{0, 0}} : attained_epsilon(count, log_delta));
  }
  if (!losses_.is_directed() || is_below(other, {first.c, found.bounds.upper, log_delta})) return found;
  return larger(found, checkable(epsilon_at(other, log_delta)));
}

Checkable Contour::exact_log_delta(const Question& question, double epsilon) const {
  const auto count = static_cast<double>(question.count);
  const Found first = delta_at({*exact_.front(), count, limits(count)}, epsilon, 1);
  const Losses other{*exact_.back(), count, limits(count), witness::Way::add};
  const Checkable found = checkable(first);
  if (losses_.is_unattained()) {
    const Checkable dominating =
        losses_.is_directed() ? larger(found, checkable(delta_at(other, epsilon, first.c))) : found;
    return joined(dominating,
                  question.is_from_above ? Checkable{{-infinity, -infinity}} : attained_log_delta(count, epsilon));
  }
  if (!losses_.is_directed()) return found;
  if (found.bounds.upper > -infinity && is_below(other, {first.c, epsilon, found.bounds.lower})) return found;
  return larger(found, checkable(delta_at(other, epsilon, first.c)));
}

Bound Contour::bound(const Checkable& found, double lower, double upper, std::uint64_t count) const {
  Bound result = losses_.bound(lower, upper, count);
  result.witnesses = found.witnesses;
  result.is_resolved = found.is_resolved;
  if (found.width > tolerance_)
    result.notes.push_back(
        fmt::format("the tolerance {} was not reached, only {:.2g}: more than that takes too many terms, or rounding "
                    "hides it",
                    tolerance_, found.width));
  return result;
}

Bound Contour::epsilon(std::uint64_t count, double delta) const { return epsilon_of({count, tolerance_}, delta); }

Bound Contour::epsilon_from_above(std::uint64_t count, double delta) const {
  return epsilon_of({count, tolerance_, true}, delta);
}

Bound Contour::epsilon_beside(std::uint64_t count, double delta, double budget) const {
  ranges::epsilon(budget);
  return epsilon_of({count, tolerance_, true, budget}, delta);
}

DeltaBound Contour::delta(std::uint64_t count, double epsilon) const { return delta_of({count, tolerance_}, epsilon); }

DeltaBound Contour::delta_from_above(std::uint64_t count, double epsilon) const {
  return delta_of({count, tolerance_, true}, epsilon);
}

DeltaBound Contour::delta_beside(std::uint64_t count, double epsilon, double budget) const {
  ranges::delta_from_zero(budget);
  // Until it is within, what is asked is what `delta` asks, refinements too, so that `delta` finds it within as well.
  return delta_of({count, tolerance_, false, budget}, epsilon);
}

Bound Contour::epsilon_of(const Question& question, double delta) const {
  ranges::delta(delta);
  const std::uint64_t count = question.count;
  if (losses_.is_nothing() || count == 0) {
    Bound nothing = losses_.bound(0, 0, count);
    nothing.witnesses.upper = witness::LargestLoss{0};
    return nothing;
  }
  const Checkable found = sharpest(
      count, [&] { return exact_epsilon(question, std::log(delta)); },
      [&] { return one_sided_epsilon(losses_, question, delta); });
  return bound(found, found.bounds.lower, found.bounds.upper, count);
}

DeltaBound Contour::delta_of(const Question& question, double epsilon) const {
  ranges::epsilon(epsilon);
  Checkable found{{-infinity, -infinity}, {{}, witness::LargestLoss{0}}};
  if (question.count > 0 && !losses_.is_nothing()) {
    found = sharpest(
        question.count, [&] { return exact_log_delta(question, epsilon); },
        [&] { return one_sided_log_delta(losses_, question, epsilon); });
  }
  numeric::Bracket& bounds = found.bounds;
  bounds.upper = std::min(bounds.upper, 0.0);
  const double lower = numeric::exp_down(bounds.lower, error_of_log(bounds.lower));
  return {bound(found, lower, upper_delta(bounds.upper), question.count), bounds.lower, bounds.upper};
}

Bound epsilon(const NormalPlan& plan, double delta, double tolerance) {
  return Contour(plan, tolerance).epsilon(1, delta);
}

DeltaBound delta(const NormalPlan& plan, double epsilon, double tolerance) {
  return Contour(plan, tolerance).delta(1, epsilon);
}

}  // namespace dpbudget::contour
