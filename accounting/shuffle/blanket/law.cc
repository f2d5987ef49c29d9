#include "dpbudget/accounting/shuffle/blanket/law.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::Extended;
using numeric::unit;
namespace {

constexpr int coarse = 32;
constexpr int deepest = 7;  // bisections of a coarse cell

// e^first - e^(epsilon + second), without cancellation.
double value_at(const LogRatios& ratios, double epsilon) {
  return std::exp(epsilon + ratios.second) * std::expm1(ratios.first - ratios.second - epsilon);
}

// The same on a side of the truth where the logarithms are off by `error`. No value is rounded beyond 0 whose sign is
// certain: beyond the local epsilon delta is 0.
double value_at(const LogRatios& ratios, double epsilon, double error, Side side) {
  const double direction = side == Side::upper ? 1 : -1;
  const double difference = ratios.first - ratios.second - epsilon;
  const double size = std::abs(ratios.first) + std::abs(ratios.second) + epsilon;
  double moved = difference + direction * (2 * error + unit * size);
  if (error == 0 && direction * difference <= 0) moved = direction * std::min(0.0, direction * moved);
  const double value = std::exp(epsilon + ratios.second) * std::expm1(moved);
  return value + direction * std::abs(value) * (error + unit * (4 + size));
}

void bisect(std::vector<Cell>& cells, const Stretch& stretch, double from, double to, double epsilon,
            const Cutting& cutting, int depth) {
  const Cell cell = stretch.cell(from, to);
  const double middle = from + (to - from) / 2;
  const double low = value_at(cell.from, epsilon);
  const double mean = value_at(cell.mean, epsilon);
  const double high = value_at(cell.to, epsilon);
  // e^(order L) at the mean and on the chord between the ends
  const auto weight = [&](double value) { return std::exp(cutting.order * value - cutting.log_moment); };
  const double share = std::clamp((mean - low) / (high - low), 0.0, 1.0);
  const double gain = (1 - share) * weight(low) + share * weight(high) - weight(mean);
  if (depth < deepest && cutting.reports * cell.mass * gain > cutting.greatest_gain) {
    bisect(cells, stretch, from, middle, epsilon, cutting, depth + 1);
    bisect(cells, stretch, middle, to, epsilon, cutting, depth + 1);
  } else if (cell.mass > 0) {
    cells.push_back(cell);
  }
}

template <class Visit>
void visit_coarsely(const BlanketPair& pair, const Visit& visit) {
  for (const Stretch& stretch : pair.stretches) {
    const double step = (stretch.to - stretch.from) / coarse;
    for (int i = 0; i < coarse; ++i)
      visit(stretch, stretch.from + i * step, i + 1 == coarse ? stretch.to : stretch.from + (i + 1) * step);
  }
}

}  // namespace

std::vector<Cell> coarse_cells(const BlanketPair& pair) {
  std::vector<Cell> cells = pair.atoms;
  visit_coarsely(pair, [&](const Stretch& stretch, double from, double to) {
    const Cell cell = stretch.cell(from, to);
    if (cell.mass > 0) cells.push_back(cell);
  });
  return cells;
}

std::vector<Cell> fine_cells(const BlanketPair& pair, double epsilon, const Cutting& cutting) {
  std::vector<Cell> cells = pair.atoms;
  visit_coarsely(pair, [&](const Stretch& stretch, double from, double to) {
    bisect(cells, stretch, from, to, epsilon, cutting, 0);
  });
  return cells;
}

// accounting/shuffle/blanket/proofs.md, 4.1
BlanketLaw law_of(const BlanketPair& pair, const std::vector<Cell>& cells, double epsilon, Side side) {
  BlanketLaw law{.values = {}, .rest = pair.rest, .excess = 0, .relative_error = pair.mass_error + 8 * unit};
  // Outputs that are left out: 0 is above the values of those that speak against x, and `left_out` makes up for the
  // others. The lower side does without them.
  if (side == Side::upper) law.rest += pair.left_out_blanket;
  law.values.reserve(2 * cells.size());
  for (const Cell& cell : cells) {
    const double mean = value_at(cell.mean, epsilon, pair.mean_error, side);
    const double one = value_at(cell.from, epsilon);
    const double other = value_at(cell.to, epsilon);
    if (side == Side::lower || one == other) {
      law.values.push_back({mean, cell.mass});
      continue;
    }
    const LogRatios& lowest = one < other ? cell.from : cell.to;
    const LogRatios& highest = one < other ? cell.to : cell.from;
    const double low = value_at(lowest, epsilon, 0, Side::lower);
    const double high = value_at(highest, epsilon, 0, Side::upper);
    const double share = std::clamp((mean - low) / (high - low) * (1 + 4 * unit), 0.0, 1.0);
    law.values.push_back({low, cell.mass * (1 - share)});
    law.values.push_back({high, cell.mass * share});
  }
  // In extended precision: a report's excess counts as often as there are reports.
  Extended excess = Extended(law.rest) - 1;
  for (const Value& value : law.values) excess += Extended(value.mass);
  law.excess = static_cast<double>(excess);
  return law;
}

}  // namespace dpbudget::shuffle
