/// @file
/// The law of a blanket share under an exponential tilt, and its characteristic function with its rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/shuffle/blanket/law.h"

namespace dpbudget::shuffle {

/// log E[e^(order L)] and a bound on its absolute error, the law's masses and values taken as exact.
struct LogMoment {
  double value;
  double error;
};
/// @param order  positive
LogMoment log_moment(const BlanketLaw& law, double order);

/// The order that minimises n log E[e^(order L)] - 2 log(order), about: the saddle point of the integral for
/// E[(L_1 + ... + L_n)_+].
/// @param law      with at least one positive value
/// @param reports  n
double saddle_order(const BlanketLaw& law, double reports);

/// The law weighted by e^(order L), of total mass 1 together with the value 0.
struct TiltedLaw {
  TiltedLaw(const BlanketLaw& law, double saddle);

  double order;
  LogMoment log_moment;
  std::vector<Value> values;
  double variance = 0;
  double deviation = 0;  ///< upper bound on E|L - c| for some c, hence on the slope of |E[e^(i t L)]|
  double rounding = 0;   ///< what an evaluation of E[e^(i t L)] - 1 may be off by, divided by |t|
};

/// E[e^(i t L)] - 1 at t = k step for rising k.
class CharacteristicWalk {
 public:
  CharacteristicWalk(const TiltedLaw& law, double step);

  /// A value of the characteristic function.
  struct Point {
    double real;
    double imaginary;
    double error;  ///< of both together
  };
  /// @param k  at least 0
  Point at(std::int64_t k);

 private:
  // e^(i angle) - 1 for each value's angle.
  struct Turns {
    std::vector<double> real;
    std::vector<double> imaginary;
  };

  void set(Turns& turns, double steps) const;
  bool turn_by(std::int64_t steps);
  void turn(const Turns& by);

  double step_;
  double rounding_;
  double relative_error_;
  std::vector<double> angles_;  // per step
  std::vector<double> weights_;
  Turns here_;
  std::int64_t last_ = 0;
  int turned_;                 // how often since sines and cosines were taken
  std::vector<Turns> powers_;  // by 1, 2, 4, ... steps
};

}  // namespace dpbudget::shuffle
