/// @file
/// Random local randomisers of few inputs and outputs.
#pragma once

#include <rapidcheck.h>

#include <vector>

namespace dpbudget::testing {

/// A stochastic matrix of up to 4 inputs and 4 outputs, some of its entries 0 if that is allowed.
inline std::vector<std::vector<double>> random_matrix(bool allows_zeros) {
  const int inputs = *rc::gen::inRange(2, 5);
  const int outputs = *rc::gen::inRange(1, 5);
  std::vector<std::vector<double>> matrix;
  for (int x = 0; x < inputs; ++x) {
    std::vector<double> row;
    double sum = 0;
    for (int y = 0; y < outputs; ++y) {
      row.push_back(*rc::gen::inRange(allows_zeros ? 0 : 1, 20));
      sum += row.back();
    }
    if (sum == 0) row.front() = sum = 1;
    for (double& p : row) p /= sum;
    matrix.push_back(row);
  }
  return matrix;
}

}  // namespace dpbudget::testing
