#include "dpbudget/accounting/loss_distribution/mesh_search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/finite_plan.h"
#include "dpbudget/accounting/loss_distribution/mesh_choice.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr numeric::Bracket unknown{-infinity, infinity};
constexpr std::array both = {Direction::forward, Direction::backward};

// A first mesh resolves a release's deviation by so many points, and has so many in the range of its losses; and at
// most so many in the range of the composition, of so many deviations.
constexpr double points_in_deviation = 4;
constexpr double fewest_points_of_range = 0x1p11;
constexpr double most_points_of_range = 0x1p16;
constexpr double deviations_of_composition = 18;

// A first mesh that takes too many points is made so many times as coarse, up to so many times.
constexpr double coarser = 4;
constexpr int most_coarser = 20;

// A bracket that is refined to the tolerance takes three or four meshes. So many are never reached: the work is bounded
// as well.
constexpr int most_meshes = 40;

// The width shrinks with the square of the mesh, once that resolves the losses at all: the next mesh is what leaves
// this share of the tolerance, but at least so much finer, and at most so much, less where nothing is resolved yet.
constexpr double aimed_share = 0.7;
constexpr double least_finer = 0.75;
constexpr double most_finer = 1.0 / 16;
constexpr double most_finer_unresolved = 1.0 / 4;
constexpr double unresolved_width = 0.9;

// A mesh helps when it makes the bracket narrower by this factor. After so many in a row that do not, rounding is what
// limits it, and no finer one is tried; nor after one that does nothing where rounding is seen to decide. One that is
// far finer and does nothing counts for two.
constexpr double helpful_factor = 0.8;
constexpr double helpful_factor_drowned = 0.99;
constexpr double far_finer = 0.5;
constexpr int most_stalled = 3;

// The lower end that is attained is refined until a mesh moves it by less than this share of the tolerance.
constexpr double attained_share = 1.0 / 10;

// Or, where a finer one takes long, by less than this share of what lies between it and the dominating pair's, but
// never so much of itself.
constexpr double attained_share_of_gap = 0x1p-10;
constexpr double most_unrefined = 0x1p-6;

// Where a finer one takes next to nothing it is tried for this share of what lies between.
constexpr double cheap_work = 0x1p16;
constexpr double cheap_share_of_gap = 1.0 / 16;

// Ends with more than this between them are far apart: relative to the upper one.
constexpr double wide_gap = 0.25;

// Its better direction is known once a mesh moves it by less than this share of itself.
constexpr double settled_share = 0.05;

// Where losses are on no lattice, one mesh may do worse than the one before by accident; which matters where the ends
// are near each other.
constexpr int most_unraised = 2;

// Where a finer mesh takes long one that raises the attained end by this share of the least raise is the last.
constexpr double enough_raise = 0.75;

// Points of a question's transforms, for each distinct release, after which no finer mesh is tried.
constexpr double most_work = 0x1p23;

// What a mesh that resolves nothing may take before the tolerance is all that is aimed at.
constexpr double work_before_aim_is_given_up = 0x1p22;

// What the attained end may take at least, however much the dominating pair has.
constexpr double most_work_of_attained = 0x1p21;

// What a mesh may take that makes a bracket narrower which is narrow enough, and less of that where it misses the aim
// by no more than this factor. It must be so much finer.
constexpr double little_work = 0x1p19;
constexpr double near_aim = 12;
constexpr double work_near_aim = 0x1p18;
constexpr double least_gain = 0.5;

// The same of one that raises an attained end which is far below the other.
constexpr double costly_work = 0x1p20;

// Far from the centre: half of what a normal loss of the same variance has for an exponent, which is known roughly.
double presumed_log_delta(const Question& question, const Outline& outline) {
  const double variance = static_cast<double>(question.count) * outline.variance;
  const double beyond = question.given - variance / 2;
  if (!outline.has_normal_tails || !(beyond > 0) || !(variance > 0)) return 0;
  return -beyond / variance * beyond / 4;
}

