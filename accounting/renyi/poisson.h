/// @file
/// Amplification by Poisson sampling, of any curve.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/renyi/binomial_moment.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// What is known of the odd moments E_Q[(P/Q - 1)^l] of a mechanism's pairs of output distributions.
enum class OddMoments {
  unknown,      ///< nothing: terms from l = 3 on count three times
  nonnegative,  ///< none is negative for l >= 3: Gaussian, Laplace and randomised response
};

/// The literal theorem at integer orders: each record joins the sample with probability q, and a mechanism with the
/// curve `base` runs on it.
///
///   epsilon'(a) = 1/(a-1) log((1-q)^{a-1} (a q - q + 1) + C(a,2) q^2 (1-q)^{a-2} e^{eps(2)}
///                              + w sum_{l=3}^a C(a,l) (1-q)^{a-l} q^l e^{(l-1) eps(l)}),   w = 3, or 1
///
/// Adjacency: add_or_remove_one and zero_out_one.
/// @source Zhu, Wang 2019 ("Poisson subsampled Rényi differential privacy"), Theorem 5; Theorem 6 for w = 1
class PoissonAmplification {
 public:
  /// @param sampling_rate  q, in (0, 1)
  PoissonAmplification(double sampling_rate, const CurvePtr& base, OddMoments odd_moments);

  /// @param order  an integer of at least 2
  Divergence operator()(std::uint64_t order) const { return divergence(moment_(order), static_cast<double>(order)); }

 private:
  BinomialMoment moment_;
};

/// The theorem with what nothing can exceed, at every real order: see `amplified_curve`.
/// @param sampling_rate  in [0, 1]
CurvePtr poisson_curve(double sampling_rate, CurvePtr base, OddMoments odd_moments);

/// `PoissonAmplification` of a Laplace mechanism at an integer order.
/// @param sampling_rate      in [0, 1]
/// @param scale              Laplace scale divided by the sensitivity; in (0, inf)
/// @param order              an integer in [2, 2^20]
/// @param odd_moment_factor  w: 1 or 3
/// @throws InvalidArgument naming the argument outside its range
double poisson_laplace(double sampling_rate, double scale, double order, double odd_moment_factor);

}  // namespace dpbudget::renyi
