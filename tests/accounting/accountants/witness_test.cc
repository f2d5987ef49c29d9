#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {
namespace {

Bound epsilon_by(AccountantName name, const char* plan, double delta) {
  return make_accountant(name, parse_plan(plan)).value()->epsilon(1, delta).value();
}

TEST(Witness, IsTheRootOfTheLikelihoodRatio) {
  const Bound found = epsilon_by(AccountantName::exact, "4 x gaussian(2)", 1e-6);
  const auto [mu, root] = std::get<witness::NormalRoot>(found.witnesses.upper);
  EXPECT_NEAR(mu, 1, 1e-12);
  EXPECT_NEAR(mu * root - mu * mu / 2, found.upper, 1e-12);
}

TEST(Witness, IsTheOrderThatConverts) {
  const Bound found = epsilon_by(AccountantName::renyi, "100 x poisson(0.01, gaussian(1))", 1e-6);
  const auto [order, divergence] = std::get<witness::RenyiOrder>(found.witnesses.upper);
  EXPECT_NEAR(divergence + std::log1p(-1 / order) - (std::log(1e-6) + std::log(order)) / (order - 1), found.upper,
              1e-12);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(found.witnesses.lower));
}

TEST(Witness, IsTheLineOnWhichTheContourIsSummed) {
  const Bound found = epsilon_by(AccountantName::contour, "1000 x poisson(0.01, gaussian(1))", 1e-6);
  for (const Witness& end : {found.witnesses.lower, found.witnesses.upper}) {
    const auto& line = std::get<witness::Contour>(end);
    EXPECT_LT(line.alias_below, line.abscissa);
    EXPECT_LT(line.abscissa, line.alias_above);
    EXPECT_GT(line.terms, 0U);
    EXPECT_LT(line.log_tail, std::log(1e-6) - 20);
  }
}

TEST(Witness, IsOfOutcomesThatAreAddedUp) {
  const Bound found = epsilon_by(AccountantName::loss_distribution, "7 x rr(0.5)", 1e-3);
  EXPECT_EQ(std::get<witness::Outcomes>(found.witnesses.upper).number, 8U);
}

}  // namespace
}  // namespace dpbudget
