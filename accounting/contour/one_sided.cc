#include "dpbudget/accounting/contour/one_sided.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/composition.h"
#include "dpbudget/accounting/contour/inversion.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using loss_distribution::Pair;
using loss_distribution::Side;
using numeric::unit;

// Smoothing takes this part of the tolerance at most, and pieces that are merged that part of it, where the loss is
// nearly normal near epsilon; else they are asked for less when they have taken more.
constexpr double share_of_tolerance = 0.01;
constexpr double share_of_merging = 0.06;
// Ends that are so close together, relative to the tolerance, are not asked for again.
constexpr double wanted_of_tolerance = 0.01;
constexpr double finer = 1e-2;
// What was too wide at first is resolved when it is this part of the tolerance.
constexpr double far_below = 0.1;
constexpr double finest = 1e-4;
// From so many times as wide on the finest is asked for at once.
constexpr double far_apart = 2;
// Where other data sets attain less than the pair costs, it is this part of what lies between that is close enough,
// between these of the tolerance.
constexpr double wanted_of_gap = 0.01;
constexpr double least_of_tolerance = 1e-3;
constexpr double most_of_tolerance = 0.1;
// The least and the most smoothing, and up to which a short sum is worth more than less of it, relative to what takes
// its part.
constexpr double least_smoothing = 0x1p-12;
constexpr double enough_smoothing = 0x1p-4;
constexpr double most_smoothing = 64;
// To find the saddle by.
constexpr double coarse_variance = 1e-2;  // of the loss's own
constexpr double coarse_tail = 1e-20;
// Tails that are left out, relative to delta.
constexpr double share_of_tails = 1e-7;
constexpr double least_tail = 1e-280;
// Masses beyond it do not hold in a double.
constexpr double least_log_delta = -600;
// Ends that errors leave so far apart, as logarithms of delta, are not given.
constexpr double widest_ends = 1e-2;
// Contours that are made for one end, each nearer to it; for another, what is more than so many 1/c away is far.
constexpr double far_from_root = 3;
constexpr int most_attempts = 4;

// One end, and what it can be checked by.
struct End {
  double value;
  Witness witness = {};
};

witness::Way way_of(Direction direction) {
  return direction == Direction::remove ? witness::Way::remove : witness::Way::add;
}

// What contours were smoothed by.
struct Smoothed {
  double expected = 0;     // by the next, from what the last took
  double share = 0;        // the largest of what they took in what they may
  bool is_needed = false;  // whether what was found is too wide
};

// The finite losses of one direction on one side, and what they leave to infinity.
class SidedLosses {
 public:
  SidedLosses(Law law, Side side, Direction direction, Smoothed& smoothed)
      : law_(std::move(law)), side_(side), way_(way_of(direction)), smoothed_(smoothed) {
    const double at_infinity = -std::expm1(law_.log_finite);
    at_infinity_ = std::max(0.0, at_infinity * (1 + (side == Side::upper ? 4 : -4) * unit));
  }

  const Transform& loss() const { return *law_.loss; }
  double at_infinity() const { return at_infinity_; }

  // log of what of delta is left for finite losses, off to the side that is safe.
  // accounting/contour/proofs.md, 7.3
  double log_left_of(double delta) const {
    const double left = delta - at_infinity_;
    if (!(left > 0)) throw DoesNotConverge();
    return std::log(left) + (side_ == Side::upper ? -4 : 4) * unit * (1 + std::abs(std::log(left)));
  }

