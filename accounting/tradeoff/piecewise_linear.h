/// @file
/// Piecewise linear trade-off functions: those of finite mechanisms, and polygons below any other.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "dpbudget/accounting/tradeoff/trade_off.h"

namespace dpbudget::tradeoff {

/// A corner of the polygon.
struct Vertex {
  double type_one_error;
  double type_two_error;
  friend bool operator==(const Vertex&, const Vertex&) = default;
};

/// One outcome of a pair of finite distributions: a segment of the trade-off function, of slope -q/p.
struct Outcome {
  double p;  ///< its probability where a rejection is a type I error
  double q;  ///< its probability where a rejection is right
};

/// A trade-off function that is a polygon.
class PiecewiseLinear final : public TradeOff {
 public:
  /// The trade-off function of a pair of finite distributions, in any order: by Neyman and Pearson, outcomes are
  /// rejected in the order of q/p.
  /// @param outcomes  p and q in [0, 1], each summing to 1 within 1e-9
  /// @throws InvalidArgument naming what is outside its range
  static std::shared_ptr<const PiecewiseLinear> from_outcomes(std::vector<Outcome> outcomes);

  /// Through the given vertices, and by a vertical line down from (0, 1).
  /// @param vertices  at least two, from type I error 0 to 1, the last with type II error 0
  /// @throws InvalidArgument naming the axiom that does not hold, and at which vertex
  static std::shared_ptr<const PiecewiseLinear> from_vertices(const std::vector<Vertex>& vertices);

  /// The largest trade-off function that the privacy profile allows to know from delta at these epsilons: the polygon
  /// of its tangents, below the mechanism's own. The guarantee is taken to hold in both directions.
  /// @param log_delta  an upper bound on log delta(epsilon), for epsilon >= 0
  /// @param epsilons   at least one, increasing, in [0, 700]
  /// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Proposition 2.12
  static std::shared_ptr<const PiecewiseLinear> from_profile(const std::function<double(double)>& log_delta,
                                                             const std::vector<double>& epsilons);

  double type_two_error(double type_one_error) const override;
  double power(double type_one_error) const override;
  double log_delta(double epsilon) const override;
  bool is_symmetric() const override;
  loss_distribution::Pieces losses(const loss_distribution::Cut& cut, loss_distribution::Side side) const override;

  /// From (0, f(0)) to (1, 0).
  const std::vector<Vertex>& vertices() const { return vertices_; }
  /// In the order of falling q/p, none with p = q = 0.
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  explicit PiecewiseLinear(std::vector<Outcome> sorted);

  double at(double type_one_error, const std::vector<double>& heights) const;

  std::vector<Outcome> outcomes_;
  std::vector<Vertex> vertices_;
  std::vector<double> type_two_errors_;  // of each vertex
  std::vector<double> powers_;           // 1 - that, summed from the other end
};

/// A polygon that products share.
using PiecewiseLinearPtr = std::shared_ptr<const PiecewiseLinear>;

/// `f` itself when it is piecewise linear, else nothing.
inline PiecewiseLinearPtr as_polygon(const TradeOffPtr& f) {
  return std::dynamic_pointer_cast<const PiecewiseLinear>(f);
}

/// f^{-1}(b) = inf{a : f(a) <= b}: the roles of the two errors exchanged.
PiecewiseLinearPtr inverse(const PiecewiseLinear& f);

// Operations that go through vertices, `symmetrised` and `maximum`, round them by 2^-52 each; f(0) keeps its digits.

/// min{f, f^{-1}}**, the largest symmetric trade-off function below f: what f guarantees when it guarantees one
/// direction only.
/// @source Dong, Roth, Su 2019, Proposition 2.4 and Definition 4.1
PiecewiseLinearPtr symmetrised(const PiecewiseLinear& f);

/// f_p = p f + (1 - p) Id.
/// @param rate  p, in [0, 1]
PiecewiseLinearPtr mixed_with_identity(const PiecewiseLinear& f, double rate);

/// The pointwise maximum: what holds when both do.
PiecewiseLinearPtr maximum(const PiecewiseLinear& f, const PiecewiseLinear& g);

/// f (x) g, the trade-off function of the pair of product distributions.
/// @throws Unsupported when it would have more than 2^22 outcomes
/// @source Dong, Roth, Su 2019, Definition 3.1
PiecewiseLinearPtr tensor(const PiecewiseLinear& f, const PiecewiseLinear& g);

}  // namespace dpbudget::tradeoff
