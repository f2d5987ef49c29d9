#include "dpbudget/accounting/approximate/sampled_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::approximate {
namespace {

using numeric::unit;

class RarelySpent final : public Curve {
 public:
  RarelySpent(double rate, bool is_secret, CurvePtr inner)
      : rate_(rate), is_secret_(is_secret), inner_(std::move(inner)) {}

  double epsilon(double delta) const override {
    if (delta >= rate_) return 0;  // what happens this rarely is a delta as a whole
    const double epsilon = inner_->epsilon(std::nextafter(delta / rate_ * (1 - unit), 0.0));
    return is_secret_ ? amplified_pure_epsilon(rate_, epsilon) : epsilon;
  }

  double least_delta() const override {
    const double inside = inner_->least_delta();
    return inside == 0 ? 0 : std::min(rate_, numeric::raised(rate_ * inside, 8 * unit));
  }

 private:
  double rate_;
  bool is_secret_;
  CurvePtr inner_;
};

CurvePtr rarely_spent(double rate, bool is_secret, CurvePtr inner) {
  ranges::rate(rate);
  if (rate == 1) return inner;
  return std::make_shared<RarelySpent>(rate, is_secret, std::move(inner));
}

}  // namespace

CurvePtr sampled_curve(double sampling_rate, CurvePtr inner) {
  return rarely_spent(sampling_rate, true, std::move(inner));
}

CurvePtr participating_curve(double rate, CurvePtr inner) { return rarely_spent(rate, false, std::move(inner)); }

}  // namespace dpbudget::approximate
