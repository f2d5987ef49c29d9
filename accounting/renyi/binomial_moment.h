/// @file
/// Moments that a theorem gives as a binomial sum, at integer orders.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/renyi/moment.h"

namespace dpbudget::renyi {

/// log of sum_{j=2}^{n} C(n, j) c_j base^n for positive c_j given by their logarithms.
class BinomialMoment {
 public:
  /// @param log_coefficient  log c_j, rounded up, for j >= 2; asked for once per j, in order
  /// @param log_base         log base
  BinomialMoment(std::function<double(std::uint64_t)> log_coefficient, double log_base)
      : log_coefficient_(std::move(log_coefficient)), log_base_(log_base) {}

  /// @param order  n, at least 2
  LogExcess operator()(std::uint64_t order) const;

 private:
  std::function<double(std::uint64_t)> log_coefficient_;
  double log_base_;
  mutable std::vector<double> coefficients_;              // log c_2, log c_3, ...
  mutable std::vector<numeric::Extended> log_factorial_;  // of 0, 1, ...
};

}  // namespace dpbudget::renyi
