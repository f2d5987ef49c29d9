#include "dpbudget/accounting/tradeoff/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/transform.h"
#include "dpbudget/accounting/profile/mixture.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

using loss_distribution::LossDistribution;
using loss_distribution::Side;

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
        fixed_point_(std::exp(log_root([this](double x) { return x - f_->type_two_error(x); }, -std::log(2.0)))) {}

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
    return symmetric_log_delta(epsilon, [this](double e) {
      return rate_ == 0 ? -std::numeric_limits<double>::infinity()
                        : std::log(rate_) + f_->log_delta(profile::unmixed_loss(rate_, e));
    });
  }

  loss_distribution::Pieces losses(const loss_distribution::Cut& cut) const override {
    if (rate_ == 0) return loss_distribution::one_atom();
    if (rate_ == 1) return f_->losses(cut);
    return loss_distribution::without_replacement(f_->losses(cut), rate_);
  }

 private:
  // x* + f_p(x*) - a; the difference that is exact comes first.
  double line(double a) const {
    const double rest = a >= rate_ ? (1 - a) - rate_ : (1 - rate_) - a;
    return rest + 2 * rate_ * fixed_point_;
  }

  // The x below the fixed point with 1 - f_p(x) = 1 - a.
  double mirrored(double a) const {
    if (a == 1) return 0;
    const double log_x =
        log_root([&](double x) { return rate_ * f_->power(x) + (1 - rate_) * x - (1 - a); }, std::log(fixed_point_));
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
  loss_distribution::Pieces losses(const loss_distribution::Cut& /*cut*/) const override {
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
  for (const Factor& factor : factors)
    for (std::uint64_t i = 0; i < factor.count; ++i) result = tensor(*result, *as_polygon(factor.trade_off));
  return result;
}

double variance_of(const loss_distribution::Pieces& pieces) {
  double first = 0;
  double second = 0;
  for (const loss_distribution::Piece& piece : pieces.pieces) {
    first += piece.p * piece.barycentre;
    second += piece.p * piece.barycentre * piece.barycentre;
  }
  return std::max(0.0, second - first * first);
}

LossDistribution composed(const std::vector<Factor>& factors, double mesh, double tail, Side side) {
  std::vector<LossDistribution> distributions;
  distributions.reserve(factors.size());
  std::vector<loss_distribution::Part> parts;
  for (const Factor& factor : factors) {
    if (factor.count == 0) continue;
    distributions.push_back(discretise(factor.trade_off->losses({mesh / 2, tail}), {mesh, 0}, side));
    parts.push_back({&distributions.back(), factor.count});
  }
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

loss_distribution::Pieces TensorProduct::losses(const loss_distribution::Cut& /*cut*/) const {
  return atoms_of(upper_);
}

TradeOffPtr tensor(const std::vector<Factor>& factors, double tolerance) {
  require(0 < tolerance && tolerance < 1, "tolerance", tolerance, "in (0, 1)");
  double count = 0;
  double square = 0;
  bool is_gaussian = true;
  bool is_symmetric = true;
  for (const Factor& factor : factors) {
    ranges::count(factor.count);
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
  double variance = 0;
  for (const Factor& factor : factors)
    variance += static_cast<double>(factor.count) * variance_of(factor.trade_off->losses({0.125, tail}));
  double mesh = std::max(std::sqrt(variance), 1e-9) / 32;
  // A finer mesh brings the bounds together until it takes more points than a transform may have.
  for (double last = 2;; mesh /= 2) {
    auto product = std::make_shared<TensorProduct>(composed(factors, mesh, tail, Side::upper),
                                                   composed(factors, mesh, tail, Side::lower), is_symmetric);
    const double width = gap(*product);
    if (width <= tolerance) return product;
    if (!(width < 0.9 * last))
      throw Unsupported(
          fmt::format("the tensor product's bounds stay {:.2g} apart, wider than tolerance {:.2g}", width, tolerance));
    last = width;
  }
}

}  // namespace dpbudget::tradeoff
