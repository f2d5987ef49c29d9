#include "dpbudget/accounting/renyi/without_replacement_gaussian.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/excess.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/mixture_moment.h"
#include "dpbudget/accounting/renyi/moment.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {

using numeric::log_excess;
using numeric::raised;
using numeric::unit;
namespace {

constexpr std::size_t most_nodes = 1 << 18;
constexpr int points = 20;     // of the Gauss rule on each panel
constexpr double ellipse = 4;  // parameter of the Bernstein ellipse in which the integrand is bounded
using Rule = boost::math::quadrature::gauss<double, points>;

// E[excess(order, x) + excess(1 - order, x); x > 0]. The integrand is analytic right of x = 0, up to distance pi s from
// the real line, but not across: so Gauss rules on panels from there on, the first ones graded.
class UpperHalf {
 public:
  explicit UpperHalf(GaussianMixture mixture)
      : mixture_(mixture),
        start_(0.5 / mixture.noise_multiplier),
        width_(std::min(1.0, mixture.noise_multiplier)),
        halvings_(6 + to_integer<int>(std::ceil(std::log2(1 + 2 * mixture.sampling_rate * mixture.noise_multiplier)),
                                      "halvings")),
        end_(start_),
        next_(std::ldexp(width_, -halvings_)) {}

  std::optional<LogExcess> operator()(double order) const {
    const double range = mixture_.reach() + std::max(order, 2.0) / mixture_.noise_multiplier;
    if (!((range / width_ + halvings_) * points < static_cast<double>(most_nodes))) return std::nullopt;
    while (end_ < start_ + range) add_panel();
    const std::size_t panels = std::min(nodes_.size() / points, to_integer<std::size_t>(range / width_, "panels") +
                                                                    static_cast<std::size_t>(halvings_) + 1);
    const auto nodes = std::span(nodes_).first(panels * points);
    const LogExcess direct = sum_of_excess(nodes, order);
    const LogExcess reverse = sum_of_excess(nodes, 1 - order);
    // reverse <= direct, since (1+x)^(1-a) lies below (1+x)^a by more than the tangents do.
    return LogExcess{
        direct.log_value + std::log1p(std::exp(reverse.log_value - direct.log_value)),
        std::max(direct.relative_error, reverse.relative_error) + 8 * unit + quadrature_error(order, range)};
  }

 private:
  void add_panel() const {
    const double centre = end_ + next_ / 2;
    const double half = next_ / 2;
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i)
      for (const double side : {-1.0, 1.0})
        nodes_.push_back(mixture_node(mixture_, centre + side * half * Rule::abscissa()[i], half * Rule::weights()[i]));
    std::sort(nodes_.end() - points, nodes_.end(),
              [](const MixtureNode& a, const MixtureNode& b) { return a.u < b.u; });
    end_ += next_;
    next_ = std::min(width_, 2 * next_);
  }

  // Bound on the relative error of the Gauss rules: accounting/renyi/proofs.md, 5.3.
  double quadrature_error(double order, double range) const {
    const auto [rate, noise] = mixture_;
    const double height = width_ / 4 * (ellipse - 1 / ellipse);
    const double beside = std::ldexp(width_, -halvings_) * (order + 1) * rate / noise;
    const double log_growth = height * height / 2 - (order + 1) * std::log(std::cos(height / noise / 2)) + beside;
    return 2.5e4 * range / width_ * std::exp(log_growth - 2 * points * std::log(ellipse));
  }

  GaussianMixture mixture_;
  double start_;  // x = 0
  double width_;  // of a panel that is not graded
  int halvings_;  // of the first panel, beside which the integrand has its other branch: more for orders of 1e4 and up
  mutable double end_;
  mutable double next_;  // width of the next panel
  mutable std::vector<MixtureNode> nodes_;
};

Divergence tight_divergence(const UpperHalf& moment, const GaussianMixture& mixture, double order) {
  // Where the components are apart, the reverse part, at most (order - 1) q, is below 1e-20 of the moment.
  if (components_apart(mixture, order)) return minkowski(mixture, order);
  const auto excess = moment(order);
  const double noise = mixture.noise_multiplier;
  return excess ? divergence(*excess, order) : Divergence{order / 2 / noise / noise, 4 * unit};
}

class TightCurve final : public Curve {
 public:
  explicit TightCurve(GaussianMixture mixture) : mixture_(mixture), moment_(mixture) {}
  double operator()(double order) const override {
    // Sampling never costs; near the end of the quadrature's range its error bound alone could.
    const double noise = mixture_.noise_multiplier;
    return std::min(tight_divergence(moment_, mixture_, order).upper(), raised(order / 2 / noise / noise, 4 * unit));
  }

 private:
  GaussianMixture mixture_;
  UpperHalf moment_;
};

class SampledResponseCurve final : public Curve {
 public:
  SampledResponseCurve(double sampling_rate, const ToldResponse& response)
      : x_(sampling_rate * std::expm1(response.epsilon)),
        log_probability_(std::log(response.told) - response.epsilon - std::log1p(std::exp(-response.epsilon))),
        amplified_(amplified_pure_epsilon(sampling_rate, response.epsilon)) {}
  double operator()(double order) const override {
    const double direct = log_excess(order, x_, amplified_);
    const double reverse = log_excess(1 - order, x_, amplified_);
    const double log_moment = log_probability_ + direct + std::log1p(std::exp(reverse - direct));
    const double error = 32 * unit * (4 + std::abs(log_moment) + 2 * order * amplified_ - log_probability_);
    return std::min(amplified_, divergence({log_moment, error}, order).upper());
  }
  double at_infinity() const override { return amplified_; }

 private:
  double x_;  // infinite where a double cannot hold it
  double log_probability_;
  double amplified_;  // log(1 + x)
};

}  // namespace

double without_replacement_gaussian(double sampling_rate, double noise_multiplier, double order) {
  ranges::rate(sampling_rate);
  ranges::noise_multiplier(noise_multiplier);
  ranges::order(order);
  if (sampling_rate == 0) return 0;
  if (sampling_rate == 1) return order / 2 / noise_multiplier / noise_multiplier;
  const GaussianMixture mixture{sampling_rate, noise_multiplier};
  return tight_divergence(UpperHalf(mixture), mixture, order).value;
}

CurvePtr without_replacement_gaussian_curve(double sampling_rate, double noise_multiplier) {
  ranges::rate(sampling_rate);
  ranges::noise_multiplier(noise_multiplier);
  if (sampling_rate == 0) return gaussian_curve(0);
  if (sampling_rate == 1) return gaussian_curve(raised(1 / noise_multiplier / noise_multiplier, 2 * unit));
  return std::make_shared<TightCurve>(GaussianMixture{sampling_rate, noise_multiplier});
}

CurvePtr without_replacement_randomized_response_curve(double sampling_rate, double epsilon, std::uint64_t categories) {
  ranges::epsilon(epsilon);
  ranges::categories(categories);
  return without_replacement_told_response_curve(sampling_rate, told_response(RandomizedResponse{epsilon, categories}));
}

CurvePtr without_replacement_told_response_curve(double sampling_rate, const ToldResponse& response) {
  ranges::rate(sampling_rate);
  if (sampling_rate == 0 || response.epsilon == 0) return pure_curve(0);
  if (sampling_rate == 1) return told_response_curve(response);
  return std::make_shared<SampledResponseCurve>(sampling_rate, response);
}

}  // namespace dpbudget::renyi