  // The end of epsilon on this side.
  // @param spread  of log delta, that smoothing may cost
  End epsilon(double delta, double spread) const {
    const double log_delta = log_left_of(delta);
    const bool is_upper = side_ == Side::upper;
    Target target = saddle_for_delta(loss(), 1, log_delta);
    double least_error = infinity;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const Inversion inversion = made(target, spread);
      const double root =
          inversion.epsilon_of(log_delta, target.epsilon, is_upper ? Inversion::End::upper : Inversion::End::lower);
      const double error = std::abs(end_of(inversion.log_delta(root)) - log_delta);
      const bool is_far = std::abs(root - target.epsilon) * target.c > far_from_root;
      const bool is_worth_another = is_far && error > spread && attempt + 1 < most_attempts;
      if (error < widest_ends && !is_worth_another) {
        const double end = beyond(inversion, root, error, log_delta);
        return {end, inversion.witness(end, way_)};
      }
      // Where errors are larger than delta the next ones are farther off.
      if (!(error < least_error)) break;
      least_error = error;
      target = saddle_for_epsilon(loss(), 1, root, target.c);
      target.log_delta = log_delta;
    }
    throw DoesNotConverge();
  }

  // The end of log delta on this side.
  End log_delta(double epsilon, double guess, double spread) const {
    const double log_infinity = std::log(at_infinity_);
    if (loss().max_loss() <= epsilon) return {log_infinity};
    const Target at = saddle_for_epsilon(loss(), 1, epsilon, guess);
    const Inversion inversion = made(at, spread);
    return {log_sum(end_of(inversion.log_delta(epsilon)), log_infinity), inversion.witness(epsilon, way_)};
  }

  // Whether delta at epsilon is at most e^log_delta by Chernoff's bound at c.
  bool is_surely_below(double epsilon, double log_delta, double c) const {
    return log_sum(chernoff(loss(), 1, c, epsilon), std::log(at_infinity_)) <=
           log_delta - 4 * unit * (1 + std::abs(log_delta));
  }

 private:
  double end_of(const numeric::Bracket& bracket) const { return side_ == Side::upper ? bracket.upper : bracket.lower; }

  // A contour through `target`, without smoothing where the losses themselves are smooth enough for a short sum.
  Inversion made(const Target& target, double spread) const {
    if (auto inversion = Inversion::make_quickly(loss(), 1, target)) return *std::move(inversion);
    const double by = spread / (target.c * (target.c + 1));
    Smoothing smoothing{.wanted = least_smoothing * by,
                        .enough = enough_smoothing * by,
                        .most = most_smoothing * by,
                        .expected = smoothed_.expected,
                        .is_needed = smoothed_.is_needed};
    auto inversion = Inversion::make_smoothed_quickly(law_.loss, target, smoothing);
    if (!inversion) inversion = Inversion::make(loss(), 1, target, {});
    if (!inversion) inversion = Inversion::make_smoothed(law_.loss, target, smoothing);
    if (!inversion || inversion->is_smoothed())
      smoothed_ = {smoothing.expected, std::max(smoothed_.share, smoothing.expected / smoothing.most),
                   smoothed_.is_needed};
    if (!inversion) throw DoesNotConverge();
    return *std::move(inversion);
  }

  // The first epsilon beyond the root, on this side, at which the bound is.
  double beyond(const Inversion& inversion, double root, double error, double log_delta) const {
    const bool is_upper = side_ == Side::upper;
    double by = 1.1 * (error + unit * std::abs(log_delta)) / inversion.c();
    for (; std::isfinite(by); by *= 2) {
      const double moved = is_upper ? root + by : root - by;
      const double bound = end_of(inversion.log_delta(moved));
      if (is_upper ? bound < log_delta : bound > log_delta) return moved;
      if (!is_upper && moved < 0) return 0;
    }
    throw DoesNotConverge();
  }

  double log_sum(double a, double b) const {
    if (a < b) std::swap(a, b);
    if (b == -infinity) return a;
    return a + std::log1p(std::exp(b - a)) + (side_ == Side::upper ? 4 : -4) * unit * (1 + std::abs(a));
  }

  Law law_;
  Side side_;
  witness::Way way_;
  Smoothed& smoothed_;
  double at_infinity_;
};

struct Ends {
  double upper;
  double dominating;  ///< lower end for the dominating pair
  double attained;    ///< lower end for data sets that are neighbours
  Witnesses witnesses = {};
};

class Sides {
 public:
  Sides(const PlanTransforms& losses, const Question& question)
      : losses_(losses), question_(question), has_exact_(losses.may_be_replaced()) {}

  Ends epsilon(double delta, double tolerance) {
    const double tail = tail_for(delta);
    const SidedLosses coarse = made(Side::upper, Direction::remove, coarse_fineness(0, tail));
    const Target target = saddle_for_delta(coarse.loss(), 1, coarse.log_left_of(delta));
    if (!(target.epsilon > 0)) throw DoesNotConverge();
    const double spread = std::clamp(share_of_tolerance * tolerance * target.c * target.epsilon, 1e-9, 1e-2);
    return either([&](bool has_exact) {
      return epsilon(delta, spread,
                     {target.c, share_of_merging * spread / (target.c * (target.c + 1)), tail, has_exact});
    });
  }

