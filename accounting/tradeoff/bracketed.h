/// @file
/// Trade-off functions that are known between two bounds, from privacy-loss distributions.
#pragma once

#include <functional>
#include <memory>

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/tradeoff/trade_off.h"

namespace dpbudget::tradeoff {

/// The trade-off function of a pair that one loss distribution dominates and that dominates another
/// (accounting/tradeoff/proofs.md, 3.1).
class BracketedTradeOff final : public TradeOff {
 public:
  BracketedTradeOff(loss_distribution::LossDistribution upper, loss_distribution::LossDistribution lower,
                    bool is_symmetric);

  /// A proven lower bound: what is guaranteed.
  double type_two_error(double type_one_error) const override;
  /// A proven upper bound.
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

/// A bracket that products share.
using BracketedPtr = std::shared_ptr<const BracketedTradeOff>;

/// A whole loss distribution on a grid of the given mesh, on either side of the truth.
using OnMesh = std::function<loss_distribution::LossDistribution(double mesh, loss_distribution::Side side)>;

/// Halves the mesh until the two bounds are nowhere seen further apart than `tolerance`.
/// @throws Unsupported when finer meshes no longer help, or take too many points
BracketedPtr refined(const OnMesh& on_mesh, double first_mesh, bool is_symmetric, double tolerance);

/// The trade-off function of everything that a plan releases. `forward`: the null hypothesis is the data set without
/// the record (or with its replacement), the alternative the one with it; `backward`: the opposite. With sampling
/// without replacement both bounds are those of the theorem's pair, which no data sets attain.
/// @param tolerance  how far apart the two bounds may be, in (0, 1); absolute
/// @throws as loss_distribution::PlanLosses and `refined`
BracketedPtr trade_off_of(const NormalPlan& plan, loss_distribution::Direction direction, double tolerance = 1e-4);

}  // namespace dpbudget::tradeoff
