#include "dpbudget/accounting/approximate/failure.h"

#include <algorithm>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::approximate {

using numeric::log_add;
namespace {

using Precise = boost::multiprecision::cpp_dec_float_50;
using numeric::unit;

// Either of two independent failures.
Precise either(const Precise& a, const Precise& b) { return a + b * (1 - a); }

// total_delta less the probability of a failure; 0 where they agree to 30 digits.
double left_precisely(std::span<const Failing> mechanisms, double total_delta) {
  Precise failing = 0;
  for (const auto& [delta, count] : mechanisms) {
    Precise of_power = delta;  // of 1, 2, 4, ... mechanisms
    for (double rest = count; rest > 0; rest = std::floor(rest / 2)) {
      if (std::fmod(rest, 2) == 1) failing = either(failing, of_power);
      of_power = either(of_power, of_power);
    }
  }
  const auto left = static_cast<double>(Precise(total_delta - failing));
  return std::abs(left) < 1e-30 * total_delta ? 0 : left;
}

}  // namespace

double log_no_failure(std::span<const Failing> mechanisms) {
  double sum = 0;
  for (const auto& [delta, count] : mechanisms) sum += count * std::log1p(-delta);
  return sum;
}

double with_failures(double log_no_failure, double log_s) {
  if (std::isinf(log_no_failure)) return 0;
  return std::min(0.0, log_add(std::log(-std::expm1(log_no_failure)), log_no_failure + log_s));
}

// accounting/approximate/proofs.md, 1.2
numeric::Bracket with_failures_bracket(double log_no_failure, const numeric::Bracket& log_s) {
  const auto widened = [&](double value, double direction) {
    if (std::isinf(value)) return value;
    return value + direction * 16 * unit * (1 + std::abs(value) + std::min(-log_no_failure, 1.0));
  };
  return {widened(with_failures(log_no_failure, log_s.lower), -1),
          std::min(0.0, widened(with_failures(log_no_failure, log_s.upper), 1))};
}

Allowed allowed(std::span<const Failing> mechanisms, double total_delta) {
  if (total_delta == 1) return {false, 0, -infinity};
  const double log_none = log_no_failure(mechanisms);
  const double failing = -std::expm1(log_none);
  // Nearly equal, they are told apart by more digits.
  const bool is_near = failing > 0.9 * total_delta && failing < 1.1 * total_delta;
  const double left = is_near ? left_precisely(mechanisms, total_delta) : total_delta - failing;
  return {left < 0, std::log(std::max(left, 0.0)) - log_none, std::log1p(-total_delta) - log_none};
}

}  // namespace dpbudget::approximate
