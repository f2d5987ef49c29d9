#include "dpbudget/accounting/loss_distribution/releases/normal_cell.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpbudget/accounting/numeric/normal.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr double one_over_root_two_pi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;

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

NormalCell normal_cell(double from, double to, double p_mean, double q_mean) {
  const double h = (to - from) / 2;
  const double centre = from + h;
  const double reach = h * (std::abs(centre) + std::max(std::abs(p_mean), std::abs(q_mean)) + 1);
  if (h <= 0.25 && reach <= 0.5) {
    const double p_excess = mean_excess(centre - p_mean, h, reach);
    const double q_excess = mean_excess(centre - q_mean, h, reach);
    return {density(centre - p_mean) * 2 * h * (1 + p_excess), density(centre - q_mean) * 2 * h * (1 + q_excess),
            (p_mean - q_mean) * (centre - (p_mean + q_mean) / 2) + std::log1p((p_excess - q_excess) / (1 + q_excess))};
  }
  const Mass p = mass(from, to, p_mean);
  const Mass q = mass(from, to, q_mean);
  // (x_q^2 - x_p^2) / 2 from the anchors, whose difference is that of nearby numbers.
  const double log_densities =
      (q.anchor - p.anchor + (p_mean - q_mean)) * (q.anchor + p.anchor - (p_mean + q_mean)) / 2;
  return {density(p.x) * p.factor, density(q.x) * q.factor, log_densities + std::log(p.factor / q.factor)};
}

}  // namespace dpbudget::loss_distribution
