#include "dpbudget/fl/papers/lowy_published.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dpbudget/accounting/accountants/accountant.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(LowyPublished, AdvancedCompositionHoldsWhereItsPreconditionsDo) {
  const double n = 1000;
  const double batch = 100;
  const double rounds = 20;
  require_lowy_advanced_composition(rounds, batch, n, 1, 1e-5);
  const double noise = std::sqrt(lowy_advanced_composition_variance(1, rounds, batch, n, 1, 1e-5)) * batch / 2;
  const Plan plan{repeat(20, SampledWithoutReplacement{Rate(0.1), Event(Gaussian{noise})}), Adjacency::replace_one};
  EXPECT_LE(make_accountant(AccountantName::best, plan).value()->epsilon(1, 1e-5).value().upper, 1);
}

TEST(LowyPublished, ExperimentsVarianceIsFalseForLargeEpsilon) {
  // n = 1000, R = 25, K = 424: 18 claimed.
  const double noise = std::sqrt(lowy_experiment_variance(1, 25, 1000, 18, 1e-6)) * 424 / 2;
  const Plan plan{repeat(25, SampledWithoutReplacement{Rate(424, 1000), Event(Gaussian{noise})}),
                  Adjacency::replace_one};
  EXPECT_GT(make_accountant(AccountantName::best, plan, 0.05).value()->epsilon(1, 1e-6).value().lower, 18);
}

TEST(LowyPublished, RefusesByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED("batch is 20", require_lowy_advanced_composition(50, 20, 2000, 18, 1e-7));
  EXPECT_REFUSED("epsilon is 40", require_lowy_advanced_composition(50, 2000, 2000, 40, 1e-7));
  EXPECT_REFUSED("lipschitz", lowy_experiment_variance(0, 1, 1, 1, 0.1));
  EXPECT_REFUSED("rounds", lowy_experiment_variance(1, nan, 1, 1, 0.1));
  EXPECT_REFUSED("records", lowy_experiment_variance(1, 1, 0, 1, 0.1));
  EXPECT_REFUSED("epsilon", lowy_experiment_variance(1, 1, 1, 0, 0.1));
  EXPECT_REFUSED("delta", lowy_experiment_variance(1, 1, 1, 1, 1));
  EXPECT_REFUSED("batch", lowy_advanced_composition_variance(1, 1, 11, 10, 1, 0.1));
  EXPECT_REFUSED("delta", lowy_advanced_composition_variance(1, 1, 1, 1000, 1, 0.1));
}

}  // namespace
}  // namespace dpbudget::fl
