#include "dpbudget/accounting/renyi/amplified.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

constexpr std::uint64_t every_order = 1024;       // below, every integer order is evaluated
constexpr std::uint64_t longest_sum = 1U << 16U;  // above, the theorem's sum is left out

std::uint64_t next(std::uint64_t order) { return order + order / 128; }

// The evaluated orders around `order`.
std::pair<std::uint64_t, std::uint64_t> neighbours(double order) {
  const auto floor = to_integer<std::uint64_t>(order, "order");
  if (static_cast<double>(floor) == order && floor >= 2 && floor <= every_order) return {floor, floor};
  if (floor < every_order) return {floor, floor + 1};
  std::uint64_t lower = every_order;
  std::uint64_t upper = next(lower);
  while (static_cast<double>(upper) < order) lower = std::exchange(upper, next(upper));
  return {lower, upper};
}

// accounting/renyi/proofs.md, 4.3
class AmplifiedCurve final : public Curve {
 public:
  AmplifiedCurve(std::function<double(std::uint64_t)> theorem, CurvePtr base, double infinity)
      : theorem_(std::move(theorem)),
        base_(std::move(base)),
        infinity_(infinity),
        pure_(std::isfinite(infinity) ? pure_curve(infinity) : nullptr) {}

  double operator()(double order) const override {
    double bound = (*base_)(order);
    if (pure_) bound = std::min(bound, (*pure_)(order));
    if (bound == 0 || order >= static_cast<double>(longest_sum)) return bound;
    const auto [lower, upper] = neighbours(order);
    const double at_upper = at_integer(upper);
    const double at_lower = lower == 1 ? 0 : at_integer(lower);
    return std::min({bound, at_upper,
                     interpolate(order, static_cast<double>(lower), at_lower, static_cast<double>(upper), at_upper)});
  }
  double at_infinity() const override { return infinity_; }

 private:
  double at_integer(std::uint64_t order) const {
    const auto known = known_.find(order);
    if (known != known_.end()) return known->second;
    const auto real = static_cast<double>(order);
    double bound = std::min(theorem_(order), (*base_)(real));
    if (pure_) bound = std::min(bound, (*pure_)(real));
    return known_.emplace(order, bound).first->second;
  }

  std::function<double(std::uint64_t)> theorem_;
  CurvePtr base_;
  double infinity_;
  CurvePtr pure_;
  mutable std::unordered_map<std::uint64_t, double> known_;
};

class ChordedCurve final : public Curve {
 public:
  explicit ChordedCurve(CurvePtr curve) : curve_(std::move(curve)) {}
  double operator()(double order) const override {
    if (order <= static_cast<double>(every_order)) return (*curve_)(order);
    const auto [lower, upper] = neighbours(order);
    return interpolate(order, static_cast<double>(lower), at(lower), static_cast<double>(upper), at(upper));
  }
  double at_infinity() const override { return curve_->at_infinity(); }

 private:
  double at(std::uint64_t order) const {
    const auto known = known_.find(order);
    if (known != known_.end()) return known->second;
    return known_.emplace(order, (*curve_)(static_cast<double>(order))).first->second;
  }
  CurvePtr curve_;
  mutable std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace

double interpolate(double order, double lower, double epsilon_lower, double upper, double epsilon_upper) {
  if (order <= lower && lower > 1) return epsilon_lower;
  if (order >= upper) return epsilon_upper;
  const double weight = (order - lower) / (upper - lower);
  const double low = lower == 1 ? 0 : (1 - weight) * (lower - 1) * epsilon_lower;
  return raised((low + weight * (upper - 1) * epsilon_upper) / (order - 1), 8 * unit);
}

CurvePtr chorded_curve(CurvePtr curve) { return std::make_shared<ChordedCurve>(std::move(curve)); }

CurvePtr amplified_curve(std::function<double(std::uint64_t)> theorem, CurvePtr base, double infinity) {
  return std::make_shared<AmplifiedCurve>(std::move(theorem), std::move(base), infinity);
}

}  // namespace dpbudget::renyi
