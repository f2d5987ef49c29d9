/// @file
/// Arithmetic that carries both ends of what a real number may be, each rounded away from it: how the bounds of this
/// folder are computed so that rounding can only enlarge them. Boost.Interval would do it by the processor's rounding
/// modes, of which neither compilers nor the C library's functions promise to know.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::fl {

/// A real number between two doubles. A double is itself; 0 stays 0 where a real number would.
/// @source fl/convergence/proofs.md, 7.1
class Enclosed {
 public:
  Enclosed(double value) : lower_(value), upper_(value) {}  // NOLINT(google-explicit-constructor): a double is exact
  Enclosed(double lower, double upper) : lower_(lower), upper_(upper) {}

  double lower() const { return lower_; }
  double upper() const { return upper_; }

  friend Enclosed operator+(const Enclosed& a, const Enclosed& b) {
    if (a.is_zero()) return b;
    // A sum that is subnormal, or 0, is exact.
    return b.is_zero() ? a : Enclosed(below(a.lower_ + b.lower_, 0), above(a.upper_ + b.upper_, 0));
  }
  friend Enclosed operator-(const Enclosed& a) { return {-a.upper_, -a.lower_}; }
  friend Enclosed operator-(const Enclosed& a, const Enclosed& b) { return a + -b; }
  friend Enclosed operator*(const Enclosed& a, const Enclosed& b) {
    if (a.is_zero() || b.is_zero()) return 0;
    if (0 <= a.lower_ && 0 <= b.lower_) return {below_product(a.lower_, b.lower_), above_product(a.upper_, b.upper_)};
    return hull({a.lower_ * b.lower_, a.lower_ * b.upper_, a.upper_ * b.lower_, a.upper_ * b.upper_});
  }
  /// Everything where b may be 0.
  friend Enclosed operator/(const Enclosed& a, const Enclosed& b) {
    if (a.is_zero()) return 0;
    if (b.lower_ <= 0 && 0 <= b.upper_) return {-infinity, infinity};
    return hull({a.lower_ / b.lower_, a.lower_ / b.upper_, a.upper_ / b.lower_, a.upper_ / b.upper_});
  }

  friend Enclosed max(const Enclosed& a, const Enclosed& b) {
    return {std::max(a.lower_, b.lower_), std::max(a.upper_, b.upper_)};
  }

  /// Of a function of the C library that does not fall.
  template <class Function>
  friend Enclosed rising(Function&& function, const Enclosed& a) {
    const double low = std::min(function(a.lower_), most);
    const double high = std::max(function(a.upper_), -most);
    return {low - std::abs(low) * numeric::unit - tiny, high + std::abs(high) * numeric::unit + tiny};
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double most = std::numeric_limits<double>::max();
  static constexpr double tiny = std::numeric_limits<double>::denorm_min();

  bool is_zero() const { return lower_ == 0 && upper_ == 0; }

  // The next double or one beyond. What rounded to an infinity is beyond all doubles, but may be finite.
  static double above(double value, double least = tiny) {
    const double near = std::max(value, -most);
    return near + std::abs(near) * 0x1p-52 + least;
  }
  static double below(double value, double least = tiny) { return -above(-value, least); }
  // Of what is not negative: the exact result is not, either.
  static double below_product(double a, double b) { return std::max(0.0, below(a * b)); }
  static double above_product(double a, double b) { return a == 0 || b == 0 ? 0 : above(a * b); }

  static Enclosed hull(std::initializer_list<double> ends) {
    for (const double end : ends)
      if (std::isnan(end)) return {-infinity, infinity};  // 0 times what may be infinite
    return {below(std::min(ends)), above(std::max(ends))};
  }

  double lower_;
  double upper_;
};

/// A count, which a double may not hold.
inline Enclosed enclosed_count(std::uint64_t count) {
  const auto near = static_cast<double>(count);
  return count <= std::uint64_t{1} << 53U ? Enclosed(near) : Enclosed(near * (1 - 0x1p-52), near * (1 + 0x1p-52));
}

/// e to every number of the interval.
inline Enclosed exp(const Enclosed& a) {
  const Enclosed found = rising([](double x) { return std::exp(x); }, a);
  return {std::max(0.0, found.lower()), found.upper()};
}
/// The same, less 1.
inline Enclosed expm1(const Enclosed& a) {
  return rising([](double x) { return std::expm1(x); }, a);
}
/// Of what is above -1.
inline Enclosed log1p(const Enclosed& a) {
  return rising([](double x) { return std::log1p(x); }, a);
}

}  // namespace dpbudget::fl
