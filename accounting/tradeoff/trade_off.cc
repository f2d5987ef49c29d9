#include "dpbudget/accounting/tradeoff/trade_off.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/releases/approximate_dp.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/laplace.h"
#include "dpbudget/accounting/tradeoff/closed_forms.h"
#include "dpbudget/accounting/tradeoff/gaussian.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

class Approximate final : public TradeOff {
 public:
  Approximate(double epsilon, double delta) : epsilon_(epsilon), delta_(delta) {
    ranges::epsilon(epsilon);
    ranges::release_delta(delta);
  }
  double type_two_error(double a) const override { return approximate_type_two_error(a, epsilon_, delta_); }
  double power(double a) const override {
    ranges::type_one_error(a);
    if (a == 0) return delta_;
    const double steep = delta_ + std::exp(std::min(epsilon_ + std::log(a), 1.0));
    const double flat = -std::expm1(-epsilon_) + std::exp(-epsilon_) * (delta_ + a);
    return std::min({1.0, steep, flat});
  }
  double log_delta(double epsilon) const override {
    return symmetric_log_delta(epsilon, [this](double e) {
      // Randomised response: (e^epsilon - e^e) / (1 + e^epsilon).
      const double finite = e < epsilon_ ? -std::expm1(e - epsilon_) / (1 + std::exp(-epsilon_)) : 0;
      return std::log(delta_ + (1 - delta_) * finite);
    });
  }
  loss_distribution::Pieces losses(const loss_distribution::Cut& /*cut*/,
                                   loss_distribution::Side /*side*/) const override {
    return loss_distribution::approximate_dp_pieces(epsilon_, delta_);
  }

 private:
  double epsilon_;
  double delta_;
};

class Laplace final : public TradeOff {
 public:
  explicit Laplace(double epsilon) : epsilon_(epsilon) { ranges::epsilon(epsilon); }
  double type_two_error(double a) const override { return std::exp(laplace_log_type_two_error(a, epsilon_)); }
  double power(double a) const override {
    ranges::type_one_error(a);
    if (a == 0) return 0;
    const double log_steep = epsilon_ + std::log(a);
    return log_steep < -std::numbers::ln2 ? std::exp(log_steep) : 1 - type_two_error(a);
  }
  double log_delta(double epsilon) const override {
    return symmetric_log_delta(
        epsilon, [this](double e) { return e < epsilon_ ? std::log(-std::expm1((e - epsilon_) / 2)) : -infinity; });
  }
  loss_distribution::Pieces losses(const loss_distribution::Cut& cut, loss_distribution::Side /*side*/) const override {
    return epsilon_ == 0 ? loss_distribution::one_atom()
                         : loss_distribution::laplace_pieces(std::nextafter(1 / epsilon_, 0.0), cut);
  }

 private:
  double epsilon_;
};

}  // namespace

GaussianTradeOff::GaussianTradeOff(double mu) : mu_(mu) { ranges::mu(mu); }

double GaussianTradeOff::type_two_error(double type_one_error) const {
  return std::exp(gaussian_log_type_two_error(mu_, type_one_error));
}

double GaussianTradeOff::power(double type_one_error) const { return gaussian_power(mu_, type_one_error); }

double GaussianTradeOff::log_delta(double epsilon) const { return gaussian_to_log_delta(mu_, epsilon); }

loss_distribution::Pieces GaussianTradeOff::losses(const loss_distribution::Cut& cut,
                                                   loss_distribution::Side /*side*/) const {
  // The least noise that a double can mean by 1/mu.
  return mu_ == 0 ? loss_distribution::one_atom()
                  : loss_distribution::gaussian_pieces(std::nextafter(1 / mu_, 0.0), cut);
}

// accounting/tradeoff/proofs.md, 1.4
double symmetric_log_delta(double epsilon, const std::function<double(double)>& log_delta) {
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  if (epsilon >= 0) return log_delta(epsilon);
  return std::log(-std::expm1(epsilon) + std::exp(epsilon + log_delta(-epsilon)));
}

TradeOffPtr gaussian(double mu) { return std::make_shared<GaussianTradeOff>(mu); }
TradeOffPtr approximate(double epsilon, double delta) { return std::make_shared<Approximate>(epsilon, delta); }
TradeOffPtr laplace(double epsilon) { return std::make_shared<Laplace>(epsilon); }

}  // namespace dpbudget::tradeoff
