/// @file
/// Sums whose terms leave the range of a double.
#pragma once

#include <cmath>
#include <limits>

namespace dpbudget::renyi {

/// Positive terms, given by their logarithms, each taken relative to the largest so far.
class ScaledSum {
 public:
  /// Terms whose logarithm is so much below the largest are less than any rounding, also if they are millions.
  static constexpr double negligible = 100;

  /// @param error  what the term may be off by, relative
  void add(double log_term, double error) {
    if (log_term > log_scale_) {
      const double rescale = log_scale_ < log_term - 700 ? 0 : std::exp(log_scale_ - log_term);
      total_ *= rescale;
      error_ *= rescale;
      log_scale_ = log_term;
    }
    // What underflows takes long.
    if (log_term < log_scale_ - negligible) return;
    const double term = std::exp(log_term - log_scale_);
    total_ += term;
    error_ += term * error;
  }

  double total() const { return total_; }           ///< over e^log_scale; at least 1 as soon as there is a term
  double log_scale() const { return log_scale_; }   ///< of the largest term; -infinity of no terms
  double error() const { return error_ / total_; }  ///< relative, by the terms' errors alone

 private:
  double log_scale_ = -std::numeric_limits<double>::infinity();
  double total_ = 0;
  double error_ = 0;
};

}  // namespace dpbudget::renyi
