#include "dpbudget/accounting/contour/gaussian_samples.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/composition.h"
#include "dpbudget/accounting/contour/poisson_gaussian.h"

namespace dpbudget::contour {
namespace {

std::vector<SampledNoise> random_noises(int number) {
  const double noise = testing::log_uniform(0.6, 4);
  const double spread = testing::log_uniform(1e-3, 1.5);
  const bool is_plain = *rc::gen::arbitrary<bool>();
  std::vector<SampledNoise> noises;
  for (; number > 0; --number) {
    SampledNoise one{.noise_multiplier = noise * std::exp(spread * *rc::gen::inRange(0, 1000) / 1000.0)};
    if (!is_plain) {
      one.inside = *rc::gen::inRange(1, 4);
      one.participation = *rc::gen::element(0.2, 0.9, 1.0);
      one.count = *rc::gen::inRange(1, 4);
    }
    noises.push_back(one);
  }
  return noises;
}

// Each by the quadrature of its own (section 3).
TransformPtr one_by_one(double rate, Direction direction, const std::vector<SampledNoise>& noises) {
  std::vector<Part> parts;
  for (const SampledNoise& noise : noises) {
    TransformPtr inside = composed({{noise.inside, poisson_gaussian({rate, noise.noise_multiplier}, direction)}});
    parts.push_back({noise.count, noise.participation == 1 ? inside : participating(noise.participation, inside)});
  }
  return composed(std::move(parts));
}

// Empty where it does not converge.
std::function<LogCharacteristic(double)> characteristic_or_none(const Transform& loss, double c, double reach) {
  try {
    return loss.log_characteristic(c, reach, -infinity);
  } catch (const DoesNotConverge&) {
    return {};
  }
}

// Moments that take too many nodes are infinite, and are not taken for those that are known.
TEST(GaussianSamples, AnswersAsBeforeOnceItHasRefused) {
  for (const SampleKind kind : {SampleKind::remove, SampleKind::add, SampleKind::without_replacement}) {
    const auto fresh = [&] { return gaussian_samples({kind, 0.01}, {{.noise_multiplier = 1}}); };
    const TransformPtr loss = fresh();
    for (const double refused : {1e12, 5e11, 4e11}) {
      EXPECT_EQ(loss->cumulant(refused).value, infinity);
      EXPECT_THROW(loss->log_envelope(refused), DoesNotConverge);
    }
    EXPECT_EQ(loss->cumulant(8).value, fresh()->cumulant(8).value);
    EXPECT_EQ(loss->cumulant(5e11).value, infinity);
  }
}

// Whoever looks for the noise that meets a budget tries any.
TEST(GaussianSamples, HasNoMomentsWhereADoubleDoesNotHoldTheVariance) {
  for (const SampleKind kind : {SampleKind::remove, SampleKind::add, SampleKind::without_replacement})
    for (const double noise : {1e170, 1e200, 1e300})
      EXPECT_EQ(gaussian_samples({kind, 0.01}, {{.noise_multiplier = noise}})->cumulant(2).value, infinity) << noise;
}

// accounting/contour/proofs.md, 8.7
RC_GTEST_PROP(GaussianSamplesProperty, AreWhatTheyAreOneByOne, ()) {
  const double rate = testing::log_uniform(0.02, 0.9);
  const Direction direction = *rc::gen::arbitrary<bool>() ? Direction::remove : Direction::add;
  const auto noises = random_noises(*rc::gen::inRange(1, 18));
  const TransformPtr apart = one_by_one(rate, direction, noises);
  const TransformPtr together =
      gaussian_samples({direction == Direction::remove ? SampleKind::remove : SampleKind::add, rate}, noises);
  const double c = testing::log_uniform(0.1, 8);
  const Cumulant expected = apart->cumulant(c);
  const Cumulant found = together->cumulant(c);
  RC_PRE(std::isfinite(found.value));
  RC_ASSERT(std::abs(found.value - expected.value) <= found.error + expected.error);
  RC_ASSERT(found.error <= 1e-8 * (1 + found.value));
  RC_ASSERT(std::abs(found.mean - expected.mean) <= 1e-6 * expected.mean);
  RC_ASSERT(std::abs(found.variance - expected.variance) <= 1e-6 * expected.variance);

  const double reach = 12 / std::sqrt(expected.variance);
  RC_PRE(apart->cost(c, reach) < 200000);
  const auto phi = characteristic_or_none(*together, c, reach);
  RC_PRE(static_cast<bool>(phi));
  const auto expected_phi = apart->log_characteristic(c, reach, -infinity);
  const auto envelope = together->log_envelope(c);
  double before = 0;
  for (int k = 1; k <= 12; ++k) {
    const double s = k * (reach / 12);
    const LogCharacteristic here = phi(s);
    const LogCharacteristic there = expected_phi(s);
    RC_ASSERT(envelope(s) <= before);
    before = envelope(s);
    if (!there.is_known()) continue;
    RC_ASSERT(here.log_upper() >= there.log_abs - there.error);
    RC_ASSERT(before >= there.log_abs - there.error);
    if (!here.is_known()) continue;
    RC_ASSERT(std::abs(here.log_abs - there.log_abs) <= here.error + there.error);
    // Phases are the same but for whole turns.
    RC_ASSERT(2 * std::abs(std::sin((here.phase - there.phase) / 2)) <= here.error + there.error);
  }
}

// accounting/contour/proofs.md, 8.7
RC_GTEST_PROP(GaussianSamplesProperty, EnvelopeWithoutReplacementIsAboveTheCharacteristicFunction, ()) {
  const TransformPtr loss =
      gaussian_samples({SampleKind::without_replacement, testing::log_uniform(0.02, 0.9)}, random_noises(6));
  const double c = testing::log_uniform(0.1, 8);
  const Cumulant cumulant = loss->cumulant(c);
  RC_PRE(std::isfinite(cumulant.value));
  const double reach = 30 / std::sqrt(cumulant.variance);
  const auto phi = characteristic_or_none(*loss, c, reach);
  RC_PRE(static_cast<bool>(phi));
  const auto envelope = loss->log_envelope(c);
  double before = 0;
  for (int k = 1; k <= 15; ++k) {
    const LogCharacteristic here = phi(k * (reach / 15));
    const double above = envelope(k * (reach / 15));
    RC_ASSERT(above <= before);
    if (here.is_known()) RC_ASSERT(above >= here.log_abs - here.error);
    before = above;
  }
}

// Thirteen and more of one noise, which differ in participation, left nothing to interpolate over.
TEST(GaussianSamples, TakesOneNoiseOfManyParticipations) {
  std::vector<SampledNoise> noises;
  for (int i = 1; i <= 20; ++i) noises.push_back({.participation = i / 21.0});
  const Cumulant found = gaussian_samples({SampleKind::remove, 0.1}, noises)->cumulant(4);
  const Cumulant expected = one_by_one(0.1, Direction::remove, noises)->cumulant(4);
  EXPECT_LE(std::abs(found.value - expected.value), found.error + expected.error);
  EXPECT_LE(found.error, 1e-8 * expected.value);
}

std::vector<SampledNoise> falling(std::size_t number, double noise, double factor) {
  std::vector<SampledNoise> noises;
  for (std::size_t i = 0; i < number; ++i) {
    noises.push_back({.noise_multiplier = noise});
    noise *= factor;
  }
  return noises;
}

// accounting/contour/proofs.md, 8.7
TEST(GaussianSamples, AreWhatTheyAreOneByOneHoweverMany) {
  struct Case {
    double rate;
    std::vector<SampledNoise> noises;
    double c;
  };
  for (const auto& [rate, noises, c] : {Case{0.001, falling(120, 4, 0.995), 20}, Case{0.02, falling(120, 2, 0.995), 4},
                                        Case{0.3, falling(90, 8, 1), 7}, Case{0.001, falling(100, 3, 1.01), 110}}) {
    const TransformPtr apart = one_by_one(rate, Direction::remove, noises);
    const TransformPtr together = gaussian_samples({SampleKind::remove, rate}, noises);
    const Cumulant expected = apart->cumulant(c);
    const Cumulant found = together->cumulant(c);
    ASSERT_TRUE(std::isfinite(found.value)) << c;
    EXPECT_LE(std::abs(found.value - expected.value), found.error + expected.error) << c;
    EXPECT_LE(found.error, 1e-8 * (1 + found.value)) << c;
    const double reach = std::min(500.0, 8 / std::sqrt(expected.variance));
    const auto phi = together->log_characteristic(c, reach, -infinity);
    const auto expected_phi = apart->log_characteristic(c, reach, -infinity);
    const auto envelope = together->log_envelope(c);
    for (int k = 1; k <= 8; ++k) {
      const double s = k * (reach / 8);
      const LogCharacteristic here = phi(s);
      const LogCharacteristic there = expected_phi(s);
      ASSERT_TRUE(here.is_known() && there.is_known()) << c << ' ' << s;
      EXPECT_LE(std::abs(here.log_abs - there.log_abs), here.error + there.error) << c << ' ' << s;
      EXPECT_LE(2 * std::abs(std::sin((here.phase - there.phase) / 2)), here.error + there.error) << c << ' ' << s;
      EXPECT_GE(envelope(s), there.log_abs - there.error) << c << ' ' << s;
    }
  }
}

// What stands for many has a moment wherever they have, and nowhere else.
TEST(GaussianSamples, AreRoughlyWhatStandsForThem) {
  const TransformPtr loss = gaussian_samples({SampleKind::without_replacement, 0.002}, falling(1000, 3, 1.001));
  ASSERT_NE(&loss->rough(), loss.get());
  for (const double c : {1.0, 20.0, 90.0}) {
    const Cumulant exact = loss->cumulant(c);
    const Cumulant rough = loss->rough().cumulant(c);
    EXPECT_GE(rough.value, exact.value) << c;
    EXPECT_LE(rough.value, 1.2 * exact.value) << c;
  }
  const TransformPtr few = gaussian_samples({SampleKind::without_replacement, 0.002}, falling(40, 3, 1.001));
  EXPECT_EQ(&few->rough(), few.get());
  EXPECT_NE(&composed({{2, loss}, {1, few}})->rough(), nullptr);
  EXPECT_LT(composed({{2, loss}, {1, few}})->rough().cost(1, 0), composed({{2, loss}, {1, few}})->cost(1, 0));
}

}  // namespace
}  // namespace dpbudget::contour
