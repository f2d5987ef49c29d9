#include "dpbudget/accounting/shuffle/blanket/tilted.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::unit;
namespace {

constexpr std::int64_t longest_walk = 32;  // turns between two calls of sine and cosine

}  // namespace

LogMoment log_moment(const BlanketLaw& law, double order) {
  // 1 + excess + sum of mass (e^(order value) - 1): the 1 is not added where it would hide the others.
  const auto terms = static_cast<double>(law.values.size());
  double sum = law.excess;
  double error = terms * 0x1p-60;  // of the excess, added up in extended precision
  for (const Value& v : law.values) {
    const double exponent = order * v.value;
    const double term = v.mass * std::expm1(exponent);
    sum += term;
    // A relative error of the exponent x becomes an absolute one of x e^x.
    error += unit * (std::abs(term) * (2 + terms / 8) + v.mass * std::abs(exponent) * std::exp(exponent));
  }
  return {std::log1p(sum), (error + unit * std::abs(sum)) / (1 + sum) * (1 + 1e-6)};
}

double saddle_order(const BlanketLaw& law, double reports) {
  double greatest = 0;
  for (const Value& v : law.values) greatest = std::max(greatest, v.value);
  const double top = std::log(700 / greatest);  // beyond it e^(order value) overflows
  const auto objective = [&](double log_order) {
    return reports * log_moment(law, std::exp(log_order)).value - 2 * log_order;
  };
  return std::exp(boost::math::tools::brent_find_minima(objective, top - 60, top, 16).first);
}

TiltedLaw::TiltedLaw(const BlanketLaw& law, double saddle)
    : order(saddle), log_moment(shuffle::log_moment(law, saddle)) {
  values.reserve(law.values.size());
  double mean = 0;
  double at_zero = 1;
  const double terms = 16 + static_cast<double>(law.values.size()) / 8 + std::abs(log_moment.value);
  for (const Value& v : law.values) {
    const double weight = v.mass * std::exp(order * v.value - log_moment.value);
    if (!(weight > 0)) continue;
    values.push_back({v.value, weight});
    mean += weight * v.value;
    at_zero -= weight;
    // The weight's exponential, the angle, the walk's turns and the sum; |e^(i t L) - 1| <= |t L|.
    rounding += unit * weight * std::abs(v.value) * (terms + std::abs(order * v.value));
  }
  at_zero = std::max(0.0, at_zero);
  deviation = at_zero * std::abs(mean);
  variance = at_zero * mean * mean;
  for (const Value& v : values) {
    deviation += v.mass * std::abs(v.value - mean);
    variance += v.mass * (v.value - mean) * (v.value - mean);
  }
  deviation *= 1 + 1e-6;
}

CharacteristicWalk::CharacteristicWalk(const TiltedLaw& law, double step)
    : step_(step), rounding_(law.rounding), relative_error_(law.log_moment.error) {
  phases_.reserve(law.values.size());
  for (const Value& v : law.values) {
    const double angle = step * v.value;
    const double sine = std::sin(angle / 2);
    const double cosine = std::cos(angle / 2);
    phases_.push_back({angle, v.mass, 0, 0, -2 * sine * sine, 2 * sine * cosine});
  }
}

// accounting/shuffle/blanket/proofs.md, 5.5 and 5.6
CharacteristicWalk::Point CharacteristicWalk::at(std::int64_t k) {
  const auto steps = static_cast<double>(k);
  const bool turns = k == last_ + 1 && k % longest_walk != 0;
  last_ = k;
  double real = 0;
  double imaginary = 0;
  for (Phase& phase : phases_) {
    if (turns) {
      // e' = e + r + e r for e = e^(i a) - 1 and r = e^(i b) - 1 keeps the digits of small angles.
      const double before = phase.real;
      phase.real += phase.turn_real + (before * phase.turn_real - phase.imaginary * phase.turn_imaginary);
      phase.imaginary += phase.turn_imaginary + (before * phase.turn_imaginary + phase.imaginary * phase.turn_real);
    } else {
      const double half = steps * phase.angle / 2;
      const double sine = std::sin(half);
      phase.real = -2 * sine * sine;
      phase.imaginary = 2 * sine * std::cos(half);
    }
    real += phase.weight * phase.real;
    imaginary += phase.weight * phase.imaginary;
  }
  return {real, imaginary, steps * step_ * rounding_ + relative_error_ * (std::abs(real) + std::abs(imaginary))};
}

}  // namespace dpbudget::shuffle
