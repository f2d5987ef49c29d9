#include "dpbudget/accounting/tradeoff/closed_forms.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {

namespace {

// Both lines may pass close to 0, where a double would lose the difference, and beyond what its exponent holds.
using Wide = boost::multiprecision::cpp_bin_float_50;

Wide approximate_at(double type_one_error, double epsilon, double delta) {
  ranges::type_one_error(type_one_error);
  ranges::epsilon(epsilon);
  ranges::release_delta(delta);
  const Wide rest = 1 - Wide(delta) - Wide(type_one_error);
  const Wide flat = rest <= 0 ? Wide(0) : Wide(exp(-Wide(epsilon)) * rest);
  const bool is_beyond = type_one_error > 0 && epsilon + std::log(type_one_error) > 1;
  const Wide steep = is_beyond             ? Wide(0)
                     : type_one_error == 0 ? Wide(1 - Wide(delta))
                                           : Wide(1 - Wide(delta) - exp(Wide(epsilon)) * Wide(type_one_error));
  return std::max({Wide(0), steep, flat});
}

}  // namespace

double approximate_type_two_error(double type_one_error, double epsilon, double delta) {
  return static_cast<double>(approximate_at(type_one_error, epsilon, delta));
}

double approximate_log_type_two_error(double type_one_error, double epsilon, double delta) {
  const Wide value = approximate_at(type_one_error, epsilon, delta);
  if (value > 0) return static_cast<double>(log(value));
  // e^-epsilon may be beyond the exponents of any floating point.
  const Wide rest = 1 - Wide(delta) - Wide(type_one_error);
  return rest > 0 ? static_cast<double>(log(rest) - epsilon) : -std::numeric_limits<double>::infinity();
}

double laplace_log_type_two_error(double type_one_error, double epsilon) {
  ranges::type_one_error(type_one_error);
  ranges::epsilon(epsilon);
  if (type_one_error == 0) return 0;
  const double log_error = std::log(type_one_error);
  if (log_error < -epsilon - std::numbers::ln2) return std::log1p(-std::exp(epsilon + log_error));
  if (type_one_error <= 0.5) return -epsilon - log_error - 2 * std::numbers::ln2;
  return -epsilon + std::log1p(-type_one_error);
}

}  // namespace dpbudget::tradeoff
