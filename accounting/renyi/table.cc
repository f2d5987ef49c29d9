#include "dpbudget/accounting/renyi/table.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

// The logarithm of a moment: its order less 1 times the divergence.
struct LogMoment {
  double order;
  double value;
};

// Whether the chord from a to c is nowhere above b: then b says nothing that is not known without it.
bool is_above_chord(const LogMoment& a, const LogMoment& b, const LogMoment& c) {
  return (b.value - a.value) * (c.order - a.order) >= (c.value - a.value) * (b.order - a.order);
}

class TableCurve final : public Curve {
 public:
  explicit TableCurve(const Table& divergences) {
    for (const auto& [order, epsilon] : divergences) {
      const LogMoment next{order, raised((order - 1) * epsilon, unit)};
      while (hull_.size() > 1 && is_above_chord(hull_[hull_.size() - 2], hull_.back(), next)) hull_.pop_back();
      hull_.push_back(next);
    }
  }

  double operator()(double order) const override {
    const auto after = std::ranges::lower_bound(hull_, order, {}, &LogMoment::order);
    if (after == hull_.end()) return infinity;
    if (after == hull_.begin()) return 0;  // order 1
    const LogMoment& low = *(after - 1);
    const LogMoment& high = *after;
    const double width = high.order - low.order;
    const double value = low.value * ((high.order - order) / width) + high.value * ((order - low.order) / width);
    return raised(value / (order - 1), 8 * unit);
  }

 private:
  std::vector<LogMoment> hull_{{1, 0}};
};

class TruncatedCurve final : public Curve {
 public:
  TruncatedCurve(double rho, double omega) : rho_(rho), omega_(omega) {}
  double operator()(double order) const override {
    return order < omega_ ? numeric::multiply_up(rho_, order) : infinity;
  }

 private:
  double rho_;
  double omega_;
};

}  // namespace

CurvePtr table_curve(const Table& divergences) { return std::make_shared<TableCurve>(divergences); }

CurvePtr truncated_curve(double rho, double omega) { return std::make_shared<TruncatedCurve>(rho, omega); }

}  // namespace dpbudget::renyi
