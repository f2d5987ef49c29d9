#include "dpbudget/accounting/contour/layers.h"

#include <algorithm>
#include <cmath>

namespace dpbudget::contour {
namespace {

// Covers rounding, of the steps' too.
constexpr double margin = 1e-6;

// A lower bound on 1 - |sin(t) / t| for all t >= y, from sin(t) / t <= 1 - t^2/6 + t^4/120 up to y = 2, where it
// is still above the largest |sin(t) / t| that follows.
double loss_of_uniform(double y) {
  constexpr double at_two = 8.0 / 15;
  return y < 2 ? y * y / 6 * (1 - y * y / 20) : std::max(at_two, 1 - 1 / y);
}

}  // namespace

void Layers::add_step(double width, double height) {
  lower_to(height);
  if (open_.empty() || open_.back().height < height) open_.push_back({height, end_});
  end_ += width;
}

void Layers::lower_to(double height) {
  while (!open_.empty() && open_.back().height > height) {
    const Open top = open_.back();
    open_.pop_back();
    const double floor = std::max(height, open_.empty() ? 0.0 : open_.back().height);
    const double width = end_ - top.begin;
    layers_.push_back({(top.height - floor) * width, width});
    if (floor == height && height > 0 && (open_.empty() || open_.back().height < height))
      open_.push_back({height, top.begin});
  }
}

// accounting/contour/proofs.md, 2.1
double Layers::log_bound(double s) const {
  double lost = 0;
  for (const auto [mass, width] : layers_) lost += mass * loss_of_uniform(s * width / 2);
  return std::log1p(-(1 - margin) * lost);
}

}  // namespace dpbudget::contour
