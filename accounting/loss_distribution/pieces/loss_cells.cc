#include "dpbudget/accounting/loss_distribution/pieces/loss_cells.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;

LossCells::LossCells(double largest, const Cut& cut, const std::function<double(double)>& tails) : step_(cut.step) {
  check(cut);
  require(0 < largest && std::isfinite(largest), "largest", largest, "positive and finite");
  double end = std::min(largest, 8 * step_);
  while (end < largest && tails(end) > cut.tail) end = std::min(largest, end * 1.3);
  reach_ = std::ceil(end / step_ * (1 + unit));
  if (!(reach_ <= 0x1p23)) throw Unsupported("this mesh cuts a release into more than 2^24 cells");
  end_ = reach_ * step_;
  if (end_ < largest) outside_ = std::min(1.0, tails(end_));
  cells_.resize(to_integer<std::size_t>(2 * reach_, "cells"));
}

void LossCells::add(double loss, double p, double q) {
  if (!std::isfinite(loss)) throw Unsupported("an outcome's loss is beyond the range of a double");
  if (step_ == 0) {
    outcomes_.push_back({loss, {p, q}});
    return;
  }
  const double at = std::floor(loss / step_) + reach_;
  if (at < 0 || at >= 2 * reach_) return;
  Masses& cell = cells_[to_integer<std::size_t>(at, "cell")];
  cell.p += p;
  cell.q += q;
}

Pieces LossCells::gathered() const {
  std::vector<Outcome> sorted = outcomes_;
  std::ranges::sort(sorted, {}, &Outcome::loss);
  Pieces result;
  for (const Outcome& outcome : sorted) {
    // Equal losses in different outcomes are off by rounding.
    const bool is_same =
        !result.pieces.empty() && outcome.loss - result.pieces.back().low <= unit * (1 + std::abs(outcome.loss));
    if (!is_same) result.pieces.push_back({outcome.loss, outcome.loss, 0, 0, outcome.loss});
    result.pieces.back().p += outcome.masses.p;
    result.pieces.back().q += outcome.masses.q;
  }
  return result;
}

Pieces LossCells::in_cells() const {
  Pieces result;
  result.pieces.reserve(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const auto [p, q] = cells_[i];
    if (p == 0 || q == 0) continue;
    const double low = (static_cast<double>(i) - reach_) * step_;
    const double high = low + step_;
    result.pieces.push_back({low, high, p, q, std::clamp(std::log(p / q), low, high)});
  }
  return result;
}

Pieces LossCells::pieces(double relative_error) const {
  Pieces result = step_ == 0 ? gathered() : in_cells();
  double reach = 0;
  if (!result.pieces.empty())
    reach = std::max(std::abs(result.pieces.front().low), std::abs(result.pieces.back().high));
  // What p and q have in common cancels in p / q, but for what it shifts within a cell.
  result.errors = {.mass = relative_error,
                   .barycentre = unit * (16 + reach) + step_ * relative_error,
                   .loss = 2 * unit * (1 + reach)};
  result.p_above = result.q_below = outside_;
  return result;
}

}  // namespace dpbudget::loss_distribution
