#include "dpbudget/accounting/numeric/library_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/cos_pi.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/legendre.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "accounting/numeric/normal_law.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/fourier.h"
#include "dpbudget/accounting/numeric/normal.h"

namespace dpbudget::numeric {

namespace {

// No random points: a machine's library passes or fails, always.
using Precise = boost::multiprecision::cpp_bin_float_50;
using Points = std::vector<double>;

constexpr double least_double = std::numeric_limits<double>::denorm_min();
constexpr double largest_log = 709.78;
constexpr double least_log = -708.39;  // of the least normal double

// `number` points between both ends, each a factor of the one before; the irrational share leaves no digit pattern.
Points scaled(double from, double to, int number) {
  Points points;
  for (int i = 0; i < number; ++i)
    points.push_back(std::exp(std::log(from) + (std::log(to) - std::log(from)) * (i + std::numbers::phi - 1) / number));
  return points;
}

Points spread(double from, double to, int number) {
  Points points;
  for (int i = 0; i < number; ++i) points.push_back(from + (to - from) * (i + std::numbers::phi - 1) / number);
  return points;
}

// A double, its neighbours, and numbers at all distances from it.
Points around(double centre) {
  Points points;
  for (int k = 2; k <= 60; ++k)
    for (const double sign : {-1.0, 1.0})
      points.push_back(centre + sign * std::ldexp(std::max(std::abs(centre), 1e-3), -k));
  return points;
}

Points within(Points points, double from, double to) {
  std::erase_if(points, [=](double x) { return !(from < x && x < to); });
  return points;
}

Precise precise_expm1(const Precise& x) { return abs(x) < 1 ? boost::math::expm1(x) : Precise(exp(x) - 1); }
Precise precise_log1p(const Precise& x) { return abs(x) < 0.5 ? boost::math::log1p(x) : Precise(log(1 + x)); }

Points operator+(Points a, const Points& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Points mirrored(const Points& points) {
  Points both = points;
  for (const double x : points) both.push_back(-x);
  return both;
}

// How far off a value is, in units of the true value's last place in the format `T`; of an Extended the last one that
// is relied on.
template <class T>
double ulps(T value, const Precise& truth) {
  constexpr int digits = std::min(std::numeric_limits<T>::digits, 64);
  if (truth == 0) return value == 0 ? 0 : infinity;
  const int exponent = std::max(ilogb(truth), std::numeric_limits<T>::min_exponent - 1);
  return static_cast<double>(abs(Precise(value) - truth) / ldexp(Precise(1), exponent - digits + 1));
}

template <class T>
void expect_ulps(const char* name, double most, const Points& points, const std::function<T(T)>& function,
                 const std::function<Precise(Precise)>& truth) {
  double worst = 0;
  double where = 0;
  for (const double x : points) {
    const double found = ulps<T>(function(static_cast<T>(x)), truth(Precise(x)));
    if (found <= worst) continue;
    worst = found;
    where = x;
  }
  ::testing::Test::RecordProperty(name, std::to_string(worst));  // for library_errors.md
  EXPECT_LE(worst, most) << name << " at " << where << " is off by " << worst << " units of the last place";
}

const Points logs_arguments = scaled(least_double, 1e308, 600) + around(1) + spread(0.5, 2, 400);
const Points log1p_arguments = within(
    mirrored(scaled(1e-310, 0.999, 500)) + scaled(1, 1e308, 200) + around(0) + around(-0.5) + around(-1 + 0x1p-30), -1,
    infinity);
const Points exp_arguments = mirrored(scaled(1e-310, 708, 500)) + spread(least_log, largest_log, 600) +
                             around(std::numbers::ln2 / 2) + around(std::numbers::ln2) + around(1);
const Points angles = mirrored(scaled(1e-310, 0x1p53, 800)) + around(std::numbers::pi / 2) + around(std::numbers::pi) +
                      around(100 * std::numbers::pi) + around(22) + spread(0, 7, 400);

// accounting/numeric/proofs.md, 1.1
TEST(LibraryErrors, ExponentialsAndLogarithms) {
  expect_ulps<double>(
      "exp", elementary_ulps, exp_arguments, [](double x) { return std::exp(x); },
      [](const Precise& x) -> Precise { return exp(x); });
  expect_ulps<double>(
      "exp, subnormal", elementary_ulps, spread(-745, least_log, 100), [](double x) { return std::exp(x); },
      [](const Precise& x) -> Precise { return exp(x); });
  expect_ulps<double>("expm1", elementary_ulps, exp_arguments, [](double x) { return std::expm1(x); }, precise_expm1);
  expect_ulps<double>(
      "log", elementary_ulps, logs_arguments, [](double x) { return std::log(x); },
      [](const Precise& x) -> Precise { return log(x); });
  expect_ulps<double>("log1p", elementary_ulps, log1p_arguments, [](double x) { return std::log1p(x); }, precise_log1p);
  expect_ulps<double>(
      "log2", elementary_ulps, logs_arguments, [](double x) { return std::log2(x); },
      [](const Precise& x) -> Precise { return log2(x); });
  expect_ulps<double>(
      "exp2", elementary_ulps, spread(-1022, 1023, 300), [](double x) { return std::exp2(x); },
      [](const Precise& x) -> Precise { return exp2(x); });
}

TEST(LibraryErrors, ExtendedPrecision) {
  using Wide = Extended;
  expect_ulps<Wide>(
      "exp of Extended", elementary_ulps, exp_arguments, [](Wide x) { return extended::exp(x); },
      [](const Precise& x) -> Precise { return exp(x); });
  expect_ulps<Wide>(
      "expm1 of Extended", elementary_ulps, exp_arguments, [](Wide x) { return extended::expm1(x); }, precise_expm1);
  expect_ulps<Wide>(
      "log of Extended", elementary_ulps, logs_arguments, [](Wide x) { return extended::log(x); },
      [](const Precise& x) -> Precise { return log(x); });
  expect_ulps<Wide>(
      "log1p of Extended", elementary_ulps, log1p_arguments, [](Wide x) { return extended::log1p(x); }, precise_log1p);
}

TEST(LibraryErrors, PowersAndRoots) {
  expect_ulps<double>(
      "sqrt", 0.5, logs_arguments, [](double x) { return std::sqrt(x); },
      [](const Precise& x) -> Precise { return sqrt(x); });
  // A mass to the power of a count, as distributions are composed.
  for (const double power : {0.5, 3.0, 1e4, 1e15, -7.0, 1.03}) {
    const double reach = std::min(700 / std::abs(power), 300.0);
    Points bases;
    for (const double y : mirrored(scaled(reach * 1e-6, reach, 60))) bases.push_back(std::exp(y));
    expect_ulps<double>(
        "pow", elementary_ulps, bases, [=](double x) { return std::pow(x, power); },
        [=](const Precise& x) -> Precise { return exp(power * log(x)); });
  }
}

TEST(LibraryErrors, Hyperbolic) {
  const Points moderate = mirrored(scaled(1e-300, 700, 400)) + around(0.35) + around(1) + around(22);
  expect_ulps<double>(
      "tanh", elementary_ulps, moderate, [](double x) { return std::tanh(x); },
      [](const Precise& x) -> Precise {
        const Precise twice = precise_expm1(2 * x);
        return twice / (twice + 2);
      });
  expect_ulps<double>(
      "sinh", elementary_ulps, moderate, [](double x) { return std::sinh(x); },
      [](const Precise& x) -> Precise {
        const Precise up = precise_expm1(x);
        return (up + up / (up + 1)) / 2;
      });
  expect_ulps<double>(
      "cosh", elementary_ulps, moderate, [](double x) { return std::cosh(x); },
      [](const Precise& x) -> Precise { return (exp(x) + exp(Precise(-x))) / 2; });
  expect_ulps<double>(
      "atanh", elementary_ulps, within(mirrored(scaled(1e-300, 0.999, 300)) + around(0.5) + around(1 - 0x1p-20), -1, 1),
      [](double x) { return std::atanh(x); },
      [](const Precise& x) -> Precise { return (precise_log1p(x) - precise_log1p(-x)) / 2; });
}

TEST(LibraryErrors, AnglesAndComplexNumbers) {
  expect_ulps<double>(
      "sin", elementary_ulps, angles, [](double x) { return std::sin(x); },
      [](const Precise& x) -> Precise { return sin(x); });
  expect_ulps<double>(
      "cos", elementary_ulps, angles, [](double x) { return std::cos(x); },
      [](const Precise& x) -> Precise { return cos(x); });
  for (const double side : {1e-9, 0.3, 1.0, 1e5})
    for (const double sign : {1.0, -1.0}) {
      expect_ulps<double>(
          "atan2", elementary_ulps, mirrored(scaled(1e-12, 1e9, 100)),
          [=](double y) { return std::atan2(y, sign * side); },
          [=](const Precise& y) -> Precise { return atan2(y, Precise(sign * side)); });
      expect_ulps<double>(
          "arg", elementary_ulps, mirrored(scaled(1e-12, 1e9, 100)),
          [=](double y) { return std::arg(std::complex<double>(sign * side, y)); },
          [=](const Precise& y) -> Precise { return atan2(y, Precise(sign * side)); });
      expect_ulps<double>(
          "hypot", elementary_ulps, mirrored(scaled(1e-12, 1e9, 100)),
          [=](double y) { return std::hypot(sign * side, y); },
          [=](const Precise& y) -> Precise { return sqrt(y * y + Precise(side) * side); });
    }
  expect_ulps<double>(
      "real part of polar", elementary_ulps + 1, angles, [](double x) { return std::polar(0.75, x).real(); },
      [](const Precise& x) -> Precise { return Precise(0.75) * cos(x); });
  expect_ulps<double>(
      "imaginary part of polar", elementary_ulps + 1, angles, [](double x) { return std::polar(0.75, x).imag(); },
      [](const Precise& x) -> Precise { return Precise(0.75) * sin(x); });
  expect_ulps<double>(
      "imaginary part of exp", elementary_ulps, spread(-4, 4, 300),
      [](double x) { return std::exp(std::complex<double>(0, x)).imag(); },
      [](const Precise& x) -> Precise { return sin(x); });
}

// accounting/numeric/proofs.md, 1.1
TEST(LibraryErrors, ErrorFunctions) {
  expect_ulps<double>(
      "erf", elementary_ulps, mirrored(scaled(1e-300, 6, 300)) + around(0.84375) + around(1.25),
      [](double x) { return std::erf(x); }, [](const Precise& x) -> Precise { return boost::math::erf(x); });
  expect_ulps<double>(
      "erfc", erfc_ulps, spread(-6, 26.5, 1500) + around(0.84375) + around(1.25) + around(1 / 0.35),
      [](double x) { return std::erfc(x); }, [](const Precise& x) -> Precise { return boost::math::erfc(x); });
}

TEST(LibraryErrors, OperationsThatAreExact) {
  // The rest of a product, where a fused operation rounds once and others lose it.
  for (const double a : scaled(1e-100, 1e100, 200)) {
    const double b = 1 / a * (1 + 0x1p-30);
    const double product = a * b;
    EXPECT_EQ(Precise(std::fma(a, b, -product)), Precise(Precise(a) * Precise(b) - Precise(product)));
  }
  EXPECT_EQ(std::nextafter(1.0, 2.0), 1 + 0x1p-52);
  EXPECT_EQ(std::nextafter(1.0, 0.0), 1 - 0x1p-53);
  EXPECT_EQ(std::nextafter(0.0, 1.0), least_double);
  EXPECT_EQ(std::nextafter(std::numeric_limits<double>::max(), infinity), infinity);
  EXPECT_EQ(std::ldexp(0.75, -60), 0.75 * 0x1p-60);
  // Subnormal numbers are kept: what underflows is not 0.
  volatile double least_normal = std::numeric_limits<double>::min();
  EXPECT_GT(least_normal / 4, 0);
}

TEST(LibraryErrors, Log1pmx) {
  double worst = 0;
  for (const double x : mirrored(scaled(1e-150, 0.5, 1500)) + around(0.5) + around(-0.5)) {
    if (std::abs(x) > 0.5) continue;
    const Precise truth = std::abs(x) < 1e-12
                              ? Precise(-Precise(x) * x / 2 + Precise(x) * x * x / 3 - Precise(x) * x * x * x / 4)
                              : Precise(boost::math::log1p(Precise(x)) - x);
    worst = std::max(worst, static_cast<double>(abs(boost::math::log1pmx(x) / truth - 1)));
  }
  RecordProperty("log1pmx", std::to_string(worst * 0x1p52));
  EXPECT_LE(worst, log1pmx_error);
}

TEST(LibraryErrors, LogarithmsOfFactorials) {
  Precise truth = 0;
  double worst = 0;
  double worst_wide = 0;
  for (int n = 1; n <= 20000; ++n) {
    truth += log(Precise(n));
    if (n <= 17) worst = std::max(worst, static_cast<double>(abs(boost::math::lgamma(n + 1.0) - truth) / (1 + truth)));
    if (n > 64 && n % 37 != 0) continue;
    const Extended wide = boost::math::lgamma(Extended(n) + 1);
    worst_wide = std::max(worst_wide, static_cast<double>(abs(Precise(wide) - truth) / (1 + truth)));
  }
  RecordProperty("lgamma", std::to_string(worst * 0x1p52));
  EXPECT_LE(worst, lgamma_error);
  EXPECT_LE(worst_wide, 32 * 0x1p-63);
}

TEST(LibraryErrors, PointsOfTheNormalDistribution) {
  double worst = 0;
  for (const double probability : scaled(1e-300, 0.5, 400) + around(0.5) + around(0.25)) {
    if (!(0 < probability && probability < 1)) continue;
    const double point = upper_tail_point(probability);
    // What it misses, by one step of Newton's method.
    const testing::Precise x = point;
    const testing::Precise density = exp(-x * x / 2) / sqrt(2 * boost::math::constants::pi<testing::Precise>());
    const testing::Precise missed = (testing::upper_tail(x) - probability) / density;
    worst = std::max(worst, static_cast<double>(abs(missed)) / (1 + std::abs(point)));
  }
  RecordProperty("upper_tail_point", std::to_string(worst * 0x1p52));
  EXPECT_LE(worst, upper_tail_point_error);
}

// Q(s, x) = e^-x x^s / Gamma(s) times Legendre's continued fraction, for x > s + 1.
Precise upper_gamma(double shape, double x) {
  Precise fraction = 0;
  const int terms = 200 + static_cast<int>(60 * std::sqrt(shape));
  for (int k = terms; k > 0; --k) fraction = k * (k - Precise(shape)) / (Precise(x) + 2 * k + 1 - shape - fraction);
  return exp(shape * log(Precise(x)) - x - lgamma(Precise(shape))) / (Precise(x) + 1 - shape - fraction);
}
// P(s, x) by its series.
Precise lower_gamma(double shape, double x) {
  Precise term = exp(shape * log(Precise(x)) - x - lgamma(Precise(shape + 1)));
  Precise sum = term;
  for (int k = 1; term > 1e-40 * sum; ++k) sum += term *= Precise(x) / (Precise(shape) + k);
  return sum;
}

TEST(LibraryErrors, IncompleteGammaFunctions) {
  Precise worst = 0;
  Precise worst_quantile = 0;
  for (const double shape : {0.5, 1.0, 1.5, 4.0, 24.5, 499.0, 4999.0}) {
    for (const double deviations : {-7.0, -3.0, -1.0, 2.0, 4.0, 8.0, 12.0}) {
      const double x = shape + deviations * std::sqrt(shape);
      if (x <= 0) continue;
      const bool is_upper = x > shape + 1;
      const Precise truth = is_upper ? upper_gamma(shape, x) : lower_gamma(shape, x);
      worst = std::max<Precise>(
          worst, abs((is_upper ? boost::math::gamma_q(shape, x) : boost::math::gamma_p(shape, x)) / truth - 1));
    }
    for (const double tail : {1e-3, 1e-8, 1e-16, 1e-24}) {
      const double x = boost::math::gamma_q_inv(shape, tail);
      worst_quantile = std::max<Precise>(worst_quantile, abs(upper_gamma(shape, x) / tail - 1));
    }
  }
  RecordProperty("incomplete gamma", std::to_string(static_cast<double>(worst * 0x1p52)));
  RecordProperty("quantile", std::to_string(static_cast<double>(worst_quantile * 1e12)));
  EXPECT_LE(worst, incomplete_gamma_error);
  EXPECT_LE(worst_quantile, gamma_quantile_error);
}

// 1 - (1-p)^R (1 + R p), the chance of two successes or more in R + 1 trials: a sum of positive terms.
TEST(LibraryErrors, IncompleteBetaFunction) {
  for (const double rate : {1e-9, 1e-3, 0.3, 0.999}) {
    for (const double rounds : {1.0, 2.0, 100.0, 1e6}) {
      const Precise p = rate;
      Precise term = (rounds + 1) * rounds / 2 * p * p * exp((rounds - 1) * log1p(-p));
      Precise sum = 0;
      for (int k = 2; k <= rounds + 1 && (k < rounds * rate + 10 || term > 1e-30 * sum); ++k) {
        sum += term;
        term *= (rounds + 1 - k) / (k + 1) * p / (1 - p);
      }
      EXPECT_LE(abs(boost::math::ibeta(2.0, rounds, rate) / sum - 1), 1e-12) << rate << ' ' << rounds;
    }
  }
}

// Zeros of the Legendre polynomial, and 2 / ((1 - x^2) P'(x)^2).
template <int points>
void expect_gauss() {
  using Rule = boost::math::quadrature::gauss<double, points>;
  const auto& nodes = Rule::abscissa();
  const auto& weights = Rule::weights();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Precise x = nodes[i];
    for (int round = 0; round < 3; ++round)
      x -= boost::math::legendre_p(points, x) / boost::math::legendre_p_prime(points, x);
    EXPECT_LE(abs(x - nodes[i]), 0x1p-53) << points;
    const Precise slope = boost::math::legendre_p_prime(points, x);
    EXPECT_LE(abs(weights[i] * (1 - x * x) * slope * slope / 2 - 1), 0x1p-52) << points;
  }
}

TEST(LibraryErrors, GaussRules) {
  expect_gauss<20>();
  expect_gauss<30>();
}

// Chebyshev's points, to 2^-61 as they are taken, in an Extended.
TEST(LibraryErrors, CosinesOfChebyshevPoints) {
  double worst = 0;
  for (int last = 1; last <= 128; ++last)
    for (int j = 0; j <= last; ++j) {
      const Extended found = boost::math::cos_pi(Extended(j) / Extended(last));
      const Precise truth = cos(boost::math::constants::pi<Precise>() * j / last);
      worst = std::max(worst, static_cast<double>(abs(Precise(found) - truth)));
    }
  RecordProperty("cos_pi", std::to_string(worst * 0x1p63));
  EXPECT_LE(worst, extended_cosine_error);
}

// The ends of the interval hold a sign change, wherever the search stops.
TEST(LibraryErrors, RootsAreBracketed) {
  const std::vector<std::function<double(double)>> functions = {
      [](double x) { return 1 - x * x * x; }, [](double x) { return std::exp(-40 * x) - 1e-9; },
      [](double x) { return x < 0.7 ? 1e-300 : -1.0; }, [](double x) { return std::floor(10 * (0.31 - x)); }};
  for (const auto& function : functions) {
    for (const std::uintmax_t most : {3, 10, 100}) {
      std::uintmax_t evaluations = most;
      const auto is_close = [](double a, double b) { return b - a <= 1e-12; };
      const auto [low, high] = boost::math::tools::toms748_solve(function, 0.0, 3.0, is_close, evaluations);
      EXPECT_LE(low, high);
      EXPECT_GE(function(low), 0);
      EXPECT_LE(function(high), 0);
    }
  }
}

TEST(LibraryErrors, WideTypes) {
  // Digits that proofs count on: 30 of them after a cancellation, and one ulp of a double.
  using Decimal = boost::multiprecision::cpp_dec_float_50;
  const Decimal third = Decimal(1) / 3;
  EXPECT_LE(abs(Decimal(third * 3 - 1)), 1e-48);
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  for (const double x : scaled(1e-20, 0.9, 50)) {
    EXPECT_LE(abs(Precise(Quad(log1p(Quad(-x)))) / boost::math::log1p(Precise(-x)) - 1), 0x1p-100);
    EXPECT_LE(abs(Precise(Quad(exp(Quad(x)))) / exp(Precise(x)) - 1), 0x1p-100);
  }
}

// The transform by its definition; lengths of all three kinds.
// accounting/numeric/proofs.md, 5.1
TEST(LibraryErrors, FourierTransforms) {
  double share = 0;  // of the proven bound
  for (const std::size_t length : {16U, 48U, 64U, 80U, 96U, 320U, 384U, 512U}) {
    ASSERT_EQ(Fourier::length_for(length), length);
    std::vector<Precise> cosines;
    for (std::size_t k = 0; k < length; ++k)
      cosines.push_back(
          cos(2 * boost::math::constants::pi<Precise>() * static_cast<int>(k) / static_cast<int>(length)));
    const auto cosine = [&](std::size_t k) { return cosines[k % length]; };
    const auto sine = [&](std::size_t k) { return cosines[(k + 3 * length / 4) % length]; };  // 4 divides the length
    Fourier fourier(length);
    // Masses as they come: a spike with tails, and numbers of both signs without a pattern.
    for (const int kind : {0, 1}) {
      std::vector<double> values(length);
      double magnitudes = 0;
      for (std::size_t i = 0; i < length; ++i) {
        values[i] =
            kind == 0 ? std::exp(-0.1 * static_cast<double>(i)) : std::sin(1e4 * static_cast<double>(i * i + 1));
        magnitudes += std::abs(values[i]);
      }
      const Spectrum spectrum = fourier.forward(values);
      ASSERT_EQ(spectrum.size(), length / 2 + 1);
      for (std::size_t k = 0; k <= length / 2; ++k) {
        Precise real = 0;
        Precise imaginary = 0;
        for (std::size_t i = 0; i < length; ++i) {
          real += values[i] * cosine(i * k);
          imaginary -= values[i] * sine(i * k);
        }
        const Precise off = abs(spectrum[k].real() - real) + abs(spectrum[k].imag() - imaginary);
        share = std::max(share, static_cast<double>(off / (fourier.error() * magnitudes)));
      }
      const std::vector<double> back = fourier.inverse(spectrum);
      double mean = (std::abs(spectrum.front()) + std::abs(spectrum.back())) / static_cast<double>(length);
      for (std::size_t k = 1; k < length / 2; ++k) mean += 2 * std::abs(spectrum[k]) / static_cast<double>(length);
      for (std::size_t i = 0; i < length; ++i) {
        Precise truth = spectrum.front().real() + (i % 2 == 0 ? 1 : -1) * Precise(spectrum.back().real());
        for (std::size_t k = 1; k < length / 2; ++k)
          truth += 2 * (spectrum[k].real() * cosine(i * k) - spectrum[k].imag() * sine(i * k));
        const Precise off = abs(back[i] - truth / static_cast<int>(length));
        share = std::max(share, static_cast<double>(off / (fourier.error() * mean)));
      }
    }
  }
  RecordProperty("Fourier", std::to_string(share));
  EXPECT_LE(share, 0.05);
}

// Two spikes, whose transforms are waves; from many stages and large tables.
// accounting/numeric/proofs.md, 5.1
TEST(LibraryErrors, LongFourierTransforms) {
  double share = 0;  // of the proven bound
  for (const std::size_t length :
       {std::size_t{81920}, std::size_t{1} << 17U, std::size_t{196608}, std::size_t{1} << 18U}) {
    ASSERT_EQ(Fourier::length_for(length), length);
    Fourier fourier(length);
    std::vector<double> values(length);
    values[12345] = 0.75;
    values[length - 77] = -1.25;
    const auto turn = [&](std::size_t i, std::size_t k) -> Precise {
      return 2 * boost::math::constants::pi<Precise>() * static_cast<int>(i * k % length) / static_cast<int>(length);
    };
    const Spectrum spectrum = fourier.forward(values);
    for (std::size_t k = 0; k <= length / 2; k += 997) {
      const Precise first = turn(12345, k);
      const Precise second = turn(length - 77, k);
      const Precise off = abs(spectrum[k].real() - (0.75 * cos(first) - 1.25 * cos(second))) +
                          abs(spectrum[k].imag() + (0.75 * sin(first) - 1.25 * sin(second)));
      share = std::max(share, static_cast<double>(off / (fourier.error() * 2)));
    }
    const std::vector<double> back = fourier.inverse(spectrum);
    for (std::size_t i = 0; i < length; ++i)
      share = std::max(share, std::abs(back[i] - values[i]) / (2 * fourier.error() * 2));  // of both ways
  }
  RecordProperty("Fourier", std::to_string(share));
  EXPECT_LE(share, 0.05);
}

}  // namespace
}  // namespace dpbudget::numeric
