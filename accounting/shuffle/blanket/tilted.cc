#include "dpbudget/accounting/shuffle/blanket/tilted.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::unit;
namespace {

constexpr int longest_walk = 32;  // turns between two calls of sine and cosine
constexpr std::size_t bits = 12;  // of the number of steps that are turned by

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
    : step_(step), rounding_(law.rounding), relative_error_(law.log_moment.error), turned_(longest_walk) {
  angles_.reserve(law.values.size());
  weights_.reserve(law.values.size());
  for (const Value& v : law.values) {
    angles_.push_back(step * v.value);
    weights_.push_back(v.mass);
  }
  here_.real.resize(angles_.size());
  here_.imaginary.resize(angles_.size());
}

void CharacteristicWalk::set(Turns& turns, double steps) const {
  turns.real.resize(angles_.size());
  turns.imaginary.resize(angles_.size());
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    const double half = steps * angles_[i] / 2;
    const double sine = std::sin(half);
    turns.real[i] = -2 * sine * sine;
    turns.imaginary[i] = 2 * sine * std::cos(half);
  }
}

// e' = e + r + e r for e = e^(i a) - 1 and r = e^(i b) - 1 keeps the digits of small angles.
void CharacteristicWalk::turn(const Turns& by) {
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    const double before = here_.real[i];
    here_.real[i] += by.real[i] + (before * by.real[i] - here_.imaginary[i] * by.imaginary[i]);
    here_.imaginary[i] += by.imaginary[i] + (before * by.imaginary[i] + here_.imaginary[i] * by.real[i]);
  }
}

bool CharacteristicWalk::turn_by(std::int64_t steps) {
  if (steps <= 0 || steps >= std::int64_t{1} << bits) return false;
  const auto number = static_cast<std::uint64_t>(steps);
  turned_ += std::popcount(number);
  if (turned_ > longest_walk) return false;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    if ((number >> bit & 1U) == 0) continue;
    while (powers_.size() <= bit) {
      const double length = std::ldexp(1, static_cast<int>(powers_.size()));
      set(powers_.emplace_back(), length);
    }
    turn(powers_[bit]);
  }
  return true;
}

// accounting/shuffle/blanket/proofs.md, 5.5 and 5.6
CharacteristicWalk::Point CharacteristicWalk::at(std::int64_t k) {
  const auto steps = static_cast<double>(k);
  if (!turn_by(k - last_)) {
    set(here_, steps);
    turned_ = 0;
  }
  last_ = k;
  constexpr std::size_t lanes = 4;
  std::array<double, lanes> reals{};
  std::array<double, lanes> imaginaries{};
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    reals[i % lanes] += weights_[i] * here_.real[i];
    imaginaries[i % lanes] += weights_[i] * here_.imaginary[i];
  }
  const double real = std::accumulate(reals.begin(), reals.end(), 0.0);
  const double imaginary = std::accumulate(imaginaries.begin(), imaginaries.end(), 0.0);
  return {real, imaginary, steps * step_ * rounding_ + relative_error_ * (std::abs(real) + std::abs(imaginary))};
}

}  // namespace dpbudget::shuffle
