#include "dpbudget/accounting/loss_distribution/releases/batch_game.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// The chord of `values` at rising `points`; beyond the last one, that one's.
class RisingChord {
 public:
  RisingChord(const std::vector<double>& points, const std::vector<double>& values)
      : points_(points), values_(values) {}

  double operator()(double point) {
    while (next_ + 1 < points_.size() && points_[next_] <= point) ++next_;
    const double share = (point - points_[next_ - 1]) / (points_[next_] - points_[next_ - 1]);
    if (share >= 1) return values_[next_];
    return values_[next_ - 1] + share * (values_[next_] - values_[next_ - 1]);
  }

 private:
  const std::vector<double>& points_;
  const std::vector<double>& values_;
  std::size_t next_ = 1;
};

std::size_t place(std::ptrdiff_t index, std::size_t length) {
  return index < 0 ? length - static_cast<std::size_t>(-index) : static_cast<std::size_t>(index);
}

}  // namespace

// accounting/loss_distribution/proofs.md, 4k.9
BatchGame::BatchGame(double rate, const BatchKernels& kernels, const BatchGrid& grid)
    : grid_(grid),
      rise_(std::expm1(grid.mesh)),
      fourier_(numeric::Fourier::length_for(2 * grid.reach + grid.round_reach + 2)),
      values_{std::vector<double>(grid.reach + 1)} {
  const double outward = 1 + 0x1p-40;
  for (const BatchRound& round : kernels.rounds) {
    RisingChord above(kernels.others, round.above);
    RisingChord below(kernels.others, round.below);
    std::vector<double> tilted(fourier_.length());
    for (std::size_t k = 0; k <= grid.round_reach; ++k) {
      const double loss = static_cast<double>(k) * grid.mesh;
      const double others = std::expm1(loss) * (1 - rate) / rate * (1 - 16 * unit);
      const double tilt = grid.order * loss;
      const auto index = static_cast<std::ptrdiff_t>(k);
      tilted[place(index, fourier_.length())] = rate * above(others) * std::exp(tilt) * outward;
      if (k > 0) tilted[place(-index, fourier_.length())] = rate * below(others) * std::exp(-tilt - loss) * outward;
    }
    left_out_ = std::max(left_out_, outward * rate * std::max(round.above.back(), round.below.back()));
    most_of_kernel_ = std::max(most_of_kernel_, std::accumulate(tilted.begin(), tilted.end(), 0.0) * outward);
    kernels_.push_back(fourier_.forward(tilted));
  }
}

// The masses of P at the losses from 0 on: by how much the value's intercept falls at each.
std::vector<double> BatchGame::changes(const std::vector<double>& values) const {
  std::vector<double> changes(values.size());
  const double first = values[0] - values[1];
  changes[0] = std::max(0.0, 1 - values[0] - 2 * first / rise_) + 4 * unit * (1 + values[0] + 2 * first / rise_);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double before = values[i - 1] - values[i];
    const double after = i + 1 < values.size() ? values[i] - values[i + 1] : 0;
    changes[i] = std::max(0.0, before + (before - after) / rise_) + 4 * unit * (before + after) * (1 + 1 / rise_);
  }
  return changes;
}

void BatchGame::play() {
  heed_interruption();
  std::vector<double> values = values_.back();
  const std::vector<double> masses = changes(values);
  std::vector<double> tilted(fourier_.length());
  double sum = 0;
  double untilted_sum = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double loss = static_cast<double>(i) * grid_.mesh;
    const double tilt = grid_.order * loss;
    untilted_sum += masses[i] * (1 + (i > 0 ? std::exp(-loss) : 0));
    const auto index = static_cast<std::ptrdiff_t>(i);
    tilted[place(index, fourier_.length())] = masses[i] * std::exp(tilt);
    // Those below 0 are what the exchanged pair has above.
    if (i > 0) tilted[place(-index, fourier_.length())] = masses[i] * std::exp(-tilt - loss);
    sum += masses[i] * (std::exp(tilt) + (i > 0 ? std::exp(-tilt - loss) : 0));
  }
  const numeric::Spectrum spectrum = fourier_.forward(tilted);
  std::vector<double> most(values.size());
  numeric::Spectrum product(spectrum.size());
  for (const numeric::Spectrum& kernel : kernels_) {
    for (std::size_t k = 0; k < spectrum.size(); ++k) product[k] = spectrum[k] * kernel[k];
    const std::vector<double> added = fourier_.inverse(product);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], added[i]);
  }
  const double left_out = left_out_ * untilted_sum * (1 + 0x1p-30);
  const double rounding = sum * most_of_kernel_ * (3 * fourier_.error() + 64 * unit);
  double least = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double untilted = std::exp(-grid_.order * static_cast<double>(i) * grid_.mesh);
    const double value = (values[i] + (most[i] + rounding) * untilted * (1 + 0x1p-40) + left_out) * (1 + unit);
    values[i] = least = std::min(least, value);
  }
  values_.push_back(std::move(values));
}

BatchLosses BatchGame::losses(std::size_t rounds) {
  while (values_.size() <= rounds) play();
  const std::vector<double>& values = values_[rounds];
  const std::vector<double> masses = changes(values);
  BatchLosses losses{grid_.mesh, std::vector<double>(2 * masses.size() - 1), values.back()};
  const std::size_t middle = masses.size() - 1;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    losses.mass[middle + i] = masses[i] * (1 + 2 * unit);
    losses.mass[middle - i] = masses[i] * std::exp(-static_cast<double>(i) * grid_.mesh) * (1 + 0x1p-40);
  }
  return losses;
}

}  // namespace dpbudget::loss_distribution
