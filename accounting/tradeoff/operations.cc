#include "dpbudget/accounting/tradeoff/operations.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/loss_distribution/releases/sampled.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/profile/mixture.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

using loss_distribution::Pieces;
using loss_distribution::Side;

const double log_least = std::log(std::numeric_limits<double>::min());

// The logarithm of the root of a function that rises through 0 somewhere below e^log_high; or that of the least double.
template <class Function>
double log_root(const Function& rising, double log_high) {
  const auto at = [&](double log_x) { return rising(std::exp(log_x)); };
  return numeric::certified_root(at, log_least, log_high).middle();
}

// accounting/tradeoff/proofs.md, 2.1, 2.2 and 2.3
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
    return loss_distribution::without_replacement(f_->losses(cut, side), rate_, cut.tail);
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

// accounting/tradeoff/proofs.md, 1.5
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

}  // namespace dpbudget::tradeoff
