#include "dpbudget/tools/cli/output/number.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::tools {

namespace {

// `sign` is +1 for up and -1 for down.
std::string rounded(double value, int sign) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{}", value);
  std::string text = fmt::format("{:.6g}", value);
  // The nearest six digits may lie on the wrong side: then the next ones are taken.
  const double digit = std::pow(10, std::floor(std::log10(std::abs(value))) - 5);
  for (int k = 1; sign * (read_number("value", text) - value) < 0; ++k)
    text = fmt::format("{:.6g}", value + sign * k * digit / 2);
  return text;
}

std::string rounded_exp(double log_value, int sign) {
  if (log_value > -600) return rounded(std::exp(log_value), sign);
  if (std::isinf(log_value)) return "0";
  // Beyond this the subtraction below has no digits left.
  if (log_value < -1e9) return fmt::format("exp({})", rounded(log_value, sign));
  const double decades = log_value / std::numbers::ln10;
  double exponent = std::floor(decades);
  // Five decimals of a mantissa, one unit of the last outwards: far above the rounding of the subtraction.
  double mantissa = std::pow(10, decades - exponent) + sign * 1e-5;
  if (mantissa < 1) {
    mantissa = 9.99998;
    exponent -= 1;
  } else if (mantissa >= 9.999995) {
    mantissa = sign > 0 ? 1 : 9.99998;
    exponent += sign > 0 ? 1 : 0;
  }
  return fmt::format("{:.5f}e{}", mantissa, to_integer<std::int64_t>(exponent, "exponent"));
}

}  // namespace

std::string rounded_up(double value) { return rounded(value, +1); }
std::string rounded_down(double value) { return rounded(value, -1); }
std::string rounded_up_exp(double log_value) { return rounded_exp(log_value, +1); }
std::string rounded_down_exp(double log_value) { return rounded_exp(log_value, -1); }

std::string grouped(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (auto i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

}  // namespace dpbudget::tools
