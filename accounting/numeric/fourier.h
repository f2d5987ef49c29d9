/// @file
/// The Fourier transform of real sequences, with a proven bound on its rounding.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace dpbudget::numeric {

using Spectrum = std::vector<std::complex<double>>;  ///< frequencies 0 to n/2

/// Transforms of one length n = 2^a, 3 2^a or 5 2^a, at least 16. What one prepares each thread keeps for the next of
/// its length: of short ones for good, and of long ones until another long one comes.
class Fourier {
 public:
  /// The smallest length that is at least `least`.
  static std::size_t length_for(std::size_t least);

  /// @param length  as `length_for` gives
  explicit Fourier(std::size_t length) : length_(length) {}

  std::size_t length() const { return length_; }

  /// @param values  n of them
  Spectrum forward(const std::vector<double>& values) const;
  /// @param spectrum  n / 2 + 1 of them
  std::vector<double> inverse(const Spectrum& spectrum) const;

  /// Every output of `forward` is off by at most error() times the sum of the values' magnitudes, and every output of
  /// `inverse` by at most error() times the mean magnitude of the n frequencies
  /// (accounting/numeric/proofs.md, 5.1).
  double error() const;

 private:
  std::size_t length_;
};

}  // namespace dpbudget::numeric