  Ends epsilon(double delta, double spread, const Fineness& fineness) const {
    Ends found{0, 0, 0};
    Direction larger = Direction::remove;
    for (const Direction direction : directions()) {
      if (found.upper > 0 && is_surely_below(direction, fineness, found.upper, std::log(delta))) continue;
      const End end = made(Side::upper, direction, fineness).epsilon(delta, spread);
      if (end.value > found.upper) found.upper = end.value, found.witnesses.upper = end.witness, larger = direction;
    }
    const End lower = made(Side::lower, larger, fineness).epsilon(delta, spread);
    found.dominating = std::max(0.0, lower.value);
    return with_attained(found, lower,
                         [&](Direction direction) { return attained(direction, fineness).epsilon(delta, spread); });
  }

  Ends log_delta(double epsilon, double tolerance) {
    const double spread = share_of_tolerance * tolerance;
    double tail = coarse_tail;
    double c = 1;
    std::optional<Fineness> fineness;
    // What may be left out is known when delta is.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const SidedLosses coarse = made(Side::upper, Direction::remove, coarse_fineness(c, tail));
      if (coarse.loss().max_loss() <= epsilon) break;
      const Target target = saddle_for_epsilon(coarse.loss(), 1, epsilon, c);
      if (target.log_delta < least_log_delta) throw DoesNotConverge();
      c = target.c;
      tail = tail_for(std::exp(target.log_delta));
      fineness = Fineness{c, share_of_merging * spread / (c * (c + 1)), tail};
    }
    if (!fineness) throw DoesNotConverge();
    return either([&](bool has_exact) {
      fineness->has_exact = has_exact;
      return log_delta(epsilon, spread, *fineness);
    });
  }

  Ends log_delta(double epsilon, double spread, const Fineness& fineness) const {
    const double c = fineness.c;
    Ends found{-infinity, -infinity, -infinity};
    Direction larger = Direction::remove;
    for (const Direction direction : directions()) {
      if (found.upper > -infinity && is_surely_below(direction, fineness, epsilon, found.upper)) continue;
      const End end = made(Side::upper, direction, fineness).log_delta(epsilon, c, spread);
      if (end.value > found.upper) found.upper = end.value, found.witnesses.upper = end.witness, larger = direction;
    }
    if (question_.beside && upper_delta(found.upper) <= *question_.beside) return found;
    const End lower = made(Side::lower, larger, fineness).log_delta(epsilon, c, spread);
    found.dominating = lower.value;
    return with_attained(
        found, lower, [&](Direction direction) { return attained(direction, fineness).log_delta(epsilon, c, spread); });
  }

  // Whether what was smoothed so far may be, as far as that tells, where so much less is allowed.
  bool is_smooth_enough_for(double by) const { return smoothed_.share <= by; }
  void forget() { smoothed_ = {.is_needed = smoothed_.is_needed}; }
  // What was found is too wide.
  void insist() { smoothed_.is_needed = true; }

 private:
  // With transforms as they are, which may take too long where many nodes are needed, or with few atoms for all.
  template <class Ask>
  Ends either(const Ask& ask) {
    if (!has_exact_) return ask(false);
    try {
      return ask(true);
    } catch (const DoesNotConverge&) {
      has_exact_ = false;
      smoothed_ = {};
      return ask(false);
    }
  }

  // Of one direction's losses, known roughly: to know them better may take long, where they are far smaller than the
  // other's.
  bool is_surely_below(Direction direction, const Fineness& fineness, double epsilon, double log_delta) const {
    return made(Side::upper, direction, coarse_fineness(fineness.c, fineness.tail))
        .is_surely_below(epsilon, log_delta, fineness.c);
  }

  SidedLosses made(Side side, Direction direction, const Fineness& fineness) const {
    return {losses_.law(question_.count, {side}, direction, fineness), side, direction, smoothed_};
  }

  // From below, of data sets that are neighbours.
  SidedLosses attained(Direction direction, const Fineness& fineness) const {
    return {losses_.law(question_.count, {Side::lower, Pair::attained}, direction, fineness), Side::lower, direction,
            smoothed_};
  }

  // Of the directions in which there is an answer; one has far smaller losses, often too small for a contour.
  // @throws DoesNotConverge when neither has one
  template <class Ask>
  static End larger_attained(const Ask& ask) {
    std::optional<End> largest;
    for (const Direction direction : both) {
      try {
        const End found = ask(direction);
        if (!largest || found.value > largest->value) largest = found;
      } catch (const DoesNotConverge&) {
        if (direction == both.back() && !largest) throw;
      }
    }
    return *largest;
  }

  // @param lower  of the dominating pair, which other data sets may have to attain
  template <class Ask>
  Ends with_attained(Ends found, const End& lower, const Ask& ask) const {
    if (losses_.is_unattained() && question_.is_from_above) return found;
    const End attained = losses_.is_unattained() ? larger_attained(ask) : End{found.dominating, lower.witness};
    found.attained = attained.value;
    found.witnesses.lower = attained.witness;
    return found;
  }

  Fineness coarse_fineness(double c, double tail) const {
    return {c, coarse_variance * losses_.variance_of_others(), tail};
  }

  double tail_for(double delta) const {
    return std::max(least_tail,
                    delta * share_of_tails / std::max(1.0, static_cast<double>(question_.count) * losses_.releases()));
  }

  static constexpr std::array both = {Direction::remove, Direction::add};

  std::span<const Direction> directions() const { return std::span(both).first(losses_.is_directed() ? 2 : 1); }

  const PlanTransforms& losses_;
  Question question_;
  mutable Smoothed smoothed_;
  bool has_exact_;  // until that took too long
};

