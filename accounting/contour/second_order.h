/// @file
/// e^{it} - 1 - it: what characteristic functions of rare losses are summed of.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "dpbudget/accounting/contour/waves.h"

namespace dpbudget::contour {

/// e^{it} - 1 - it, right relative to t^2.
std::complex<double> second_order(double t);

/// Those from place `begin` to the one before `end`, which have |s x| of a half, about, at most.
struct SmallAngles {
  std::size_t begin;
  std::size_t end;
};

/// Which of `x`, in increasing order, these are.
SmallAngles small_angles(std::span<const double> x, double s);

/// Their sum of weight (e^{isx} - 1 - isx), by the fastest version that the machine has: the same to the last bit by
/// all.
/// @param weights, x  as many of the one as of the other
std::complex<double> sum_of_small(std::span<const double> weights, std::span<const double> x, double s,
                                  const SmallAngles& small);

/// For each x the two parts of e^{isx} - 1 - isx, times a weight each: the same to the last bit by all versions.
/// @param x          in any order
/// @param waves      e^{isx}, which those of large angles are made of
/// @param even, odd  the weights of real and of imaginary parts, as many as x
/// @param out        becomes as long
void second_orders(std::span<const double> x, double s, const Waves& waves, std::span<const double> even,
                   std::span<const double> odd, Waves& out);

/// One set of instructions.
struct SecondOrderVersion {
  const char* name;
  std::complex<double> (*sum)(const double* weights, const double* x, double s, std::size_t count);
  void (*each)(const double* x, double s, const double* wave_real, const double* wave_imaginary, const double* even,
               const double* odd, double* real, double* imaginary, std::size_t count);
};

/// All that this machine has, the fastest last.
std::span<const SecondOrderVersion> second_order_versions();

}  // namespace dpbudget::contour
