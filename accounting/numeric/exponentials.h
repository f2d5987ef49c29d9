/// @file
/// e^x at many numbers x that lie next to each other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace dpbudget::numeric {

/// e^(first + i step) for i below `size`, by one exponential for `block` of them and one multiplication for each.
class Exponentials {
 public:
  static constexpr std::size_t block = 32;

  /// @param size  at least 1
  Exponentials(double first, double step, std::size_t size)
      : first_(first), step_(step), last_(size - 1), is_steep_(!(std::abs(step) * block < steep)) {
    for (std::size_t k = 0; k < block; ++k) fall_[k] = std::exp(-std::abs(step) * static_cast<double>(k));
  }

  /// @param start  below `size`
  /// @return those for i from `start` on, until the next call; what is beyond `size` is not specified
  /// @note relatively each is off by at most (3 + (|first| + |i step| + 2 block |step|) / 8) `unit` of rounding.h
  /// @source accounting/numeric/proofs.md, 1.5
  const std::array<double, block>& from(std::size_t start) {
    const std::size_t end = std::min(start + block - 1, last_);
    // From the larger end, for what is small has few digits.
    const double most = at(step_ > 0 ? end : start);
    if (is_steep_ || !std::isfinite(most)) {
      for (std::size_t i = start; i <= end; ++i) row_[i - start] = at(i);
    } else if (step_ > 0) {
      for (std::size_t i = start; i <= end; ++i) row_[i - start] = most * fall_[end - i];
    } else {
      for (std::size_t k = 0; k < block; ++k) row_[k] = most * fall_[k];
    }
    return row_;
  }

 private:
  // A block's rise that leaves the least of its factors a full double.
  static constexpr double steep = 700;

  [[nodiscard]] double at(std::size_t i) const { return std::exp(first_ + static_cast<double>(i) * step_); }

  double first_;
  double step_;
  std::size_t last_;
  bool is_steep_;
  std::array<double, block> fall_{};
  std::array<double, block> row_{};
};

}  // namespace dpbudget::numeric
