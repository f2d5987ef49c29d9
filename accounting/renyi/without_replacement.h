/// @file
/// Amplification by sampling without replacement, of any curve.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/renyi/binomial_moment.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// The literal theorem at integer orders: a uniformly random subset, a fraction `sampling_rate` of the records, is
/// drawn, and a mechanism with the curve `base` runs on it.
///
///   epsilon'(a) = 1/(a-1) log(1 + q^2 C(a,2) min{4 (e^{eps(2)} - 1), e^{eps(2)} min{2, (e^{eps(inf)} - 1)^2}}
///                               + sum_{j=3}^a q^j C(a,j) e^{(j-1) eps(j)} min{2, (e^{eps(inf)} - 1)^j})
///
/// With `gaussian_noise` the terms from j = 3 on are also bounded by 4 sqrt(B(2 floor(j/2)) B(2 ceil(j/2))), where B
/// are the central moments of the Gaussian's likelihood ratio: their ternary |chi|^j divergence is at most four times
/// the binary one (accounting/renyi/proofs.md, 4.1).
///
/// Adjacency: replace_one. `base` must hold for replacing one record of the subset.
/// The sum does not vanish with the noise and can exceed the base: `without_replacement_curve` takes the smaller.
/// @source Wang, Balle, Kasiviswanathan 2019 (arXiv:1808.00087), Theorem 9; Theorem 27 for the Gaussian refinement
class WithoutReplacement {
 public:
  /// @param sampling_rate   q, in (0, 1]
  /// @param gaussian_noise  the noise multiplier when `base` is at most that Gaussian's curve and its pairs are
  ///                        dominated by that Gaussian pair
  WithoutReplacement(double sampling_rate, const CurvePtr& base, std::optional<double> gaussian_noise = std::nullopt);

  /// @param order  an integer of at least 2
  Divergence operator()(std::uint64_t order) const { return divergence(moment_(order), static_cast<double>(order)); }

 private:
  BinomialMoment moment_;
};

/// The theorem with what nothing can exceed, at every real order: see `amplified_curve`. For Gaussians and randomised
/// response without_replacement_gaussian.h has the tight curve.
/// @param sampling_rate  in [0, 1]
CurvePtr without_replacement_curve(double sampling_rate, CurvePtr base);

/// `WithoutReplacement` of a Gaussian at an integer order.
/// @param sampling_rate     in [0, 1]
/// @param noise_multiplier  noise standard deviation divided by the replace-one sensitivity; in (0, inf)
/// @param order             an integer in [2, 2^20]
/// @param ternary           whether the Gaussian refinement is used
/// @throws InvalidArgument naming the argument outside its range
/// @source as WithoutReplacement; with `ternary` false also Noble, Bellet, Dieuleveut 2022, Lemma B.7
double without_replacement_gaussian_uncapped(double sampling_rate, double noise_multiplier, double order, bool ternary);

/// The same interpolated to real orders. @param order  in (1, 2^20]
/// @source Noble, Bellet, Dieuleveut 2022 (arXiv:2111.09278), equation 8
double without_replacement_gaussian_interpolated_uncapped(double sampling_rate, double noise_multiplier, double order);

/// `WithoutReplacement` of a Laplace mechanism at an integer order.
/// @param scale  Laplace scale divided by the replace-one sensitivity; in (0, inf)
double without_replacement_laplace_uncapped(double sampling_rate, double scale, double order);

}  // namespace dpbudget::renyi