// All that a question asks about. Shuffled reports take long to look at for each tail, which numbers near each other
// are to share.
double releases_for_tails(const Question& question, const Outline& outline, const Event& event) {
  constexpr double rung = 6;  // on the scale of powers of 2
  const double releases = static_cast<double>(question.count) * outline.releases;
  if (!shuffle::has_pure_shuffle(event)) return releases;
  return std::exp2(rung * std::ceil(std::log2(std::max(1.0, releases)) / rung));
}

}  // namespace

double upper_delta(double log_upper) { return std::min(1.0, numeric::exp_up(log_upper, 0x1p-40)); }

double relative_width(Question::Wanted wanted, const numeric::Bracket& bracket) {
  const auto [lower, upper] = bracket;
  if (wanted == Question::Wanted::log_delta) return upper == -infinity ? 0 : -std::expm1(lower - upper);
  if (upper == infinity) return lower == infinity ? 0.0 : 1.0;
  return upper <= 0 ? 0 : (upper - std::max(0.0, lower)) / upper;
}

MeshSearch::MeshSearch(Evaluator& evaluator, const Outline& outline, double tolerance, double aim,
                       const Question& question)
    : evaluator_(evaluator),
      outline_(outline),
      tolerance_(tolerance),
      aim_(aim),
      question_(question),
      directions_{Direction::forward},
      tails_(question, releases_for_tails(question, outline, evaluator.plan().event()), tolerance,
             presumed_log_delta(question, outline)),
      best_(unknown) {
  find_lattices();
  if (outline_.basis.is_directed()) directions_.push_back(Direction::backward);
}

MeshAnswer MeshSearch::run(std::optional<double> mesh, double in_vain) {
  in_vain_ = in_vain;
  mesh_ = std::max(mesh.value_or(first_mesh()), least_mesh());
  evaluator_.start();
  for (int step = 0; step < most_meshes && refine(step);) {
    heed_interruption();
    ++step;
  }
  if (best_.upper == infinity && best_.lower == -infinity)
    throw Unsupported("no mesh of at most 2^22 points shows these losses");
  if (width_ > tolerance_ && !is_enough()) raise_lower();
  if (resolved_mesh_ == 0) resolved_mesh_ = mesh_;  // tails were moved to the last
  if (!outline_.basis.is_unattained()) return {best_, best_.lower, width_, resolved_mesh_, witnesses_};
  const bool is_wanted = !question_.is_from_above && !is_beyond_transforms();
  const double attained = is_wanted ? attained_lower() : -infinity;
  return {best_, attained, width_, resolved_mesh_, witnesses_};
}

// Looks at one mesh, and chooses the next; false when there is none to look at.
bool MeshSearch::refine(int step) {
  evaluator_.begin_mesh();
  const auto here = at_this_mesh();
  if (!here) {
    // Too fine: either the first guess was, or the last bracket is what can be reached.
    if (best_.upper < infinity || step > most_coarser) return false;
    mesh_ *= coarser;
    return true;
  }
  take(*here);
  const double width = relative_width(question_.wanted, best_);
  if (is_beyond_transforms() || is_within(best_.upper)) {
    resolved_mesh_ = mesh_;
    width_ = width;
    return false;
  }
  const bool is_helpful = width <= helpful_factor * width_;
  if (tails_.moves({best_, width, here->upper, uppers_[larger_].is_drowned, is_helpful})) {
    begin_again();
    return evaluator_.work() <= in_vain_;
  }
  resolved_mesh_ = mesh_;
  if (is_enough()) {
    width_ = width;
    return false;
  }
  if (is_settled(width)) return false;
  if (width > unresolved_width && evaluator_.work() > work_before_aim_is_given_up) give_up_aim();
  double next = next_mesh(width);
  if (width <= tolerance_) {
    next = affordable_mesh(next, width);
    if (next > least_gain * mesh_) return false;
  }
  mesh_ = next;
  return evaluator_.work() <= (width > unresolved_width ? in_vain_ : most_work);
}

