#include "dpbudget/accounting/approximate/shuffled_curve.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/approximate/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/accounting/shuffle/clones/closed_forms.h"
#include "dpbudget/accounting/shuffle/clones/silos.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(ShuffledCurve, MeetsDeltaWithItsFailures, ()) {
  const double local_epsilon = log_uniform(0.01, 8);
  const double local_delta = log_uniform(1e-30, 1e-4);
  const double reports = std::floor(log_uniform(1, 1e6));
  const double delta = log_uniform(1e-12, 0.1);
  const CurvePtr curve = shuffled_curve(local_epsilon, local_delta, reports);
  const double found = curve->epsilon(delta);
  if (found < local_epsilon) {
    const double failures = (std::exp(found) + 1) * (1 + std::exp(-local_epsilon) / 2) * reports * local_delta;
    const double rest = std::exp(log_delta(shuffle::clones(local_epsilon, reports), found, {0}).middle());
    RC_ASSERT(rest + failures <= delta * (1 + 1e-9));
  } else {
    RC_ASSERT(found == local_epsilon || std::isinf(found));
    RC_ASSERT(std::isinf(found) == (delta < local_delta));
  }
  RC_ASSERT(curve->epsilon(delta / 2) >= found * (1 - 2e-4));
}

// Theorem 3.8's closed form is weaker.
TEST(ShuffledCurve, IsAtMostTheClosedForm) {
  const EpsilonDelta closed = shuffle::clones_closed_form_approximate(1, 1e-15, 1e4, 1e-6);
  EXPECT_LT(shuffled_curve(1, 1e-15, 1e4)->epsilon(closed.delta), closed.epsilon);
}

// accounting/shuffle/proofs.md, 2b.1
TEST(ShuffledCurve, OfSilosCountsWhatReportsFailBy) {
  const double local_epsilon = 0.05;
  const double records = 10;
  const double silos = 5000;
  const CurvePtr pure = shuffled_silos_curve(local_epsilon, 0, records, silos);
  EXPECT_LT(pure->epsilon(1e-6), local_epsilon);
  for (const double local_delta : {1e-14, 1e-12, 1e-11}) {
    const CurvePtr curve = shuffled_silos_curve(local_epsilon, local_delta, records, silos);
    const double found = curve->epsilon(1e-6);
    double group = 0;
    for (int i = 0; i < 10; ++i) group += std::exp(i * local_epsilon);
    const double tau = local_delta * (1 + (silos - 1) * std::exp(-records * local_epsilon) * (group + 1));
    const double rest = std::exp(shuffle::silo_clones_log_delta(local_epsilon, records, silos, found));
    EXPECT_LE(rest + (1 + std::exp(found)) * tau, 1e-6 * (1 + 1e-9)) << local_delta;
    EXPECT_GE(found, pure->epsilon(1e-6));
    EXPECT_LT(found, local_epsilon);
  }
  EXPECT_EQ(shuffled_silos_curve(local_epsilon, 1e-9, records, silos)->epsilon(1e-6), local_epsilon);
  EXPECT_TRUE(std::isinf(shuffled_silos_curve(local_epsilon, 1e-3, records, silos)->epsilon(1e-6)));
}

// Two silos of two bits each, by every report: a randomiser that fails with probability `failure` and then tells all.
// accounting/shuffle/proofs.md, 2.1 and 2b.1
TEST(ShuffledCurve, OfSilosBoundsTinyCases) {
  const double failure = 0.02;
  const double truth = std::exp(0.4) / (1 + std::exp(0.4));
  // Reports 0 and 1 are a response to the majority bit (the first in a tie), 2 to 5 the data themselves.
  const auto report = [&](int data) {
    std::vector<double> law(6, 0);
    const int bit = data & 1;
    law[static_cast<std::size_t>(bit)] += (1 - failure) * truth;
    law[static_cast<std::size_t>(1 - bit)] += (1 - failure) * (1 - truth);
    law[static_cast<std::size_t>(2 + data)] += failure;
    return law;
  };
  const auto multiset = [&](int first, int second) {
    std::map<std::pair<int, int>, double> law;
    const auto a = report(first);
    const auto b = report(second);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        law[{std::min(i, j), std::max(i, j)}] += a[static_cast<std::size_t>(i)] * b[static_cast<std::size_t>(j)];
    return law;
  };
  const CurvePtr curve = shuffled_silos_curve(0.4, failure, 2, 2);
  for (int other = 0; other < 4; ++other)
    for (int data = 0; data < 4; ++data)
      for (const int changed : {data ^ 1, data ^ 2}) {
        const auto before = multiset(data, other);
        auto after = multiset(changed, other);
        for (const double delta : {0.03, 0.05, 0.1, 0.2, 0.4}) {
          const double epsilon = curve->epsilon(delta);
          double found = 0;
          for (const auto& [reports, mass] : before) found += std::max(0.0, mass - std::exp(epsilon) * after[reports]);
          EXPECT_LE(found, delta * (1 + 1e-9)) << data << " to " << changed << " beside " << other;
        }
      }
}

TEST(ShuffledCurve, IsAnAccountantsLeaf) {
  const auto spent = [](const char* plan) { return epsilon(parse_plan(plan), 1e-6).upper; };
  EXPECT_NEAR(spent("shuffle(10000, approximate(1, 1e-20)) under replace_one"), 0.053006, 1e-5);
  EXPECT_NEAR(spent("shuffle(10000, rr(1)) under replace_one"), 0.053006, 1e-5);
  EXPECT_EQ(spent("shuffle(10000, approximate(1, 1e-9)) under replace_one"), 1);
  EXPECT_EQ(spent("shuffle(10000, pure(0)) under replace_one"), 0);
  // Beyond what a clone's odds can be held in, the local guarantee is left.
  EXPECT_NEAR(spent("shuffle(10000, approximate(1000, 1e-9)) under replace_one"), 1000, 1e-5);
  EXPECT_LE(spent("shuffle(10000, pure(1000)) under replace_one"), 1000);
  EXPECT_LE(spent("shuffle(10000, pure(1000), 3) under replace_one"), 1000);
  EXPECT_LT(spent("shuffle(5000, approximate(0.05, 1e-14), 10) under replace_one"), 0.05);
  EXPECT_EQ(spent("shuffle(10000, gaussian(1)) under replace_one"), spent("gaussian(1) under replace_one"));
  EXPECT_THROW(spent("shuffle(10000, rr(1)) under add_or_remove_one"), Unsupported);
}

}  // namespace
}  // namespace dpbudget::approximate
