#include "dpbudget/accounting/shuffle/responses/worst_profile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "accounting/random_event.h"
#include "accounting/shuffle/response_law.h"
#include "dpbudget/accounting/shuffle/responses/randomized_response.h"
#include "dpbudget/accounting/shuffle/responses/worst_responses.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::worst_response_delta;

std::vector<double> multiples(double step, int count) {
  std::vector<double> epsilons;
  for (int i = 0; i < count; ++i) epsilons.push_back(i * step);
  return epsilons;
}

// accounting/shuffle/proofs.md, 6.4
RC_GTEST_PROP(WorstProfile, IsTheLargestOverAllBits, ()) {
  const double local_epsilon = log_uniform(1e-2, 20);
  const int reports = *rc::gen::inRange(1, 60);
  const int count = *rc::gen::inRange(1, 12);
  const std::vector<double> epsilons = multiples(local_epsilon * log_uniform(1e-4, 0.99) / count, count);
  const std::vector<double> found = worst_response_log_deltas(local_epsilon, reports, epsilons, std::log(1e-9));
  for (int i = 0; i < count; ++i) {
    const double truth = worst_response_delta(local_epsilon, reports, epsilons[i]);
    if (truth < 1e-9) continue;  // the direct sum cancels
    RC_ASSERT(found[i] >= std::log(truth) - 1e-6);
    RC_ASSERT(found[i] <= std::log(truth) + 2.1e-4 * (2 + std::abs(std::log(truth))));
  }
}

RC_GTEST_PROP(WorstProfile, IsThatOfEachEpsilonAlone, ()) {
  const double local_epsilon = log_uniform(1e-2, 8);
  const double reports = std::floor(log_uniform(1, 3000));
  const double deviation = std::sqrt(reports) / (2 * std::cosh(local_epsilon / 2));
  const std::vector<double> epsilons = multiples(std::min(0.1 * local_epsilon, log_uniform(1e-2, 0.5) / deviation), 10);
  RC_LOG() << "local epsilon " << local_epsilon << ", " << reports << " reports: ";
  const std::vector<double> found = worst_response_log_deltas(local_epsilon, reports, epsilons, -200);
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const numeric::Bracket alone = randomized_response_log_delta_bracket(local_epsilon, reports, epsilons[i]);
    RC_LOG() << found[i] << " " << alone.lower << " " << alone.upper;
    RC_ASSERT(found[i] >= alone.lower);
    if (alone.lower > -200) RC_ASSERT(found[i] <= alone.upper + 1e-3 * (2 + std::abs(alone.upper)));
  }
}

TEST(WorstProfile, TakesManyReports) {
  const double scale = 2 * std::cosh(0.5) / std::sqrt(1e8);
  const std::vector<double> found = worst_response_log_deltas(1, 1e8, multiples(scale, 6), -80);
  for (int i = 0; i < 6; ++i) {
    const double equal = randomized_response_log_delta(1, 100'000'000, i * scale);
    EXPECT_GE(found[i], equal);
    EXPECT_LE(found[i], equal + 0.03 * (2 + std::abs(equal)));
  }
}

TEST(WorstProfile, RefusesBadInputByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto of = [](double local_epsilon, double reports, std::vector<double> epsilons, double log_least) {
    return worst_response_log_deltas(local_epsilon, reports, epsilons, log_least);
  };
  for (const double bad : {0.0, 9e-4, 20.1, nan}) EXPECT_REFUSED("local_epsilon", of(bad, 10, {0}, -1));
  for (const double bad : {0.0, 2.5, 0x1p33, nan}) EXPECT_REFUSED("reports", of(1, bad, {0}, -1));
  for (const double bad : {-251.0, 0.1, nan}) EXPECT_REFUSED("log_least", of(1, 10, {0}, bad));
  EXPECT_REFUSED("epsilons", of(1, 10, {}, -1));
  EXPECT_REFUSED("epsilons", of(1, 10, {0, 0}, -1));
  EXPECT_REFUSED("epsilons", of(1, 10, {-0.1}, -1));
  EXPECT_REFUSED("epsilons", of(1, 10, {1}, -1));
  EXPECT_REFUSED("epsilons", of(1, 10, {nan}, -1));
}

}  // namespace
}  // namespace dpbudget::shuffle
