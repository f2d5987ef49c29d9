#include "dpbudget/accounting/approximate/either_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::approximate {
namespace {

class EitherCurve final : public Curve {
 public:
  EitherCurve(CurvePtr first, CurvePtr second, double of_second)
      : first_(std::move(first)), second_(std::move(second)), of_second_(of_second) {}

  double epsilon(double delta) const override {
    const double larger = std::max(first_->epsilon(delta), second_->epsilon(delta));
    const double left = std::nextafter(delta - of_second_, 0);
    return left > 0 ? std::min(larger, first_->epsilon(left)) : larger;
  }

  double least_delta() const override {
    const double of_larger = std::max(first_->least_delta(), second_->least_delta());
    const double of_first = std::nextafter(first_->least_delta() + of_second_, infinity);
    return std::min(of_larger, std::nextafter(of_first, infinity));
  }

 private:
  CurvePtr first_;
  CurvePtr second_;
  double of_second_;
};

}  // namespace

CurvePtr either_curve(CurvePtr first, CurvePtr second, double of_second) {
  return std::make_shared<EitherCurve>(std::move(first), std::move(second), of_second);
}

}  // namespace dpbudget::approximate
