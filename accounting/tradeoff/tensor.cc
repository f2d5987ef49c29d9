#include "dpbudget/accounting/tradeoff/tensor.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/whole.h"
#include "dpbudget/accounting/tradeoff/bracketed.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

using loss_distribution::LossDistribution;
using loss_distribution::Pieces;
using loss_distribution::Side;

using loss_distribution::limits_of_part;

// Outcomes of a product of polygons; infinity when one factor is something else.
double outcomes_of(const std::vector<Factor>& factors) {
  double outcomes = 1;
  for (const Factor& factor : factors) {
    const PiecewiseLinearPtr polygon = as_polygon(factor.trade_off);
    if (!polygon) return std::numeric_limits<double>::infinity();
    outcomes *= std::pow(static_cast<double>(polygon->outcomes().size()), static_cast<double>(factor.count));
  }
  return outcomes;
}

TradeOffPtr exact_product(const std::vector<Factor>& factors) {
  PiecewiseLinearPtr result = PiecewiseLinear::from_outcomes({{1, 1}});
  for (const Factor& factor : factors) {
    const PiecewiseLinearPtr polygon = as_polygon(factor.trade_off);
    if (polygon->outcomes().size() == 1) continue;  // the identity, however often
    for (std::uint64_t i = 0; i < factor.count; ++i) result = tensor(*result, *polygon);
  }
  return result;
}

double variance_of(const Pieces& pieces) {
  double first = 0;
  double second = 0;
  for (const loss_distribution::Piece& piece : pieces.pieces) {
    first += piece.p * piece.barycentre;
    second += piece.p * piece.barycentre * piece.barycentre;
  }
  return std::max(0.0, second - first * first);
}

// Losses that a mesh should divide: the smallest of an atom, other than 0; none without one. Atoms between grid points
// cost the lower bound a loss of the order of the mesh each.
std::optional<double> spacing_of(const Pieces& pieces) {
  std::optional<double> least;
  for (const loss_distribution::Piece& piece : pieces.pieces)
    if (piece.low == piece.high && piece.low != 0)
      least = std::min(least.value_or(std::abs(piece.low)), std::abs(piece.low));
  return least;
}

// About a thirty-second of the product's deviation, and a part of the spacing of what is composed most often.
double first_mesh(const std::vector<Factor>& factors, double tail) {
  double variance = 0;
  std::optional<double> spacing;
  std::uint64_t most = 0;
  for (const Factor& factor : factors) {
    const Pieces losses = factor.trade_off->losses({0.125, tail}, Side::upper);
    variance += static_cast<double>(factor.count) * variance_of(losses);
    if (const auto found = spacing_of(losses); found && factor.count > most) {
      spacing = found;
      most = factor.count;
    }
  }
  const double mesh = std::max(std::sqrt(variance), 1e-9) / 32;
  return spacing && *spacing > mesh / 64 ? *spacing / std::ceil(*spacing / mesh) : mesh;
}

// Outcomes of a finite factor that a grid of this mesh misses, all its repetitions together; nothing where they are too
// many, or on the grid, where each alone loses nothing.
std::optional<Pieces> off_grid(const Pieces& losses, std::uint64_t count, double mesh) {
  if (!is_finite(losses)) return std::nullopt;
  const bool is_on_grid = std::ranges::all_of(losses.pieces, [=](const loss_distribution::Piece& piece) {
    return std::abs(piece.low / mesh - std::round(piece.low / mesh)) <= 1e-9;
  });
  return is_on_grid ? std::nullopt : power(losses, count, limits_of_part);
}

// accounting/tradeoff/proofs.md, 3.2
LossDistribution composed(const std::vector<Factor>& factors, double mesh, double tail, Side side) {
  std::deque<LossDistribution> distributions;
  std::vector<loss_distribution::Part> parts;
  const auto add = [&](const Pieces& losses, std::uint64_t count) {
    distributions.push_back(discretise(losses, {mesh, 0}, side));
    parts.push_back({&distributions.back(), count});
  };
  std::optional<Pieces> finite;  // these together are dense, and lose less on a grid than each alone
  for (const Factor& factor : factors) {
    const Pieces losses = factor.trade_off->losses({mesh / 2, tail}, side);
    // Where one factor gives everything away, so does the product.
    if (losses.pieces.empty() || losses.p_at_infinity == 1)
      return {.side = side, .grid = {mesh}, .mass = {0}, .at_infinity = 1};
    std::optional<Pieces> all = off_grid(losses, factor.count, mesh);
    if (!all) {
      add(losses, factor.count);
      continue;
    }
    if (finite && finite->pieces.size() * all->pieces.size() > limits_of_part.outcomes) {
      add(*finite, 1);
      finite.reset();
    }
    finite = finite ? product(*finite, *all) : *all;
  }
  if (finite) add(*finite, 1);
  return compose_whole(parts, tail);
}

}  // namespace

TradeOffPtr tensor(const std::vector<Factor>& given, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  std::vector<Factor> factors;
  double count = 0;
  double mu = 0;
  bool is_gaussian = true;
  bool is_symmetric = true;
  for (const Factor& factor : given) {
    ranges::count(factor.count);
    if (factor.count == 0) continue;
    factors.push_back(factor);
    const auto times = static_cast<double>(factor.count);
    const auto* gaussian_factor = dynamic_cast<const GaussianTradeOff*>(factor.trade_off.get());
    is_gaussian = is_gaussian && gaussian_factor != nullptr;
    is_symmetric = is_symmetric && factor.trade_off->is_symmetric();
    if (gaussian_factor != nullptr) mu = std::hypot(mu, std::sqrt(times) * gaussian_factor->mu());
    count += times;
  }
  require(count > 0, "the number of factors", count, "at least 1");
  if (is_gaussian) return gaussian(mu);
  if (outcomes_of(factors) <= 0x1p12) return exact_product(factors);

  const double tail = tolerance * 1e-6 / count;
  const auto on_mesh = [&](double mesh, Side side) { return composed(factors, mesh, tail, side); };
  return refined(on_mesh, first_mesh(factors, tail), is_symmetric, tolerance);
}

}  // namespace dpbudget::tradeoff
