/// @file
/// delta(epsilon) of composed losses by the trapezoid rule on a vertical contour, with every error bounded.
///
///     delta(e) = 1/(2 pi) int M(c+is) e^{-(c+is) e} / ((c+is)(c+1+is)) ds,   any c > 0
///
/// (accounting/contour/proofs.md, 1.1 and 1.2).
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <vector>

#include "dpbudget/accounting/base/witness.h"
#include "dpbudget/accounting/contour/saddle.h"
#include "dpbudget/accounting/contour/transform.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::contour {

/// The Gaussian that a contour is given where a loss never decays or decays slowly, as inverse variances.
struct Smoothing {
  double wanted;           ///< where less would gain nothing; positive
  double enough;           ///< up to here a short sum is worth more than less of it
  double most;             ///< what it may be
  double expected = 0;     ///< what the longest sum takes, by what was tried last
  double reached = 0;      ///< the part of its nodes that the longest sum would have had of what was tried last
  bool is_needed = false;  ///< whether `most` is tried where more is expected to be taken: sums may skip most nodes

  /// What a short sum takes, by what was tried last.
  double of_short_sum() const;
};

/// The integrand at the nodes of one contour: good for all epsilon near the one it is made for.
class Inversion {
 public:
  static constexpr double loosest_tail = 1e8;  ///< where nothing else is left

  /// What a contour may take, and leave out.
  struct Limits {
    double loosest = loosest_tail;  ///< times as large as wished for, of tails where sums would take long otherwise
    double work = 1;                ///< times as much as is worth while for one kind of release
  };

  /// @return nothing when the integrand decays too slowly for it to be summed
  static std::optional<Inversion> make(const Transform& loss, double count, const Target& target, const Limits& limits);

  /// The same, and nothing either when that would take long.
  static std::optional<Inversion> make_quickly(const Transform& loss, double count, const Target& target);

  /// One that sums the integrand of a loss that never decays, with a Gaussian mechanism that is part of no plan: what
  /// it adds to delta is taken off the lower ends again (accounting/contour/proofs.md, 2b.1 and 2b.2).
  /// @param smoothing  whose `expected` is brought up to date
  /// @return nothing when `most` is too little for a sum that is short enough
  static std::optional<Inversion> make_smoothed(const TransformPtr& loss, const Target& target, Smoothing& smoothing);

  /// The same by a short sum.
  /// @return nothing when `enough` is too little for one
  static std::optional<Inversion> make_smoothed_quickly(const TransformPtr& loss, const Target& target,
                                                        Smoothing& smoothing);

  numeric::Bracket log_delta(double epsilon) const;

  enum class End { lower, upper };

  /// The epsilon at which that end of the bracket has a log delta, near `guess`: what it is without the errors.
  /// @throws DoesNotConverge when there is none near
  double epsilon_of(double log_delta, double guess, End end = End::upper) const;

  double c() const { return c_; }
  bool is_smoothed() const { return smoothing_ > 0; }

  /// What log_delta(epsilon) can be checked by.
  /// @param way  of the loss
  Witness witness(double epsilon, witness::Way way) const;

 private:
  struct Node {
    double s;
    double size;                  ///< twice |phi^count|
    double size_of_term;          ///< that times |kernel|
    double error;                 ///< of the wave, relatively; infinite where nothing but its size is known
    std::complex<double> wave;    ///< twice phi^count
    std::complex<double> kernel;  ///< 1 / (z (z + 1))
  };
  // A point of the real axis where Chernoff's bound is taken for the aliases.
  struct Anchor {
    double point;
    double log_moment;  ///< count K(point) + log of Chernoff's constant, rounded up
    double needed;      ///< what |point - c| times the period must be for the aliases to be small
  };

  struct Given {
    double smoothing;  ///< the inverse variance of a Gaussian that is part of `loss`, or 0
    double most_work;  ///< in exponentials
    double loosest;    ///< how many times as large as wished for the tail may be
    double room = 1;   ///< how many times as much work nodes may seem to be: sums may skip most of them
  };

  Inversion() = default;
  /// One that is smoothed so much, by so much work at most.
  static std::optional<Inversion> tried(const TransformPtr& loss, const Target& target, double by, double work,
                                        Smoothing& smoothing);
  /// @param reached    what sum_up returned, or nothing where it was not tried
  static std::optional<Inversion> make(const Transform& loss, double count, const Target& target, const Given& given,
                                       std::optional<double>& reached);
  /// Chooses c and the period.
  void place(const Transform& loss, double count, const Target& target);
  /// @param log_negligible  log of a size of nodes that need not be known
  /// @param work            that may be spent, in exponentials
  /// @return what part of the nodes what may be spent was enough for; above 1 when some was left
  double sum_up(const Transform& loss, double count, double nodes, double log_negligible, double work);
  /// Of what multiplies the sum.
  double log_scale(double epsilon) const {
    return log_moment_ - c_ * epsilon + std::log(step_ / (2 * std::numbers::pi));
  }

  double c_ = 0;
  double log_moment_ = 0;
  double log_moment_error_ = 0;
  double step_ = 0;            // of few digits, so that all its multiples are exact; the period is 2 pi / step
  bool is_cut_short_ = false;  // whether more nodes would have made the tail smaller, to some avail
  double tail_ = 0;            // bound on the sum over |s| beyond the last node, relative to the scale
  double terms_ = 0;           // nodes, those that were skipped too
  double smoothed_tail_ = 0;   // the same with 1 as the kernel
  double smoothing_ = 0;
  double correction_ = 0;  // what the lower end takes off the kernel
  Anchor above_{};
  Anchor below_{};
  std::vector<Node> nodes_;  // s > 0; the node at 0 is 1 / (c (c + 1))
};

}  // namespace dpbudget::contour
