#include "dpbudget/accounting/loss_distribution/releases/drawn_gaussian.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"
#include "dpbudget/accounting/loss_distribution/releases/normal_cell.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/copies.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

constexpr std::size_t most_times = 64;

// In terms of the noise variable t of GaussianPair: k copies have the mean (2k - 1) m, none -m.
// accounting/plan/proofs.md, 2.3
class DrawnGaussian {
 public:
  DrawnGaussian(std::vector<DrawnTimes> times, double mean) : times_(std::move(times)), mean_(mean) {
    for (const DrawnTimes& drawn : times_) drawn_ += drawn.probability;
  }

  struct Loss {
    double value;
    double slope;
    double error;
  };

  Loss loss(double t) const {
    std::vector<double> exponents;
    exponents.reserve(times_.size());
    for (const auto& [probability, copies] : times_) {
      const auto k = static_cast<double>(copies);
      exponents.push_back(2 * k * mean_ * (t - (k - 1) * mean_));
    }
    const Joint joint = joined(exponents);
    double slope = 0;
    double rounding = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      slope += joint.shares[i] * 2 * static_cast<double>(times_[i].copies) * mean_;
      rounding += joint.shares[i] * 4 * std::abs(exponents[i]);
    }
    rounding += static_cast<double>(times_.size() + 8) * joint.moved + std::abs(joint.loss);
    return {joint.loss, slope, unit * rounding * (1 + 64 * unit) + 0x1p-1022};
  }

  double lowest() const { return std::log1p(-drawn_); }
  double highest_mean() const { return (2 * static_cast<double>(times_.back().copies) - 1) * mean_; }

  // The piece of the cell [from, to], and the share that draws of the record have in it.
  Piece piece(double low, double high, double from, double to, double& share) const {
    Piece found{low, high, 0, 0, 0};
    std::vector<double> ratios;
    ratios.reserve(times_.size());
    for (const auto& [probability, copies] : times_) {
      const NormalCell cell = normal_cell(from, to, (2 * static_cast<double>(copies) - 1) * mean_, -mean_);
      found.p += probability * cell.p;
      found.q = cell.q;
      ratios.push_back(cell.log_ratio);
    }
    found.p += (1 - drawn_) * found.q;
    const Joint joint = joined(ratios);
    found.barycentre = std::clamp(joint.loss, low, high);
    double drawn = 0;
    for (const double one : joint.shares) drawn += one;
    share = std::max(share, drawn);
    return found;
  }

  double p_above(double t) const {
    double sum = (1 - drawn_) * numeric::upper_tail(t + mean_);
    for (const auto& [probability, copies] : times_)
      sum += probability * numeric::upper_tail(t - (2 * static_cast<double>(copies) - 1) * mean_);
    return sum;
  }

 private:
  // log(1 + sum of probability times (e^x - 1)), what share of it each draw has, and by how much they move it, at most:
  // next to 0 the sum of their magnitudes.
  struct Joint {
    double loss;
    double moved;
    std::vector<double> shares;
  };

  Joint joined(const std::vector<double>& exponents) const {
    const double largest = std::max(0.0, *std::ranges::max_element(exponents));
    const double scale = std::exp(-largest);
    Joint joint{0, 0, {}};
    double sum = 0;  // of the terms of 1 + sum, times e^-largest
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      const double probability = times_[i].probability;
      const double term = exponents[i] < 1 ? probability * std::expm1(exponents[i]) * scale
                                           : probability * (std::exp(exponents[i] - largest) - scale);
      joint.shares.push_back(probability * std::exp(exponents[i] - largest));
      joint.moved += std::abs(term);
      sum += term;
    }
    const double all = scale + sum;
    joint.loss = largest < near ? std::log1p(sum / scale) : largest + std::log(all);
    for (double& share : joint.shares) share /= all;
    joint.moved = largest < near ? joint.moved / all : 1 + joint.moved / all;
    return joint;
  }

  static constexpr double near = 1;  // exponents up to which losses may be next to 0

  std::vector<DrawnTimes> times_;
  double mean_;
  double drawn_ = 0;
};

// More than what tiny probabilities of `times_drawn` are raised by.
constexpr double raised_to = 1e-299;

// Probabilities rounded down.
std::vector<DrawnTimes> times_that_matter(const Draws& draws, double negligible) {
  const TimesDrawn found = times_drawn(draws, negligible);
  const double rate = rate_of_record(draws, false);
  std::vector<DrawnTimes> times;
  for (const auto& [probability, copies] : found.kinds)
    if (const double least = probability * rate * (1 - found.error - 16 * unit) - raised_to; least > 0)
      times.push_back({least, copies});
  return times;
}

bool is_one_by_one(const std::vector<DrawnTimes>& times) {
  return !times.empty() && times.size() <= most_times && times.back().copies - times.front().copies + 1 == times.size();
}

}  // namespace

std::optional<Pieces> drawn_gaussian_pieces(const Draws& draws, double noise_multiplier, const Cut& cut) {
  check(cut);
  const GaussianPair pair(noise_multiplier);
  std::vector<DrawnTimes> times = times_that_matter(draws, cut.tail);
  if (!is_one_by_one(times)) return std::nullopt;
  const DrawnGaussian drawn(std::move(times), pair.mean());

  const double end = drawn.highest_mean() + numeric::tail_point(cut.tail / 2);
  double from = -std::numeric_limits<double>::infinity();
  double to = -pair.mean() - numeric::tail_point(cut.tail / 2);
  double low = drawn.lowest();
  static_cast<void>(multiples_around(low, drawn.loss(end).value, cut.step));  // refuses too many cells

  Pieces result;
  double share = 0;
  while (true) {
    const DrawnGaussian::Loss high = drawn.loss(to);
    result.errors.loss = std::max(result.errors.loss, high.error);
    if (low < high.value) {
      result.pieces.push_back(drawn.piece(low, high.value, from, to, share));
      from = to;
      low = high.value;
    }
    if (to >= end) break;
    // The loss is convex in t: a step by its slope goes too far, if anything.
    double step = cut.step / std::max(high.slope, cut.step * 1e-3);
    while (step > 1e-3 && drawn.loss(to + step).value - high.value > 1.5 * cut.step) step /= 2;
    to = std::min(end, std::max(to + step, std::nextafter(to, end)));
  }
  if (result.pieces.empty()) return std::nullopt;
  const double copies = (drawn.highest_mean() / pair.mean() + 1) / 2;
  const GaussianPair farthest(noise_multiplier / (2 * copies));
  const double reach = std::max(std::abs(end), std::abs(pair.mean() + numeric::tail_point(cut.tail / 2)));
  const PieceErrors of_cells = farthest.errors(reach, result.pieces.back().high);
  const double barycentre = share * of_cells.barycentre;
  result.errors.mass = of_cells.mass + 128 * unit;
  result.errors.barycentre = barycentre + result.errors.loss + 128 * unit * result.pieces.back().high;
  result.p_above = drawn.p_above(end) * (1 + result.errors.mass) + 0x1p-1022;
  return result;
}

}  // namespace dpbudget::loss_distribution
