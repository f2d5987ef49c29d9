#include "dpbudget/accounting/approximate/grouped_curve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "dpbudget/accounting/approximate/group.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::approximate {
namespace {

class GroupedCurve final : public Curve {
 public:
  GroupedCurve(double records, CurvePtr inner) : records_(records), inner_(std::move(inner)) {}

  double epsilon(double delta) const override {
    const double pure = inner_->epsilon(0);
    double best = std::isfinite(pure) ? numeric::multiply_up(records_, pure) : infinity;
    if (delta == 0) return best;
    // The larger the inner delta the smaller the inner epsilon, and what it is multiplied by.
    double too_large = std::log(delta);
    if (fits(too_large, delta)) return std::min(best, at(too_large));
    const double least = std::max(least_log_delta, std::nextafter(std::log(inner_->least_delta()), infinity));
    double fitting = too_large;
    for (double step = 1; !fits(fitting, delta); step *= 2) {
      if (fitting <= least) return best;
      fitting = std::max(least, fitting - step);
    }
    while (too_large - fitting > 1e-6) {
      const double middle = fitting + (too_large - fitting) / 2;
      (fits(middle, delta) ? fitting : too_large) = middle;
    }
    return std::min(best, at(fitting));
  }

  double least_delta() const override {
    const double least = inner_->least_delta();
    if (least == 0) return 0;
    const double epsilon = inner_->epsilon(least);
    if (!std::isfinite(epsilon)) return 1;
    return std::min(1.0, std::exp(group(epsilon, least, records_).log_delta) * (1 + 1e-9));
  }

 private:
  static constexpr double least_log_delta = -690;

  double at(double log_delta) const { return numeric::multiply_up(records_, inner_->epsilon(std::exp(log_delta))); }

  // Whether that inner delta becomes no more than `delta`.
  bool fits(double log_delta, double delta) const {
    const double inner_delta = std::exp(log_delta);
    const double epsilon = inner_->epsilon(inner_delta);
    if (!std::isfinite(epsilon)) return false;
    const double log_group = group(epsilon, inner_delta, records_).log_delta;
    return log_group + 1e-13 * (2 + std::abs(log_group)) <=
           std::log(delta) - 4 * numeric::unit * std::abs(std::log(delta));
  }

  double records_;
  CurvePtr inner_;
};

}  // namespace

CurvePtr grouped_curve(double records, CurvePtr inner) {
  return std::make_shared<GroupedCurve>(records, std::move(inner));
}

}  // namespace dpbudget::approximate
