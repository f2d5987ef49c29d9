#include "dpbudget/accounting/renyi/normal_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/mixed_curve.h"
#include "dpbudget/accounting/renyi/mixture_moment.h"
#include "dpbudget/accounting/renyi/poisson_gaussian.h"
#include "dpbudget/accounting/renyi/scaled_sum.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

// A log moment below it is known better otherwise.
constexpr double small = 1e-7;
// Terms of all nodes of a moment.
constexpr double most_terms = 1 << 21;
// Standard deviations beyond which the integrand has less than e^-55 of its integral.
constexpr double reach_of_normal = 10.5;
constexpr double error_of_quadrature = 1e-19;

class NormalMixtureCurve final : public Curve {
 public:
  explicit NormalMixtureCurve(NormalMixture mixture)
      : mixture_(std::move(mixture)), highest_(mixture_.highest_mean()), told_(told_apart(mixture_)) {}

  double operator()(double order) const override {
    const double found = std::max(by_quadrature(order, order), by_quadrature(order, 1 - order));
    return (order - 1) * found > small && std::isfinite(found) ? found : std::min(found, (*told_)(order));
  }

 private:
  static CurvePtr told_apart(const NormalMixture& mixture) {
    double rate = 0;
    for (const NormalShift& shift : mixture.shifts) rate += shift.probability;
    const double number = static_cast<double>(mixture.shifts.size());
    rate = std::min(1.0, rate * (1 + mixture.error + unit * number));
    std::vector<MixedTerm> terms;
    for (const auto& [probability, mean] : mixture.shifts) {
      const double share = std::log(probability / rate) + 2 * mixture.error + unit * (8 + number);
      terms.push_back(
          {std::min(0.0, share + unit * std::abs(share)), poisson_gaussian_curve(rate, 1 / mean * (1 - unit))});
    }
    return mixed_curve(std::move(terms));
  }

  struct LogRatio {
    double value;
    double error;  // in units
  };

  LogRatio log_ratio(double u) const {
    double largest = mixture_.at_zero > 0 ? 0 : -infinity;
    for (const NormalShift& shift : mixture_.shifts) largest = std::max(largest, shift.mean * (u - shift.mean / 2));
    double sum = mixture_.at_zero * std::exp(-largest);
    double rounding = 0;
    for (const auto& [probability, mean] : mixture_.shifts) {
      const double term = probability * std::exp(mean * (u - mean / 2) - largest);
      sum += term;
      rounding += term * mean * (std::abs(u) + mean);
    }
    const auto number = static_cast<double>(mixture_.shifts.size());
    return {largest + std::log(sum), 8 + number + mixture_.error / unit + rounding / sum + std::abs(largest)};
  }

  // log E[(1+x)^power] / (order - 1), raised by its error; infinity where it takes too many nodes.
  double by_quadrature(double order, double power) const {
    const double step = trapezoid_step(1 / highest_, power);
    const double left = -reach_of_normal + std::min(0.0, power * highest_);
    const double right = reach_of_normal + std::max(0.0, power * highest_);
    const double nodes = std::ceil((right - left) / step);
    if (!(nodes * static_cast<double>(mixture_.shifts.size() + 1) < most_terms)) return infinity;
    const auto last = to_integer<std::size_t>(nodes, "nodes");
    ScaledSum sum;
    for (std::size_t i = 0; i <= last; ++i) {
      const double u = left + static_cast<double>(i) * step;
      const LogRatio ratio = log_ratio(u);
      const double log_term = power * ratio.value - u * u / 2;
      sum.add(log_term, 8 + u * u + std::abs(power) * (ratio.error + std::abs(ratio.value)) + std::abs(log_term));
    }
    const double log_moment = sum.log_scale() + std::log(sum.total() * step) - numeric::log_root_two_pi;
    const double off =
        error_of_quadrature + unit * (sum.error() + nodes + 8 + std::abs(sum.log_scale()) + std::abs(log_moment));
    return raised(std::max(0.0, log_moment + off * (1 + 1e-6)) / (order - 1), 2 * unit);
  }

  NormalMixture mixture_;
  double highest_;
  CurvePtr told_;
};

}  // namespace

bool has_few_shifts(const NormalMixture& mixture) {
  constexpr std::size_t most_shifts = 64;
  constexpr double farthest_mean = 64;
  return mixture.shifts.size() <= most_shifts && mixture.highest_mean() <= farthest_mean;
}

CurvePtr normal_mixture_curve(const NormalMixture& mixture) { return std::make_shared<NormalMixtureCurve>(mixture); }

}  // namespace dpbudget::renyi
