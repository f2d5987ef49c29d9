#include "dpbudget/accounting/loss_distribution/releases/batch_triangle.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;
using numeric::upper_tail;

// Below it a tail stands for the whole.
constexpr double negligible_tail = 1e-40;

// Newton's method ends where the densities are in balance up to this.
constexpr double balanced = 1e-6;
constexpr int most_newton_steps = 60;

// Where the height's own normal variable is cut.
constexpr std::array height_cuts = {-4.5, -3.25, -2.25, -1.4, -0.6, 0.2, 1.0, 1.8, 2.6, 3.5};

// On a line: the supremum over half-lines t > z of N(side/2) - ratio N(-side/2) - others N(foot).
// accounting/loss_distribution/proofs.md, 4k.4
class OnLine {
 public:
  OnLine(double side, double foot, double ratio)
      : side_(side),
        foot_(foot),
        ratio_(ratio),
        log_ratio_(std::log(ratio)),
        slope_(std::max(0.0, side / 2 - foot)),
        start_(log_ratio_ / side) {}

  // To be asked for `others` in rising order.
  double at(double others) {
    const double log_others = others > 0 ? std::log(others) + (side_ / 2 - foot_) * (side_ / 2 + foot_) / 2 : 0;
    if (slope_ == 0 && others >= 1) return 0;
    if (slope_ > 0 && others > 0) start_ = std::max(start_, log_others / slope_);
    const double size = others > 0 ? 1 : 0;
    double fall_here = 1;
    for (int step = 0; step < most_newton_steps; ++step) {
      const auto [sum, fall] = other_densities(log_others, size);
      fall_here = fall;
      if (sum <= 1 + balanced) break;
      if (upper_tail(start_ - side_ / 2) < negligible_tail) return negligible_tail;
      start_ += std::log(sum) * sum / fall;
    }
    const double magnitude = log_ratio_ + std::abs(log_others) + (side_ + slope_) * std::abs(start_);
    const double rounding = 2 * unit * (4 + magnitude);
    // So far to the left that the others outweigh N(side/2) there, rounding included.
    start_ -= 2 * rounding / fall_here;
    const double excess = std::max(0.0, other_densities(log_others, size).sum - 1) + rounding;
    return beyond(start_, others) + excess * upper_tail(start_ - side_ / 2) * (1 + 8 * unit);
  }

 private:
  // The other two densities relative to that of N(side/2), and how fast they fall.
  struct Others {
    double sum;
    double fall;
  };
  Others other_densities(double log_others, double size) const {
    const double of_ratio = std::exp(log_ratio_ - side_ * start_);
    const double of_others = size * std::exp(log_others - slope_ * start_);
    return {of_ratio + of_others, side_ * of_ratio + slope_ * of_others};
  }

  // The half-line beyond z, rounded up.
  double beyond(double z, double others) const {
    const double own = upper_tail(z - side_ / 2);
    const double taken = ratio_ * upper_tail(z + side_ / 2) + others * upper_tail(z - foot_);
    const double farthest = std::abs(z) + std::max(side_, std::abs(foot_));
    return std::max(0.0, own - taken) + (own + taken) * unit * (6 + farthest * farthest / 8);
  }

  double side_;
  double foot_;
  double ratio_;
  double log_ratio_;
  double slope_;
  double start_;
};

// accounting/loss_distribution/proofs.md, 4k.5
double over_heights(const BatchTriangle& triangle, double ratio, double others) {
  OnLine line(triangle.side, triangle.foot, ratio);
  const double height = triangle.height;
  // Weights of the ends are dealt to a cell's mass so that its mean is kept; to the right of all cells it falls.
  double low = 0;
  double low_value = line.at(0);
  double mass_below = 0;
  double mean_below = 0;
  double sum = 0;
  for (const double cut : height_cuts) {
    const double high = std::exp(height * (cut - height / 2));
    const double high_value = line.at(others * high);
    const double mass_to_cut = upper_tail(-cut);
    const double mean_to_cut = upper_tail(height - cut);
    const double mass = mass_to_cut - mass_below;
    const double mean = mean_to_cut - mean_below;
    const double share = std::clamp((mean - mass * low) / (high - low), 0.0, mass);
    sum += high_value * share + low_value * (mass - share) + 4 * unit * (1 + 1 / (high - low)) * low_value;
    low = high;
    low_value = high_value;
    mass_below = mass_to_cut;
    mean_below = mean_to_cut;
  }
  return (sum + low_value * upper_tail(height_cuts.back())) * (1 + 64 * unit);
}

}  // namespace

double batch_hockey_stick(const BatchTriangle& triangle, double ratio, double others) {
  const double to_x = std::hypot(triangle.side / 2 - triangle.foot, triangle.height) * (1 + 4 * unit);
  const double in_line = OnLine(triangle.side, triangle.side / 2 - to_x, ratio).at(others);
  return triangle.height == 0 ? in_line : std::min(in_line, over_heights(triangle, ratio, others));
}

double batch_chi_squared(const BatchTriangle& triangle) {
  const double square = triangle.height * triangle.height;
  const double to_x = triangle.side / 2 - triangle.foot;
  const double to_other = triangle.side / 2 + triangle.foot;
  return std::exp(to_x * to_x + square) + std::exp(to_other * to_other + square) -
         2 * std::exp(square - to_x * to_other);
}

}  // namespace dpbudget::loss_distribution
