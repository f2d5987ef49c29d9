#include "dpbudget/accounting/renyi/pure.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/renyi/excess.h"
#include "dpbudget/accounting/renyi/rounding.h"
#include "dpbudget/accounting/require.h"

namespace dpbudget::renyi {
namespace {

// log(1 - e^{-x}) for x > 0.
double log1m_exp(double x) { return std::log(-std::expm1(-x)); }

// log(1 + e^x).
double log1p_exp(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

// log of (the moment of order `order` of binary randomised response, less 1): 2 sinh(a e/2) sinh((a-1) e/2) / cosh(e/2)
// in logarithms, so that neither small nor large epsilon loses digits.
double log_moment_minus_1(double order, double epsilon) {
  const double x = order * epsilon;
  const double y = (order - 1) * epsilon;
  return y + log1m_exp(x) + log1m_exp(y) - std::log1p(std::exp(-epsilon));
}

// Probability that k-ary randomised response reports one of two given values: the truth or the other.
double pair_probability(double epsilon, std::uint64_t categories) {
  const double others = static_cast<double>(categories - 1);
  return (1 + std::exp(-epsilon)) / (1 + others * std::exp(-epsilon));
}

class RandomizedResponseCurve final : public Curve {
 public:
  RandomizedResponseCurve(double epsilon, std::uint64_t categories)
      : epsilon_(epsilon), log_probability_(categories == 2 ? 0 : std::log(pair_probability(epsilon, categories))) {}

  double operator()(double order) const override {
    if (epsilon_ == 0) return 0;
    const double log_moment = log_moment_minus_1(order, epsilon_) + log_probability_;
    // An absolute error of the logarithm is a relative one of the moment less 1; logarithms are summed from parts of
    // magnitude |log_moment| + epsilon + |log_probability|.
    const double error = 16 * unit * (2 + std::abs(log_moment) + epsilon_ + std::abs(log_probability_));
    return std::min(at_infinity(), raised(log1p_exp(log_moment + error) / (order - 1), 4 * unit));
  }
  double at_infinity() const override { return epsilon_; }

 private:
  double epsilon_;
  double log_probability_;
};

class PoissonRandomizedResponseCurve final : public Curve {
 public:
  PoissonRandomizedResponseCurve(double sampling_rate, double epsilon, std::uint64_t categories)
      : rate_(sampling_rate),
        epsilon_(epsilon),
        probability_(categories == 2 ? 1 : pair_probability(epsilon, categories)),
        unsampled_(epsilon, categories) {}

  double operator()(double order) const override {
    if (rate_ == 0 || epsilon_ == 0) return 0;
    if (rate_ == 1) return unsampled_(order);
    const double amplified = at_infinity();
    // Beyond e^600 the closed form of pure DP at the amplified epsilon says the same in every digit that matters.
    if (order * amplified > 600) return std::min(amplified, unsampled_(order));
    // Under Q the likelihood ratio of the sample-free output is e^epsilon with probability 1/(1+e^epsilon).
    const double up = rate_ * std::expm1(epsilon_);
    const double down = rate_ * std::expm1(-epsilon_);
    const double up_probability = 1 / (1 + std::exp(epsilon_));
    const double down_probability = 1 / (1 + std::exp(-epsilon_));
    const auto moment_minus_1 = [&](double power) {
      return probability_ * (up_probability * excess(power, up, std::log1p(up)) +
                             down_probability * excess(power, down, std::log1p(down)));
    };
    const double larger = std::max(moment_minus_1(order), moment_minus_1(1 - order));
    // Each excess is right within 64 units times (2 + |exponent|): proofs.md, section 3.
    const double error = 64 * unit * (4 + order * std::max(std::log1p(up), -std::log1p(down)));
    return std::min({amplified, unsampled_(order), raised(std::log1p(larger * (1 + error)) / (order - 1), 4 * unit)});
  }

  // The larger of log(1 - q + q e^eps) and -log(1 - q + q e^-eps) is the first.
  double at_infinity() const override { return amplified_epsilon(rate_, epsilon_); }

 private:
  double rate_;
  double epsilon_;
  double probability_;
  RandomizedResponseCurve unsampled_;
};

}  // namespace

double pure(double order, double epsilon) {
  require(1 <= order, "order", order, "in [1, inf]");
  ranges::epsilon(epsilon);
  if (epsilon == 0) return 0;
  if (std::isinf(order)) return epsilon;
  if (order == 1) return epsilon * std::tanh(epsilon / 2);
  return log1p_exp(log_moment_minus_1(order, epsilon)) / (order - 1);
}

double randomized_response(double order, double truth_probability) {
  require(1 <= order, "order", order, "in [1, inf]");
  require(0 < truth_probability && truth_probability < 1, "truth_probability", truth_probability, "in (0, 1)");
  // 2 p - 1 is exact near p = 1/2.
  const double p = truth_probability;
  const double log_odds = p < 0.25 || p > 0.75 ? std::log(p) - std::log1p(-p) : std::log1p((2 * p - 1) / (1 - p));
  return pure(order, std::abs(log_odds));
}

double amplified_epsilon(double sampling_rate, double epsilon) {
  if (sampling_rate == 0 || epsilon == 0) return 0;
  if (sampling_rate == 1) return epsilon;
  if (epsilon < 40) return raised(std::log1p(sampling_rate * std::expm1(epsilon)), 8 * unit);
  const double amplified = epsilon + std::log(sampling_rate + (1 - sampling_rate) * std::exp(-epsilon));
  return amplified + 8 * unit * (epsilon + std::abs(std::log(sampling_rate)));
}

CurvePtr pure_curve(double epsilon) { return randomized_response_curve(epsilon, 2); }

CurvePtr randomized_response_curve(double epsilon, std::uint64_t categories) {
  ranges::epsilon(epsilon);
  ranges::categories(categories);
  return std::make_shared<RandomizedResponseCurve>(epsilon, categories);
}

CurvePtr poisson_randomized_response_curve(double sampling_rate, double epsilon, std::uint64_t categories) {
  ranges::rate(sampling_rate);
  ranges::epsilon(epsilon);
  ranges::categories(categories);
  return std::make_shared<PoissonRandomizedResponseCurve>(sampling_rate, epsilon, categories);
}

}  // namespace dpbudget::renyi
