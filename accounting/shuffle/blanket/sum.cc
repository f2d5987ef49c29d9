#include "dpbudget/accounting/shuffle/blanket/sum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/shuffle/blanket/tilted.h"

namespace dpbudget::shuffle {

using numeric::Extended;
using numeric::unit;
namespace {

constexpr double most_blanket_steps = 0x1p50;
// Values that an integral may look at, in all; about 20 ms of work. An evaluation costs some by itself.
constexpr double most_work = 0x1p22;
constexpr double work_of_evaluation = 16;
constexpr double one_report_width = 1e-3;  // where the bounds by one report are this close, they are the answer
constexpr double share_of_steps = 1e-3;    // of the accuracy, for all steps that are passed over

// What lies m periods away, for all m != 0, against e^(n K(c)) / c: by x_+ <= e^(c' x) / (e c') at any order c'.
// accounting/shuffle/blanket/proofs.md, 5.3
class Aliases {
 public:
  Aliases(const BlanketLaw& law, const TiltedLaw& tilted, double reports) : order_(tilted.order) {
    const double spread = 1 / std::sqrt(tilted.variance * reports);
    std::vector<double> orders;
    for (const double share :
         {0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 3.0})
      orders.push_back(share * order_);
    for (const double distance : {0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0})
      for (const int sign : {-1, 1}) orders.push_back(order_ + sign * distance * spread);
    for (const double order : orders) {
      if (!(order > 0)) continue;
      const LogMoment moment = log_moment(law, order);
      const double log_bound =
          reports * (moment.value - tilted.log_moment.value + moment.error + tilted.log_moment.error) +
          std::log(order_ / order) - 1;
      if (log_bound < 700) bounds_.push_back({order, log_bound});
    }
  }

  double at(double period) const {
    double above = infinity;
    double below = infinity;
    for (const auto& [order, log_bound] : bounds_) {
      const double exponent = std::abs(order - order_) * period;
      const double bound = std::exp(log_bound - exponent) / -std::expm1(-exponent) * (1 + 1e-9);
      double& least = order > order_ ? above : below;
      if (bound < least) least = bound;
    }
    return above + below;
  }

 private:
  struct Bound {
    double order;
    double log_bound;
  };
  double order_;
  std::vector<Bound> bounds_;
};

// The smoothed hinge's transform at order 1 + i t: k(w) / (1 + i t)^2, w = part (1 + i t). On the upper side k(w) =
// (sinh(w) / w)^4, of a sum of four uniform laws on [-part, part]; on the lower 2 k(w) - k(2 w), and as sinh(2 w) = 2
// sinh(w) cosh(w) that is (2 - cosh(w)^4) k(w).
// accounting/shuffle/blanket/proofs.md, 5.1, 5.2 and 5.4
class Hinge {
 public:
  // @param of_smoothing  at most 0.005
  Hinge(double of_smoothing, Side of_side)
      : part(of_smoothing), side(of_side), cosh_(std::cosh(part)), sinh_(std::sinh(part)) {}

  std::complex<double> operator()(double t) const {
    const double cosine = std::cos(part * t);
    const double sine = std::sin(part * t);
    const double size = 1 + t * t;
    const std::complex<double> inverse{1 / size, -t / size};  // of 1 + i t
    const std::complex<double> kernel = fourth(std::complex<double>(sinh_ * cosine, cosh_ * sine) * inverse / part);
    const std::complex<double> smoothed = kernel * inverse * inverse;
    return side == Side::upper ? smoothed
                               : smoothed * (2.0 - fourth(std::complex<double>(cosh_ * cosine, sinh_ * sine)));
  }
  double bound(double t) const {
    const double decay = 1 / (part * t);
    return std::min(3.1, most * decay * decay * decay * decay) / (1 + t * t);
  }
  // Bound on the integral of |k(w) / z^2| / pi from t on.
  double beyond(double t) const { return scale() / std::pow(t, 5); }
  // From where on that is `share`.
  double end(double share) const { return std::pow(scale() / share, 0.2); }

  double part;
  Side side;

 private:
  // Times 1 / (part |z|)^4, of either side's k(w).
  static constexpr double most = 2.1;

