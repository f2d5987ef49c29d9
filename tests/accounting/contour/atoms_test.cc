#include "dpbudget/accounting/contour/atoms.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/composition.h"
#include "dpbudget/accounting/contour/inversion.h"

namespace dpbudget::contour {
namespace {

using Precise = boost::multiprecision::cpp_bin_float_50;

std::vector<Atom> random_law() {
  std::vector<Atom> law(*rc::gen::inRange<std::size_t>(1, 40));
  double left = 1;
  const double scale = testing::log_uniform(1e-3, 5);
  for (Atom& atom : law) {
    atom = {scale * (testing::log_uniform(0.1, 10) - 3), left * testing::log_uniform(1e-6, 0.9)};
    left -= atom.mass;
  }
  return law;
}

// The sums as they are, in 50 digits.
struct Sums {
  Precise at_c = 0;
  Precise real = 0;
  Precise imaginary = 0;
};
Sums sums(const std::vector<Atom>& law, double c, double s) {
  Sums found;
  for (const auto& [loss, mass] : law) {
    const Precise size = mass * exp(Precise(c) * loss);
    found.at_c += size;
    found.real += size * cos(Precise(s) * loss);
    found.imaginary += size * sin(Precise(s) * loss);
  }
  return found;
}

// accounting/contour/proofs.md, 7.2
RC_GTEST_PROP(Atoms, AreRightToWithinTheirErrors, ()) {
  const std::vector<Atom> law = random_law();
  const TransformPtr loss = atoms(law);
  const double c = testing::log_uniform(0.05, 20);
  const Cumulant cumulant = loss->cumulant(c);
  RC_ASSERT(abs(cumulant.value - log(sums(law, c, 0).at_c)) <= cumulant.error);
  RC_ASSERT(cumulant.error < 1e-11 * (1 + c * 50));
  // As a contour asks, whose steps have few digits: nodes are passed over, by powers of 2 and otherwise, and there are
  // enough for angles that are turned, and made anew.
  const double step = static_cast<float>(testing::log_uniform(1e-3, 1e6));
  const auto log_characteristic = loss->log_characteristic(c, 1000 * step, -infinity);
  int asked = 0;
  for (int k = 1; k <= 1000; k += *rc::gen::element(1, 1, 1, 2, 4, 3, 64)) {
    const double s = k * step;
    const LogCharacteristic found = log_characteristic(s);
    if (++asked % 7 != 0 || !found.is_known()) continue;
    const Sums expected = sums(law, c, s);
    const Precise abs_value = sqrt(expected.real * expected.real + expected.imaginary * expected.imaginary);
    RC_ASSERT(abs(found.log_abs - log(abs_value / expected.at_c)) <= found.error);
    const Precise angle = atan2(expected.imaginary, expected.real) - found.phase;
    RC_ASSERT(abs(sin(angle)) <= found.error + 1e-30);
    RC_ASSERT(found.error * std::exp(found.log_abs) < 1e-10 * (1 + c * 50 + s));
  }
}

// Randomised response many times: delta is a sum over the binomial.
double log_delta_of_responses(double loss, unsigned count, double epsilon) {
  const Precise p = 1 / (1 + exp(Precise(-loss)));
  Precise mass = pow(1 - p, count);
  Precise delta = 0;
  for (unsigned k = 0; k <= count; ++k) {
    const Precise excess = Precise(loss) * (2.0 * k - count) - epsilon;
    if (excess > 0) delta += mass * (1 - exp(-excess));
    mass *= Precise(count - k) / (k + 1) * p / (1 - p);
  }
  return static_cast<double>(log(delta));
}

// accounting/contour/proofs.md, 2b.1 and 2b.2
TEST(SmoothedInversion, BracketsSumsOverTheBinomial) {
  for (const double e : {0.01, 0.3, 2.0})
    for (const unsigned count : {60U, 400U, 3000U}) {
      const double p = 1 / (1 + std::exp(-e));
      const TransformPtr loss = composed({{static_cast<double>(count), atoms({{-e, 1 - p}, {e, p}})}});
      const Cumulant at_0 = loss->cumulant(1e-9);
      for (const double deviations : {0.5, 2.0, 6.0}) {
        const double epsilon = at_0.mean + deviations * std::sqrt(at_0.variance);
        if (epsilon > 0.9 * e * count) continue;
        const double expected = log_delta_of_responses(e, count, epsilon);
        const Target target = saddle_for_epsilon(*loss, 1, epsilon, 1);
        const double most = 1e-3 / (target.c * (target.c + 1));
        // `p` is rounded, so that the losses of the atoms are those of the closed form up to that.
        const double rounding = 1e-13 * count;
        Smoothing little{most / 64, most / 64, most};
        Smoothing enough{most / 64, most, most};
        const auto long_sum = Inversion::make_smoothed(loss, target, little);
        const auto short_sum = Inversion::make_smoothed_quickly(loss, target, enough);
        ASSERT_TRUE(long_sum && short_sum) << e << ' ' << count << ' ' << epsilon;
        for (const Inversion& inversion : {*long_sum, *short_sum}) {
          EXPECT_TRUE(inversion.is_smoothed());
          const numeric::Bracket found = inversion.log_delta(epsilon);
          EXPECT_LE(found.lower, expected + rounding) << e << ' ' << count << ' ' << epsilon;
          EXPECT_GE(found.upper, expected - rounding) << e << ' ' << count << ' ' << epsilon;
          EXPECT_LT(found.width(), 0.1) << e << ' ' << count << ' ' << epsilon;
        }
      }
    }
}

}  // namespace
}  // namespace dpbudget::contour
