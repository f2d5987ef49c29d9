#include "dpbudget/accounting/approximate/leaves.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/discrete_gaussian.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/profile/normal_mixture.h"
#include "dpbudget/accounting/profile/table.h"

namespace dpbudget::approximate {

using numeric::log_add;
namespace {

using numeric::unit;

// Less noise than this gives no epsilon that a double can hold.
constexpr double least_noise = 1e-150;

class GaussianCurve final : public Curve {
 public:
  explicit GaussianCurve(double noise_multiplier) : noise_(noise_multiplier) {}
  double epsilon(double delta) const override {
    if (delta == 0 || noise_ < least_noise) return infinity;
    return profile::gaussian_epsilon_bound(noise_, delta).upper;
  }

 private:
  double noise_;
};

// accounting/approximate/proofs.md, 3.1
class DiscreteGaussianCurve final : public Curve {
 public:
  explicit DiscreteGaussianCurve(double noise_multiplier) : noise_(noise_multiplier) {}

  double epsilon(double delta) const override {
    if (delta == 0 || noise_ < least_noise) return infinity;
    const double target = std::log(delta) - unit * std::abs(std::log(delta));
    const auto excess = [&](double epsilon) { return std::max(log_delta(epsilon), -1e6) - target; };
    const double near = std::max(profile::gaussian_epsilon(noise_, delta), 0x1p-10 / noise_);
    const auto range = numeric::range_around(excess, near, {near / 2, 1.5}, {0, infinity});
    return numeric::certified_root(excess, range, numeric::RootPrecision{.relative = 0x1p-35}).upper;
  }

 private:
  double log_delta(double epsilon) const {
    if (noise_ <= most_summed) {
      const double value = profile::discrete_gaussian_log_delta(epsilon, noise_, 1);
      return value + 1e-12 * (1 + std::abs(value));
    }
    // The sum over the integers above t = epsilon s^2 - 1/2 exceeds the integral by the largest term at most.
    const double first = std::max(epsilon * noise_ * noise_ * (1 - 4 * unit) - 0.5, 0.0) / noise_;
    const double largest = std::min(std::exp(-0.5) + 0.5 / noise_, 1 / (std::numbers::e * first)) / noise_;
    const double log_excess =
        std::log(largest / noise_) - first * first / 2 * (1 - 8 * unit) - numeric::log_root_two_pi;
    const double log_gaussian = profile::gaussian_log_delta_bound(noise_, epsilon).upper;
    return log_add(log_gaussian, log_excess) + 16 * unit * (1 + std::abs(log_gaussian));
  }

  static constexpr double most_summed = 100;
  double noise_;
};

class LaplaceCurve final : public Curve {
 public:
  explicit LaplaceCurve(double scale) : scale_(scale) {}
  double epsilon(double delta) const override {
    const double pure = 1 / scale_;
    const double gain = -2 * std::log1p(-delta);
    return std::max(0.0, pure - gain + 8 * unit * (pure + gain));
  }

 private:
  double scale_;
};

class ResponseCurve final : public Curve {
 public:
  // `failure` is the probability of an outcome that gives the input away.
  ResponseCurve(double epsilon, double others, double failure)
      : epsilon_(epsilon), others_(others), failure_(failure) {}

  double epsilon(double delta) const override {
    if (delta < failure_ || failure_ == 1) return infinity;
    if (std::isinf(epsilon_)) return infinity;
    const double left = (delta - failure_) / (1 - failure_) * (1 - 4 * unit);
    // e^epsilon = e^e less left (e^e + others).
    const double lost = left * (1 + others_ * std::exp(-epsilon_)) * (1 - 4 * unit);
    if (lost >= 1) return 0;
    const double gain = -std::log1p(-lost);
    if (gain == 0) return epsilon_;
    return std::clamp(epsilon_ - gain + 8 * unit * (epsilon_ + gain), 0.0, epsilon_);
  }
  double least_delta() const override { return failure_; }

 private:
  double epsilon_;
  double others_;
  double failure_;
};

class NormalMixtureCurve final : public Curve {
 public:
  explicit NormalMixtureCurve(NormalMixture mixture) : mixture_(std::move(mixture)) {}

  double epsilon(double delta) const override {
    if (delta == 0) return infinity;
    const double target = std::log(delta) - unit * std::abs(std::log(delta));
    const auto excess = [&](double epsilon) {
      return std::max(profile::normal_mixture_log_delta(mixture_, epsilon), -1e6) - target;
    };
    const double near = std::max(0x1p-10, mixture_.highest_mean());
    const auto range = numeric::range_around(excess, near, {near / 2, 1.5}, {0, infinity});
    return numeric::certified_root(excess, range, numeric::RootPrecision{.relative = 0x1p-35}).upper;
  }

 private:
  NormalMixture mixture_;
};

class TableCurve final : public Curve {
 public:
  explicit TableCurve(const Table& points) : profile_(points) {}
  double epsilon(double delta) const override { return profile_.epsilon(delta); }
  double least_delta() const override { return profile_.at_infinity(); }

 private:
  profile::TableProfile profile_;
};

}  // namespace

CurvePtr table_curve(const Table& points) { return std::make_shared<TableCurve>(points); }

CurvePtr normal_mixture_curve(const NormalMixture& mixture) { return std::make_shared<NormalMixtureCurve>(mixture); }

CurvePtr gaussian_curve(double noise_multiplier) {
  ranges::noise_multiplier(noise_multiplier);
  return std::make_shared<GaussianCurve>(noise_multiplier);
}

CurvePtr discrete_gaussian_curve(double noise_multiplier) {
  ranges::noise_multiplier(noise_multiplier);
  return std::make_shared<DiscreteGaussianCurve>(noise_multiplier);
}

CurvePtr laplace_curve(double scale) {
  ranges::scale(scale);
  return std::make_shared<LaplaceCurve>(scale);
}

CurvePtr randomized_response_curve(double epsilon, std::uint64_t categories) {
  ranges::epsilon(epsilon);
  ranges::categories(categories);
  return std::make_shared<ResponseCurve>(epsilon, static_cast<double>(categories - 1), 0);
}

CurvePtr approximate_dp_curve(double epsilon, double delta) {
  ranges::epsilon(epsilon);
  ranges::release_delta(delta);
  return std::make_shared<ResponseCurve>(epsilon, 1, delta);
}

}  // namespace dpbudget::approximate
