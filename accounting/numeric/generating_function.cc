#include "dpbudget/accounting/numeric/generating_function.h"

#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::numeric {

GeneratingFunction::GeneratingFunction(Kind kind, double mean, double eta, double gamma)
    : kind_(kind),
      mean_(mean),
      eta_(eta),
      gamma_(gamma),
      norm_(kind == Kind::logarithmic ? -std::log(gamma) : std::expm1(-eta * std::log(gamma))) {}

GeneratingFunction GeneratingFunction::poisson(double mean) {
  require(0 < mean && std::isfinite(mean), "mean", mean, "positive and finite");
  return {Kind::poisson, mean, 0, 1};
}

GeneratingFunction GeneratingFunction::negative_binomial(double eta, double gamma) {
  require(-1 < eta && eta <= 100, "eta", eta, "in (-1, 100]");
  require(1e-6 <= gamma && gamma < 1, "gamma", gamma, "in [1e-06, 1)");
  const Kind kind = eta == 1 ? Kind::geometric : eta == 0 ? Kind::logarithmic : Kind::power;
  return {kind, 0, eta, gamma};
}

double GeneratingFunction::mean() const {
  if (kind_ == Kind::poisson) return mean_;
  const double first = kind_ == Kind::logarithmic ? 1 : eta_;
  return first * (1 - gamma_) / gamma_ * std::pow(gamma_, -eta_) / norm_;
}

double GeneratingFunction::at_zero() const { return kind_ == Kind::poisson ? std::exp(-mean_) : 0; }

double GeneratingFunction::ratio(double outside) const { return gamma_ + (1 - gamma_) * outside; }

double GeneratingFunction::difference(double outside, double width) const {
  if (kind_ == Kind::poisson) return -std::exp(-mean_ * outside) * std::expm1(-mean_ * width);
  const double at = ratio(outside);
  const double relative = (1 - gamma_) * width / at;
  if (kind_ == Kind::geometric) return gamma_ * width / at / (at * (1 + relative));
  if (kind_ == Kind::logarithmic) return std::log1p(relative) / norm_;
  return -std::pow(at, -eta_) * std::expm1(-eta_ * std::log1p(relative)) / norm_;
}

// accounting/numeric/proofs.md, 6.1
double GeneratingFunction::second_difference(double outside, double a, double b) const {
  if (kind_ == Kind::poisson) return std::exp(-mean_ * outside) * std::expm1(-mean_ * a) * std::expm1(-mean_ * b);
  const double at = ratio(outside);
  const double more = 1 - gamma_;
  if (kind_ == Kind::geometric) {
    const double left = at + more * a;
    const double right = at + more * b;
    return gamma_ * a / left * (more * b / right) * ((left + right) / at) / (left + more * b);
  }
  const double x = more * a / at;
  const double y = more * b / at;
  const double both = x / (1 + x) * (y / (1 + y));
  if (kind_ == Kind::logarithmic) return -std::log1p(-both) / norm_;
  const double left = std::expm1(-eta_ * std::log1p(x));
  const double right = std::expm1(-eta_ * std::log1p(y));
  const double together = std::expm1(-eta_ * std::log1p(-both));
  return std::pow(at, -eta_) * (left * right + (1 + left) * (1 + right) * together) / norm_;
}

double GeneratingFunction::from_zero(double s) const {
  if (kind_ == Kind::poisson) return std::exp(-mean_) * std::expm1(mean_ * s);
  const double log_ratio = std::log1p(-(1 - gamma_) * s);
  return kind_ == Kind::logarithmic ? -log_ratio / norm_ : std::expm1(-eta_ * log_ratio) / norm_;
}

double GeneratingFunction::growth(double outside) const {
  return kind_ == Kind::poisson ? mean_ : (eta_ + 2) * (1 - gamma_) / ratio(outside);
}

// accounting/numeric/proofs.md, 6.2
double GeneratingFunction::growth_between(double near, double far) const {
  if (kind_ == Kind::poisson) return mean_;
  const double first = (eta_ + 1) * (1 - gamma_) / ratio(near);
  if (far > 1) return first;
  if (!(far > near)) return growth(near);
  const double quotient = ratio(near) / ratio(far);
  if (kind_ == Kind::geometric) return first * (1 + quotient * quotient / (1 + quotient));
  const double log_quotient = std::log1p(-(1 - gamma_) * (far - near) / ratio(far));
  return first * std::expm1((eta_ + 2) * log_quotient) / std::expm1((eta_ + 1) * log_quotient);
}

double GeneratingFunction::log_growth_to(double s) const {
  return kind_ == Kind::poisson ? mean_ * s : -(eta_ + 2) * std::log1p(-(1 - gamma_) * s);
}

double GeneratingFunction::relative_error() const {
  if (kind_ == Kind::poisson) return unit * (16 + mean_);
  return unit * (64 + 16 * std::abs(eta_)) * (eta_ < 0 ? (1 - eta_) / (1 + eta_) : 1);
}

double GeneratingFunction::condition() const { return 3 + (kind_ == Kind::poisson ? mean_ : 2 * (std::abs(eta_) + 2)); }

}  // namespace dpbudget::numeric
