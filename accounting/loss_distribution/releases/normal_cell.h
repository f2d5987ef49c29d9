/// @file
/// Cells of a standard normal noise variable under two laws that differ in their means.
#pragma once

#include <cstdint>

namespace dpbudget::loss_distribution {

/// The masses of a cell under the two laws.
struct NormalCell {
  double p;
  double q;
  double log_ratio;  ///< log(p / q), also where p or q underflows
};

/// The masses of [from, to], from < to, under N(p_mean, 1) and N(q_mean, 1); either end may be infinite. The ends are
/// taken exactly. GaussianPair::errors has what it may be wrong by, with the farther mean for its own.
NormalCell normal_cell(double from, double to, double p_mean, double q_mean);

/// Calls `visit(low, high, from, to)` for the cells between multiples first * step, ..., last * step of a mechanism's
/// loss, in increasing order, with their ends in terms of the noise. `noise_of` maps a loss to the noise, increasing.
template <class NoiseOf, class Visit>
void each_cell(double step, std::int64_t first, std::int64_t last, NoiseOf&& noise_of, Visit&& visit) {
  double low = static_cast<double>(first) * step;
  double from = noise_of(low);
  for (std::int64_t j = first + 1; j <= last; ++j) {
    const double high = static_cast<double>(j) * step;
    const double to = noise_of(high);
    if (from < to) visit(low, high, from, to);
    low = high;
    from = to;
  }
}

}  // namespace dpbudget::loss_distribution
