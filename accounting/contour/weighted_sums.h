/// @file
/// Sums of the same complex numbers with many sets of real weights.
#pragma once

#include <cstddef>
#include <span>

#include "dpbudget/accounting/contour/waves.h"

namespace dpbudget::contour {

/// Adds to each (real[j], imaginary[j]) the sum over i of weights[i n + j] times the i-th number, in the order of i, by
/// the fastest version that the machine has.
/// @param weights          of the one number after the other, n each
/// @param real, imaginary  n each
void add_weighted(std::span<const double> weights, const Waves& numbers, std::span<double> real,
                  std::span<double> imaginary);

/// The same by one set of instructions, all to the same bits.
struct WeightedVersion {
  const char* name;
  void (*add)(const double* weights, const Waves& numbers, std::span<double> real, std::span<double> imaginary);
};

/// All that this machine has, the fastest last.
std::span<const WeightedVersion> weighted_versions();

}  // namespace dpbudget::contour
