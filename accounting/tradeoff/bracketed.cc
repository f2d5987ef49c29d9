#include "dpbudget/accounting/tradeoff/bracketed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/outline.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/transform.h"
#include "dpbudget/accounting/loss_distribution/whole.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

using loss_distribution::LossDistribution;
using loss_distribution::Pieces;
using loss_distribution::Side;

// Meshes in a row that may fail to bring the bounds together: atoms may happen to miss one grid by more than the last.
constexpr int most_failures = 4;

// The largest distance seen, at type I errors from close to 0 to close to 1.
double gap(const BracketedTradeOff& product) {
  double widest = 0;
  for (int i = -32; i <= 32; ++i) {
    const double a = 1 / (1 + std::exp(-0.25 * i));
    widest = std::max(widest, product.greatest_type_two_error(a) - product.type_two_error(a));
  }
  return widest;
}

}  // namespace

BracketedTradeOff::BracketedTradeOff(LossDistribution upper, LossDistribution lower, bool is_symmetric)
    : upper_(std::move(upper)), lower_(std::move(lower)), is_symmetric_(is_symmetric) {}

double BracketedTradeOff::type_two_error(double type_one_error) const {
  ranges::type_one_error(type_one_error);
  return trade_off_at(upper_, type_one_error);
}

double BracketedTradeOff::greatest_type_two_error(double type_one_error) const {
  ranges::type_one_error(type_one_error);
  return trade_off_at(lower_, type_one_error);
}

double BracketedTradeOff::power(double type_one_error) const { return 1 - type_two_error(type_one_error); }

double BracketedTradeOff::log_delta(double epsilon) const {
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  return std::log(delta_at(upper_, epsilon));
}

bool BracketedTradeOff::is_symmetric() const { return is_symmetric_; }

Pieces BracketedTradeOff::losses(const loss_distribution::Cut& /*cut*/, Side side) const {
  return atoms_of(side == Side::upper ? upper_ : lower_);
}

BracketedPtr refined(const OnMesh& on_mesh, double first_mesh, bool is_symmetric, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  double narrowest = 2;
  double mesh = first_mesh;
  for (int failures = 0;; mesh /= 2) {
    auto function =
        std::make_shared<BracketedTradeOff>(on_mesh(mesh, Side::upper), on_mesh(mesh, Side::lower), is_symmetric);
    const double width = gap(*function);
    if (width <= tolerance) return function;
    failures = width < 0.9 * narrowest ? 0 : failures + 1;
    narrowest = std::min(narrowest, width);
    if (failures == most_failures)
      throw Unsupported(fmt::format(
          "the bounds on the trade-off function stay {:.2g} apart, wider than tolerance {:.2g}", width, tolerance));
  }
}

BracketedPtr trade_off_of(const NormalPlan& plan, loss_distribution::Direction direction, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  const loss_distribution::Outline outline = loss_distribution::outline(plan, tolerance * 1e-6);
  const double tail = tolerance * 1e-6 / std::max(1.0, outline.releases);
  const double wish = std::max(std::sqrt(outline.variance), 1e-9) / 32;
  const double mesh =
      outline.lattice.spacing ? *outline.lattice.spacing / std::ceil(*outline.lattice.spacing / wish) : wish;
  const auto on_mesh = [&](double of, Side side) {
    const loss_distribution::PlanLosses losses(plan, {side, direction, loss_distribution::Pair::dominating, of, tail});
    const std::vector<loss_distribution::Part> parts = losses.parts(1);
    if (parts.empty()) return discretise(loss_distribution::one_atom(), {of, 0}, side);
    return compose_whole(parts, tail);
  };
  return refined(on_mesh, mesh, !outline.basis.is_directed(), tolerance);
}

}  // namespace dpbudget::tradeoff
