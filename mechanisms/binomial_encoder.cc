#include "dpbudget/mechanisms/binomial_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/mechanisms/bernoulli.h"

namespace dpbudget::mechanisms {
namespace {

constexpr double largest_bound = 1e290;

double width(const BinomialEncoder& encoder) { return encoder.upper - encoder.lower; }

void check(const BinomialEncoder& encoder) {
  require(-largest_bound <= encoder.lower && encoder.lower <= largest_bound, "lower", encoder.lower,
          "in [-1e290, 1e290]");
  require(-largest_bound <= encoder.upper && encoder.upper <= largest_bound && width(encoder) >= 1 / largest_bound,
          "upper", encoder.upper, "in [-1e290, 1e290], and above lower by at least 1e-290");
  require(1 <= encoder.granularity && encoder.granularity <= ranges::max_count, "granularity", encoder.granularity,
          "an integer in [1, 2^53]");
  require(1 <= encoder.noise_bits && encoder.noise_bits <= ranges::max_count - encoder.granularity, "noise_bits",
          encoder.noise_bits, "an integer in [1, 2^53 - granularity]");
  require(0 < encoder.probability && encoder.probability < 1, "probability", encoder.probability, "in (0, 1)");
}

void check(double value, const BinomialEncoder& encoder) {
  require(encoder.lower <= value && value <= encoder.upper, "value", value, "in [lower, upper] of the encoder");
}

// Divides before it multiplies: a quotient is at most 1, so that the steps never exceed the granularity.
double steps(double value, const BinomialEncoder& encoder) {
  return (value - encoder.lower) / width(encoder) * static_cast<double>(encoder.granularity);
}

std::uint64_t rounded_checked(double value, const BinomialEncoder& encoder, Stream& stream) {
  const double exact = steps(value, encoder);
  const double whole = std::floor(exact);
  return to_integer<std::uint64_t>(whole, "value in steps") + (bernoulli(exact - whole, stream) ? 1 : 0);
}

Bits encode_checked(double value, const BinomialEncoder& encoder, Stream& rounding, Stream& noise) {
  const std::uint64_t own = rounded_checked(value, encoder, rounding);
  return {own + binomial(encoder.noise_bits, encoder.probability, noise), encoder.granularity + encoder.noise_bits};
}

}  // namespace

Bits encode(double value, const BinomialEncoder& encoder, Stream& stream) {
  check(encoder);
  check(value, encoder);
  return encode_checked(value, encoder, stream, stream);
}

std::vector<Bits> encode(const Eigen::Ref<const Eigen::VectorXd>& value, const BinomialEncoder& encoder,
                         Stream& stream) {
  return encode(value, encoder, stream, stream);
}

std::vector<Bits> encode(const Eigen::Ref<const Eigen::VectorXd>& value, const BinomialEncoder& encoder,
                         Stream& rounding, Stream& noise) {
  check(encoder);
  for (const double coordinate : value) check(coordinate, encoder);
  std::vector<Bits> report;
  report.reserve(static_cast<std::size_t>(value.size()));
  for (const double coordinate : value) report.push_back(encode_checked(coordinate, encoder, rounding, noise));
  return report;
}

std::vector<std::uint64_t> rounded(const Eigen::Ref<const Eigen::VectorXd>& value, const BinomialEncoder& encoder,
                                   Stream& rounding) {
  check(encoder);
  for (const double coordinate : value) check(coordinate, encoder);
  std::vector<std::uint64_t> ones;
  ones.reserve(static_cast<std::size_t>(value.size()));
  for (const double coordinate : value) ones.push_back(rounded_checked(coordinate, encoder, rounding));
  return ones;
}

double noise_of(std::uint64_t ones, std::uint64_t reports, const BinomialEncoder& encoder) {
  check(encoder);
  const double expected = static_cast<double>(reports) * static_cast<double>(encoder.noise_bits) * encoder.probability;
  return width(encoder) / static_cast<double>(encoder.granularity) * (static_cast<double>(ones) - expected);
}

double decode(const Bits& bits, const BinomialEncoder& encoder) {
  check(encoder);
  const std::uint64_t bits_of_report = encoder.granularity + encoder.noise_bits;
  require(bits.total <= ranges::max_count && bits.total % bits_of_report == 0, "total", bits.total,
          "a multiple of granularity + noise_bits = " + std::to_string(bits_of_report) + ", at most 2^53");
  require(bits.ones <= bits.total, "ones", bits.ones, "at most the total, " + std::to_string(bits.total));
  const std::uint64_t users = bits.total / bits_of_report;
  const auto reports = static_cast<double>(users);
  const double noise = reports * static_cast<double>(encoder.noise_bits) * encoder.probability;
  const double step = width(encoder) / static_cast<double>(encoder.granularity);
  return reports * encoder.lower + step * (static_cast<double>(bits.ones) - noise);
}

double report_variance(double value, const BinomialEncoder& encoder) {
  check(encoder);
  check(value, encoder);
  const double exact = steps(value, encoder);
  const double fraction = exact - std::floor(exact);
  const double step = width(encoder) / static_cast<double>(encoder.granularity);
  const double noise = static_cast<double>(encoder.noise_bits) * encoder.probability * (1 - encoder.probability);
  return step * (fraction * (1 - fraction) + noise) * step;
}

std::uint64_t largest_shift(double distance, const BinomialEncoder& encoder) {
  check(encoder);
  require(0 <= distance && distance <= width(encoder), "distance", distance, "in [0, upper - lower]");
  const auto granularity = static_cast<double>(encoder.granularity);
  // The distance in steps is off by up to granularity 2^-51 here, and by twice that between two encoded values.
  const double raised = distance / width(encoder) * granularity + granularity * 0x1p-49;
  return to_integer<std::uint64_t>(std::min(granularity, std::ceil(raised) + 1), "distance in steps");
}

}  // namespace dpbudget::mechanisms
