#include "dpbudget/accounting/renyi/selected.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/generating_function.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/best_order.h"
#include "dpbudget/accounting/renyi/composition.h"
#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

// By the conversion at the best order, or by the total variation near order 1.
double delta_of(const Curve& curve, double epsilon) {
  constexpr double nearly_one = 1 + 0x1p-20;
  const BestOrder best = best_order([&](double order) {
    const double rdp = curve(order);
    if (!std::isfinite(rdp)) return AtOrder{infinity};
    const double gain = log_conversion_gain(order);
    const double magnitude = (order - 1) * (rdp + epsilon - gain) + std::log(order);
    return AtOrder{(order - 1) * (rdp - epsilon + gain) - std::log(order) + 8 * unit * magnitude};
  });
  const double variation = to_log_total_variation(curve(nearly_one));
  const double least = std::min(best.value, variation + 16 * unit * (1 + std::abs(variation)));
  return std::min(1.0, raised(std::exp(std::min(0.0, least)), unit));
}

class SelectedPoisson final : public Curve {
 public:
  SelectedPoisson(double mean, CurvePtr once, DeltaOf delta)
      : mean_(mean),
        // Fewer than one run on average: one, of what most often does nothing.
        share_(std::min(1.0, mean)),
        once_(std::move(once)),
        participating_(participating_curve(share_, once_)),
        delta_(std::move(delta)) {}

  double operator()(double order) const override {
    const double base = (*participating_)(order);
    if (!std::isfinite(base)) return infinity;
    const double epsilon = std::log1p(1 / (order - 1)) * (1 - 4 * unit);
    const double delta = share_ * std::min(delta_ ? delta_(epsilon) : 1.0, delta_of(*once_, epsilon));
    const double most = std::max(1.0, mean_);
    const double several = raised(base + most * delta + std::log(most) / (order - 1), 8 * unit);
    const double pure_loss = at_infinity();
    return std::isfinite(pure_loss) ? std::min(several, raised(pure(order, pure_loss), 0x1p-40)) : several;
  }

  double at_infinity() const override { return selected_pure_epsilon({Trials::Poisson{mean_}}, once_->at_infinity()); }

 private:
  double mean_;
  double share_;
  CurvePtr once_;
  CurvePtr participating_;
  DeltaOf delta_;
};

class SelectedNegativeBinomial final : public Curve {
 public:
  SelectedNegativeBinomial(const Trials::NegativeBinomial& law, CurvePtr once)
      : law_(law),
        log_mean_(std::log(numeric::GeneratingFunction::negative_binomial(law.eta, law.gamma).mean())),
        once_(std::move(once)) {}

  double operator()(double order) const override {
    const double base = (*once_)(order);
    if (!std::isfinite(base)) return infinity;
    const double several = raised(base + of_all_orders() + log_mean_ / (order - 1), 0x1p-40);
    const double pure_loss = at_infinity();
    return std::isfinite(pure_loss) ? std::min(several, raised(pure(order, pure_loss), 0x1p-40)) : several;
  }

  double at_infinity() const override { return selected_pure_epsilon({law_}, once_->at_infinity()); }

 private:
  // The least over all orders of what does not depend on the order that is asked for.
  double of_all_orders() const {
    if (!shared_) {
      const double log_gamma = -std::log(law_.gamma);
      const BestOrder best =
          best_order([&](double order) { return AtOrder{(1 - 1 / order) * (*once_)(order) + log_gamma / order}; });
      shared_ = (1 + law_.eta) * std::min({best.value, log_gamma, once_->at_infinity()});
    }
    return *shared_;
  }

  Trials::NegativeBinomial law_;
  double log_mean_;
  CurvePtr once_;
  mutable std::optional<double> shared_;
};

}  // namespace

CurvePtr selected_curve(const Trials& trials, CurvePtr once, DeltaOf delta) {
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law))
    return std::make_shared<SelectedPoisson>(poisson->mean.value(), std::move(once), std::move(delta));
  return std::make_shared<SelectedNegativeBinomial>(std::get<Trials::NegativeBinomial>(trials.law), std::move(once));
}

}  // namespace dpbudget::renyi
