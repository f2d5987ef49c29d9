#include "dpbudget/accounting/loss_distribution/releases/normal_mixture.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"
#include "dpbudget/accounting/loss_distribution/releases/normal_cell.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

constexpr double underflow_of_tail = 0x1p-1022;

double tail_up(double x) {
  const double far = std::max(0.0, x);
  return (numeric::upper_tail(x) + underflow_of_tail) * (1 + unit * (4 + far * far / 4));
}

// log of the mixture's density ratio to N(0, 1), or of masses, from the log ratios of its shifts.
struct JointLoss {
  double value;
  double slope;        // by t, where the log ratios are those of densities
  double of_rounding;  // what the probabilities' errors and rounding make of it
  double of_ratios;    // what errors of the log ratios make of it, each as many units as `error_of_ratio` says
};

class Shifts {
 public:
  explicit Shifts(NormalMixture mixture)
      : mixture_(std::move(mixture)),
        highest_(mixture_.highest_mean()),
        number_(static_cast<double>(mixture_.shifts.size())) {
    for (const NormalShift& shift : mixture_.shifts) shifted_ += shift.probability;
  }

  double highest_mean() const { return highest_; }

  // Of what is not shifted, which no loss is below; and by how much that may be off.
  struct Least {
    double value;
    double error;
  };
  Least least_loss() const {
    const double of_probabilities = mixture_.error + unit * (8 + number_);
    if (shifted_ < 0.5) {
      const double value = std::log1p(-shifted_);
      return {value, 2 * (shifted_ * of_probabilities + mixture_.beyond) + 0x1p-1022};
    }
    const double value = std::log(mixture_.at_zero);
    return {value, of_probabilities + 2 * unit * std::abs(value)};
  }

  // At a point.
  JointLoss loss(double t) const {
    return joined(t, [t](const NormalShift& shift) { return shift.mean * (t - shift.mean / 2); });
  }

  struct Cell {
    double p;
    JointLoss loss;
  };

  // Of [from, to], and its mirror image where `sign` is -1.
  Cell cell(double from, double to, double sign, double& q) const {
    double p = 0;
    const double reach = std::isinf(from) ? std::abs(to) : std::max(std::abs(from), std::abs(to));
    const JointLoss loss = joined(reach, [&](const NormalShift& shift) {
      const NormalCell one = normal_cell(from, to, sign * shift.mean, 0);
      p += shift.probability * one.p;
      q = one.q;
      return one.log_ratio;
    });
    return {p + mixture_.at_zero * q, loss};
  }

  // Of what is shifted, and of what is not.
  double shifted_above(double t) const {
    double sum = 0;
    for (const auto& [probability, mean] : mixture_.shifts) sum += probability * tail_up(t - mean);
    return sum * (1 + mixture_.error + unit * (4 + number_));
  }
  double at_zero_above(double t) const { return mixture_.at_zero * tail_up(t) * (1 + mixture_.error + 4 * unit); }

  // Relative, of masses of cells within [-reach, reach].
  double mass_error(double reach) const {
    return GaussianPair(0.5 / highest_).errors(reach, 0).mass + mixture_.error + unit * (4 + number_);
  }

 private:
  // Of one shift's log ratio at points up to `reach` from 0, in units.
  static double error_of_ratio(double mean, double reach) { return 64 + mean * (2 * reach + 4 * mean); }

