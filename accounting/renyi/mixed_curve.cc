#include "dpbudget/accounting/renyi/mixed_curve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

class MixedCurve final : public Curve {
 public:
  explicit MixedCurve(std::vector<MixedTerm> terms) : terms_(std::move(terms)) {}

  double operator()(double order) const override {
    std::vector<double> exponents;
    double largest = 0;  // of probability times e^exponent
    for (const MixedTerm& term : terms_) {
      exponents.push_back((order - 1) * (*term.curve)(order));
      if (std::isinf(exponents.back())) return infinity;
      largest = std::max(largest, term.log_probability + exponents.back());
    }
    // The probabilities add up to 1: the moment is 1 + sum of probability times (e^exponent - 1), here times
    // e^-largest.
    double sum = 0;
    double rounding = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const double term = excess(terms_[i].log_probability, exponents[i], largest);
      sum += term;
      rounding += term * (8 + exponents[i] - terms_[i].log_probability);
    }
    const double one = std::exp(-largest);
    const double log_moment = largest + (largest == 0 ? std::log1p(sum) : std::log(one + sum));
    const double error = rounding / (one + sum) + static_cast<double>(terms_.size()) * sum / (one + sum) + log_moment;
    return raised((log_moment + 2 * unit * error) / (order - 1), 2 * unit);
  }

  double at_infinity() const override {
    double most = 0;
    for (const MixedTerm& term : terms_) most = std::max(most, term.curve->at_infinity());
    return most;
  }

 private:
  // e^(log_probability - largest) (e^exponent - 1)
  static double excess(double log_probability, double exponent, double largest) {
    if (exponent < 1) return std::exp(log_probability - largest) * std::expm1(exponent);
    return std::exp(log_probability + exponent - largest) * -std::expm1(-exponent);
  }

  std::vector<MixedTerm> terms_;
};

}  // namespace

CurvePtr mixed_curve(std::vector<MixedTerm> terms) { return std::make_shared<MixedCurve>(std::move(terms)); }

}  // namespace dpbudget::renyi
