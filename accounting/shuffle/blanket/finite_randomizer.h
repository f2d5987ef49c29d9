/// @file
/// Any local randomiser of finitely many inputs and outputs, as the privacy blanket sees it.
#pragma once

#include <vector>

#include "dpbudget/accounting/shuffle/blanket/randomizer.h"

namespace dpbudget::shuffle {

/// The randomiser that gives output y for input x with probability matrix[x][y]. All ordered pairs of inputs are kept,
/// with all inputs as witnesses, so that no claim about which is the worst is made. Outputs that some input never gives
/// are left out of the blanket.
/// @param matrix  2 to 16 rows of 1 to 64 probabilities each, a row's sum 1 up to 1e-9; rows are divided by their sums
/// @throws InvalidArgument naming the row outside its range
Randomizer finite(const std::vector<std::vector<double>>& matrix);

}  // namespace dpbudget::shuffle
