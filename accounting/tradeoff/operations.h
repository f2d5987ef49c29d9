/// @file
/// What sampling, composition and taking two guarantees together do to trade-off functions.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/tradeoff/trade_off.h"

namespace dpbudget::tradeoff {

/// C_p(f) = min{f_p, f_p^{-1}}**, f_p = p f + (1 - p) Id: what f-DP on a sample of fixed size gives. With the fixed
/// point x* = f(x*) of a symmetric f it is f_p up to x*, falls with slope -1 to f_p(x*), then is the inverse of f_p; a
/// polygon's is a polygon again, computed vertex by vertex.
/// Adjacency: replace_one.
/// @param f     symmetric, or piecewise linear
/// @param rate  p, in [0, 1]
/// @throws InvalidArgument naming `rate` outside its range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2
TradeOffPtr subsampled(const TradeOffPtr& f, double rate);

/// max{f, g}: what holds when a mechanism is f-DP and g-DP. Its delta is given as the smaller of theirs: exact but
/// where the two cross, for polygons there too.
TradeOffPtr maximum(const TradeOffPtr& f, const TradeOffPtr& g);

struct Factor {
  TradeOffPtr trade_off;
  std::uint64_t count;  ///< how often; in [0, 2^53]
};

/// The tensor product of trade-off functions, by which f-DP composes, between two bounds.
class TensorProduct final : public TradeOff {
 public:
  TensorProduct(loss_distribution::LossDistribution upper, loss_distribution::LossDistribution lower,
                bool is_symmetric);

  /// Proven lower bound on the product: what composition guarantees.
  double type_two_error(double type_one_error) const override;
  /// Proven upper bound on it.
  double greatest_type_two_error(double type_one_error) const;
  double power(double type_one_error) const override;  ///< an upper bound
  double log_delta(double epsilon) const override;     ///< an upper bound
  bool is_symmetric() const override;
  loss_distribution::Pieces losses(const loss_distribution::Cut& cut, loss_distribution::Side side) const override;

 private:
  loss_distribution::LossDistribution upper_;
  loss_distribution::LossDistribution lower_;
  bool is_symmetric_;
};

/// The tensor product: of Gaussians alone the Gaussian of mu = sqrt(sum of mu^2); of polygons exactly while it has at
/// most 2^12 outcomes; otherwise by privacy-loss distributions, bounded from both sides.
/// @param factors    at least one, with a count above 0 in all
/// @param tolerance  how far apart the two bounds may be, in (0, 1); absolute
/// @throws InvalidArgument naming the argument outside its range
/// @throws Unsupported when a factor has no pair of distributions (`maximum` of others than polygons), or the tolerance
///         takes too many points
/// @source Dong, Roth, Su 2019, Theorem 3.2; accounting/loss_distribution/proofs.md
TradeOffPtr tensor(const std::vector<Factor>& factors, double tolerance = 1e-4);

}  // namespace dpbudget::tradeoff
