/// @file
/// Mean and standard deviation of a few numbers.
#pragma once

#include <vector>

namespace dpbudget::tools {

/// Of a sample.
struct Moments {
  double mean;
  double deviation;  ///< 0 of one number
};

/// @param values  at least one
Moments moments(const std::vector<double>& values);

}  // namespace dpbudget::tools
