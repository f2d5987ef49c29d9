/// @file
/// The guarantee of differential privacy as a pair of numbers.
#pragma once

namespace dpbudget {

/// (epsilon, delta)-DP.
struct EpsilonDelta {
  double epsilon;
  double delta;
  friend bool operator==(const EpsilonDelta&, const EpsilonDelta&) = default;
};

/// The same where delta may leave the range of a double; -infinity for a delta of 0.
struct EpsilonLogDelta {
  double epsilon;
  double log_delta;
};

}  // namespace dpbudget
