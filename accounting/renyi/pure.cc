#include "dpbudget/accounting/renyi/pure.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/excess.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/moment.h"

namespace dpbudget::renyi {

using numeric::log_excess;
using numeric::raised;
using numeric::unit;
namespace {

// log(1 - e^{-x}) for x > 0.
double log1m_exp(double x) { return std::log(-std::expm1(-x)); }

// log of (the moment of order `order` of binary randomised response, less 1): 2 sinh(a e/2) sinh((a-1) e/2) / cosh(e/2)
// in logarithms, so that neither small nor large epsilon loses digits.
double log_moment_minus_1(double order, double epsilon) {
  const double x = order * epsilon;
  const double y = (order - 1) * epsilon;
  return y + log1m_exp(x) + log1m_exp(y) - std::log1p(std::exp(-epsilon));
}

// The bound on rounding: logarithms are summed from parts no larger than `magnitude`.
LogExcess with_error(double log_value, double magnitude) { return {log_value, 32 * unit * (4 + magnitude)}; }

double log_sum(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }

// accounting/renyi/proofs.md, 3.1
class RandomizedResponseCurve final : public Curve {
 public:
  explicit RandomizedResponseCurve(const ToldResponse& response)
      : epsilon_(response.epsilon), log_probability_(std::log(response.told)) {}

  double operator()(double order) const override {
    if (epsilon_ == 0) return 0;
    const double log_moment = log_moment_minus_1(order, epsilon_);
    const double magnitude = std::abs(log_moment) + epsilon_ + std::abs(log_probability_);
    return std::min(epsilon_, divergence(with_error(log_moment + log_probability_, magnitude), order).upper());
  }
  double at_infinity() const override { return epsilon_; }

 private:
  double epsilon_;
  double log_probability_;
};

class BoundedRangeCurve final : public Curve {
 public:
  explicit BoundedRangeCurve(double epsilon) : pure_({epsilon, 1, 0}), rho_(raised(epsilon / 8 * epsilon, unit)) {}

  double operator()(double order) const override { return std::min(pure_(order), raised(order * rho_, unit)); }
  double at_infinity() const override { return pure_.at_infinity(); }

 private:
  RandomizedResponseCurve pure_;
  double rho_;
};

// accounting/renyi/proofs.md, 3.1
class PoissonRandomizedResponseCurve final : public Curve {
 public:
  PoissonRandomizedResponseCurve(double sampling_rate, const ToldResponse& response)
      : epsilon_(response.epsilon),
        log_probability_(std::log(response.told)),
        up_(sampling_rate * std::expm1(epsilon_)),
        down_(sampling_rate * std::expm1(-epsilon_)),
        amplified_(amplified_pure_epsilon(sampling_rate, epsilon_)),
        unsampled_(response) {}

  double operator()(double order) const override {
    const double log_moment = std::max(log_excess_mean(order), log_excess_mean(1 - order)) + log_probability_;
    const double magnitude = std::abs(log_moment) + 2 * order * (amplified_ - std::log1p(down_)) + epsilon_;
    return std::min({amplified_, unsampled_(order), divergence(with_error(log_moment, magnitude), order).upper()});
  }

  // The larger of log(1 - q + q e^eps) and -log(1 - q + q e^-eps) is the first.
  double at_infinity() const override { return amplified_; }

 private:
  // Without the record the ratio is 1 + up with probability 1/(1+e^eps), else 1 + down.
  double log_excess_mean(double power) const {
    return log_sum(-epsilon_ - std::log1p(std::exp(-epsilon_)) + log_excess(power, up_, amplified_),
                   -std::log1p(std::exp(-epsilon_)) + log_excess(power, down_, std::log1p(down_)));
  }

  double epsilon_;
  double log_probability_;
  double up_;  // infinite where a double cannot hold it
  double down_;
  double amplified_;  // log(1 + up)
  RandomizedResponseCurve unsampled_;
};

}  // namespace

double pure(double order, double epsilon) {
  require(1 <= order, "order", order, "in [1, inf]");
  ranges::epsilon(epsilon);
  if (epsilon == 0) return 0;
  if (std::isinf(order)) return epsilon;
  if (order == 1) return epsilon * std::tanh(epsilon / 2);
  return divergence({log_moment_minus_1(order, epsilon), 0}, order).value;
}

double randomized_response(double order, double truth_probability) {
  require(1 <= order, "order", order, "in [1, inf]");
  require(0 < truth_probability && truth_probability < 1, "truth_probability", truth_probability, "in (0, 1)");
  // 2 p - 1 is exact near p = 1/2.
  const double p = truth_probability;
  const double log_odds = p < 0.25 || p > 0.75 ? std::log(p) - std::log1p(-p) : std::log1p((2 * p - 1) / (1 - p));
  return pure(order, std::abs(log_odds));
}

CurvePtr pure_curve(double epsilon) { return randomized_response_curve(epsilon, 2); }

CurvePtr bounded_range_curve(double epsilon) {
  ranges::epsilon(epsilon);
  return std::make_shared<BoundedRangeCurve>(epsilon);
}

CurvePtr randomized_response_curve(double epsilon, std::uint64_t categories) {
  ranges::epsilon(epsilon);
  ranges::categories(categories);
  return told_response_curve(told_response(RandomizedResponse{epsilon, categories}));
}

CurvePtr told_response_curve(const ToldResponse& response) {
  return std::make_shared<RandomizedResponseCurve>(response);
}

CurvePtr poisson_randomized_response_curve(double sampling_rate, double epsilon, std::uint64_t categories) {
  ranges::epsilon(epsilon);
  ranges::categories(categories);
  return poisson_told_response_curve(sampling_rate, told_response(RandomizedResponse{epsilon, categories}));
}

CurvePtr poisson_told_response_curve(double sampling_rate, const ToldResponse& response) {
  ranges::rate(sampling_rate);
  if (sampling_rate == 0 || response.epsilon == 0) return pure_curve(0);
  if (sampling_rate == 1) return told_response_curve(response);
  return std::make_shared<PoissonRandomizedResponseCurve>(sampling_rate, response);
}

}  // namespace dpbudget::renyi
