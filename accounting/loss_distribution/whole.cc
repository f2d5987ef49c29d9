#include "dpbudget/accounting/loss_distribution/whole.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iterator>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/tilted.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::Extended;
using numeric::unit;
namespace {

// It is transformed under up to eight tilts.
constexpr double most_points_of_whole = 0x1p20;

// Whether two compositions are of the same losses.
bool is_same(const Part& one, const Part& other) {
  const LossDistribution& a = *one.distribution;
  const LossDistribution& b = *other.distribution;
  return one.count == other.count && a.side == b.side && a.grid.mesh == b.grid.mesh && a.grid.offset == b.grid.offset &&
         a.first == b.first && a.at_infinity == b.at_infinity && a.slack == b.slack && a.mass == b.mass;
}

// What a thread composed last. Losses that are the same in both directions, or for data sets as for what dominates
// them, are asked for one after the other.
class LastWhole {
 public:
  const LossDistribution* find(const std::vector<Part>& parts, double tail) const {
    return tail == tail_ && std::ranges::equal(parts, parts_, is_same) ? &sum_ : nullptr;
  }
  const LossDistribution& keep(const std::vector<Part>& parts, double tail, LossDistribution sum) {
    distributions_.clear();
    parts_.clear();
    for (const Part& part : parts) {
      distributions_.push_back(*part.distribution);
      parts_.push_back({&distributions_.back(), part.count});
    }
    tail_ = tail;
    sum_ = std::move(sum);
    return sum_;
  }

 private:
  std::deque<LossDistribution> distributions_;
  std::vector<Part> parts_;
  double tail_ = 0;
  LossDistribution sum_{};
};

// Orders up to this times the tail's logarithm over all sums' width are looked at first: where one of these ends the
// window near the sums' end, a larger one leaves next to nothing more out.
constexpr double sharpest_end = 64;
// Digits that masses at an end of a window may lose, as a logarithm.
constexpr double most_lost_at_end = 18;

// One end of a window for all sums. Below, orders and losses are Q's with the opposite sign.
struct WindowEnd {
  double loss;
  double tilt;  // under which masses near it are accurate
};

// @param log_moment_at  of the side's order
// @param of_sums        the side's largest sum
// @param log_mass       there
WindowEnd window_end(const std::function<double(double)>& log_moment_at, double of_sums, double log_mass,
                     double log_tail, double start, double width) {
  const double most = std::isinf(width) ? infinity : sharpest_end * -log_tail / width;
  Saddle saddle = saddle_at_delta(log_moment_at, log_tail, std::min(start, most), most);
  const bool is_far_below = saddle.epsilon < of_sums - 4 / sharpest_end * width;
  if (is_far_below && saddle.order >= most / 4) saddle = saddle_at_delta(log_moment_at, log_tail, start);
  if (is_far_below || (saddle.order < most / 4 && saddle.epsilon < of_sums)) return {saddle.epsilon, saddle.order};
  const auto lost = [&](double order) { return log_moment_at(order) - order * of_sums - std::max(log_mass, log_tail); };
  double tilt = 0;
  if (lost(0) > most_lost_at_end)
    for (tilt = 1 / width; tilt < most && lost(tilt) > most_lost_at_end;) tilt *= 2;
  return {of_sums, tilt};
}

// The sums' smallest and largest, as points of their grid, or beyond them where those are many; and the logarithms of
// their masses: Q's, and P's.
struct Sums {
  double first = 0;
  double last = 0;
  double log_mass_of_first = 0;
  double log_mass_of_last = 0;
};

Sums sums_of(const std::vector<Part>& parts) {
  Sums sums;
  for (const Part& part : parts) {
    if (part.count == 0) continue;
    const LossDistribution& losses = *part.distribution;
    const auto count = static_cast<double>(part.count);
    const auto first = static_cast<double>(losses.first);
    sums.first += count * first;
    sums.last += count * (first + static_cast<double>(losses.mass.size() - 1));
    sums.log_mass_of_first += count * (std::log(losses.mass.front()) - losses.loss(0));
    sums.log_mass_of_last += count * std::log(losses.mass.back());
    // Beyond it whole numbers would be rounded.
    if (!(std::max(std::abs(sums.first), std::abs(sums.last)) < 0x1p52)) return {-infinity, infinity, 0, 0};
  }
  return sums;
}

// Under one tilt only masses near its mean are relatively accurate: each point takes the best of several, from P's own
// masses to those at `above`, and from Q's to those at `below`.
std::vector<double> tilts_between(double above, double below) {
  std::vector<double> tilts;
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    if (share == 0 || above > 0) tilts.push_back(share * above);
    if (share == 0 || below > 0) tilts.push_back(-1 - share * below);
  }
  return tilts;
}