  template <class LogRatio>
  JointLoss joined(double reach, const LogRatio& log_ratio) const {
    std::vector<double>& exponents = exponents_;
    exponents.clear();
    double largest = 0;
    for (const NormalShift& shift : mixture_.shifts) {
      exponents.push_back(log_ratio(shift));
      largest = std::max(largest, exponents.back());
    }
    double change = 0;  // of the ratio from 1
    double magnitude = 0;
    changes_.clear();
    if (largest < farthest_change)
      for (std::size_t i = 0; i < exponents.size(); ++i) {
        changes_.push_back(std::expm1(exponents[i]));
        const double term = mixture_.shifts[i].probability * changes_.back();
        change += term;
        magnitude += std::abs(term);
      }
    const bool is_near = largest < farthest_change && change > -0.5 && change < 1;
    const double scale = is_near ? 0 : largest;
    double ratio = is_near ? 1 + change : mixture_.at_zero * std::exp(-scale);
    double slope = 0;
    double of_ratios = 0;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      const auto& [probability, mean] = mixture_.shifts[i];
      const double term = probability * (is_near ? 1 + changes_[i] + 4 * unit : std::exp(exponents[i] - scale));
      if (!is_near) ratio += term;
      slope += term * mean;
      of_ratios += term * error_of_ratio(mean, reach);
    }
    const double value = is_near ? std::log1p(change) : scale + std::log(ratio);
    const double of_probabilities = mixture_.error + unit * (8 + number_);
    const double moved = is_near ? magnitude / (1 + change) * of_probabilities + mixture_.beyond / (1 + change)
                                 : of_probabilities + unit * scale;
    return {value, slope / ratio, (moved + unit * std::abs(value)) * (1 + 64 * unit) + 0x1p-1022,
            unit * of_ratios / ratio * (1 + 1e-6)};
  }

  static constexpr double farthest_change = 600;

  NormalMixture mixture_;
  double shifted_ = 0;
  double highest_;
  double number_;
  mutable std::vector<double> exponents_;
  mutable std::vector<double> changes_;  // of e^exponent from 1
};

// The mixture against what it is told from.
class MixturePair {
 public:
  MixturePair(NormalMixture mixture, Against against)
      : shifts_(std::move(mixture)), is_mirrored_(against == Against::mirror) {}

  const Shifts& shifts() const { return shifts_; }

  struct Loss {
    double value;
    double slope;
    double error;
  };

  Loss loss(double t) const {
    const JointLoss one = shifts_.loss(t);
    const Loss found{one.value, one.slope, one.of_rounding + one.of_ratios};
    if (!is_mirrored_) return found;
    const JointLoss other = shifts_.loss(-t);
    return {found.value - other.value, found.slope + other.slope, found.error + other.of_rounding + other.of_ratios};
  }

  // A point of the noise, and the loss there.
  struct End {
    double noise;
    Loss loss;

    double error_of(double wanted) const { return loss.error + std::abs(loss.value - wanted) * (1 + 4 * unit); }
  };

  End end_at(double noise) const { return {noise, loss(noise)}; }

  // Where the loss is `target` or near it, between `low` and `high`, of which the one may be infinite.
  // @param guess  an end near it
  End end_of_loss(double target, End guess, double low, double high) const {
    for (int i = 0; i < most_steps; ++i) {
      const double off = target - guess.loss.value;
      if (std::abs(off) <= share_of_error * guess.loss.error) break;
      (off > 0 ? low : high) = guess.noise;
      double next = guess.noise + off / guess.loss.slope;
      if (!(low < next && next < high)) next = std::isinf(high) ? low + std::max(1.0, low) : low + (high - low) / 2;
      const bool is_same = std::abs(next - guess.noise) <= 0x1p-50 * std::abs(next);
      guess = end_at(next);
      if (is_same) break;
    }
    return guess;
  }

  // Where the loss is `target`, which is more than it is at the end before.
  End end_after(const End& before, double target) const {
    const double by = (target - before.loss.value) / before.loss.slope;
    return end_of_loss(target, end_at(before.noise + (0 < by && by < 1 ? by : 1)), before.noise, infinity);
  }

  Piece piece(double low, double high, double from, double to, PieceErrors& errors) const {
    double q = 0;
    const Shifts::Cell one = shifts_.cell(from, to, 1, q);
    Piece found{low, high, one.p, q, one.loss.value};
    double error = one.loss.of_rounding + one.loss.of_ratios;
    if (is_mirrored_) {
      const Shifts::Cell other = shifts_.cell(from, to, -1, q);
      found.q = other.p;
      found.barycentre -= other.loss.value;
      error += other.loss.of_rounding + other.loss.of_ratios;
    }
    found.barycentre = std::clamp(found.barycentre, low, high);
    errors.barycentre = std::max(errors.barycentre, error);
    return found;
  }

 private:
  static constexpr int most_steps = 200;
  // Of a loss's rounding, by which an end may miss it.
  static constexpr double share_of_error = 0.25;

