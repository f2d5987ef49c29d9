#include "dpbudget/accounting/contour/transform.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/atoms.h"
#include "dpbudget/accounting/contour/composition.h"
#include "dpbudget/accounting/contour/inversion.h"
#include "dpbudget/accounting/contour/poisson_gaussian.h"

namespace dpbudget::contour {
namespace {

using Precise = boost::multiprecision::cpp_bin_float_50;

struct Moment {
  Precise real;
  Precise imaginary;
};

// M(c + is) of a sampled Gaussian, by the trapezoid rule in 50 digits on more nodes than the library takes.
Moment moment(double rate, double noise, Direction direction, double c, double s) {
  const double power = direction == Direction::remove ? c + 1 : -c;
  const double frequency = direction == Direction::remove ? s : -s;
  const double width = std::min(12.0, 1.5 * noise);
  const double step = 2 * 3.14 * width / (90 + width * width / 2 + s * width / noise + c);
  const double reach = 13 + std::abs(power) / noise;
  Moment sum{0, 0};
  const int nodes = static_cast<int>(reach / step);
  for (int k = -nodes; k <= nodes; ++k) {
    const Precise at = k * Precise(step);
    const Precise l =
        log(1 + Precise(rate) * boost::multiprecision::expm1(at / noise - 1 / (2 * Precise(noise) * noise)));
    const Precise size = exp(-at * at / 2 + power * l);
    sum.real += size * cos(frequency * l);
    sum.imaginary += size * sin(frequency * l);
  }
  const Precise scale = step / sqrt(2 * boost::math::constants::pi<Precise>());
  return {sum.real * scale, sum.imaginary * scale};
}

// A quadrature that is refused leaves those that are known as they were.
TEST(SampledGaussianTransform, AnswersAsBeforeOnceItHasRefused) {
  for (const Direction direction : {Direction::remove, Direction::add}) {
    const TransformPtr loss = poisson_gaussian({0.01, 1}, direction);
    EXPECT_THROW(loss->cumulant(1e12), DoesNotConverge);
    EXPECT_THROW(loss->cumulant(5e11), DoesNotConverge);
    const double known = loss->cumulant(8).value;
    EXPECT_THROW(loss->cumulant(1e12), DoesNotConverge);
    EXPECT_THROW(loss->cumulant(5e11), DoesNotConverge);
    EXPECT_EQ(loss->cumulant(8).value, known);
    EXPECT_EQ(loss->cumulant(9).value, poisson_gaussian({0.01, 1}, direction)->cumulant(9).value);
  }
}

// accounting/contour/proofs.md, 3.1, 3.2 and 4.1
TEST(SampledGaussianTransform, IsRightToWithinItsError) {
  struct Point {
    double rate, noise, c, s;
  };
  for (const auto& [rate, noise, c, s] : {Point{0.01, 1, 3, 8}, Point{0.2, 0.8, 0.5, 2}, Point{1e-4, 0.8, 6, 60},
                                          Point{0.9, 3, 10, 10}, Point{1e-3, 50, 2000, 4000}, Point{0.3, 0.4, 0.2, 30}})
    for (const Direction direction : {Direction::remove, Direction::add}) {
      const TransformPtr loss = poisson_gaussian({rate, noise}, direction);
      const Moment at_c = moment(rate, noise, direction, c, 0);
      const Cumulant cumulant = loss->cumulant(c);
      const Precise log_moment = log(at_c.real);
      EXPECT_LE(abs(cumulant.value - log_moment), cumulant.error) << rate << ' ' << noise;
      EXPECT_LE(cumulant.error, 1e-11 * (1e-6 + cumulant.value)) << rate << ' ' << noise;

      const Moment at_z = moment(rate, noise, direction, c, s);
      const LogCharacteristic found = loss->log_characteristic(c, 1.5 * s, -infinity)(s);
      const Precise log_abs = log(sqrt(at_z.real * at_z.real + at_z.imaginary * at_z.imaginary)) - log_moment;
      const Precise phase = atan2(at_z.imaginary, at_z.real);
      ASSERT_TRUE(found.is_known());
      EXPECT_LE(abs(found.log_abs - log_abs), found.error) << rate << ' ' << noise << ' ' << c << ' ' << s;
      EXPECT_LE(abs(found.phase - phase), found.error) << rate << ' ' << noise << ' ' << c << ' ' << s;
      EXPECT_LE(found.error * std::exp(found.log_abs), 1e-9) << rate << ' ' << noise << ' ' << c << ' ' << s;
    }
}

// The contour's value for two and three rounds, against nested Gauss-Legendre quadrature of the definition.
// accounting/contour/proofs.md, 1.1 and 1.2
TEST(Inversion, BracketsFewRounds) {
  struct Known {
    double rate, noise, epsilon, count;
    Direction direction;
    double delta;
  };
  for (const auto& [rate, noise, epsilon, count, direction, delta] : {
           Known{0.2, 0.8, 0.1, 2, Direction::remove, 0.117546206997497289925273},
           Known{0.5, 2, 0.5, 2, Direction::remove, 0.0235571956903438},
           Known{0.2, 0.8, 0.5, 3, Direction::remove, 0.0793232257488499},
       }) {
    const TransformPtr loss = poisson_gaussian({rate, noise}, direction);
    const auto inversion = Inversion::make(*loss, count, saddle_for_epsilon(*loss, count, epsilon, 1), {});
    ASSERT_TRUE(inversion);
    const numeric::Bracket found = inversion->log_delta(epsilon);
    EXPECT_LE(found.lower, std::log(delta));
    EXPECT_GE(found.upper, std::log(delta));
    EXPECT_LT(found.upper - found.lower, 1e-5);
  }
}

// phi of the mixture in which nobody takes part with probability 1/2 is (1 + M) / 2 over its value at c.
TEST(ParticipatingTransform, MixesWithAnAtomAtNoLoss) {
  const TransformPtr inner = gaussian(0.25);
  const TransformPtr mixed = participating(0.5, inner);
  const double c = 2;
  const double s = 3;
  const std::complex<double> z(c, s);
  const std::complex<double> expected =
      (0.5 + 0.5 * std::exp(z * (z + 1.0) / 8.0)) / (0.5 + 0.5 * std::exp(c * (c + 1) / 8));
  const LogCharacteristic found = mixed->log_characteristic(c, s, -infinity)(s);
  EXPECT_NEAR(found.log_abs, std::log(std::abs(expected)), 1e-14);
  EXPECT_NEAR(found.phase, std::arg(expected), 1e-14);
  EXPECT_LT(found.error, 1e-12);
}

// accounting/contour/proofs.md, 2.1 and 2.2
RC_GTEST_PROP(TransformProperty, EnvelopeIsAboveTheCharacteristicFunction, ()) {
  const double rate = testing::log_uniform(1e-3, 0.99);
  const double noise = testing::log_uniform(0.2, 20);
  const double c = testing::log_uniform(0.05, 20);
  const Direction direction = *rc::gen::arbitrary<bool>() ? Direction::remove : Direction::add;
  TransformPtr loss = poisson_gaussian({rate, noise}, direction);
  if (*rc::gen::arbitrary<bool>()) loss = composed({{2, loss}, {1, gaussian(1e-3)}});
  if (*rc::gen::arbitrary<bool>()) loss = participating(0.7, loss);
  const double deviation = std::sqrt(loss->cumulant(c).variance);
  const double reach = 30 / deviation;
  RC_PRE(loss->cost(c, reach) < 20000);
  const auto log_characteristic = loss->log_characteristic(c, reach, -infinity);
  const auto log_envelope = loss->log_envelope(c);
  double before = 0;
  for (double s = reach / 1000; s < reach; s *= 1.3) {
    const LogCharacteristic phi = log_characteristic(s);
    const double envelope = log_envelope(s);
    RC_ASSERT(envelope <= before);
    if (phi.is_known()) RC_ASSERT(envelope >= phi.log_abs - phi.error);
    before = envelope;
  }
}

// |phi| is below the floor wherever it is said to be.
// accounting/contour/proofs.md, 2.3
RC_GTEST_PROP(TransformProperty, StaysBelowTheFloorAsFarAsIsSaid, ()) {
  const double c = testing::log_uniform(0.1, 10);
  const double floor = -testing::log_uniform(0.05, 3);
  TransformPtr loss = poisson_gaussian({testing::log_uniform(1e-2, 0.9), testing::log_uniform(0.5, 5)}, Direction::add);
  if (*rc::gen::arbitrary<bool>()) loss = atoms({{-0.3, 0.2}, {0, 0.5}, {0.7, 0.3}});
  if (*rc::gen::arbitrary<bool>()) loss = participating(0.9, loss);
  if (*rc::gen::arbitrary<bool>()) loss = composed({{3, loss}, {1, gaussian(1e-3)}});
  const double reach = 40 / std::sqrt(loss->cumulant(c).variance);
  RC_PRE(loss->cost(c, reach) < 20000);
  const auto log_characteristic = loss->log_characteristic(c, reach, floor);
  const auto again = loss->log_characteristic(c, reach, -infinity);
  for (double s = reach / 500; s < reach; s *= 1.2) {
    const double until = std::min(reach, log_characteristic(s).below_until);
    for (double t = s; t < until; t += (until - s) / 7 + reach / 1e6) {
      const LogCharacteristic there = again(t);
      if (there.is_known()) RC_ASSERT(there.log_abs - there.error <= floor);
    }
  }
}

// A sum that is rounded down would hide what of delta is left just above it.
RC_GTEST_PROP(TransformProperty, LargestLossOfACompositionIsNeverRoundedDown, ()) {
  std::vector<Part> parts;
  Precise exact = 0;
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
    const double loss = testing::log_uniform(1e-3, 10);
    const double count = *rc::gen::inRange(1, 1000);
    parts.push_back({count, atoms({{-loss, 0.5}, {loss, 0.5}})});
    exact += Precise(count) * Precise(loss);
  }
  RC_ASSERT(composed(std::move(parts))->max_loss() >= exact);
}

}  // namespace
}  // namespace dpbudget::contour
