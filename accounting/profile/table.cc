#include "dpbudget/accounting/profile/table.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::profile {

using numeric::Extended;
namespace {

// A vertex at which the slope changes by less of itself is left out, which gives a larger profile: rounding could not
// tell its mass.
constexpr double least_change = 0x1p-20;

// Half of the chord across g = 1, by symmetry: from g = -1, where it is 1.
Extended slope_from_start(Extended g, double delta) { return (Extended(delta) - 1) / (g + 1); }

}  // namespace

TableProfile::TableProfile(const Table& points) {
  ranges::points(points);
  for (const auto& [epsilon, delta] : points) {
    if (!hull_.empty() && !(delta < hull_.back().delta)) continue;
    push({epsilon, delta, numeric::extended::exp(Extended(epsilon)), 0});
  }
}

void TableProfile::push(Vertex next) {
  while (true) {
    if (hull_.empty()) {
      next.slope = slope_from_start(next.g, next.delta);
      break;
    }
    const Vertex& last = hull_.back();
    // The difference of g, digits kept.
    const Extended width = last.g * numeric::extended::expm1(Extended(next.epsilon) - Extended(last.epsilon));
    next.slope = (Extended(next.delta) - Extended(last.delta)) / width;
    if (next.slope - last.slope > -last.slope * Extended(least_change)) break;
    hull_.pop_back();
  }
  hull_.push_back(next);
}

std::vector<TableProfile::Atom> TableProfile::atoms() const {
  std::vector<Atom> found;
  for (std::size_t i = 0; i < hull_.size(); ++i) {
    const Extended after = i + 1 < hull_.size() ? hull_[i + 1].slope : Extended(0);
    // At g = 1 the profile's other half has as much.
    const Extended q = (after - hull_[i].slope) * (hull_[i].epsilon == 0 ? 2 : 1);
    if (!(q > 0)) continue;  // a delta of 1 says nothing
    found.push_back({hull_[i].epsilon, static_cast<double>(q * hull_[i].g), static_cast<double>(q)});
  }
  return found;
}

double TableProfile::epsilon(double delta) const {
  if (delta < hull_.back().delta) return infinity;
  const auto after = std::ranges::find_if(hull_, [&](const Vertex& vertex) { return vertex.delta <= delta; });
  if (after->delta == delta || after->slope == 0) return after->epsilon;
  // Back from the vertex along what leads to it.
  const Extended g = after->g + (Extended(delta) - Extended(after->delta)) / after->slope;
  if (!(g > 1)) return 0;
  const auto back = static_cast<double>(numeric::extended::log(g));
  return std::min(after->epsilon, numeric::raised(back, numeric::unit) + 8 * numeric::unit);
}

}  // namespace dpbudget::profile
