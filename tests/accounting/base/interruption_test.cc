#include "dpbudget/accounting/base/interruption.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#ifndef __wasm__
#include <thread>
#endif

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/by_accountant.h"

namespace dpbudget {
namespace {

struct Enough : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws when it is asked for the last time of so many.
std::function<void()> after(int times) {
  return [left = std::make_shared<int>(times)] {
    if (--*left == 0) throw Enough("enough");
  };
}

TEST(Interruption, EndsEveryAccountantWhichAnswersAgainAfterwards) {
  const Plan plan = parse_plan("300 x wor(3 of 50, laplace(1)) + 20 x wor(1 of 50, gaussian(2)) under replace_one");
  for (const AccountantName name :
       {AccountantName::best, AccountantName::contour, AccountantName::loss_distribution, AccountantName::renyi}) {
    const auto expected = make_accountant(name, plan).value()->epsilon(3, 1e-6);
    const auto accountant = make_accountant(name, plan).value();
    int ends = 0;
    for (int times = 1; times < 5; ++times) {
      const Interruption interruption(after(times));
      try {
        (void)accountant->epsilon(3, 1e-6);
      } catch (const Enough&) {
        ++ends;
      }
    }
    EXPECT_GE(ends, 1) << to_string(name);
    const auto answer = accountant->epsilon(3, 1e-6);
    ASSERT_EQ(answer.has_value(), expected.has_value()) << to_string(name);
    if (!expected) continue;
    EXPECT_EQ(answer->upper, expected->upper) << to_string(name);
    EXPECT_EQ(answer->lower, expected->lower) << to_string(name);
  }
}

TEST(Interruption, EndsASearch) {
  const Interruption interruption(after(20));
  EXPECT_THROW((void)solve::unknown(parse_plan("200 x poisson(0.01, laplace(?))"), AccountantName::best, 1e-3, 1, 1e-6),
               Enough);
}

TEST(Interruption, IsOfItsThreadAndTheInnermostIsAsked) {
  const Interruption outer(after(1));
#ifndef __wasm__  // has no other threads
  std::thread([] { EXPECT_NO_THROW(heed_interruption()); }).join();
#endif
  {
    const Interruption inner([] {});
    EXPECT_NO_THROW(heed_interruption());
  }
  EXPECT_THROW(heed_interruption(), Enough);
}

TEST(Interruption, NobodyIsAskedWhereNobodyWantsToBe) { EXPECT_NO_THROW(heed_interruption()); }

}  // namespace
}  // namespace dpbudget
