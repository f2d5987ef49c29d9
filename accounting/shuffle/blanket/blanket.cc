#include "dpbudget/accounting/shuffle/blanket/blanket.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/shuffle/blanket/enumeration.h"
#include "dpbudget/accounting/shuffle/blanket/law.h"
#include "dpbudget/accounting/shuffle/blanket/sum.h"
#include "dpbudget/accounting/shuffle/blanket/tilted.h"

namespace dpbudget::shuffle {

using numeric::unit;
namespace {

// Some hundreds of cells are needed, so all of them together may add this many times as much to log delta.
constexpr double greatest_gain = 1e-7;

// An epsilon that need not be the least one is looked for so near to it, from this share of the greatest loss on, in so
// many steps at most.
constexpr double near = 1.02;
constexpr double least_share = 1e-9;
constexpr int most_halvings = 8;

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

double log_delta_of(const BlanketPair& pair, double reports, double epsilon, Side side,
                    double accuracy = full_accuracy) {
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
  const double log_delta = enumerated ? *enumerated : log_mean_excess(law, reports, side, accuracy);
  return std::min(0.0, log_add_up(log_delta, log_left_out));
}

double worst_log_delta(const std::vector<BlanketPair>& pairs, double reports, double epsilon, Side side,
                       double accuracy = full_accuracy) {
  double worst = -infinity;
  for (const BlanketPair& pair : pairs) worst = std::max(worst, log_delta_of(pair, reports, epsilon, side, accuracy));
  return worst;
}

// By x_+ <= e^(order x) / (e order): enough for pairs whose delta is far below that of the worst.
double log_delta_by_tilt(const BlanketPair& pair, double reports, double epsilon) {
  const double log_left_out = pair.left_out > 0 ? std::log(pair.left_out) * (1 - unit) : -infinity;
  const BlanketLaw coarse = law_of(pair, coarse_cells(pair), epsilon, Side::upper);
  if (!has_positive_value(coarse)) return log_left_out;
  const double order = saddle_order(coarse, reports);
  const Cutting cutting{reports, order, log_moment(coarse, order).value, greatest_gain};
  const BlanketLaw law = law_of(pair, fine_cells(pair, epsilon, cutting), epsilon, Side::upper);
  const LogMoment moment = log_moment(law, order);
  const double parts = reports * (moment.value + moment.error + law.relative_error) - std::log(order * reports) - 1;
  return log_add_up(parts + unit * (4 + reports * std::abs(moment.value) + std::abs(std::log(order * reports))),
                    log_left_out);
}

// Of all pairs, those that are close to each other included.
double upper_log_delta(const Randomizer& randomizer, double reports, double epsilon, double accuracy = full_accuracy) {
  double worst = worst_log_delta(randomizer.pairs, reports, epsilon, Side::upper, accuracy);
  for (const ClosePairs& close : randomizer.close_pairs) {
    const double local = close.local_log_delta(epsilon);
    if (local <= worst) continue;
    const double by_pair = log_delta_by_tilt(close.pair, reports, close.pair_epsilon) + (epsilon - close.pair_epsilon);
    worst = std::max(worst, std::min(local, by_pair + unit * (4 + epsilon + close.pair_epsilon)));
  }
  return std::min(0.0, worst);
}

// From where on no output of any of these pairs speaks for x.
double greatest_loss(const std::vector<BlanketPair>& pairs) {
  double greatest = 0;
  for (const BlanketPair& pair : pairs)
    for (const Cell& cell : coarse_cells(pair))
      greatest = std::max({greatest, cell.from.first - cell.from.second + 4 * pair.mean_error,
                           cell.to.first - cell.to.second + 4 * pair.mean_error});
  return greatest * (1 + 4 * unit);
}

// By the saddle point alone, with few cells.
double estimated_log_delta(const std::vector<BlanketPair>& pairs, double reports, double epsilon) {
  double greatest = lowest;
  for (const BlanketPair& pair : pairs) {
    const BlanketLaw law = law_of(pair, coarse_cells(pair), epsilon, Side::upper);
    if (!has_positive_value(law)) continue;
    const double order = saddle_order(law, reports);
    greatest = std::max(greatest, reports * log_moment(law, order).value - std::log(order * reports) -
                                      std::log1p(order * std::sqrt(reports * TiltedLaw(law, order).variance)) - 0.92);
  }
  return greatest;
}

double estimated_epsilon(const std::vector<BlanketPair>& pairs, double reports, double log_delta, double last) {
  const auto excess = [&](double epsilon) { return estimated_log_delta(pairs, reports, epsilon) - log_delta; };
  const double at_zero = excess(0);
  const double at_last = excess(last);
  if (!(at_zero > 0 && at_last < 0)) return last / 2;
  return numeric::certified_root(excess, {0, at_zero}, {last, at_last}, numeric::RootPrecision{.relative = 1e-3}, 60)
      .upper;
}

// Two epsilons next to each other, relatively at most `precision` apart, between which a falling log delta crosses its
// target. Both 0 where it never exceeds that, both `last` where always.
template <class LogDelta>
numeric::Bracket crossing(const std::vector<BlanketPair>& pairs, double reports, const LogDelta& log_delta_at,
                          double target, double last, double precision) {
  const auto excess = [&](double epsilon) { return std::max(log_delta_at(epsilon) - target, lowest); };
  const double guess = estimated_epsilon(pairs, reports, target, last);
  const double first_step = std::max(0.01 * guess, 1e-9 * last);
  const auto range = numeric::range_around(excess, guess, {first_step, 4}, {0, last});
  if (range.lower.value <= 0) return {0, 0};
  if (range.upper.value > 0) return {last, last};
  return numeric::certified_root(excess, range, numeric::RootPrecision{.relative = precision}, 60);
}

void check(double accuracy) { require(0 < accuracy && accuracy < 1, "accuracy", accuracy, "in (0, 1)"); }

}  // namespace

numeric::Bracket blanket_log_delta(const Randomizer& randomizer, std::uint64_t reports, double epsilon) {
  ranges::reports(reports);
  ranges::epsilon(epsilon);
  const auto n = static_cast<double>(reports);
  return {worst_log_delta(randomizer.pairs, n, epsilon, Side::lower), upper_log_delta(randomizer, n, epsilon)};
}

numeric::Bracket shuffled_log_delta(const Randomizer& randomizer, std::uint64_t reports, double epsilon) {
  ranges::reports(reports);
  ranges::epsilon(epsilon);
  const auto n = static_cast<double>(reports);
  return {worst_log_delta(randomizer.witnesses, n, epsilon, Side::lower), upper_log_delta(randomizer, n, epsilon)};
}

double shuffled_log_delta_bound(const Randomizer& randomizer, std::uint64_t reports, double epsilon, double accuracy) {
  ranges::reports(reports);
  ranges::epsilon(epsilon);
  check(accuracy);
  return upper_log_delta(randomizer, static_cast<double>(reports), epsilon, accuracy);
}

double shuffled_log_delta_floor(const Randomizer& randomizer, std::uint64_t reports, double epsilon) {
  ranges::reports(reports);
  ranges::epsilon(epsilon);
  return worst_log_delta(randomizer.witnesses, static_cast<double>(reports), epsilon, Side::lower);
}

Bound blanket_epsilon(const Randomizer& randomizer, std::uint64_t reports, double delta) {
  ranges::reports(reports);
  ranges::delta(delta);
  const auto n = static_cast<double>(reports);
  Bound bound{.lower = 0,
              .upper = infinity,
              .guarantee = randomizer.unproven.empty() ? Guarantee::proven : Guarantee::estimate,
              .theorems = {randomizer.theorem},
              .notes = {},
              .accountant = {}};
  if (!randomizer.unproven.empty()) bound.notes.push_back(randomizer.unproven);
  const double greatest = greatest_loss(randomizer.pairs);
  const auto upper_at = [&](double epsilon) { return upper_log_delta(randomizer, n, epsilon); };
  const double from_below = std::log(delta) * (1 + unit);
  const double upper = crossing(randomizer.pairs, n, upper_at, from_below, greatest, 1e-6).upper;
  if (upper < greatest || upper_at(greatest) <= from_below) bound.upper = upper;
  if (randomizer.witnesses.empty())
    bound.notes.emplace_back("no lower bound on the shuffled reports' epsilon is known");
  else
    bound.lower = std::min(bound.upper, blanket_epsilon_floor(randomizer, reports, delta));
  return bound;
}

// The larger the first is, the less of the others needs to be searched.
double blanket_epsilon_floor(const Randomizer& randomizer, std::uint64_t reports, double delta) {
  ranges::reports(reports);
  ranges::delta(delta);
  const auto n = static_cast<double>(reports);
  const double from_above = std::log(delta) * (1 - unit);
  double largest = 0;
  for (const BlanketPair& witness : randomizer.witnesses) {
    const auto lower_at = [&](double epsilon) { return log_delta_of(witness, n, epsilon, Side::lower); };
    if (largest > 0 && !(lower_at(largest) > from_above)) continue;
    const double last = greatest_loss({witness});
    largest = std::max(largest, crossing({witness}, n, lower_at, from_above, last, 1e-6).lower);
  }
  return largest;
}

double epsilon_beyond(const Randomizer& randomizer, std::uint64_t reports, double delta, double accuracy) {
  ranges::reports(reports);
  ranges::delta(delta);
  check(accuracy);
  const auto n = static_cast<double>(reports);
  const double target = std::log(delta) * (1 + unit);
  const auto is_enough = [&](double epsilon) { return upper_log_delta(randomizer, n, epsilon, accuracy) <= target; };
  const double greatest = greatest_loss(randomizer.pairs);
  const bool is_near_zero = estimated_log_delta(randomizer.pairs, n, 0) <= target;
  if (is_near_zero && is_enough(0)) return 0;
  double low = is_near_zero ? least_share * greatest : estimated_epsilon(randomizer.pairs, n, target, greatest);
  double high = infinity;
  for (double more = 0.01; low > 0 && low * (1 + more) < greatest && std::isinf(high); more *= 2) {
    if (is_enough(low * (1 + more)))
      high = low * (1 + more);
    else
      low *= 1 + more;
  }
  if (std::isinf(high)) high = is_enough(greatest) ? greatest : infinity;
  for (int step = 0; step < most_halvings && std::isfinite(high) && high > near * low && low > 0; ++step) {
    const double middle = std::sqrt(low * high);
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace dpbudget::shuffle
