#include "dpbudget/accounting/profile/normal_mixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::profile {
namespace {

using testing::log_uniform;
using testing::Precise;
using testing::upper_tail;

struct HalfLines {
  const NormalMixture& mixture;

  Precise ratio(const Precise& t) const {
    Precise sum = mixture.at_zero;
    for (const auto& [probability, mean] : mixture.shifts) sum += probability * exp(mean * (t - Precise(mean) / 2));
    return sum;
  }
  Precise above(const Precise& t) const {
    Precise sum = mixture.at_zero * upper_tail(t);
    for (const auto& [probability, mean] : mixture.shifts) sum += probability * upper_tail(t - mean);
    return sum;
  }
  // Where the ratio, which grows, is g.
  Precise point(const Precise& g) const {
    Precise low = -1;
    Precise high = 1;
    while (ratio(low) > g) low *= 2;
    while (ratio(high) < g) high *= 2;
    for (int i = 0; i < 170; ++i) {
      const Precise middle = (low + high) / 2;
      (ratio(middle) < g ? low : high) = middle;
    }
    return high;
  }
  Precise delta(double epsilon) const {
    const Precise g = exp(Precise(epsilon));
    const Precise t = point(g);
    Precise largest = above(t) - g * upper_tail(t);
    if (g * mixture.at_zero < 1) {
      const Precise s = point(1 / g);
      largest = std::max<Precise>(largest, (1 - upper_tail(s)) - g * (1 - above(s)));
    }
    return largest;
  }
};

// Probabilities that add up to 1 exactly.
NormalMixture random_shifts() {
  NormalMixture mixture;
  const int shifts = *rc::gen::inRange(1, 6);
  for (int i = 0; i < shifts; ++i)
    mixture.shifts.push_back({std::ldexp(*rc::gen::inRange(1, 1000), -13), log_uniform(0.01, 8)});
  mixture.at_zero = rest_of(mixture.shifts);
  return mixture;
}

// accounting/plan/proofs.md, 3.1 and 3.4
RC_GTEST_PROP(NormalMixtureProfile, IsItsHalfLines, ()) {
  const NormalMixture mixture = random_shifts();
  const double epsilon = *rc::gen::arbitrary<bool>() ? log_uniform(1e-3, 20) : 0;
  const Precise truth = HalfLines{mixture}.delta(epsilon);
  const double found = normal_mixture_log_delta(mixture, epsilon);
  if (truth < Precise(1e-290)) return;
  const auto log_truth = static_cast<double>(log(truth));
  RC_ASSERT(found >= log_truth - 1e-15 * std::abs(log_truth));
  RC_ASSERT(found <= log_truth + 1e-6 * (1 + std::abs(log_truth)));
}

// accounting/plan/proofs.md, 3.2
RC_GTEST_PROP(NormalMixtureProfile, GrowsWithShiftsAndTheirProbabilities, ()) {
  NormalMixture mixture = random_shifts();
  const double epsilon = log_uniform(1e-2, 5);
  const double before = normal_mixture_log_delta(mixture, epsilon);
  const double slack = 1e-9 * (1 + std::abs(before));
  if (*rc::gen::arbitrary<bool>()) {
    mixture.shifts.back().mean *= 1.25;
  } else {
    mixture.shifts.back().probability += mixture.at_zero / 2;
    mixture.at_zero /= 2;
  }
  RC_ASSERT(normal_mixture_log_delta(mixture, epsilon) >= before - slack);
}

// What is not shifted is 1 as far as a double tells: no point tells the losses apart.
// accounting/plan/proofs.md, 3.4
TEST(NormalMixtureProfile, OfShiftsThatAreTooRareToTell) {
  for (const double probability : {1e-300, 1e-20, 1e-15})
    for (const double epsilon : {0.0, 1e-14, 0.5}) {
      const NormalMixture mixture{{{probability, 1}}, 1 - probability};
      const double found = normal_mixture_log_delta(mixture, epsilon);
      EXPECT_GE(found, static_cast<double>(log(HalfLines{mixture}.delta(epsilon))) - 1e-9)
          << probability << " " << epsilon;
      EXPECT_LT(found, epsilon < 0.1 ? std::log(1e-12) : std::log(probability)) << probability << " " << epsilon;
    }
}

TEST(NormalMixtureProfile, OfOneCertainShiftIsTheGaussians) {
  for (const double epsilon : {0.0, 0.3, 4.0})
    EXPECT_NEAR(normal_mixture_log_delta({{{1, 0.5}}}, epsilon), gaussian_log_delta(epsilon, 2), 1e-9);
}

}  // namespace
}  // namespace dpbudget::profile