// A delta that no transform shows has Chernoff's bound, and no lower end.
bool MeshSearch::is_beyond_transforms() const {
  return question_.wanted == Question::Wanted::log_delta && best_.upper < log_least_delta;
}

// On which side of an epsilon it is may be all that is asked, or whether a delta is within.
bool MeshSearch::is_enough() const {
  if (!question_.beside) return false;
  if (question_.wanted == Question::Wanted::log_delta) return is_within(best_.upper);
  return is_clear_of(*question_.beside, std::max(0.0, best_.lower), std::max(0.0, best_.upper));
}

bool MeshSearch::is_within(double log_upper) const {
  return question_.wanted == Question::Wanted::log_delta && question_.beside &&
         upper_delta(log_upper) <= *question_.beside;
}

// What is narrow enough is made narrower by the finest mesh that takes little.
double MeshSearch::affordable_mesh(double wish, double width) const {
  constexpr double coarser_by = 1.1;
  const double most = width <= near_aim * aim_ ? work_near_aim : little_work;
  double mesh = wish;
  while (mesh < mesh_ && evaluator_.work_if_finer(mesh_ / mesh) > most) mesh *= coarser_by;
  return mesh;
}

void MeshSearch::give_up_aim() {
  evaluator_.loosen(tolerance_ / aim_);
  aim_ = tolerance_;
}

void MeshSearch::take(const numeric::Bracket& here) {
  const Purpose upper = purpose(Side::upper, larger_, Pair::dominating);
  if (here.upper < best_.upper) best_.upper = here.upper, witnesses_.upper = witness_of(upper);
  if (!(here.lower > best_.lower)) return;
  best_.lower = here.lower;
  if (!outline_.basis.is_unattained()) witnesses_.lower = witness_of(upper);
}

double MeshSearch::next_mesh(double width) const {
  const double wanted = width <= tolerance_ ? aim_ : tolerance_;
  return mesh_ * std::clamp(std::sqrt(aimed_share * wanted / width),
                            width > unresolved_width ? most_finer_unresolved : most_finer, least_finer);
}

