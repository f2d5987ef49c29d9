/// @file
/// The number of ones among the reports of users who each run binary randomised response on their own bit.
#pragma once

#include <span>
#include <vector>

#include "dpbudget/accounting/shuffle/responses/mass_sweeps.h"

namespace dpbudget::shuffle {

/// Users besides the one whose bit changes.
struct OtherBits {
  double zeros;  ///< how many hold 0: an integer in [0, 2^53]
  double ones;   ///< how many hold 1

  double users() const { return zeros + ones; }
};

/// What the functions below take: beyond, masses are too small or windows too wide for doubles.
struct ResponseSumReach {
  static constexpr double most_local_epsilon = 20;
  static constexpr double most_reports = 0x1p32;
  static constexpr double least_log_delta = -250;
};

/// What an evaluation costs, about: how many numbers of ones it looks at.
double response_sum_steps(double local_epsilon, const OtherBits& others, double log_least);

/// Hockey-stick divergences of numbers of ones, at the same epsilons whatever the others hold.
class ResponseSums {
 public:
  /// @param local_epsilon  in (0, 20]
  /// @param epsilons       not decreasing, in [0, local_epsilon)
  ResponseSums(double local_epsilon, std::span<const double> epsilons);

  /// log of the hockey-stick divergence of the number of ones when one user holds 1 from that when the same user holds
  /// 0, at each epsilon, for each of several `others`, which together take less time: proven upper bounds
  /// (accounting/shuffle/proofs.md, 6.1 and 6.6), narrow where they are above e^log_least.
  /// @param log_least  in [-250, 0]; where the ends of the window are too rare for doubles besides, the bound is 1
  std::vector<std::vector<double>> log_deltas(std::span<const OtherBits> others, double log_least);

  double steps() const { return steps_; }  ///< numbers of ones that were looked at so far, about

 private:
  double local_epsilon_;
  std::vector<double> thresholds_;
  std::vector<double> log_factors_;
  MassSweeps sweeps_;
  double steps_ = 0;
};

/// The same at one epsilon, for one.
double response_sum_log_delta(double local_epsilon, const OtherBits& others, double epsilon, double log_least);

}  // namespace dpbudget::shuffle
