#include "dpbudget/accounting/approximate/failure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dpbudget::approximate {
namespace {

// Nearly all of total_delta is spent on failures of more mechanisms than a 64-bit integer counts.
TEST(Allowed, TakesCountsBeyondAnyInteger) {
  const std::vector<Failing> mechanisms = {{1e-25, 1e24}};
  const double failing = -std::expm1(-0.1);
  const Allowed left = allowed(mechanisms, 0.1);
  EXPECT_FALSE(left.is_impossible);
  EXPECT_NEAR(left.log_s, std::log((0.1 - failing) / (1 - failing)), 1e-12);
}

}  // namespace
}  // namespace dpbudget::approximate
