/// @file
/// The generating function G(s) = E s^K of a number K that is Poisson or truncated negative binomial, and what of it a
/// cancellation would spoil.
///
/// Arguments are given by what is left to 1, `outside` = 1 - s, and by widths: all are sums of probabilities, of which
/// none is lost next to 1 either.
#pragma once

namespace dpbudget::numeric {

/// A generating function of a law on the integers.
class GeneratingFunction {
 public:
  /// G(s) = e^(mean (s - 1)).
  /// @param mean  positive and finite
  static GeneratingFunction poisson(double mean);
  /// G(s) = ((1 - (1 - gamma) s)^-eta - 1) / (gamma^-eta - 1), in the limit at eta 0.
  /// @param eta    in (-1, 100]
  /// @param gamma  in [1e-6, 1)
  static GeneratingFunction negative_binomial(double eta, double gamma);

  double mean() const;     ///< E K = G'(1)
  double at_zero() const;  ///< P(K = 0) = G(0)

  /// G(1 - outside) - G(1 - outside - width); both at least 0, their sum at most 1.
  double difference(double outside, double width) const;
  /// G(1 - o) - G(1 - o - a) - G(1 - o - b) + G(1 - o - a - b): the probability that the least of K numbers, uniform in
  /// [0, 1 - o], is in the first a of it, and the largest in the last b. All at least 0, their sum at most 1.
  double second_difference(double outside, double a, double b) const;
  /// G(s) - G(0), of s in [0, 1].
  double from_zero(double s) const;

  /// (log G'')' at 1 - outside, which falls with `outside`.
  double growth(double outside) const;
  /// (log (G'(s) - G'(t)))' as both grow alike, s = 1 - near and t = 1 - far; with G'(t) = 0 where far > 1. It falls
  /// with `near` and with `far`.
  /// @param near  below `far`
  double growth_between(double near, double far) const;
  /// log (G''(s) / G''(0)), of s in [0, 1].
  double log_growth_to(double s) const;

  /// What the relative error of each difference is at most, where its arguments are exact; and by how much it moves
  /// relatively, at most, for each relative move of all its arguments.
  double relative_error() const;
  double condition() const;

 private:
  enum class Kind { poisson, geometric, logarithmic, power };
  GeneratingFunction(Kind kind, double mean, double eta, double gamma);

  double ratio(double outside) const;  // 1 - (1 - gamma) s

  Kind kind_;
  double mean_;
  double eta_;
  double gamma_;
  double norm_;  // gamma^-eta - 1, or its limit by eta
};

}  // namespace dpbudget::numeric