void take_better(Ends& best, const Ends& found) {
  if (found.upper < best.upper) best.upper = found.upper, best.witnesses.upper = found.witnesses.upper;
  if (found.attained > best.attained) best.attained = found.attained, best.witnesses.lower = found.witnesses.lower;
  best.dominating = std::max(best.dominating, found.dominating);
}

// The answers for one tolerance after the other, until they are as close together as they should be.
// @param ask        for Ends
// @param width      of the dominating pair's bracket, relative to what is asked for
// @param is_enough  whether more of it is not asked for
template <class Ask, class Width, class IsEnough>
Checkable refined(const PlanTransforms& losses, const Question& question, const Ask& ask, const Width& width,
                  const IsEnough& is_enough) {
  Sides sides(losses, question);
  Ends best = ask(sides, question.tolerance);
  const auto apart = [&] { return width({best.dominating, best.upper}); };
  if (question.beside && is_enough(*question.beside, numeric::Bracket{best.dominating, best.upper}))
    return {{best.attained, best.upper}, best.witnesses, 0, apart() <= question.tolerance};
  // Errors that are larger than delta are not made much smaller.
  if (std::isinf(apart())) throw DoesNotConverge();
  const bool is_hard = apart() > question.tolerance;
  if (is_hard) sides.insist();
  const auto has_refined = [&](double by) {
    try {
      take_better(best, ask(sides, by * question.tolerance));
    } catch (const DoesNotConverge&) {
      sides.forget();  // what so little smoothing would have taken says nothing of more
      return false;
    }
    return true;
  };
  const double gap = width({best.attained, best.upper});
  const double wanted =
      question.tolerance * (losses.is_unattained() ? std::clamp(wanted_of_gap * gap / question.tolerance,
                                                                least_of_tolerance, most_of_tolerance)
                                                   : wanted_of_tolerance);
  const bool is_far = apart() > far_apart * wanted && sides.is_smooth_enough_for(finest);
  if (is_far && has_refined(finest)) {
    // The one between would have taken as long.
  } else if (apart() > wanted && has_refined(finer) && apart() > wanted && !is_far) {
    has_refined(finest);
  }
  if (!(apart() <= std::max(question.tolerance, widest_given))) throw DoesNotConverge();
  return {
      {best.attained, best.upper}, best.witnesses, apart(), apart() <= (is_hard ? far_below : 1) * question.tolerance};
}

}  // namespace

double error_of_log(double log_delta) { return 4 * unit * (1 + std::abs(log_delta)); }

double upper_delta(double log_upper) { return std::min(1.0, numeric::exp_up(log_upper, error_of_log(log_upper))); }

Checkable one_sided_epsilon(const PlanTransforms& losses, const Question& question, double delta) {
  return refined(
      losses, question, [&](Sides& sides, double tolerance) { return sides.epsilon(delta, tolerance); },
      [](const numeric::Bracket& bounds) { return bounds.upper > 0 ? bounds.width() / bounds.upper : 0; },
      [](double beside, const numeric::Bracket& bounds) { return is_clear_of(beside, bounds.lower, bounds.upper); });
}

Checkable one_sided_log_delta(const PlanTransforms& losses, const Question& question, double epsilon) {
  return refined(
      losses, question, [&](Sides& sides, double tolerance) { return sides.log_delta(epsilon, tolerance); },
      [](const numeric::Bracket& bounds) { return bounds.upper > -infinity ? bounds.width() : 0; },
      [](double beside, const numeric::Bracket& bounds) { return upper_delta(bounds.upper) <= beside; });
}

}  // namespace dpbudget::contour
