#include "dpbudget/accounting/loss_distribution/tilted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/exponentials.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;

using numeric::Spectrum;
namespace {

// A frequency whose magnitude is below e^this adds nothing but this to any mass.
constexpr double negligible = -75;
// A magnitude whose square has all its digits, and far below that.
constexpr double least_known = 1e-150;

std::size_t wrap(std::int64_t index, std::size_t length) {
  const auto modulus = static_cast<std::int64_t>(length);
  const std::int64_t remainder = index % modulus;
  return static_cast<std::size_t>(remainder < 0 ? remainder + modulus : remainder);
}

struct TiltedPart {
  std::vector<double> folded;
  double sum = 0;
  double relative_error = 0;
  double log_scale = 0;
};

// Of every loss e^(order loss + shift).
template <class Use>
void each_tilted(const LossDistribution& distribution, double order, double shift, const Use& use) {
  const std::size_t size = distribution.mass.size();
  if (size == 0) return;
  numeric::Exponentials tilts(order * distribution.loss(0) + shift, order * distribution.grid.mesh, size);
  for (std::size_t start = 0; start < size; start += numeric::Exponentials::block) {
    const auto& row = tilts.from(start);
    const std::size_t length = std::min(numeric::Exponentials::block, size - start);
    for (std::size_t k = 0; k < length; ++k) use(start + k, row[k]);
  }
}

TiltedPart tilted_part(const LossDistribution& distribution, double order, std::size_t length) {
  TiltedPart tilted;
  tilted.log_scale = log_moment(distribution, order).value;
  tilted.folded.resize(length);
  std::size_t at = wrap(distribution.first, length);
  each_tilted(distribution, order, -tilted.log_scale, [&](std::size_t i, double tilt) {
    if (distribution.mass[i] != 0) {
      const double mass = distribution.mass[i] * tilt;
      tilted.folded[at] += mass;
      tilted.sum += mass;
    }
    at = at + 1 == length ? 0 : at + 1;
  });
  const double folds = 1 + static_cast<double>(distribution.mass.size()) / static_cast<double>(length);
  const double reach = distribution.reach() + 8 * distribution.grid.mesh;
  tilted.relative_error = unit * (5 + std::abs(order) * reach + std::abs(tilted.log_scale) + folds);
  return tilted;
}

// To so many factors multiplying takes less than the angle's sine and cosine.
constexpr double most_multiplied = 0x1p16;

std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// By squares: all roundings together are as many as if the factors were multiplied one by one, each below 2^-51.
std::complex<double> power(std::complex<double> factor, double magnitude, double count) {
  if (count > most_multiplied) return std::polar(std::pow(magnitude, count), count * std::arg(factor));
  std::complex<double> result = 1;
  for (auto left = static_cast<std::uint32_t>(count); left > 0; left >>= 1U) {
    if ((left & 1U) != 0) result = product(result, factor);
    factor = product(factor, factor);
  }
  return result;
}

}  // namespace

bool TiltedProduct::Frequency::is_negligible() const { return log_most < negligible; }

// accounting/loss_distribution/proofs.md, 3.3
void TiltedProduct::Frequency::multiply(std::complex<double> factor, double count, double error) {
  const double magnitude = std::sqrt(std::norm(factor));  // far below the error where its square underflows
  log_most += count * std::log(magnitude + error);
  if (is_negligible()) return;
  relative_error += count * (error / magnitude + 2 * unit);
  value = product(value, power(factor, magnitude, count));
}

std::size_t points_of(double width, double mesh, double most) {
  const double needed = std::ceil(width / mesh) + 1;
  if (!(1 <= needed && needed <= most))
    throw Unsupported(
        fmt::format("a mesh of {:.3g} needs a transform of {:.3g} points; the most is {}", mesh, needed, most));
  return to_integer<std::size_t>(needed, "points");
}

Window window_at(double first, std::size_t length) {
  if (!(std::abs(first) < 0x1p52)) throw Unsupported("losses are too large for the mesh of their grid");
  return {to_integer<std::int64_t>(first, "first point"), length};
}

