#include "dpbudget/accounting/tradeoff/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <numbers>
#include <optional>

#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/finite.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/transform.h"
#include "dpbudget/accounting/profile/mixture.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

using loss_distribution::LossDistribution;
using loss_distribution::Pieces;
using loss_distribution::Side;

// Outcomes of finite factors that are composed one by one.
constexpr std::size_t most_outcomes = 1024;

const double log_least = std::log(std::numeric_limits<double>::min());

// The logarithm of the root of a function that rises through 0 somewhere below e^log_high; or that of the least double.
template <class Function>
double log_root(const Function& rising, double log_high) {
  const auto at = [&](double log_x) { return rising(std::exp(log_x)); };
  if (!(at(log_least) < 0)) return log_least;
  if (!(at(log_high) > 0)) return log_high;
  std::uintmax_t evaluations = 300;
  const auto [low, high] = boost::math::tools::toms748_solve(at, log_least, log_high,
                                                             boost::math::tools::eps_tolerance<double>(), evaluations);
  return low + (high - low) / 2;
}

class Subsampled final : public TradeOff {
 public:
  Subsampled(TradeOffPtr f, double rate)
      : f_(std::move(f)),
        rate_(rate),
        fixed_point_(std::exp(log_root([this](double x) { return x - f_->type_two_error(x); }, -std::numbers::ln2))) {}

  double type_two_error(double a) const override {
    ranges::type_one_error(a);
    if (a <= fixed_point_) return rate_ * f_->type_two_error(a) + (1 - rate_) * (1 - a);
    const double on_the_line = line(a);
    return on_the_line >= fixed_point_ ? on_the_line : mirrored(a);
  }

  double power(double a) const override {
    ranges::type_one_error(a);
    if (a <= fixed_point_) return rate_ * f_->power(a) + (1 - rate_) * a;
    return 1 - type_two_error(a);
  }

  double log_delta(double epsilon) const override {
    return symmetric_log_delta(
        epsilon, [this](double e) { return std::log(rate_) + f_->log_delta(profile::unmixed_loss(rate_, e)); });
  }

  Pieces losses(const loss_distribution::Cut& cut, Side side) const override {
    return loss_distribution::without_replacement(f_->losses(cut, side), rate_);
  }

 private:
  // x* + f_p(x*) - a; the difference that is exact comes first.
  double line(double a) const {
    const double rest = a >= rate_ ? (1 - a) - rate_ : (1 - rate_) - a;
    return rest + 2 * rate_ * fixed_point_;
  }

  // The x below the fixed point with f_p(x) = a, or 1 - f_p(x) = 1 - a: by the one of a and 1 - a that is small, which
  // keeps its digits. Where that is a, 1 - p is exact.
  double mirrored(double a) const {
    if (a == 1) return 0;
    const double log_x = log_root(
        [&](double x) {
          return a >= 0.5 ? rate_ * f_->power(x) + (1 - rate_) * x - (1 - a)
                          : (a - (1 - rate_)) + (1 - rate_) * x - rate_ * f_->type_two_error(x);
        },
        std::log(fixed_point_));
    return log_x == log_least ? 0 : std::exp(log_x);
  }

  TradeOffPtr f_;
  double rate_;
  double fixed_point_;
};

class Maximum final : public TradeOff {
 public:
  Maximum(TradeOffPtr f, TradeOffPtr g) : f_(std::move(f)), g_(std::move(g)) {}
  double type_two_error(double a) const override { return std::max(f_->type_two_error(a), g_->type_two_error(a)); }
  double power(double a) const override { return std::min(f_->power(a), g_->power(a)); }
  double log_delta(double epsilon) const override { return std::min(f_->log_delta(epsilon), g_->log_delta(epsilon)); }
  bool is_symmetric() const override { return f_->is_symmetric() && g_->is_symmetric(); }
  Pieces losses(const loss_distribution::Cut& /*cut*/, Side /*side*/) const override {
    throw Unsupported("the maximum of two trade-off functions has no privacy losses unless both are piecewise linear");
  }

 private:
  TradeOffPtr f_;
  TradeOffPtr g_;
};

