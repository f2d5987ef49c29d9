#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/loss_distribution/pieces/mixed_errors.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

constexpr double one_over_root_two_pi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
constexpr double underflow = 0x1p-1022;      // of a tail that is below it
constexpr double farthest_with_mass = 36.6;  // beyond, masses are below least_mass

double density(double x) { return one_over_root_two_pi * std::exp(-x * x / 2); }

// The mean of e^{-x u - u^2/2} over |u| <= h, less 1: the Hermite series sum of He_2k(x) h^2k / (2k+1)!, k >= 1.
// Needs h <= 1/4 and reach = h (|x| + 1) <= 1/2; the terms left out add up to less than 2^-54.
double mean_excess(double x, double h, double reach) {
  const int terms = reach < 1e-4 ? 1 : reach < 1e-2 ? 3 : reach < 0.1 ? 5 : 9;
  const double xh = x * h;
  const double hh = h * h;
  double even = 1;  // He_2k(x) h^2k
  double odd = xh;  // He_2k+1(x) h^(2k+1)
  double factorial = 1;
  double sum = 0;
  for (int k = 1; k <= terms; ++k) {
    even = xh * odd - (2 * k - 1) * hh * even;
    odd = xh * even - 2 * k * hh * odd;
    factorial /= 2 * k * (2 * k + 1);
    sum += even * factorial;
  }
  return sum;
}

// The mass of a cell under one normal law: the density at x, times `factor`. The point of the cell at x is `anchor`.
struct Mass {
  double anchor;
  double x;
  double factor;
};

// Where the cell lies on one side of the mean: the mass beyond its near end, less that beyond its far end.
double tail_factor(double near, double far) {
  const double beyond_near = numeric::mills_ratio(near);
  if (std::isinf(far)) return beyond_near;
  return beyond_near - std::exp((near - far) * (near + far) / 2) * numeric::mills_ratio(far);
}

Mass mass(double from, double to, double mean) {
  const double x = from - mean;
  const double y = to - mean;
  const double h = (to - from) / 2;
  const double centre = from + h;
  const double reach = h * (std::abs(centre - mean) + 1);
  if (h <= 0.25 && reach <= 0.5) return {centre, centre - mean, 2 * h * (1 + mean_excess(centre - mean, h, reach))};
  if (x >= 0) return {from, x, tail_factor(x, y)};
  if (y <= 0) return {to, y, tail_factor(-y, -x)};
  const double sum = std::erf(y / std::numbers::sqrt2) - std::erf(x / std::numbers::sqrt2);
  return {mean, 0, sum / (2 * one_over_root_two_pi)};
}

}  // namespace

GaussianPair::GaussianPair(double noise_multiplier) : mean_(0.5 / noise_multiplier) {
  ranges::noise_multiplier(noise_multiplier);
}

GaussianPair::Cell GaussianPair::cell(double from, double to) const {
  const double h = (to - from) / 2;
  const double centre = from + h;
  const double reach = h * (std::abs(centre) + mean_ + 1);
  if (h <= 0.25 && reach <= 0.5) {
    const double p_excess = mean_excess(centre - mean_, h, reach);
    const double q_excess = mean_excess(centre + mean_, h, reach);
    return {density(centre - mean_) * 2 * h * (1 + p_excess), density(centre + mean_) * 2 * h * (1 + q_excess),
            2 * mean_ * centre + std::log1p((p_excess - q_excess) / (1 + q_excess))};
  }
  const Mass p = mass(from, to, mean_);
  const Mass q = mass(from, to, -mean_);
  // (x_q^2 - x_p^2) / 2 from the anchors, whose difference is that of nearby numbers.
  const double log_densities = (q.anchor - p.anchor + 2 * mean_) * (q.anchor + p.anchor) / 2;
  return {density(p.x) * p.factor, density(q.x) * q.factor, log_densities + std::log(p.factor / q.factor)};
}

double GaussianPair::p_above(double t) const {
  return (numeric::upper_tail(t - mean_) + underflow) * (1 + errors(std::abs(t), 0).mass);
}

double GaussianPair::q_above(double t) const {
  return (numeric::upper_tail(t + mean_) + underflow) * (1 + errors(std::abs(t), 0).mass);
}

double GaussianPair::tail_point(double tail) const { return mean_ + numeric::tail_point(tail / 2); }

PieceErrors GaussianPair::errors(double farthest, double loss) const {
  const double x = std::min(farthest + mean_, farthest_with_mass);
  return {.mass = unit * (32 + x * x / 4 + x * mean_ / 2),
          .barycentre = unit * (64 + 2 * loss + 2 * mean_ * mean_),
          .loss = unit * (1 + loss)};
}

PieceErrors mixed_cell_errors(const GaussianPair& pair, double rate, double start, double end, double farthest) {
  const double reach = std::max(end, std::isinf(start) ? 0 : -start);
  const double loss_of_noise = 2 * pair.mean();
  const double least = rate < 1 ? std::log1p(-rate) : 0;
  const PieceErrors largest = pair.errors(reach, loss_of_noise * reach - least);
  const PieceErrors mixed = mixed_errors(largest, rate, loss_of_noise * end, farthest);
  // Of what the ends are wrong by, a part is in proportion to the mixture's losses.
  return {.mass = largest.mass,
          .barycentre = std::min(largest.barycentre, mixed.barycentre),
          .loss = std::min(largest.loss, mixed.loss + 2 * unit * (farthest - least))};
}

Piece mixed_piece(double rate, double low, double high, const GaussianPair::Cell& cell) {
  return {low, high, (1 - rate) * cell.q + rate * cell.p, cell.q,
          std::clamp(profile::mixture_loss(rate, cell.log_ratio), low, high)};
}

}  // namespace dpbudget::loss_distribution
