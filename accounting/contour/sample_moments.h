/// @file
/// Moments of the losses of sampled Gaussians that share rate and sampling, by one quadrature for all of their noises.
///
/// Under Q the Gaussian's own log ratio is w ~ N(-v/2, v), v the inverse of the noise's variance, and the sample's loss
/// is a function of w that does not depend on v: noises differ in the weights of the nodes alone
/// (accounting/contour/proofs.md, 8.1).
#pragma once

#include <cstddef>
#include <vector>

#include "dpbudget/accounting/contour/waves.h"

namespace dpbudget::contour {

/// Which pair: Poisson sampling in either direction (poisson_gaussian.h), or the dominating pair of sampling without
/// replacement, which is its own reverse (loss_distribution/releases/without_replacement_gaussian.h).
enum class SampleKind { remove, add, without_replacement };

/// The pair that samples of one rate are compared on.
struct SamplePair {
  SampleKind kind;
  double rate;  ///< in (0, 1), right up to a unit of rounding
};

/// M(c) - 1 of each variance, its first two derivatives by c to search with, and a bound on the error of the first.
struct ExcessMoments {
  std::vector<double> value;
  std::vector<double> first;
  std::vector<double> second;
  std::vector<double> error;
};

/// The moments of several noises, on the nodes of one quadrature.
class SampleMoments {
 public:
  /// @param variances  the inverse squares of noise multipliers, positive; right up to rounding
  /// @param most_order the largest c
  /// @param reach      the largest |s|
  /// @throws DoesNotConverge where that takes too many nodes, or moments that a double does not hold
  SampleMoments(const SamplePair& pair, std::vector<double> variances, double most_order, double reach);

  /// What all s share at one c, positive and at most `most_order`.
  struct AtOrder {
    double c;
    // At each node: what is turned by the waves, in the same sense for both directions, and against each other. Where
    // powers are beyond a double, the weight there has them.
    std::vector<double> even;
    std::vector<double> odd;
    std::vector<double> weights;  // node by node, for each variance; empty where they are as they were
    double rounding = 0;          // units that errors are, over |p|^2 + |p|, and over that times |s|
    double rounding_of_phase = 0;
    double truncation = 0;               // over |z (z+1)|
    std::vector<double> discretisation;  // of each panel, over |z (z+1)| e^{angle |s|}
    ExcessMoments moments;
  };
  AtOrder at(double c) const;

  /// The way from one s to the next: e^{is loss} at each node, and what becomes of it.
  struct Walk {
    Walk();
    Turns turns;
    Waves waves;
    Waves bends;
  };

  /// M(c + is) - 1 of each variance.
  /// @param s                rising multiples of a step, of which the first is the step; fewer than 2^26 of it
  /// @param real, imaginary  of as many as there are variances
  /// @return a bound on the error of all
  double evaluate(const AtOrder& at, double s, Walk& walk, std::vector<double>& real,
                  std::vector<double>& imaginary) const;

  std::size_t size() const { return variances_.size(); }
  /// How many nodes another would have that reaches so far; infinity where that is too many.
  double nodes(double reach) const;

 private:
  struct Node {
    double w;
    double x;      // the sample's likelihood ratio less 1
    double loss;   // log(1 + x)
    double rest;   // loss - x
    double place;  // bound on the error of w, in units
    double slack;  // bound on the relative error of x, in units
  };
  // A part of the real axis of the ellipse around a panel.
  struct Cell {
    double log_rest;   // of density and x^2 / 2, at most
    double log_most;   // of 1 + t x, 0 <= t <= 1, at most
    double log_least;  // at least
  };
  struct Panel {
    double from;
    double to;
    double angle;             // of 1 + t x on the ellipse, at most
    std::vector<Cell> cells;  // of the ellipse
  };

  bool has_power() const { return pair_.kind != SampleKind::add; }
  bool has_inverse() const { return pair_.kind != SampleKind::remove; }
  // The node's term at c over its scale, and its derivatives.
  struct Term {
    double value;
    double first;
    double second;
    double size;  // of its parts, for rounding
  };
  Term prepare(const Node& node, AtOrder& at, bool is_far) const;
  const double* weights(const AtOrder& at, std::size_t node) const {
    return &(at.weights.empty() ? weights_ : at.weights)[node * size()];
  }
  double left_end(double most_order) const;
  double right_end(double most_order) const;
  Node node(double w, double half) const;
  void fill();
  double error(const AtOrder& at, double s) const;
  // Into panels so narrow that powers and waves vary little enough on them, from left to right.
  // @return whether they are few enough
  template <class Use>
  bool cut(double left, double right, double reach, const Use& use) const;
  // Of a panel there.
  double angle_between(double from, double to) const;
  Panel panel(double from, double to) const;
  double truncated(double c) const;
  double discretised(const Panel& panel, double c) const;

  SamplePair pair_;
  std::vector<double> variances_;
  double least_;  // of the variances
  double most_;
  std::vector<Panel> panels_;
  std::vector<Node> nodes_;
  double right_;
  double widest_panel_;
  std::vector<double> rule_;
  std::vector<double> losses_;   // of the nodes
  std::vector<double> weights_;  // node by node, for each variance
};

}  // namespace dpbudget::contour