PiecewiseLinearPtr as_polygon(const TradeOffPtr& f) { return std::dynamic_pointer_cast<const PiecewiseLinear>(f); }

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
  return is_on_grid ? std::nullopt : power(losses, count, most_outcomes);
}

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
    if (finite && finite->pieces.size() * all->pieces.size() > most_outcomes) {
      add(*finite, 1);
      finite.reset();
    }
    finite = finite ? product(*finite, *all) : *all;
  }
  if (finite) add(*finite, 1);
  return compose_whole(parts, tail);
}

// The largest distance seen, at type I errors from close to 0 to close to 1.
double gap(const TensorProduct& product) {
  double widest = 0;
  for (int i = -32; i <= 32; ++i) {
    const double a = 1 / (1 + std::exp(-0.25 * i));
    widest = std::max(widest, product.greatest_type_two_error(a) - product.type_two_error(a));
  }
  return widest;
}

}  // namespace

TradeOffPtr subsampled(const TradeOffPtr& f, double rate) {
  ranges::rate(rate);
  if (const PiecewiseLinearPtr polygon = as_polygon(f)) return symmetrised(*mixed_with_identity(*polygon, rate));
  if (!f->is_symmetric())
    throw Unsupported("C_p is implemented for symmetric and for piecewise linear trade-off functions");
  if (rate == 1) return f;
  if (rate == 0) return approximate(0, 0);
  return std::make_shared<Subsampled>(f, rate);
}

TradeOffPtr maximum(const TradeOffPtr& f, const TradeOffPtr& g) {
  const PiecewiseLinearPtr left = as_polygon(f);
  const PiecewiseLinearPtr right = as_polygon(g);
  if (left && right) return maximum(*left, *right);
  return std::make_shared<Maximum>(f, g);
}

TensorProduct::TensorProduct(LossDistribution upper, LossDistribution lower, bool is_symmetric)
    : upper_(std::move(upper)), lower_(std::move(lower)), is_symmetric_(is_symmetric) {}

double TensorProduct::type_two_error(double type_one_error) const {
  ranges::type_one_error(type_one_error);
  return trade_off_at(upper_, type_one_error);
}

double TensorProduct::greatest_type_two_error(double type_one_error) const {
  ranges::type_one_error(type_one_error);
  return trade_off_at(lower_, type_one_error);
}

double TensorProduct::power(double type_one_error) const { return 1 - type_two_error(type_one_error); }

double TensorProduct::log_delta(double epsilon) const {
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  return std::log(delta_at(upper_, epsilon));
}

bool TensorProduct::is_symmetric() const { return is_symmetric_; }

Pieces TensorProduct::losses(const loss_distribution::Cut& /*cut*/, Side side) const {
  return atoms_of(side == Side::upper ? upper_ : lower_);
}

TradeOffPtr tensor(const std::vector<Factor>& given, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  std::vector<Factor> factors;
  double count = 0;
  double square = 0;
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
    if (gaussian_factor != nullptr) square += times * gaussian_factor->mu() * gaussian_factor->mu();
    count += times;
  }
  require(count > 0, "the number of factors", count, "at least 1");
  if (is_gaussian) return gaussian(std::sqrt(square));
  if (outcomes_of(factors) <= 0x1p12) return exact_product(factors);

  const double tail = tolerance * 1e-6 / count;
  double mesh = first_mesh(factors, tail);
  double narrowest = 2;
  // A finer mesh brings the bounds together until it takes more points than a transform may have. One halving may not
  // help, because atoms happen to miss the grid by more; several must.
  for (int failures = 0;; mesh /= 2) {
    auto product = std::make_shared<TensorProduct>(composed(factors, mesh, tail, Side::upper),
                                                   composed(factors, mesh, tail, Side::lower), is_symmetric);
    const double width = gap(*product);
    if (width <= tolerance) return product;
    failures = width < 0.9 * narrowest ? 0 : failures + 1;
    narrowest = std::min(narrowest, width);
    if (failures == 4)
      throw Unsupported(
          fmt::format("the tensor product's bounds stay {:.2g} apart, wider than tolerance {:.2g}", width, tolerance));
  }
}

}  // namespace dpbudget::tradeoff
