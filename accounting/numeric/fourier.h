/// @file
/// The Fourier transform of real sequences, with a proven bound on its rounding.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace dpbudget::numeric {

using Spectrum = std::vector<std::complex<double>>;  ///< frequencies 0 to n/2

/// Transforms of one length n = 2^a, 3 2^a or 5 2^a, at least 16. What short ones prepare is kept for the next of their
/// length.
class Fourier {
 public:
  /// The smallest length that is at least `least`.
  static std::size_t length_for(std::size_t least);

  /// @param length  as `length_for` gives
  explicit Fourier(std::size_t length);
  ~Fourier();
  Fourier(const Fourier& other);
  Fourier& operator=(const Fourier&) = delete;
  Fourier(Fourier&&) noexcept;
  Fourier& operator=(Fourier&&) noexcept;

  std::size_t length() const { return length_; }

  /// @param values  n of them
  Spectrum forward(const std::vector<double>& values);
  /// @param spectrum  n / 2 + 1 of them
  std::vector<double> inverse(const Spectrum& spectrum);

  /// Every output of `forward` is off by at most error() times the sum of the values' magnitudes, and every output of
  /// `inverse` by at most error() times the mean magnitude of the n frequencies
  /// (accounting/numeric/proofs.md, 5.1).
  double error() const;

 private:
  struct Plan;
  Plan& plan();

  std::size_t length_;
  std::unique_ptr<Plan> plan_;  // of a long one, made when it is first needed
};

}  // namespace dpbudget::numeric
