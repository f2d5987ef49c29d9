#include "dpbudget/accounting/loss_distribution/mesh_tails.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::loss_distribution {
namespace {

// What all releases together may leave out at the ends of their losses, relative to delta; and, where that hides the
// answer, relative to the tolerance as well.
constexpr double share_of_delta = 1e-7;
constexpr double most_of_tolerance = 0.1;

// Masses below this are beyond a double, and deltas near it beyond this accountant.
constexpr double least_tail = 1e-280;

// While delta is what is asked for, tails are those of this one, until more is known; and those of the power of what is
// known while that may still be the tails' own.
constexpr double presumed_delta = 1e-12;
constexpr double power_of_presumed = 1.5;

// Tails hide nothing where the ends are no farther apart than this, relatively, unless a finer mesh does not help where
// something is seen from below; nor do they while delta is more than this, unless rounding is seen to decide.
constexpr double no_gap = 0.25;
constexpr double unseen = 0.9;
constexpr double log_largest_hidden = -23;

// They are moved where they are so far from where they may be; and no longer where the upper end has not moved by this
// share of itself: then the mesh is what is too wide.
constexpr double far_too_small = 1e-2;
constexpr double unmoved = 1e-9;

}  // namespace

MeshTails::MeshTails(const Question& question, double releases, double tolerance, double presumed_log_delta)
    : is_delta_(question.wanted == Question::Wanted::log_delta),
      given_(question.given),
      releases_(releases),
      tolerance_(tolerance),
      tail_(tail_for(is_delta_ ? std::min(presumed_delta, std::exp(presumed_log_delta)) : given_)) {}

bool MeshTails::moves(const Seen& seen) { return is_too_large(seen) || is_hiding(seen); }

double MeshTails::tail_for(double delta) const {
  return std::max(least_tail, delta * share_of_delta / std::max(1.0, releases_));
}

bool MeshTails::may_be_more_than_delta() const {
  return !is_delta_ && given_ <= 2 * least_tail * std::max(1.0, releases_);
}

bool MeshTails::is_too_large(const Seen& seen) {
  if (!is_delta_) {
    // What the tails put at infinity exceeds delta.
    const bool is_all_infinite = seen.best.upper == infinity && seen.best.lower < infinity && tail_ > least_tail;
    if (is_all_infinite) tail_ = std::max(least_tail, tail_ * tail_);
    return is_all_infinite;
  }
  const double enough = tail_for(std::exp(seen.best.upper));
  double next = std::pow(enough, power_of_presumed);  // what is known from above may be the tails' own
  if (hiding_ > 0) {
    // Between what is too small and what is too large.
    next = enough * (most_of_tolerance * tolerance_ / share_of_delta);
    if (seen.width <= no_gap || std::max(next, hiding_) > far_too_small * tail_) return false;
  } else if (enough >= tail_ / 2) {
    return false;
  }
  tail_ = std::max({least_tail, next, hiding_, tail_for(std::exp(seen.best.lower))});
  return true;
}

bool MeshTails::is_hiding(const Seen& seen) {
  if (seen.best.upper == infinity && may_be_more_than_delta()) return false;
  const double enough = tail_for(is_delta_ ? std::exp(seen.best.upper) : given_);
  const double largest = enough * std::max(1.0, most_of_tolerance * tolerance_ / share_of_delta);
  if (tail_ >= far_too_small * largest) return false;
  may_hide_ = may_hide_ && !(std::abs(hidden_upper_ - seen.upper) <= unmoved * std::abs(seen.upper));
  const bool is_next_to_nothing = is_delta_ && seen.best.upper < log_largest_hidden;
  const bool is_apart = seen.width > no_gap && ((is_next_to_nothing && may_hide_) || seen.is_drowned);
  const bool is_seen = seen.width < unseen || (!is_delta_ && seen.best.lower > 0);
  const bool is_stalled = seen.width > tolerance_ && is_seen && !seen.is_helpful;
  if (!is_apart && !is_stalled) return false;
  hiding_ = tail_;
  hidden_upper_ = seen.upper;
  tail_ = tail_ < far_too_small * enough ? std::sqrt(enough) * std::sqrt(tail_) : largest;
  return true;
}

}  // namespace dpbudget::loss_distribution
