#include "dpbudget/accounting/approximate/drawn_curve.h"

#include <cmath>
#include <unordered_map>
#include <utility>

#include "dpbudget/accounting/approximate/sampled_curve.h"
#include "dpbudget/accounting/plan/copies.h"

namespace dpbudget::approximate {
namespace {

class DrawnCurve final : public Curve {
 public:
  DrawnCurve(const Occurrences& law, CurveOfCopies curve_of_copies)
      : law_(law), rate_(rate_of_record(law, true)), curve_of_copies_(std::move(curve_of_copies)) {}

  double epsilon(double delta) const override { return of_copies(exceeded_rarely(law_, delta / 2)).epsilon(delta / 2); }

  double least_delta() const override {
    if (of_copies(law_.most()).least_delta() == 0) return 0;
    double log_without = std::log(0x1p-1022);
    double log_with = 0;
    while (log_with - log_without > 1e-9) {
      const double middle = (log_with + log_without) / 2;
      (std::isfinite(epsilon(std::exp(middle))) ? log_with : log_without) = middle;
    }
    return std::exp(log_with);
  }

 private:
  const Curve& of_copies(std::uint64_t copies) const {
    CurvePtr& known = known_[copies];
    if (!known) known = sampled_curve(rate_, curve_of_copies_(copies));
    return *known;
  }

  Occurrences law_;
  double rate_;
  CurveOfCopies curve_of_copies_;
  mutable std::unordered_map<std::uint64_t, CurvePtr> known_;
};

}  // namespace

CurvePtr drawn_curve(const Occurrences& law, CurveOfCopies curve_of_copies) {
  return std::make_shared<DrawnCurve>(law, std::move(curve_of_copies));
}

}  // namespace dpbudget::approximate
