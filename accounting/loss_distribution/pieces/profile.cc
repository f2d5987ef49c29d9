#include "dpbudget/accounting/loss_distribution/pieces/profile.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr double most_lost = 1e-3;
constexpr double most_cells = 0x1p24;

// The mass of a cell as a difference of tails, and the absolute error of that.
struct UncertainMass {
  double value;
  double error;

  double most() const { return value + error; }
  double relative_error() const { return value < least_mass ? 0 : error / (value - error); }
  bool is_known() const { return error <= most_lost * value || error < least_mass; }
};

// The tails of one measure at a cell's end.
struct Tails {
  double above;
  double below;
};

UncertainMass between(const Tails& low, const Tails& high, double relative_error) {
  const bool is_upper = low.above < high.below;
  const double larger = is_upper ? low.above : high.below;
  const double smaller = is_upper ? high.above : low.below;
  return {std::max(0.0, larger - smaller), relative_error * (larger + smaller)};
}

}  // namespace

Pieces profile_pieces(const Profile& profile, const Cut& cut) {
  check(cut);
  require(0 <= profile.relative_error && profile.relative_error < most_lost, "relative_error", profile.relative_error,
          "in [0, 1e-3)");
  const double tail_error = profile.relative_error + numeric::unit;
  // The distance from 0, in cells, at which a tail is small enough: found by doubling.
  const auto reach = [&](auto&& tail) {
    double cells = 1;
    while (cells < most_cells && !(tail(cells * cut.step) <= cut.tail)) cells *= 2;
    return cells * cut.step;
  };
  const double low_end = -reach([&](double x) { return profile.q_below(-x); });
  const double high_end = reach(profile.p_above);
  const auto [first, last] = multiples_around(low_end, high_end, cut.step);

  Pieces result;
  const auto p_tails = [&](double x) { return Tails{profile.p_above(x), profile.p_below(x)}; };
  const auto q_tails = [&](double x) { return Tails{profile.q_above(x), profile.q_below(x)}; };
  double low = static_cast<double>(first) * cut.step;
  Tails p_low = p_tails(low);
  Tails q_low = q_tails(low);
  result.q_below = q_low.below * (1 + tail_error);
  for (std::int64_t j = first + 1; j <= last; ++j) {
    const double high = static_cast<double>(j) * cut.step;
    const Tails p_high = p_tails(high);
    const Tails q_high = q_tails(high);
    const UncertainMass p = between(p_low, p_high, tail_error);
    const UncertainMass q = between(q_low, q_high, tail_error);
    if (!p.is_known() || !q.is_known()) {
      result.p_above += p.most();
      result.q_below += q.most();
    } else if (p.value > 0 || q.value > 0) {
      const bool has_ratio = std::min(p.value, q.value) >= least_mass;
      const double error = p.relative_error() + q.relative_error();
      const double barycentre = has_ratio ? std::log(p.value / q.value) : low + (high - low) / 2;
      result.pieces.push_back({low, high, p.value, q.value, std::clamp(barycentre, low, high)});
      result.errors.mass = std::max(result.errors.mass, error);
      result.errors.barycentre = std::max(result.errors.barycentre, has_ratio ? error : (high - low) / 2);
    }
    low = high;
    p_low = p_high;
    q_low = q_high;
  }
  result.p_above += p_low.above * (1 + tail_error);
  result.p_at_infinity = profile.p_at_infinity;
  result.q_at_infinity = profile.q_at_infinity;
  return result;
}

}  // namespace dpbudget::loss_distribution
