#include "dpbudget/accounting/contour/second_order_sums.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "dpbudget/accounting/contour/second_order.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

constexpr double turns_between_aims = 16;
constexpr std::size_t lanes_of_aimed = 8;

}  // namespace

SecondOrderSums::SecondOrderSums(std::vector<double> weights, std::vector<double> x)
    : weights_(std::move(weights)), x_(std::move(x)), turns_(turns_between_aims), turned_{0, x_.size()} {
  const std::size_t count = x_.size();
  for (Sums* sums : {&below_, &above_}) {
    sums->mass.resize(count + 1);
    sums->moment.resize(count + 1);
  }
  long double mass = 0;
  long double moment = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mass += weights_[i];
    moment += static_cast<long double>(weights_[i]) * x_[i];
    below_.mass[i + 1] = static_cast<double>(mass);
    below_.moment[i + 1] = static_cast<double>(moment);
  }
  mass = moment = 0;
  for (std::size_t i = count; i-- > 0;) {
    mass += weights_[i];
    moment += static_cast<long double>(weights_[i]) * x_[i];
    above_.mass[i] = static_cast<double>(mass);
    above_.moment[i] = static_cast<double>(moment);
  }
}

// accounting/contour/proofs.md, 3.3
SecondOrderSums::Sum SecondOrderSums::at(double s) {
  const SmallAngles small = small_angles(x_, s);
  std::complex<double> rest = sum_of_small(weights_, x_, s, small);
  if (small.begin == 0 && small.end == x_.size()) {
    turns_.pass(s);
    return {rest, 0};
  }
  std::complex<double> waves;
  if (const Waves* by = turns_.to(s, x_)) {
    waves = turn(waves_, *by, 0, turned_.low) + turn(waves_, *by, turned_.high, x_.size());
  } else {
    turned_ = {small.begin, small.end};
    waves = aimed(s);
  }
  // Angles that became large since; apart from the waves, whose size their roundings would have.
  for (std::size_t i = turned_.low; i < small.begin; ++i) rest += weights_[i] * second_order(s * x_[i]);
  for (std::size_t i = small.end; i < turned_.high; ++i) rest += weights_[i] * second_order(s * x_[i]);
  const double mass = below_.mass[turned_.low] + above_.mass[turned_.high];
  const double low = s * below_.moment[turned_.low];
  const double high = s * above_.moment[turned_.high];
  constexpr double extended = std::numeric_limits<long double>::epsilon() / unit;
  const auto count = static_cast<double>(x_.size());
  const double of_sums = 2 + count * extended;
  const double error =
      unit * ((Turns::error_of_turn * turns_.turned() + 2 + count / 128 + of_sums) * mass + of_sums * (high - low));
  return {{rest.real() + (waves.real() - mass), rest.imag() + (waves.imag() - (low + high))}, error};
}

// Those of large angles, with their weights; added up as the turned ones are.
std::complex<double> SecondOrderSums::aimed(double s) {
  waves_.real.resize(x_.size());
  waves_.imaginary.resize(x_.size());
  double real[lanes_of_aimed] = {};
  double imaginary[lanes_of_aimed] = {};
  const auto aim = [&](std::size_t i) {
    const double angle = s * x_[i];
    real[i % lanes_of_aimed] += waves_.real[i] = weights_[i] * std::cos(angle);
    imaginary[i % lanes_of_aimed] += waves_.imaginary[i] = weights_[i] * std::sin(angle);
  };
  for (std::size_t i = 0; i < turned_.low; ++i) aim(i);
  for (std::size_t i = turned_.high; i < x_.size(); ++i) aim(i);
  return {std::accumulate(std::begin(real), std::end(real), 0.0),
          std::accumulate(std::begin(imaginary), std::end(imaginary), 0.0)};
}

}  // namespace dpbudget::contour
