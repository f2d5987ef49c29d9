/// @file
/// Moment generating functions of discretised loss distributions, and the tail bounds they give.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/distribution.h"

namespace dpbudget::loss_distribution {

/// `count` independent repetitions of a distribution.
struct Part {
  const LossDistribution* distribution;
  std::uint64_t count;
};

/// log of the sum of mass e^(order loss) over finite losses, slack aside, and a bound on its absolute error.
struct LogMoment {
  double value;
  double error;
};

/// @param order  any real
LogMoment log_moment(const LossDistribution& distribution, double order);

/// The same of the sum of all parts.
LogMoment log_moment(const std::vector<Part>& parts, double order);

/// Log moments of a sum at several orders: what its tail bounds are taken from.
class MomentTable {
 public:
  explicit MomentTable(std::vector<double> orders);

  void add(const Part& part);

  /// The logarithm of the moment of one order.
  struct Entry {
    double order;
    LogMoment moment;
  };
  const std::vector<Entry>& entries() const { return entries_; }

  /// Chernoff's bound on log P(sum >= threshold and finite), over the table's orders above 0.
  double log_mass_above(double threshold) const;
  /// The same on log P(sum <= threshold), over its orders below 0.
  double log_mass_below(double threshold) const;
  /// Those bounds' exponentials, rounded up.
  double mass_above(double threshold) const;
  double mass_below(double threshold) const;

 private:
  double log_mass_beyond(double threshold, int sign) const;

  std::vector<Entry> entries_;
};

/// The parts' moments at the orders.
MomentTable moments_of(const std::vector<Part>& parts, std::vector<double> orders);

/// Orders around a tilt that suit tail bounds of a sum with this standard deviation under the tilt.
std::vector<double> orders_around(double tilt, double deviation);

/// Where to start looking for an order: 1, or the inverse of losses that are all far smaller.
double first_order(const std::vector<Part>& parts);

/// The order c > 0 at which the bound K(c) - c epsilon - log(c (c+1)) on log delta is least, near the saddle point of
/// the integral that delta is.
double saddle_at_epsilon(const std::vector<Part>& parts, double epsilon);

/// The same where delta is given: epsilon follows from it.
struct Saddle {
  double order;
  double epsilon;  ///< an upper estimate
};
/// @param log_moment_at  log moment of a sum at an order above 0
/// @param start          as `first_order`
/// @param most           the largest order that is looked for, up to a factor of 4
Saddle saddle_at_delta(const std::function<double(double)>& log_moment_at, double log_delta, double start,
                       double most = infinity);

}  // namespace dpbudget::loss_distribution
