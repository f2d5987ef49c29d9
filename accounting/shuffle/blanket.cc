#include "dpbudget/accounting/shuffle/blanket.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/shuffle/blanket_enumeration.h"
#include "dpbudget/accounting/shuffle/blanket_law.h"
#include "dpbudget/accounting/shuffle/blanket_sum.h"
#include "dpbudget/accounting/shuffle/blanket_tilted.h"

namespace dpbudget::shuffle {
namespace {

constexpr double unit = 0x1p-49;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Some hundreds of cells are needed, so all of them together may add this many times as much to log delta.
constexpr double greatest_gain = 1e-7;

// Where delta is 0 the solver needs a number.
constexpr double lowest = -1e4;

double log_add_up(double log_a, double log_b) {
  const double large = std::max(log_a, log_b);
  if (std::min(log_a, log_b) == -infinity) return large;
  return large + std::log1p(std::exp(std::min(log_a, log_b) - large)) + unit * (2 + std::abs(large));
}

bool has_positive_value(const BlanketLaw& law) {
  return std::ranges::any_of(law.values, [](const Value& v) { return v.value > 0 && v.mass > 0; });
}

double log_delta_of(const BlanketPair& pair, double reports, double epsilon, Side side) {
  const double log_left_out =
      side == Side::upper && pair.left_out > 0 ? std::log(pair.left_out) * (1 - unit) : -infinity;
  std::vector<Cell> cells = coarse_cells(pair);
  const BlanketLaw coarse = law_of(pair, cells, epsilon, Side::upper);
  if (!has_positive_value(coarse)) return log_left_out;
  if (!pair.stretches.empty()) {
    const double order = saddle_order(coarse, reports);
    cells = fine_cells(pair, epsilon, {reports, order, log_moment(coarse, order).value, greatest_gain});
  }
  const BlanketLaw law = law_of(pair, cells, epsilon, side);
  const auto enumerated = enumerated_log_mean_excess(law, reports, side);
  const double log_delta = enumerated ? *enumerated : log_mean_excess(law, reports, side);
  return std::min(0.0, log_add_up(log_delta, log_left_out));
}

double worst_log_delta(const Randomizer& randomizer, double reports, double epsilon, Side side) {
  double worst = -infinity;
  for (const BlanketPair& pair : randomizer.pairs) worst = std::max(worst, log_delta_of(pair, reports, epsilon, side));
  return worst;
}

// From where on no output of any pair speaks for x.
double greatest_loss(const Randomizer& randomizer) {
  double greatest = 0;
  for (const BlanketPair& pair : randomizer.pairs)
    for (const Cell& cell : coarse_cells(pair))
      greatest = std::max({greatest, cell.from.first - cell.from.second, cell.to.first - cell.to.second});
  return greatest;
}

// By the saddle point alone, with few cells.
double estimated_log_delta(const Randomizer& randomizer, double reports, double epsilon) {
  double greatest = lowest;
  for (const BlanketPair& pair : randomizer.pairs) {
    const BlanketLaw law = law_of(pair, coarse_cells(pair), epsilon, Side::upper);
    if (!has_positive_value(law)) continue;
    const double order = saddle_order(law, reports);
    greatest = std::max(greatest, reports * log_moment(law, order).value - std::log(order * reports) -
                                      std::log1p(order * std::sqrt(reports * TiltedLaw(law, order).variance)) - 0.92);
  }
  return greatest;
}

double estimated_epsilon(const Randomizer& randomizer, double reports, double log_delta, double last) {
  const auto excess = [&](double epsilon) { return estimated_log_delta(randomizer, reports, epsilon) - log_delta; };
  const double at_zero = excess(0);
  const double at_last = excess(last);
  if (!(at_zero > 0 && at_last < 0)) return last / 2;
  std::uintmax_t evaluations = 60;
  const auto close = [](double a, double b) { return b - a <= 1e-3 * b; };
  return boost::math::tools::toms748_solve(excess, 0.0, last, at_zero, at_last, close, evaluations).second;
}

}  // namespace

BlanketLogDelta blanket_log_delta(const Randomizer& randomizer, std::uint64_t reports, double epsilon) {
  ranges::reports(reports);
  ranges::epsilon(epsilon);
  const auto on_side = [&](Side side) {
    return worst_log_delta(randomizer, static_cast<double>(reports), epsilon, side);
  };
  return {on_side(Side::lower), on_side(Side::upper)};
}

Bound blanket_epsilon(const Randomizer& randomizer, std::uint64_t reports, double delta) {
  ranges::reports(reports);
  ranges::delta(delta);
  const double log_delta = std::log(delta) * (1 + unit);
  Bound bound{.lower = 0,
              .upper = infinity,
              .guarantee = randomizer.unproven.empty() ? Guarantee::proven : Guarantee::estimate,
              .theorem = randomizer.theorem,
              .notes = {"no lower bound on the shuffled reports' epsilon is known"},
              .accountant = {}};
  if (!randomizer.unproven.empty()) bound.notes.push_back(randomizer.unproven);
  const auto excess = [&](double epsilon) {
    return std::max(worst_log_delta(randomizer, static_cast<double>(reports), epsilon, Side::upper) - log_delta,
                    lowest);
  };
  const double at_zero = excess(0);
  if (at_zero <= 0) {
    bound.upper = 0;
    return bound;
  }
  const double last = greatest_loss(randomizer);
  if (excess(last) > 0) return bound;
  // A bracket from the saddle point's estimate, widened until it holds the solution.
  const double guess = estimated_epsilon(randomizer, static_cast<double>(reports), log_delta, last);
  double low = guess;
  double high = guess;
  double at_low = excess(guess);
  double at_high = at_low;
  for (double factor = 0.01; at_low <= 0; factor *= 4) {
    low = factor < 1 ? guess * (1 - factor) : 0;
    at_low = excess(low);
  }
  for (double factor = 0.01; at_high > 0; factor *= 4) {
    high = std::min(last, guess * (1 + factor));
    at_high = excess(high);
  }
  std::uintmax_t evaluations = 60;
  const auto close = [](double a, double b) { return b - a <= 1e-6 * b; };
  bound.upper = boost::math::tools::toms748_solve(excess, low, high, at_low, at_high, close, evaluations).second;
  return bound;
}

}  // namespace dpbudget::shuffle
