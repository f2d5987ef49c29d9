#include "dpbudget/accounting/contour/transform.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// |w|, which std::abs takes four times as long for. Squares that vanish are those of numbers below 2^-500.
double size_of(std::complex<double> w) { return std::sqrt(std::norm(w)) + 0x1p-500; }

class GaussianTransform final : public Transform {
 public:
  explicit GaussianTransform(double inverse_variance) : inverse_variance_(inverse_variance) {}

  Cumulant cumulant(double c) const override {
    const double value = c * (c + 1) / 2 * inverse_variance_;
    return {value, (c + 0.5) * inverse_variance_, inverse_variance_, 4 * unit * value};
  }

  std::function<double(double)> log_envelope(double) const override {
    return [v = inverse_variance_](double s) { return -(1 - 8 * unit) * s * s / 2 * v; };
  }

  std::function<LogCharacteristic(double)> log_characteristic(double c, double, double floor) const override {
    return [c, v = inverse_variance_, floor](double s) -> LogCharacteristic {
      const double log_abs = -s * s / 2 * v;
      const double phase = s * (c + 0.5) * v;
      return {log_abs, phase, 4 * unit * (phase - log_abs), log_abs * (1 - 8 * unit) <= floor ? infinity : 0};
    };
  }

  double cost(double, double) const override { return 1; }

 private:
  double inverse_variance_;
};

double log_participating(double rate, double inner) {
  return inner < 30 ? std::log1p(rate * std::expm1(inner)) : inner + std::log(rate + (1 - rate) * std::exp(-inner));
}

class Participating final : public Transform {
 public:
  Participating(double rate, TransformPtr inner) : rate_(rate), inner_(std::move(inner)) {}

  Cumulant cumulant(double c) const override { return contour::participating(rate_, inner_->cumulant(c)); }

  std::function<double(double)> log_envelope(double c) const override {
    return [part = least_share(inner_->cumulant(c)), inner = inner_->log_envelope(c)](double s) {
      return std::log1p(part * std::expm1(inner(s)));
    };
  }

  std::function<LogCharacteristic(double)> log_characteristic(double c, double reach, double floor) const override {
    const Cumulant cumulant = inner_->cumulant(c);
    const double part = share(cumulant);
    const double part_error = share_error(cumulant);
    // |phi| <= 1 - part + part |inner phi|.
    const double inner_floor = std::log(std::max(0.0, 1 + std::expm1(floor) / least_share(cumulant) - 1e-12));
    return [part, part_error, inner = inner_->log_characteristic(c, reach, inner_floor)](double s) {
      const LogCharacteristic log_phi = inner(s);
      LogCharacteristic found = contour::participating(log_phi, part, part_error);
      found.below_until = log_phi.below_until;
      return found;
    };
  }

  double cost(double c, double reach) const override { return 8 + inner_->cost(c, reach); }

  double max_loss() const override { return std::max(0.0, inner_->max_loss()); }

 private:
  // The part of the moment that comes from rounds in which the record's holder takes part.
  double share(const Cumulant& inner) const {
    return rate_ * std::exp(inner.value - log_participating(rate_, inner.value));
  }

  static double share_error(const Cumulant& inner) {
    return std::expm1(inner.error + 8 * unit * (1 + std::abs(inner.value)));
  }
  double least_share(const Cumulant& inner) const {
    return std::max(0.0, 1 - 1e-9 - 2 * share_error(inner)) * share(inner);
  }

  double rate_;
  TransformPtr inner_;
};

}  // namespace

Cumulant participating(double rate, const Cumulant& inner) {
  const double value = log_participating(rate, inner.value);
  const double part = rate * std::exp(inner.value - value);
  const double mean = part * inner.mean;
  const double variance = part * (inner.variance + inner.mean * inner.mean) - mean * mean;
  return {value, mean, variance, part * inner.error + 8 * unit * (std::abs(value) + part * std::abs(inner.value))};
}

LogCharacteristic participating(const LogCharacteristic& log_phi, double part, double part_error) {
  if (!log_phi.is_known()) return log1p(-part, part * (part_error + 2 * std::exp(log_phi.log_upper())));
  const double abs = std::exp(log_phi.log_abs);
  const double less = std::expm1(log_phi.log_abs);
  // phi - 1 without cancellation.
  const double half = std::sin(log_phi.phase / 2);
  const std::complex<double> change(less - 2 * abs * half * half, 2 * abs * half * std::cos(log_phi.phase / 2));
  const double size = size_of(change);
  const double change_error =
      abs * std::expm1(log_phi.error) + 8 * unit * (size + std::abs(less) + 2 * abs * half * half);
  return log1p(part * change, part * (change_error + size * part_error));
}

LogCharacteristic log1p(std::complex<double> w, double error) {
  const double square = 2 * w.real() + std::norm(w);
  const double abs = size_of(1.0 + w);
  const double log_abs = square > -0.5 ? std::log1p(square) / 2 : std::log(abs);
  error += 8 * unit * (size_of(w) + std::norm(w));
  if (!(error < abs / 4)) return {std::log(abs + 2 * error), 0, infinity};
  return {log_abs, std::arg(1.0 + w), -std::log1p(-error / abs)};
}

// accounting/contour/proofs.md, 2.3
double below_until(const LogCharacteristic& phi, double s, double variance, double floor) {
  const double room = std::exp(floor) - std::exp(phi.log_upper()) * (1 + 1e-9);
  return room > 0 ? s + (1 - 1e-6) * room / std::sqrt(variance) : 0;
}

TransformPtr gaussian(double inverse_variance) { return std::make_shared<GaussianTransform>(inverse_variance); }

TransformPtr participating(double rate, TransformPtr inner) {
  return std::make_shared<Participating>(rate, std::move(inner));
}

}  // namespace dpbudget::contour
