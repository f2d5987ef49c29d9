#include "dpbudget/accounting/shuffle/responses/response_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "accounting/shuffle/response_law.h"
#include "dpbudget/accounting/shuffle/responses/randomized_response.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::response_delta;

// accounting/shuffle/proofs.md, 6.1 and 6.6
RC_GTEST_PROP(ResponseSum, IsTheSumOverEveryNumberOfOnes, ()) {
  const double local_epsilon = log_uniform(1e-2, 20);
  const int zeros = *rc::gen::inRange(0, 80);
  const int ones = *rc::gen::inRange(0, 80);
  const double epsilon = local_epsilon * (*rc::gen::inRange(0, 990) / 1e3);
  const double truth = response_delta(local_epsilon, zeros, ones, epsilon);
  RC_PRE(truth > 1e-9);  // below, the direct sum cancels
  const double found =
      std::exp(response_sum_log_delta(local_epsilon, {double(zeros), double(ones)}, epsilon, std::log(truth)));
  RC_ASSERT(found >= truth - 1e-14);
  RC_ASSERT(found <= truth * (1 + 1e-5));
}

RC_GTEST_PROP(ResponseSum, OfEqualBitsIsTheClosedForm, ()) {
  const double local_epsilon = log_uniform(1e-2, 8);
  const double reports = std::floor(log_uniform(2, 1e6));
  const double deviation = std::sqrt(reports) / (2 * std::cosh(local_epsilon / 2));
  const double epsilon = std::min(0.99 * local_epsilon, log_uniform(1e-2, 10) / deviation);
  const double truth = randomized_response_log_delta(local_epsilon, static_cast<std::uint64_t>(reports), epsilon);
  RC_PRE(truth > -250);
  const double all_zero = response_sum_log_delta(local_epsilon, {reports - 1, 0}, epsilon, truth);
  const double all_one = response_sum_log_delta(local_epsilon, {0, reports - 1}, epsilon, truth);
  RC_ASSERT(std::abs(std::max(all_zero, all_one) - truth) <= 5e-5);
  RC_ASSERT(std::max(all_zero, all_one) >= truth - 1e-11 * (1 + std::abs(truth)));
}

// accounting/shuffle/proofs.md, 6.3
RC_GTEST_PROP(ResponseSum, GrowsAsUsersLeave, ()) {
  const double local_epsilon = log_uniform(1e-2, 8);
  const double zeros = std::floor(log_uniform(1, 1e5));
  const double ones = std::floor(log_uniform(1, 1e5));
  const double deviation = std::sqrt(zeros + ones) / (2 * std::cosh(local_epsilon / 2));
  const double epsilon = std::min(0.99 * local_epsilon, log_uniform(1e-2, 10) / deviation);
  const double here = response_sum_log_delta(local_epsilon, {zeros, ones}, epsilon, -200);
  RC_PRE(here > -200);  // below, the bound is that of the window
  const double slack = 1e-9 * (1 + std::abs(here));
  RC_ASSERT(response_sum_log_delta(local_epsilon, {zeros - 1, ones}, epsilon, -200) >= here - slack);
  RC_ASSERT(response_sum_log_delta(local_epsilon, {zeros, ones - 1}, epsilon, -200) >= here - slack);
}

}  // namespace
}  // namespace dpbudget::shuffle
