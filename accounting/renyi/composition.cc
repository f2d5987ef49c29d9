#include "dpbudget/accounting/renyi/composition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {

using numeric::add_up;
using numeric::multiply_up;
using numeric::raised;
using numeric::unit;
namespace {

class ComposedCurve final : public Curve {
 public:
  explicit ComposedCurve(std::vector<Weighted> parts) : parts_(std::move(parts)) {}
  double operator()(double order) const override {
    return total([order](const Curve& curve) { return curve(order); });
  }
  double at_infinity() const override {
    return total([](const Curve& curve) { return curve.at_infinity(); });
  }
  bool is_nondecreasing() const override {
    return std::ranges::all_of(parts_, [](const Weighted& part) { return part.curve->is_nondecreasing(); });
  }

 private:
  template <class At>
  double total(At&& at) const {
    double sum = 0;
    for (const Weighted& part : parts_)
      if (part.count > 0) sum = add_up(sum, multiply_up(part.count, at(*part.curve)));
    return sum;
  }
  std::vector<Weighted> parts_;
};

class ParticipatingCurve final : public Curve {
 public:
  ParticipatingCurve(double rate, CurvePtr base) : rate_(rate), base_(std::move(base)) {}
  double operator()(double order) const override {
    const double inner = (*base_)(order);
    if (std::isinf(inner)) return inner;
    // Divided by order - 1 the sum of rounding errors may exceed `inner` itself, which is a bound too.
    return std::min(inner, raised(amplified_pure_epsilon(rate_, (order - 1) * inner) / (order - 1), 16 * unit));
  }
  double at_infinity() const override { return base_->at_infinity(); }

 private:
  double rate_;
  CurvePtr base_;
};

}  // namespace

CurvePtr composed_curve(std::vector<Weighted> parts) { return std::make_shared<ComposedCurve>(std::move(parts)); }

CurvePtr participating_curve(double rate, CurvePtr base) {
  ranges::rate(rate);
  if (rate == 0) return composed_curve({});
  if (rate == 1) return base;
  return std::make_shared<ParticipatingCurve>(rate, std::move(base));
}

}  // namespace dpbudget::renyi
