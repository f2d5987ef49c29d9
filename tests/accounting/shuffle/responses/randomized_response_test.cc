#include "dpbudget/accounting/shuffle/responses/randomized_response.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/responses/exact.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

// By mpmath in 50 digits, 700 for the largest local_epsilon: the two expected excesses, term by term.
// accounting/shuffle/proofs.md, 6.2
TEST(ShuffledRandomizedResponse, HasTheReferenceValues) {
  struct Case {
    double local_epsilon;
    std::uint64_t reports;
    double epsilon;
    double log_delta;
  };
  const std::vector<Case> cases = {{1.0, 200, 0.1, -5.6397436595383772076},
                                   {2.0, 500, 0.3, -8.4902170431007350888},
                                   {1.0, 1, 0.5, -1.2460138170854114059},
                                   {0.1, 10, 0.0, -4.359853154828321703},
                                   {1e-06, 1000, 1e-09, -18.227986370559769932},
                                   {1e-06, 1000, 9.99999e-07, -720.77770167597175393},
                                   {5.0, 1000000, 0.01, -6.5666303024523640381},
                                   {8.0, 1000000, 0.5, -37.825220073103247772},
                                   {1.0, 1000000000, 0.0001, -18.311086647600084119},
                                   {12.0, 1000000000, 0.01, -6.4389389106925902977},
                                   {40.0, 1000, 1.0, -4.2599024794646047723e-15},
                                   {700.0, 100, 2.0, -1.0588213574751286946e-302},
                                   {30.0, 100000, 25.0, -0.0067607588071115266657},
                                   {700.0, 100, 699.5, -0.93275212956718857189},
                                   {1.0, 100, 0.999999, -45.141679809757760192},
                                   {3.0, 50, 2.9, -4.7815360397311929024},
                                   {1.0, 1000000, 0.5, -86371.813221072893844}};
  for (const auto& [local_epsilon, reports, epsilon, log_delta] : cases) {
    SCOPED_TRACE(::testing::Message() << local_epsilon << ' ' << reports << ' ' << epsilon);
    EXPECT_NEAR(randomized_response_log_delta(local_epsilon, reports, epsilon), log_delta,
                1e-12 + 1e-14 * std::abs(log_delta));
    const double lower = randomized_response_log_delta_lower(local_epsilon, reports, epsilon);
    EXPECT_LE(lower, log_delta);
    EXPECT_NEAR(lower, log_delta, 1e-6 + 1e-13 * std::abs(log_delta));
  }
}

// accounting/shuffle/vector_sum/proofs.md, 4.1
RC_GTEST_PROP(ShuffledRandomizedResponse, IsThatOfItsHistograms, ()) {
  const double e0 = log_uniform(0.01, 5);
  const auto reports = static_cast<std::uint64_t>(*rc::gen::inRange(1, 60));
  const double epsilon = e0 * (*rc::gen::inRange(0, 90) / 100.0);
  const double lie = 1 / (1 + std::exp(e0));
  const std::vector<double> zero = {1 - lie, lie};
  const std::vector<double> one = {lie, 1 - lie};
  const double truth = exact_delta(zero, one, zero, reports, epsilon);
  RC_ASSERT(std::abs(randomized_response_delta(e0, reports, epsilon) - truth) <= 1e-12 * truth + 1e-17);
}

RC_GTEST_PROP(ShuffledRandomizedResponse, FallsWithReportsAndEpsilon, ()) {
  const double e0 = log_uniform(1e-3, 50);
  const auto reports = static_cast<std::uint64_t>(log_uniform(1, 1e15));
  const double epsilon = e0 * log_uniform(1e-6, 0.99) / std::sqrt(static_cast<double>(reports));
  const double value = randomized_response_log_delta(e0, reports, epsilon);
  const double slack = 1e-11 * (1 + std::abs(value));
  RC_ASSERT(randomized_response_log_delta(e0, reports, epsilon * 1.01) <= value + slack);
  RC_ASSERT(randomized_response_log_delta(e0, reports + reports / 50 + 1, epsilon) <= value + slack);
}

TEST(ShuffledRandomizedResponse, IsNothingWhereTheLocalGuaranteeHolds) {
  EXPECT_EQ(randomized_response_log_delta(1, 10, 1), -infinity);
  EXPECT_EQ(randomized_response_delta(0, 10, 0), 0);
  EXPECT_NEAR(randomized_response_log_delta(1e4, 1, 0), 0, 1e-15);
  EXPECT_LE(randomized_response_log_delta(1e4, std::uint64_t{1} << 53, 9999), 0);
}

TEST(ShuffledResponses, RefuseWhatIsOutOfRange) {
  for (const double bad : {-1.0, nan, infinity}) {
    EXPECT_THROW(randomized_response_log_delta(bad, 10, 0.1), InvalidArgument);
    EXPECT_THROW(randomized_response_log_delta(1, 10, bad), InvalidArgument);
  }
  EXPECT_THROW(randomized_response_delta(1, 0, 0.1), InvalidArgument);
  EXPECT_THROW(randomized_response_log_delta_lower(1, 10, nan), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::shuffle