  static std::complex<double> fourth(std::complex<double> x) {
    const std::complex<double> square = x * x;
    return square * square;
  }
  double scale() const { return most * (1 + 1e-12) / (5 * std::numbers::pi * std::pow(part, 4)); }

  double cosh_;
  double sinh_;
};

struct Integral {
  double value;
  double error;
  double end;   ///< how far it goes
  bool is_cut;  ///< by lack of time
};

// Sum over all k, |k| step <= end, of hinge(k step) (E[e^(i t L)])^n with t = k step order.
// @param negligible  a term that is passed over is at most so much
// accounting/shuffle/blanket/proofs.md, 5.1 and 5.5
Integral integrate(const TiltedLaw& tilted, double reports, double step, double end, const Hinge& hinge,
                   double negligible) {
  Extended sum = Extended(hinge(0).real());
  double error = 0;
  double magnitude = 1;
  CharacteristicWalk walk(tilted, step * tilted.order);
  const auto steps = to_integer<std::int64_t>(std::ceil(std::min(end / step, most_blanket_steps)), "steps");
  const double most_evaluations = most_work / (work_of_evaluation + static_cast<double>(tilted.values.size()));
  double evaluations = 0;
  std::int64_t k = 1;
  for (; k <= steps && evaluations < most_evaluations; ++k, ++evaluations) {
    const double t = static_cast<double>(k) * step;
    const CharacteristicWalk::Point phi = walk.at(k);
    const double square = 2 * phi.real + phi.real * phi.real + phi.imaginary * phi.imaginary;
    const double log_size = std::log1p(std::max(square, -1.0)) / 2;
    const double size = std::exp(log_size);
    // The 1 - |phi| from which on a term is negligible, by what is left of the hinge.
    const double least = -std::expm1(-std::max(0.0, std::log(hinge.bound(t) / negligible)) / reports);
    const double room = -std::expm1(log_size) - phi.error - least;
    if (room > 0) {
      const double skipped = std::floor(room / (tilted.deviation * tilted.order * step));
      const auto jump = to_integer<std::int64_t>(std::min(skipped, static_cast<double>(steps - k)), "steps");
      error += static_cast<double>(jump + 1) * negligible * (1 + 1e-9);
      k += jump;
      continue;
    }
    const double angle = reports * std::atan2(phi.imaginary, 1 + phi.real);
    const double power = std::exp(reports * log_size);
    const std::complex<double> term = hinge(t) * std::polar(power, angle);
    const double relative = phi.error < size / 2 ? 2 * reports * phi.error / size : infinity;
    const double phase = unit * (8 + std::abs(angle) + reports * std::abs(log_size));
    const double by_value = relative < 1 ? power * (std::expm1(relative) + phase) : infinity;
    const double by_magnitude = power + std::exp(reports * std::min(0.0, std::log(size + phi.error)));
    error += hinge.bound(t) * (std::min(by_value, by_magnitude) + power * unit * (32 + 8 * hinge.part * t));
    sum += 2 * Extended(term.real());
    magnitude += 2 * std::abs(term.real());
  }
  return {static_cast<double>(sum), 2 * error + unit * magnitude, static_cast<double>(k - 1) * step, k <= steps};
}

// E[L_+], which is at least E[(sum)_+] / n.
double log_first_excess(const BlanketLaw& law, Side side) {
  double sum = 0;
  for (const Value& v : law.values) sum += v.mass * std::max(0.0, v.value);
  const double error = law.relative_error + unit * static_cast<double>(law.values.size() + 4);
  return std::log(sum * (side == Side::upper ? 1 + error : 1 - error));
}

// The hinge's part, times the order: half a hundredth of what the tilt sees, e^(order s), and of a fifth of the sum's
// standard deviation, which its characteristic function tells where large values are rare.
double part_of(const TiltedLaw& tilted, double reports) {
  const double widest = 0.005;
  if (reports < 1000) return widest;  // a narrower one has its price, and a sum of few has no normal part
  double t = 1 / std::sqrt(tilted.variance * reports);
  for (int i = 0; i < 40; ++i, t *= 2) {
    const CharacteristicWalk::Point phi = CharacteristicWalk(tilted, t).at(1);
    const double log_size = std::log(std::hypot(1 + phi.real, phi.imaginary));
    if (reports * log_size < -0.5) return widest * std::min(1.0, tilted.order / (5 * t));
  }
  return widest;
}

// log of the least that E[(sum)_+] / n can be, given log E[L_+]: with one report from the blanket alone.
// accounting/shuffle/blanket/proofs.md, 5.7
double log_excess_of_one(const BlanketLaw& law, double reports, double log_first) {
  if (!(law.rest > 0)) return -infinity;
  const double log_alone = (reports - 1) * std::log(law.rest);
  return log_first + log_alone - reports * (law.relative_error + 4 * unit) - unit * (4 + std::abs(log_first));
}

struct Excess {
  double value;
  double error;
  bool is_cut;
};

// E[(sum)_+] times order / E[e^(order sum)], with period and end such that an excess of `guess` has the accuracy.
Excess excess(const BlanketLaw& law, const TiltedLaw& tilted, const Aliases& aliases, double reports, double guess,
              const Hinge& hinge, double accuracy) {
  double period = 2 * std::sqrt(tilted.variance * reports);
  for (int i = 0; i < 64 && !(aliases.at(period) <= accuracy * guess); ++i) period *= 1.2;
  const double step = 2 * std::numbers::pi / (period * tilted.order);
  const double scale = step / (2 * std::numbers::pi);
  const double end = hinge.end(accuracy * guess);
  const double negligible = share_of_steps * accuracy * guess / (scale * std::max(1.0, end / step));
  const Integral integral = integrate(tilted, reports, step, end, hinge, negligible);
  const double error =
      scale * integral.error * (1 + 4 * unit) + hinge.beyond(integral.end) + scale * unit * std::abs(integral.value);
  if (hinge.side == Side::lower) return {scale * integral.value, error + aliases.at(period), integral.is_cut};
  // No report from the blanket: the sum is 0, which the smoothed hinge takes for 7 part / (15 order).
  const double log_rest = std::log(law.rest);
  const double rounding = reports * (2 * unit * std::abs(log_rest) + tilted.log_moment.error) + 8 * unit;
  const double at_zero = std::exp(reports * (log_rest - tilted.log_moment.value) - rounding);
  return {scale * integral.value - hinge.part * 7 / 15 * at_zero, error + unit * at_zero, integral.is_cut};
}

}  // namespace

double log_mean_excess(const BlanketLaw& law, double reports, Side side, double accuracy) {
  const bool is_upper = side == Side::upper;
  const double trivial = log_first_excess(law, side);
  if (trivial == -infinity || reports == 1) return trivial;
  const double of_one = log_excess_of_one(law, reports, trivial);
  if (trivial - of_one < one_report_width) return is_upper ? trivial : of_one;
  const TiltedLaw tilted(law, saddle_order(law, reports));
  const Aliases aliases(law, tilted, reports);
  const Hinge hinge(part_of(tilted, reports), side);
  double guess = 1 / (std::sqrt(2 * std::numbers::pi) * (1 + tilted.order * std::sqrt(tilted.variance * reports)));
  Excess found = excess(law, tilted, aliases, reports, guess, hinge, accuracy);
  // Where rare large values bound the order, the tilt is weaker than the sum would have it, and the excess is less.
  for (int i = 0; i < 2 && !found.is_cut && found.value + found.error < guess / 4; ++i) {
    guess = std::max(found.value, found.error);
    found = excess(law, tilted, aliases, reports, guess, hinge, accuracy);
  }
  const double value = is_upper ? found.value + found.error : found.value - found.error;
  if (!(value > 0)) return is_upper ? trivial : of_one;
  const double exponent = reports * tilted.log_moment.value;
  const double parts = exponent - std::log(tilted.order) + std::log(value) - std::log(reports);
  const double rounding = reports * (tilted.log_moment.error + law.relative_error) +
                          unit * (std::abs(exponent) + std::abs(std::log(tilted.order)) + std::abs(std::log(value)) +
                                  std::log(reports) + 4);
  return is_upper ? std::min(trivial, parts + rounding) : std::max(of_one, parts - rounding);
}

}  // namespace dpbudget::shuffle
