/// @file
/// Outcomes gathered by their losses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::loss_distribution {

/// Masses of P and Q by loss, in cells between multiples of a step.
class LossGrid {
 public:
  LossGrid(double step, double reach) : step_(step), reach_(std::ceil(reach / step) + 2) {
    if (!(reach_ <= 0x1p22)) throw Unsupported("this mesh cuts a release into more than 2^24 cells");
    masses_.resize(to_integer<std::size_t>(2 * reach_, "cells"));
  }

  double step() const { return step_; }

  /// Outcomes with losses in [low, high]. Where these lie in more than one cell they are spread to the ends of those,
  /// P's and Q's mass kept; or put where their mean is.
  void add(double low, double high, double p, double q, bool is_spread) {
    const double mean = std::clamp(std::log(p / q), low, high);
    const double first = std::floor(low / step_);
    const double last = std::max(first + 1, std::ceil(high / step_));
    if (!is_spread || last == first + 1) return put(std::min(last - 1, std::floor(mean / step_)), p, q);
    const double a = first * step_;
    const double b = last * step_;
    const double share = -std::expm1(a - mean) / -std::expm1(a - b);  // of p that goes to b
    const double p_high = p * share;
    const double p_low = p * (std::exp(a - mean) * -std::expm1(mean - b)) / -std::expm1(a - b);
    put(last - 1, p_high, p_high * std::exp(-b));
    put(first, p_low, p_low * std::exp(-a));
  }

  /// Calls visit(cell, p, q) for those that hold anything, in order.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < masses_.size(); ++i)
      if (masses_[i].p > 0 || masses_[i].q > 0) visit(static_cast<double>(i) - reach_, masses_[i].p, masses_[i].q);
  }

 private:
  struct Mass {
    double p = 0;
    double q = 0;
  };
  void put(double cell, double p, double q) {
    if (!(0 <= cell + reach_ && cell + reach_ < 2 * reach_))
      throw Unsupported("a loss is beyond all that these runs allow");  // never, but for a fault
    Mass& mass = masses_[to_integer<std::size_t>(cell + reach_, "cell")];
    mass.p += p;
    mass.q += q;
  }

  double step_;
  double reach_;
  std::vector<Mass> masses_;
};

}  // namespace dpbudget::loss_distribution