double offset_of(const std::vector<Part>& parts) {
  double offset = 0;
  for (const Part& part : parts) offset += static_cast<double>(part.count) * part.distribution->grid.offset;
  return offset;
}

TiltedSum product_of(const std::vector<Part>& parts, double order, const Window& window) {
  TiltedProduct product(order, window);
  for (const Part& part : parts) {
    heed_interruption();
    product.multiply(part);
  }
  return product.sum();
}

LossDistribution empty_sum(const std::vector<Part>& parts, const Window& window) {
  LossDistribution sum{.side = parts.front().distribution->side,
                       .grid = {parts.front().distribution->grid.mesh, offset_of(parts)},
                       .first = window.first,
                       .mass = std::vector<double>(window.length),
                       .at_infinity = 0,
                       .slack = 0};
  double log_finite = 0;
  for (const Part& part : parts) {
    const auto count = static_cast<double>(part.count);
    sum.slack += count * (part.distribution->slack + 2 * unit * std::abs(part.distribution->grid.offset));
    log_finite += count * std::log1p(-std::min(1.0, part.distribution->at_infinity));
  }
  // The mass at infinity is the chance that any part's loss is infinite.
  const double infinite = -std::expm1(log_finite);
  const double rounding = unit * static_cast<double>(parts.size() + 4);
  sum.at_infinity = infinite * (sum.side == Side::upper ? 1 + rounding : 1 - rounding);
  sum.slack += unit * static_cast<double>(parts.size() + 1) * sum.reach();
  return sum;
}

TiltedProduct::TiltedProduct(double order, const Window& window)
    : order_(order), window_(window), fourier_(window.length), product_(window.length / 2 + 1) {}

void TiltedProduct::multiply(const Part& part) {
  if (part.count == 0) return;
  const auto count = static_cast<double>(part.count);
  const TiltedPart tilted = tilted_part(*part.distribution, order_, window_.length);
  const Spectrum spectrum = fourier_.forward(tilted.folded);
  const double error = fourier_.error() * tilted.sum;
  for (std::size_t k = 0; k < product_.size(); ++k)
    if (!product_[k].is_negligible()) product_[k].multiply(spectrum[k], count, error);
  log_scale_ += count * tilted.log_scale;
  relative_error_ += count * tilted.relative_error + unit * (1 + std::abs(log_scale_));
}

TiltedSum TiltedProduct::sum() {
  TiltedSum sum{.order = order_, .log_scale = log_scale_, .value = {}, .error = 0, .relative_error = relative_error_};
  Spectrum spectrum(product_.size());
  double error = 0;
  double magnitude = 0;
  for (std::size_t k = 0; k < product_.size(); ++k) {
    const Frequency& frequency = product_[k];
    const double weight = k == 0 || 2 * k == window_.length ? 1 : 2;
    if (frequency.is_negligible()) {
      error += weight * 2 * std::exp(negligible);
      continue;
    }
    const double size = std::sqrt(std::norm(frequency.value));
    // Of a value whose square may be too small for a double the relative error says nothing.
    const double relative = size < least_known ? infinity : frequency.relative_error;
    const double by_value = size * (relative < 1 ? relative * (1 + relative) : std::expm1(relative));
    const bool is_sharp = by_value <= size;
    const double by_magnitude = is_sharp ? size : size + std::exp(frequency.log_most);
    error += weight * (by_value < by_magnitude ? by_value : by_magnitude);
    magnitude += weight * size;
    spectrum[k] = frequency.value;
  }
  sum.error = (error + fourier_.error() * magnitude) / static_cast<double>(window_.length) * (1 + 4 * unit);
  const std::vector<double> circular = fourier_.inverse(spectrum);
  sum.value.resize(window_.length);
  const std::size_t start = wrap(window_.first, window_.length);
  std::ranges::rotate_copy(circular, circular.begin() + static_cast<std::ptrdiff_t>(start), sum.value.begin());
  return sum;
}