// accounting/loss_distribution/proofs.md, 3.2
LossDistribution composed_whole(const std::vector<Part>& parts, double tail) {
  const double mesh = parts.front().distribution->grid.mesh;
  const double offset = offset_of(parts);
  const double log_tail = std::log(tail);
  const Sums sums = sums_of(parts);
  const double sums_width = std::max(1.0, sums.last - sums.first) * mesh;
  // P(sum > high) <= tail, and Q(sum < low) <= tail: Q's moments are P's at an order less by one.
  const WindowEnd above =
      window_end([&](double order) { return log_moment(parts, order).value; }, offset + sums.last * mesh,
                 sums.log_mass_of_last, log_tail, first_order(parts), sums_width);
  const WindowEnd below =
      window_end([&](double order) { return log_moment(parts, -1 - order).value; }, -(offset + sums.first * mesh),
                 sums.log_mass_of_first, log_tail, first_order(parts), sums_width);
  const double first = std::clamp(std::floor((-below.loss - offset) / mesh), sums.first, sums.last);
  const double last = std::min(sums.last, std::ceil((above.loss - offset) / mesh));
  const std::size_t length =
      numeric::Fourier::length_for(points_of(std::max(0.0, last - first) * mesh, mesh, most_points_of_whole));
  const bool holds_first = first <= sums.first;
  const bool holds_last = first + static_cast<double>(length - 1) >= sums.last;
  const Window window = window_at(first, length);
  LossDistribution sum = empty_sum(parts, window);
  const double low = sum.loss(0);
  const double high = sum.loss(window.length - 1);
  std::vector<double> orders;
  const double deviation = std::max(tilted_deviation(parts, 0), mesh);
  if (!holds_last) std::ranges::copy(orders_around(above.tilt, deviation), std::back_inserter(orders));
  if (!holds_first) std::ranges::copy(orders_around(-1 - below.tilt, deviation), std::back_inserter(orders));
  const MomentTable moments = moments_of(parts, std::move(orders));
  bool is_first = true;
  for (const double tilt : tilts_between(above.tilt, below.tilt)) {
    Wrapped wrap = wrapped(moments, tilt, static_cast<double>(window.length) * mesh, low, high);
    if (holds_last) wrap.above = Wrapped::nothing;
    if (holds_first) wrap.below = Wrapped::nothing;
    put_masses(sum, product_of(parts, tilt, window), wrap, is_first);
    is_first = false;
  }
  // Transforms leave something where there is no sum.
  if (holds_last) sum.mass.resize(to_integer<std::size_t>(sums.last - first + 1, "points"));
  if (sum.side == Side::upper) {
    if (!holds_last) sum.at_infinity += moments.mass_above(high + mesh);
    if (!holds_first) sum.mass.front() += moments.mass_below(low - mesh);
    Extended total = Extended(sum.at_infinity);
    for (const double mass : sum.mass) total += mass;
    if (total < 1) sum.mass.front() += static_cast<double>(1 - total) * (1 + 4 * unit);
  }
  return sum;
}

}  // namespace

LossDistribution compose_whole(const std::vector<Part>& parts, double tail) {
  if (parts.size() == 1 && parts.front().count == 1) return *parts.front().distribution;
  thread_local LastWhole last;
  if (const LossDistribution* known = last.find(parts, tail)) return *known;
  return last.keep(parts, tail, composed_whole(parts, tail));
}

}  // namespace dpbudget::loss_distribution
