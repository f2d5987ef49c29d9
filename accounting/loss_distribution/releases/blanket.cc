#include "dpbudget/accounting/loss_distribution/releases/blanket.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"

namespace dpbudget::loss_distribution {
namespace {

// Sums of some hundred positive terms, and e^epsilon for epsilon up to 700, are right up to less than this.
constexpr double rounding_share = 0x1p-40;

// Less mass at 0 would not be known to these relative digits.
constexpr double least_at_zero = 1e-3;

// The first are as many as it takes to see where the losses are; a chord between the last costs some 1e-4 of epsilon.
constexpr double least_panels = 32;
constexpr double most_panels = 128;

// Of each point's delta, which costs no more than a chord.
constexpr double accuracy_of_points = 5e-5;

struct Atom {
  double epsilon;
  double q;  // e^epsilon times that under P
};

// Where delta is that of the points, from the last one on down: by the mass of Q at each, delta falls by
// (e^epsilon_j - e^epsilon) q_j.
std::vector<Atom> atoms_above_zero(std::span<const ProfilePoint> points) {
  std::vector<Atom> atoms;
  for (std::size_t i = points.size() - 1; i > 0; --i) {
    const double epsilon = points[i - 1].epsilon;
    const double base = std::exp(epsilon);
    double delta = points.back().delta;
    for (const Atom& atom : atoms) delta += base * std::expm1(atom.epsilon - epsilon) * atom.q;
    const double missing = points[i - 1].delta * (1 + rounding_share) - delta * (1 - rounding_share);
    const double q = std::max(0.0, missing) / (base * std::expm1(points[i].epsilon - epsilon));
    if (q > 0) atoms.push_back({points[i].epsilon, q});
  }
  return atoms;
}

double mass_at_zero(std::span<const Atom> atoms, double at_infinity) {
  double rest = 1 - at_infinity;
  for (const Atom& atom : atoms) rest -= (1 + std::exp(atom.epsilon)) * atom.q;
  return rest;
}

Pieces symmetric(std::vector<Atom> atoms, double at_zero, double at_infinity) {
  Pieces result;
  result.errors.mass = rounding_share;
  result.errors.infinity = rounding_share;
  result.p_at_infinity = result.q_at_infinity = at_infinity;
  std::ranges::sort(atoms, {}, &Atom::epsilon);
  const auto add = [&](double loss, double p, double q) { result.pieces.push_back({loss, loss, p, q, loss}); };
  for (const Atom& atom : std::views::reverse(atoms)) add(-atom.epsilon, atom.q, std::exp(atom.epsilon) * atom.q);
  if (at_zero > 0) add(0, at_zero, at_zero);
  for (const Atom& atom : atoms) add(atom.epsilon, std::exp(atom.epsilon) * atom.q, atom.q);
  return result;
}

}  // namespace

Pieces dominating_pieces(std::span<const ProfilePoint> points) {
  require(points.size() >= 2, "points", points.size(), "at least 2");
  require(points.front().epsilon == 0, "points[0].epsilon", points.front().epsilon, "0");
  double last = -1;
  for (const ProfilePoint& point : points) {
    require(last < point.epsilon && point.epsilon <= 700, "points epsilon", point.epsilon, "increasing, at most 700");
    require(0 <= point.delta && point.delta <= 1, "points delta", point.delta, "in [0, 1]");
    last = point.epsilon;
  }
  const double at_infinity = points.back().delta;
  // Too high a first point makes delta fall more steeply than that of any pair can. What is left bounds delta as well.
  std::vector<ProfilePoint> kept(points.begin(), points.end());
  for (; kept.size() >= 2; kept.erase(kept.begin() + 1)) {
    std::vector<Atom> atoms = atoms_above_zero(kept);
    const double at_zero = mass_at_zero(atoms, at_infinity);
    if (at_zero >= least_at_zero) return symmetric(std::move(atoms), at_zero, at_infinity);
  }
  // (epsilon, delta)-DP at the last point alone.
  return symmetric({{last, (1 - at_infinity) / (1 + std::exp(last))}}, 0, at_infinity);
}

Pieces blanket_pieces(const shuffle::Randomizer& randomizer, std::uint64_t reports, const Cut& cut) {
  check(cut);
  const double tail = std::min(cut.tail, 0.5);
  const double last = shuffle::epsilon_beyond(randomizer, reports, tail, accuracy_of_points);
  if (!(last <= 700)) throw Unsupported("the blanket of these reports has no epsilon at the tail that may be left out");
  const auto point_at = [&](double epsilon) {
    const double log_delta = shuffle::shuffled_log_delta_bound(randomizer, reports, epsilon, accuracy_of_points);
    return ProfilePoint{epsilon, std::min(1.0, numeric::exp_up(log_delta, rounding_share))};
  };
  const ProfilePoint at_zero = point_at(0);
  if (last == 0) return dominating_pieces(std::vector<ProfilePoint>{at_zero, {cut.step, at_zero.delta}});
  const auto steps = to_integer<int>(std::clamp(std::ceil(last / cut.step), least_panels, most_panels), "points");
  std::vector<ProfilePoint> points{at_zero};
  for (int i = 1; i <= steps; ++i) points.push_back(point_at(last * i / steps));
  return dominating_pieces(points);
}

}  // namespace dpbudget::loss_distribution