// Nothing when it takes too many points. The direction that is larger decides; the other one need only be seen to be
// below it.
// accounting/loss_distribution/proofs.md, 5.2
std::optional<numeric::Bracket> MeshSearch::at_this_mesh() {
  try {
    double upper = -infinity;
    for (const Direction direction : directions_) {
      const bool is_below = uppers_.contains(direction) && uppers_[direction].value <= best_.lower;
      if (!is_below) {
        const double value = ask(Side::upper, direction, Pair::dominating, std::nullopt);
        uppers_[direction] = {value, evaluator_.is_drowned()};
      }
      if (uppers_[direction].value > upper) upper = uppers_[direction].value, larger_ = direction;
    }
    if (is_within(upper)) return numeric::Bracket{-infinity, upper};
    return numeric::Bracket{ask(Side::lower, larger_, Pair::dominating, upper), upper};
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

// With other tails: what was found holds all the same, but for the lower end of a pair that nobody attains, which may
// be another pair then (accounting/loss_distribution/proofs.md, 5.2).
void MeshSearch::begin_again() {
  if (outline_.basis.is_unattained()) best_.lower = -infinity;
  mesh_ = std::max(mesh_, least_mesh());
  find_lattices();
  uppers_.clear();
}

bool MeshSearch::is_settled(double width) {
  // Where nothing is seen from below the upper end alone may get better.
  const bool is_epsilon = question_.wanted == Question::Wanted::epsilon;
  const bool is_infinite = is_epsilon && best_.upper == infinity && tails_.may_be_more_than_delta();
  const bool is_lower =
      !is_infinite && evaluator_.work() <= work_before_aim_is_given_up &&
      (is_epsilon ? best_.upper <= helpful_factor * upper_ : best_.upper <= upper_ + std::log(helpful_factor));
  upper_ = best_.upper;
  const bool is_helpful = width <= helpful_factor * width_ || (width > unresolved_width && is_lower);
  const bool does_nothing = width > helpful_factor_drowned * width_;
  const bool is_limit = does_nothing && width <= unresolved_width && mesh_ <= far_finer * settled_mesh_;
  stalled_ = is_helpful ? 0 : stalled_ + (is_limit ? 2 : 1);
  if (!is_helpful) turn_ = (turn_ + 1) % turns;
  if (uppers_[larger_].is_drowned && does_nothing) stalled_ = most_stalled;
  width_ = width;
  settled_mesh_ = mesh_;
  return width <= aim_ || stalled_ >= most_stalled;
}

// A few rare losses that are far larger than all others together are seen by themselves, and hardly in the transform.
void MeshSearch::raise_lower() {
  if (resolved_mesh_ == 0) return;
  mesh_ = resolved_mesh_;
  const Purpose few = purpose(Side::lower, larger_, Pair::dominating);
  take({evaluator_.of_few_losses(question_, few), infinity});
  width_ = relative_width(question_.wanted, best_);
}

// On a mesh that is far too wide for the mixture's losses halving it changes nothing. So a quarter of their own
// deviation is what the search begins with where the ends are far apart, and else the mesh that shows the dominating
// pair.
double MeshSearch::attained_lower() {
  if (const auto few = attained_by_few(evaluator_.plan(), question_)) {
    witnesses_.lower = few->witness;
    return few->value;
  }
  double first = -infinity;
  if (outline_.attained_variance > 0 && !is_seen_where_resolved()) {
    // No finer than what would take as long as a question may.
    double own = resolving(outline_.attained_variance);
    while (own < mesh_ && evaluator_.work_if_finer(mesh_ / own) > most_work) own *= 2;
    try {
      first = attained_at(own);
      if (is_wide(first)) return attained_from(own);
    } catch (const Unsupported&) {  // too fine: the other mesh need not be
    }
  }
  return std::max(first, attained_from(resolved_mesh_));
}

double MeshSearch::attained_at(double mesh) {
  mesh_ = mesh;
  turn_ = 0;
  double attained = -infinity;
  for (const Direction direction : both)
    attained = std::max(attained, ask(Side::lower, direction, Pair::attained, best_.upper));
  return attained;
}

// Where rare losses decide, those of both pairs may be seen on one mesh, however small all others are.
bool MeshSearch::is_seen_where_resolved() {
  if (!is_far(tails_.tail())) return false;
  try {
    return relative_width(question_.wanted, {attained_at(resolved_mesh_), best_.upper}) <= tolerance_;
  } catch (const Unsupported&) {  // too fine for what is attained
    return false;
  }
}

bool MeshSearch::is_wide(double attained) const {
  return relative_width(question_.wanted, {attained, best_.upper}) > wide_gap;
}

// The mixture's losses may need a finer mesh than the dominating pair's: halved as long as that raises the lower end.
// Which direction is the better one is known once a mesh hardly moves both.
// accounting/loss_distribution/proofs.md, 5.2
double MeshSearch::attained_from(double mesh) {
  mesh_ = mesh;
  turn_ = 0;
  double attained = -infinity;
  int unraised = 0;
  const double most = std::max(most_work, evaluator_.work_together() + most_work_of_attained);
  std::vector<Direction> candidates(both.begin(), both.end());
  for (;; mesh_ /= 2) {
    const double before = attained;
    evaluator_.begin_mesh();
    try {
      Direction better = candidates.front();
      double best = -infinity;
      for (const Direction direction : candidates) {
        const double lower = ask(Side::lower, direction, Pair::attained, best_.upper);
        if (lower > best) best = lower, better = direction;
      }
      attained = std::max(attained, best);
      // On a mesh that is too wide one direction may have nothing to show, which says nothing of a finer one.
      const bool is_something = attained > (question_.wanted == Question::Wanted::epsilon ? 0 : -infinity);
      if (is_something && relative_width(question_.wanted, {before, attained}) <= settled_share) candidates = {better};
    } catch (const Unsupported&) {
      return attained;
    }
    const bool is_costly = evaluator_.work_if_finer(2) > costly_work;
    const double raise = relative_width(question_.wanted, {before, attained});
    const double least = least_raise(attained, is_costly);
    const bool is_raised = raise > least;
    unraised = is_raised ? 0 : unraised + 1;
    if (!is_raised) turn_ = (turn_ + 1) % turns;
    // The next raises it by no more, and a quarter of that where losses are dense; but for one that did worse by
    // accident, which raises nothing.
    const bool is_enough = is_wide(attained) || (0 < raise && raise < enough_raise * least);
    const bool is_stalled = unraised >= (is_costly && is_enough ? 1 : most_unraised);
    if (is_stalled && (is_costly || mesh_ <= resolved_mesh_)) return attained;
    if (evaluator_.work_together() > most) return attained;
  }
}

// By what share of itself a mesh must raise the attained end for a finer one to be tried. Ends are compared as they are
// printed: epsilons by their ratio, and deltas by their logarithms'.
double MeshSearch::least_raise(double attained, bool is_costly) const {
  const bool is_epsilon = question_.wanted == Question::Wanted::epsilon;
  const double apart = is_epsilon ? best_.upper / std::max(0.0, attained) - 1 : best_.upper - attained;
  const double unrefined = is_costly && apart > 0 ? std::min(most_unrefined, attained_share_of_gap * apart) : 0;
  const double least = std::max(attained_share * tolerance_, unrefined);
  return evaluator_.work_if_finer(2) > cheap_work ? least : std::min(least, cheap_share_of_gap * apart);
}

double MeshSearch::ask(Side side, Direction direction, Pair pair, std::optional<double> hint) {
  const Purpose asked = purpose(side, direction, pair);
  const double found = evaluator_(question_, asked, hint);
  if (pair == Pair::attained && found > best_attained_) {
    best_attained_ = found;
    witnesses_.lower = witness_of(asked);
  }
  return found;
}

Purpose MeshSearch::purpose(Side side, Direction direction, Pair pair) const {
  const Lattice& lattice = pair == Pair::dominating ? lattice_ : attained_lattice_;
  return {side, direction, pair, chosen_mesh(mesh_, lattice, turn_), tails_.tail()};
}

void MeshSearch::find_lattices() {
  lattice_ = outline_.lattice;
  attained_lattice_ = outline_.attained_lattice;
  if (tails_.tail() == outline_.tail || !outline_.has_lattice_of_tail) return;
  try {
    const Outline at_tail = outline(evaluator_.plan(), tails_.tail());
    lattice_ = at_tail.lattice;
    attained_lattice_ = at_tail.attained_lattice;
  } catch (const Unsupported&) {  // so rare a tail is beyond them: meshes need no lattice
  }
}

double MeshSearch::resolving(double variance) const {
  return std::sqrt(variance / std::max(1.0, outline_.releases)) / points_in_deviation;
}

// A quarter of a release's own deviation costs a few percent of epsilon; the range of its losses and that of the
// composition keep the number of points within bounds.
double MeshSearch::first_mesh() const {
  const double of_release = resolving(outline_.variance);
  const double of_composition = std::sqrt(static_cast<double>(question_.count) * outline_.variance) *
                                deviations_of_composition / most_points_of_range;
  // Groups of finite releases are wider than each.
  if (outline_.lattice.has_incommensurate && of_release > 0) return std::max(of_release, of_composition);
  const double mesh =
      std::max(std::clamp(of_release, outline_.range / most_points_of_range, outline_.range / fewest_points_of_range),
               of_composition);
  return mesh > 0 ? mesh : 1;
}

// The losses of a rare sample go on far beyond the outline's tail. Those of shuffled reports, which take long to look
// at, do not.
double MeshSearch::least_mesh() const {
  if (tails_.tail() >= outline_.tail || shuffle::has_pure_shuffle(evaluator_.plan().event())) return 0;
  try {
    return outline(evaluator_.plan(), tails_.tail()).range / most_points_of_range;
  } catch (const Unsupported&) {
    return 0;
  }
}

}  // namespace dpbudget::loss_distribution
