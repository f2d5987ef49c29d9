/// @file
/// Many waves e^{i s x}, turned together from one s to the next by a multiplication each.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace dpbudget::contour {

/// Their real and imaginary parts, as many of the one as of the other.
struct Waves {
  std::vector<double> real;
  std::vector<double> imaginary;
};

/// Makes them e^{i s x}, one for each of `x`.
void aim(Waves& waves, double s, std::span<const double> x);

/// Multiplies each by the one at the same place in `by`, as many, by the fastest version that the machine has.
/// @return the sum of the products, whatever the version to the last bit
std::complex<double> turn(Waves& waves, const Waves& by);

/// The same by one set of instructions.
struct TurnVersion {
  const char* name;
  std::complex<double> (*turn)(double* real, double* imaginary, const double* by_real, const double* by_imaginary,
                               std::size_t count);
};

/// All that this machine has, the fastest last.
std::span<const TurnVersion> turn_versions();

}  // namespace dpbudget::contour
