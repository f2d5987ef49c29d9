/// @file
/// Sums of draws, in one order on every machine.
#pragma once

#include <span>

namespace dpbudget::mechanisms {

/// Of numbers, and of their squares.
struct Sums {
  double values = 0;
  double squares = 0;
};

/// Draw i is added to partial sum i mod 8, and those one after the other: an order of which vectors can be made.
Sums sums_of(std::span<const double> draws);

/// The second of them.
double sum_of_squares(std::span<const double> draws);

}  // namespace dpbudget::mechanisms
