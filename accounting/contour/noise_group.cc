#include "dpbudget/accounting/contour/noise_group.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/mixture_moment.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// Chebyshev's points are tried with so many...
constexpr std::size_t fewest_points = 12;
constexpr std::size_t most_points = 64;
// ... until all members' errors together are this little, where the kernel is this much larger than on the real axis.
constexpr double enough = 1e-11;
constexpr double typical_kernel = 30;
// Errors are those of the largest moment, for all of a group.
constexpr double most_excess = 16;
// Around variances, to bound the derivative.
constexpr double widest_radius = 0.25;
constexpr double widest_angle_of_noise = 1.2;

// A bound on |M(c) - 1| for every variance whose logarithm has a real part of at most `most` and an imaginary one of
// at most `angle` (accounting/contour/proofs.md, 8.5).
double largest_excess(const SamplePair& pair, double c, double most, double angle) {
  const double variance = std::exp(most) / std::cos(angle);
  const renyi::MixtureMoment moment({pair.rate, 1 / std::sqrt(variance)});
  double sum = 0;
  const auto add = [&](double power) {
    const auto excess = moment(power);
    sum += excess ? std::exp(excess->log_value) * (1 + excess->relative_error) : infinity;
  };
  if (pair.kind != SampleKind::add) add(c + 1);
  if (pair.kind != SampleKind::remove) add(-c);
  const double growth = std::exp(std::exp(most) * std::sin(angle) * std::tan(angle) / 8) / std::sqrt(std::cos(angle));
  return (1 + 1e-9) * growth * sum;
}

std::vector<double> variances_of(const std::vector<SampledNoise>& members) {
  std::vector<double> variances;
  variances.reserve(members.size());
  for (const SampledNoise& member : members) variances.push_back(variance_of(member));
  return variances;
}

// Of every member at z, kernel = |z (z+1)| (accounting/contour/proofs.md, 8.5 and 8.6).
double with_interpolation(const NoiseGroup::AtOrder& at, double of_rows, double kernel) {
  return (1 + 1e-6) * (at.amplification * of_rows + kernel * (at.interpolated + at.rounded));
}

}  // namespace

NoiseGroup::NoiseGroup(const SamplePair& pair, std::vector<SampledNoise> members, double most_order, double reach)
    : pair_(pair), members_(std::move(members)) {
  for (const SampledNoise& member : members_) noise_error_ = std::max(noise_error_, member.noise_error);
  const std::vector<double> variances = variances_of(members_);
  const NoiseRange range(variances);
  log_most_ = range.middle() + range.half();
  const Choice chosen = choice(pair_, members_, most_order);
  ellipse_ = chosen.ellipse;
  if (chosen.points > 0) interpolation_.emplace(variances, chosen.points);
  moments_.emplace(pair, interpolation_ ? interpolation_->points() : variances, most_order, reach);
}

NoiseGroup::AtOrder NoiseGroup::at(double c) const {
  AtOrder at{.rows = moments_->at(c), .moments = {}};
  const ExcessMoments& of_rows = at.rows.moments;
  const double kernel = c * (c + 1);
  const double of_variances = 2 * noise_error_ + unit * (8 + 2 * std::abs(log_most_) + 2 * widest_spread);
  const double radius = std::min(widest_radius, 4 / (kernel * std::exp(log_most_)));
  const double moved = of_variances * largest_excess(pair_, c, log_most_ + radius, radius) / radius / kernel;
  if (!interpolation_) {
    at.moments = of_rows;
    at.interpolated = moved;
  } else {
    const double largest = largest_excess(pair_, c, ellipse_.most, ellipse_.angle);
    at.amplification = interpolation_->amplification();
    at.interpolated = NoiseInterpolation::remainder(moments_->size(), ellipse_.ratio) * largest / kernel +
                      (1 + at.amplification) * moved;
    at.rounded = 4 * unit * static_cast<double>(moments_->size()) * at.amplification *
                 *std::ranges::max_element(of_rows.value) / kernel;
    for (const auto part : {&ExcessMoments::value, &ExcessMoments::first, &ExcessMoments::second}) {
      (at.moments.*part).resize(members_.size());
      (*interpolation_)(of_rows.*part, at.moments.*part);
    }
  }
  at.moments.error.assign(1, with_interpolation(at, of_rows.error.front(), kernel));
  return at;
}

double NoiseGroup::evaluate(const AtOrder& at, double s, std::vector<double>& real, std::vector<double>& imaginary) {
  const double kernel = std::hypot(at.rows.c, s) * std::hypot(at.rows.c + 1, s);
  real.resize(members_.size());
  imaginary.resize(members_.size());
  if (!interpolation_) return with_interpolation(at, moments_->evaluate(at.rows, s, walk_, real, imaginary), kernel);
  row_real_.resize(moments_->size());
  row_imaginary_.resize(moments_->size());
  const double of_rows = moments_->evaluate(at.rows, s, walk_, row_real_, row_imaginary_);
  (*interpolation_)(row_real_, real);
  (*interpolation_)(row_imaginary_, imaginary);
  return with_interpolation(at, of_rows, kernel);
}

bool NoiseGroup::are_near(const SamplePair& pair, const std::vector<SampledNoise>& members, double most_order) {
  const std::vector<double> variances = variances_of(members);
  const double log_most = std::log(*std::ranges::max_element(variances));
  return largest_excess(pair, most_order, log_most, 0) <= most_excess && choice(pair, members, most_order).points > 0;
}

NoiseGroup::Choice NoiseGroup::choice(const SamplePair& pair, const std::vector<SampledNoise>& members,
                                      double most_order) {
  if (members.size() <= fewest_points) return {};
  const std::vector<double> variances = variances_of(members);
  double all = 0;
  for (const SampledNoise& member : members) all += member.count * member.inside;
  const NoiseRange range(variances);
  struct Tried {
    double ratio;
    double largest;
  };
  std::vector<Tried> tried;
  for (const double ratio : {1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0}) {
    const NoiseEllipse ellipse = range.ellipse(ratio);
    if (!(ellipse.angle < widest_angle_of_noise)) break;
    tried.push_back({ratio, largest_excess(pair, most_order, ellipse.most, ellipse.angle)});
  }
  Choice chosen;
  for (std::size_t points = fewest_points; points < variances.size() && points <= most_points; points += 4) {
    double smallest = infinity;
    for (const auto& [ratio, largest] : tried) {
      const double remainder = NoiseInterpolation::remainder(points, ratio) * largest;
      if (!(remainder < smallest)) continue;
      smallest = remainder;
      chosen.ellipse = range.ellipse(ratio);
    }
    if (all * typical_kernel * smallest <= enough) {
      chosen.points = points;
      break;
    }
  }
  return chosen;
}

}  // namespace dpbudget::contour