void put_masses(LossDistribution& sum, const TiltedSum& tilted, const Wrapped& wrapped, bool is_first) {
  const double relative =
      std::expm1(tilted.relative_error + unit * (6 + std::abs(tilted.log_scale) +
                                                 2 * std::abs(tilted.order) * (sum.reach() + 8 * sum.grid.mesh)));
  each_tilted(sum, -tilted.order, tilted.log_scale, [&](std::size_t i, double scale) {
    if (sum.side == Side::upper) {
      const double mass = (std::max(0.0, tilted.value[i]) + tilted.error) * scale * (1 + relative);
      if (std::isnan(mass)) throw Unsupported("losses are too large for the doubles that hold their tilted masses");
      sum.mass[i] = is_first ? mass : std::min(sum.mass[i], mass);
    } else if (tilted.value[i] > tilted.error && std::isfinite(scale)) {  // an infinite scale would outdo what wraps
      const double mass = (tilted.value[i] - tilted.error) * scale * (1 - relative) - wrapped.at(sum.loss(i));
      sum.mass[i] = std::max(sum.mass[i], mass);
    }
  });
}

double tilted_deviation(const std::vector<Part>& parts, double order) {
  double reach = 0;
  for (const Part& part : parts) reach = std::max(reach, part.distribution->reach());
  const double scale = std::ldexp(1.0, -std::ilogb(reach));  // squares of small losses would underflow
  double variance = 0;
  for (const Part& part : parts) {
    const LossDistribution& distribution = *part.distribution;
    const double log_scale = log_moment(distribution, order).value;
    double mass = 0;
    double first = 0;
    double second = 0;
    each_tilted(distribution, order, -log_scale, [&](std::size_t i, double tilt) {
      if (distribution.mass[i] == 0) return;
      const double weight = distribution.mass[i] * tilt;
      const double loss = distribution.loss(i) * scale;
      mass += weight;
      first += weight * loss;
      second += weight * loss * loss;
    });
    if (mass > 0)
      variance += static_cast<double>(part.count) * std::max(0.0, second / mass - first * first / mass / mass);
  }
  return std::sqrt(variance) / scale;
}

double Wrapped::at(double loss) const {
  const auto bound = [&](const Side& side) {
    if (side.log_bound == -infinity) return 0.0;
    const double exponent = side.log_bound - side.order * loss;
    return std::exp(exponent + unit * (std::abs(side.log_bound) + std::abs(side.order * loss))) * (1 + 4 * unit);
  };
  return bound(above) + bound(below);
}

double Wrapped::Side::log_sum(double low, double high, double mesh) const {
  const double largest = log_bound - std::min(order * low, order * high);
  return largest - std::log(-std::expm1(-std::max(std::abs(order) * mesh, mesh / (high - low))));
}

// accounting/loss_distribution/proofs.md, 3.1 and 3.2
Wrapped wrapped(const MomentTable& moments, double order, double width, double low, double high) {
  // Mass m windows above x arrives multiplied by e^(order m width); by Chernoff at order c > `order` its sum over m is
  // e^(K(c) - c x) r / (1 - r), r = e^(-(c - order) width); below likewise with c < `order`.
  Wrapped found{{0, infinity}, {0, infinity}};
  double least_above = infinity;
  double least_below = infinity;
  for (const auto& [at, moment] : moments.entries()) {
    const double exponent = -std::abs(at - order) * width;
    if (!(exponent < -0x1p-10)) continue;
    const Wrapped::Side side{at, moment.value + moment.error + unit * std::abs(moment.value) +
                                     exponent * (1 - 4 * unit) - std::log(-std::expm1(exponent))};
    const double worst = side.log_bound - std::min(at * low, at * high);
    double& least = at > order ? least_above : least_below;
    if (!(worst < least)) continue;
    least = worst;
    (at > order ? found.above : found.below) = side;
  }
  return found;
}

}  // namespace dpbudget::loss_distribution
