/// @file
/// The transform of a privacy loss: its moment generating function, on the real axis and along a vertical contour.
///
/// For a pair of output distributions P and Q and an outcome drawn from P, the loss is L = log(dP/dQ). A contour at
/// c > 0 needs M(c + i s) = E[e^{(c + i s) L}] = M(c) phi(s), where phi is the characteristic function of the loss
/// tilted by e^{cL}. Every value comes with a bound on its error (accounting/contour/proofs.md, 4.1).
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::contour {

/// The cumulant generating function K(c) = log M(c) at one point.
struct Cumulant {
  double value;     ///< at least 0
  double mean;      ///< K'(c), the mean of the tilted loss; to search with
  double variance;  ///< K''(c); to search with
  double error;     ///< bound on the absolute error of `value`
};

/// log phi(s), on the branch that the number of factors does not matter to: counts are integers.
struct LogCharacteristic {
  double log_abs;
  double phase;
  double error;  ///< bound on the absolute error; infinite when `log_abs` is an upper bound and nothing else is known
  double below_until = 0;  ///< up to which t, from s on, log |phi(t)| is surely below the floor that was asked for

  bool is_known() const { return error < 0.5; }
  double log_upper() const { return std::isinf(error) ? log_abs : log_abs + error; }
};

/// The contour's sums would take too many terms, or rounding would leave too few digits of them.
struct DoesNotConverge : Unsupported {
  DoesNotConverge()
      : Unsupported(
            "the contour does not converge for this plan: its losses are too few, too rare or too small; use the "
            "loss distribution") {}
};

/// The law of a privacy loss, with any integer number of copies in mind.
class Transform {
 public:
  virtual ~Transform() = default;

  /// @param c  positive
  /// @throws DoesNotConverge, as the other functions do
  virtual Cumulant cumulant(double c) const = 0;

  /// @return for each s > 0 an upper bound on log |phi(t)| that holds for all t >= s
  /// @param c  positive
  virtual std::function<double(double s)> log_envelope(double c) const = 0;

  /// @return log phi(s), for rising multiples 0 < s <= reach of a step, which is the first s that is asked for
  /// @param c      positive
  /// @param floor  negative: below it the caller needs no values of log |phi|
  virtual std::function<LogCharacteristic(double s)> log_characteristic(double c, double reach, double floor) const = 0;

  /// How many exponentials one value of that function takes.
  virtual double cost(double c, double reach) const = 0;

  /// A loss much like it whose cumulants take less, to look for where contours are good.
  virtual const Transform& rough() const { return *this; }

  /// An upper bound on the loss, exact up to rounding.
  virtual double max_loss() const { return std::numeric_limits<double>::infinity(); }
};

/// Cumulants that were asked for before: searches and contours come back to the same points.
class CumulantMemory {
 public:
  /// @param compute  gives the one at c
  template <class Compute>
  Cumulant at(double c, const Compute& compute) {
    const auto found = known_.find(c);
    if (found != known_.end()) return found->second;
    if (known_.size() == most) known_.clear();
    return known_.emplace(c, compute(c)).first->second;
  }

 private:
  static constexpr std::size_t most = 4096;
  std::map<double, Cumulant> known_;
};

/// A transform that compositions share.
using TransformPtr = std::shared_ptr<const Transform>;

/// log(1 + w), where w is known up to `error`.
LogCharacteristic log1p(std::complex<double> w, double error);

/// Up to where log |phi| is below `floor`: |phi| changes by no more than the distance times the tilted loss's mean
/// deviation, which is at most its standard deviation.
/// @param phi       at s
/// @param variance  of the tilted loss, right up to a relative 1e-6
double below_until(const LogCharacteristic& phi, double s, double variance, double floor);

/// The loss of N(1, s^2) against N(0, s^2), where `inverse_variance` = 1/s^2 is right up to a unit of rounding.
TransformPtr gaussian(double inverse_variance);

/// The same of a loss that is that of `inner` with probability `rate` in (0, 1], and 0 otherwise.
Cumulant participating(double rate, const Cumulant& inner);

/// @param part        of the moment that comes from rounds in which the record's holder takes part
/// @param part_error  bound on its relative error
LogCharacteristic participating(const LogCharacteristic& inner, double part, double part_error);

/// The loss is that of `inner` with probability `rate` in (0, 1), and 0 otherwise (accounting/renyi/proofs.md, 6.1).
TransformPtr participating(double rate, TransformPtr inner);

}  // namespace dpbudget::contour
