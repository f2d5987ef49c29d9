/// @file
/// Trade-off functions: the least type II error of a test between two output distributions, by its type I error.
///
/// f is a trade-off function when it is convex, continuous and non-increasing on [0, 1] with f(a) <= 1 - a (Dong, Roth,
/// Su 2019, Proposition 2.2). A mechanism is f-DP when no test between neighbours has smaller errors than f allows.
#pragma once

#include <functional>
#include <memory>

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::tradeoff {

/// A trade-off function f. All satisfy the axioms by construction.
class TradeOff {
 public:
  TradeOff() = default;
  TradeOff(const TradeOff&) = delete;
  TradeOff& operator=(const TradeOff&) = delete;
  virtual ~TradeOff() = default;

  /// f(a).
  /// @param type_one_error  a, in [0, 1]
  /// @throws InvalidArgument naming `type_one_error` outside its range
  virtual double type_two_error(double type_one_error) const = 0;

  /// 1 - f(a), with its own relative accuracy.
  virtual double power(double type_one_error) const = 0;

  /// log of delta(epsilon) = 1 + f*(-e^epsilon) = max over a of 1 - f(a) - e^epsilon a; -infinity for 0. What a
  /// mechanism that is f-DP has at most.
  /// @param epsilon  finite; below 0 too
  /// @throws InvalidArgument naming `epsilon` outside its range
  /// @source accounting/tradeoff/proofs.md, 1.2
  virtual double log_delta(double epsilon) const = 0;

  /// Whether f is its own inverse.
  virtual bool is_symmetric() const { return true; }

  /// The privacy losses of a pair of distributions that has this trade-off function.
  /// @param side  of a function that is known between two bounds, the one meant: `upper` has the larger losses
  /// @throws Unsupported when none is known
  virtual loss_distribution::Pieces losses(const loss_distribution::Cut& cut, loss_distribution::Side side) const = 0;
};

/// A trade-off function that products share.
using TradeOffPtr = std::shared_ptr<const TradeOff>;

/// G_mu, that of Gaussian differential privacy.
class GaussianTradeOff final : public TradeOff {
 public:
  /// @param mu  in [0, inf)
  explicit GaussianTradeOff(double mu);
  double mu() const { return mu_; }

  double type_two_error(double type_one_error) const override;
  double power(double type_one_error) const override;
  double log_delta(double epsilon) const override;
  loss_distribution::Pieces losses(const loss_distribution::Cut& cut, loss_distribution::Side side) const override;

 private:
  double mu_;
};
/// G_mu as a trade-off function among others.
TradeOffPtr gaussian(double mu);

/// The trade-off function of (epsilon, delta)-DP.
/// @param epsilon  in [0, inf)
/// @param delta    in [0, 1]
TradeOffPtr approximate(double epsilon, double delta);

/// Of Laplace noise of scale 1/epsilon times the sensitivity.
/// @param epsilon  in [0, inf)
TradeOffPtr laplace(double epsilon);

// Each of these throws InvalidArgument naming the argument outside its range.

/// log delta(epsilon) of a symmetric function from that at |epsilon|: delta(-e) = 1 - exp(-e) + exp(-e) delta(e).
/// @param log_delta  takes an epsilon of at least 0
/// @throws InvalidArgument unless `epsilon` is finite
double symmetric_log_delta(double epsilon, const std::function<double(double)>& log_delta);

}  // namespace dpbudget::tradeoff
