#include <gtest/gtest.h>

#include <memory>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

std::unique_ptr<Accountant> best(const char* plan) {
  return make_accountant(AccountantName::best, parse_plan(plan)).value();
}

// Rates so small that a grid which resolves the losses has more points than an integer counts.
TEST(FarTails, OfVeryRareRecordsAreAnsweredOrRefused) {
  for (const char* text : {"poisson(1e-40, discrete_gaussian(0.5))", "wor(1e-40, discrete_gaussian(0.5))"}) {
    const Bound found = best(text)->epsilon(1, 1e-77).value();
    // The loss of a mass of 1e-77 P is log(1 + 1e-40 (e^24 - 1)) or less.
    EXPECT_GE(found.upper, 0) << text;
    EXPECT_LE(found.upper, 1e-12) << text;
    EXPECT_LE(found.lower, 1e-28) << text;
  }
  for (const char* text : {"poisson(1e-30, discrete_gaussian(1))", "wor(1e-30, discrete_gaussian(1))"})
    EXPECT_LE(best(text)->epsilon(1, 1e-200)->upper, 1e-12) << text;
}

}  // namespace
}  // namespace dpbudget::loss_distribution