  Shifts shifts_;
  bool is_mirrored_;
};

constexpr double minus_infinity = -infinity;
constexpr double farthest_left = -0x1p500;
// Of all shifts together: about a second.
constexpr double most_cells_of_shifts = 0x1p22;

// Above it what is shifted has no more than `tail`.
double end_of(const Shifts& shifts, double tail) {
  double low = 0;
  double high = shifts.highest_mean() + numeric::tail_point(tail);
  while (high - low > 1e-3 * high) {
    const double middle = low + (high - low) / 2;
    (shifts.shifted_above(middle) <= tail ? high : low) = middle;
  }
  return high;
}

}  // namespace

Pieces normal_mixture_pieces(const NormalMixture& mixture, Against against, const Cut& cut) {
  check(cut);
  const bool is_mirrored = against == Against::mirror;
  const MixturePair pair(mixture, against);
  const Shifts& shifts = pair.shifts();
  const double farthest = std::max(end_of(shifts, cut.tail / 2), numeric::tail_point(cut.tail / 2));
  const double nearest = is_mirrored ? 0 : -numeric::tail_point(cut.tail);
  const auto [first, last] =
      multiples_around(is_mirrored ? 0 : pair.loss(nearest).value, pair.loss(farthest).value, cut.step);
  if (static_cast<double>(last - first) * static_cast<double>(mixture.shifts.size()) > most_cells_of_shifts)
    throw Unsupported("this mesh cuts a mixture of so many shifts into too many cells");

  Pieces result;
  result.pieces.reserve(static_cast<std::size_t>(last - first));
  double low = static_cast<double>(first) * cut.step;
  const Shifts::Least least = shifts.least_loss();
  const double lowest = is_mirrored ? minus_infinity : least.value + 8 * least.error;
  const bool is_all = low <= lowest;
  if (is_all) result.errors.loss = 16 * least.error;
  const auto first_end = [&](double loss) {
    double to = nearest + 1;
    while (pair.loss(to).value < loss) to += to - nearest;
    double start = nearest;
    while (start > farthest_left && pair.loss(start).value > loss) start = 2 * start - to;
    return pair.end_of_loss(loss, pair.end_at(start + (to - start) / 2), start, to);
  };
  std::optional<MixturePair::End> before;
  if (is_mirrored) before = pair.end_at(0);
  if (!is_mirrored && !is_all) {
    before = first_end(low);
    result.errors.loss = std::max(result.errors.loss, before->error_of(low));
  }
  double from = before ? before->noise : minus_infinity;
  const double start = from;
  double end = from;
  for (std::int64_t j = first + 1; j <= last; ++j) {
    const double high = static_cast<double>(j) * cut.step;
    // Nothing lies there.
    if (high <= lowest) {
      low = high;
      continue;
    }
    before = before ? pair.end_after(*before, high) : first_end(high);
    const double to = before->noise;
    if (from < to) {
      result.errors.loss = std::max(result.errors.loss, before->error_of(high));
      result.pieces.push_back(pair.piece(low, high, from, to, result.errors));
      end = to;
    }
    low = high;
    from = to;
  }
  const double reach = std::max(std::abs(end), std::isinf(start) ? 0 : std::abs(start));
  result.errors.mass = shifts.mass_error(reach);
  result.p_above = shifts.shifted_above(end);
  result.p_at_infinity = mixture.beyond;
  if (!is_mirrored) {
    // N(0, 1) is worth its share of the mixture at the lowest loss.
    result.q_below = std::isinf(start) ? 0 : tail_up(-start);
    return result;
  }
  const double share = -std::expm1(-result.pieces.back().high) * (1 + unit);
  result.p_above = (result.p_above + share * shifts.at_zero_above(end)) * (1 + 4 * unit);
  Pieces both = reversed(result);
  both.pieces.insert(both.pieces.end(), result.pieces.begin(), result.pieces.end());
  both.p_above = both.q_below = result.p_above;
  both.p_at_infinity = both.q_at_infinity = mixture.beyond;
  return both;
}

}  // namespace dpbudget::loss_distribution
