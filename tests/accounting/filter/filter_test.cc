#include "dpbudget/accounting/filter/filter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::filter {
namespace {

using testing::log_uniform;

constexpr Adjacency adjacency = Adjacency::add_or_remove_one;

const std::vector<Measure> measures = {AtOrder{8}, ZeroConcentrated{}, Gaussians{}};

TEST(Filter, GuaranteesNoMoreThanItsBudget) {
  for (const Measure& measure : measures)
    for (const double epsilon : {0.5, 2.0, 8.0})
      for (const double delta : {1e-3, 1e-6}) {
        if (std::holds_alternative<AtOrder>(measure) && epsilon < 2) continue;
        const Filter filter(measure, epsilon, delta, adjacency);
        EXPECT_LE(filter.guarantee().upper, epsilon);
        EXPECT_GE(filter.guarantee().upper, epsilon * (1 - 1e-6));
        EXPECT_EQ(filter.guarantee().guarantee, Guarantee::proven);
        EXPECT_NE(filter.guarantee().notes.front().find("chosen by what was released before"), std::string::npos);
        EXPECT_EQ(filter.used(), 0);
      }
}

// By the closed forms: what one Gaussian of all the budget may be.
TEST(Filter, BudgetsAreThoseOfOneRelease) {
  const Filter gaussians(Gaussians{}, 1, 1e-5, adjacency);
  const double noise = profile::gaussian_noise_multiplier(1, 1e-5);
  EXPECT_NEAR(gaussians.budget(), 1 / noise / noise, 1e-6 / noise / noise);
  // rho + the conversion at the best order, found on a grid.
  const Filter zcdp(ZeroConcentrated{}, 1, 1e-5, adjacency);
  double least = 1e9;
  for (double order = 1.01; order < 500; order *= 1.001)
    least = std::min(least,
                     zcdp.budget() * order + std::log1p(-1 / order) - (std::log(1e-5) + std::log(order)) / (order - 1));
  EXPECT_NEAR(least, 1, 1e-3);
  const Filter renyi(AtOrder{20}, 2, 1e-5, adjacency);
  EXPECT_NEAR(renyi.budget() + std::log1p(-1.0 / 20) - (std::log(1e-5) + std::log(20.0)) / 19, 2, 1e-6);
}

// Choices that follow the outputs: however they are made, all that is let through is within the budget by the
// accountant that knows them all.
RC_GTEST_PROP(Filter, LetsThroughWhatFits, ()) {
  const Measure measure = measures.at(static_cast<std::size_t>(*rc::gen::inRange(0, 3)));
  const double delta = log_uniform(1e-8, 1e-2);
  const double epsilon = log_uniform(3, 10);
  Filter filter(measure, epsilon, delta, adjacency);
  std::vector<Event> released;
  int refused = 0;
  for (int i = 0; i < 30; ++i) {
    Event next = Gaussian{log_uniform(1, 30)};
    if (std::holds_alternative<AtOrder>(measure) && *rc::gen::arbitrary<bool>())
      next = PoissonSampled{log_uniform(0.01, 1), next};
    const double before = filter.used();
    const auto count = static_cast<std::uint64_t>(*rc::gen::inRange(1, 4));
    if (filter.spend(next, count)) {
      released.push_back(repeat(count, next));
      RC_ASSERT(filter.used() >= before);
    } else {
      ++refused;
      RC_ASSERT(filter.used() == before);
    }
    RC_ASSERT(filter.used() <= filter.budget());
  }
  if (released.empty()) return;
  const auto bound =
      make_accountant(AccountantName::best, Plan{compose(released), adjacency}, 0.1).value()->epsilon(1, delta);
  RC_ASSERT(bound->lower <= epsilon * (1 + 1e-9));
}

TEST(Filter, IsUsedUp) {
  // Sixteen of noise 4 are one of noise 1.
  const double epsilon =
      make_accountant(AccountantName::exact, parse_plan("gaussian(1)")).value()->epsilon(1, 1e-5)->upper;
  Filter filter(Gaussians{}, epsilon * (1 + 1e-6), 1e-5, adjacency);
  EXPECT_TRUE(filter.spend(Gaussian{4.0}, 15));
  EXPECT_FALSE(filter.spend(Gaussian{4.0}, 2));
  EXPECT_TRUE(filter.spend(Gaussian{4.0}));
  EXPECT_FALSE(filter.spend(Gaussian{400.0}));
  EXPECT_TRUE(filter.spend(Composed{}, 1000));
  EXPECT_TRUE(filter.spend(Gaussian{4.0}, 0));
}

TEST(Filter, TakesAnyEpsilonThatIsFinite) {
  for (const double epsilon : {1e9, 1e300}) {
    Filter filter(Gaussians{}, epsilon, 1e-5, adjacency);
    EXPECT_LE(filter.guarantee().upper, epsilon);
    EXPECT_TRUE(filter.spend(Gaussian{0.001})) << epsilon;
  }
}

TEST(Filter, RefusesByName) {
  Filter gaussians(Gaussians{}, 1, 1e-5, adjacency);
  EXPECT_THROW(gaussians.spend(parse_plan("poisson(0.1, gaussian(1))").event), Unsupported);
  EXPECT_THROW(gaussians.spend(Laplace{1.0}), Unsupported);
  Filter zcdp(ZeroConcentrated{}, 1, 1e-5, adjacency);
  EXPECT_THROW(zcdp.spend(TruncatedConcentratedDp{0.001, 10.0}), Unsupported);
  EXPECT_TRUE(zcdp.spend(Laplace{20.0}));
  EXPECT_THROW(zcdp.spend(Gaussian{Real::unknown()}), InvalidArgument);
  const auto named = [](const Measure& measure, double epsilon, double delta, const char* name) {
    try {
      const Filter filter(measure, epsilon, delta, adjacency);
      ADD_FAILURE() << "accepted " << name;
    } catch (const InvalidArgument& refused) {
      EXPECT_NE(std::string(refused.what()).find(name), std::string::npos) << refused.what();
    }
  };
  named(Gaussians{}, 0, 1e-5, "epsilon");
  named(Gaussians{}, std::nan(""), 1e-5, "epsilon");
  named(Gaussians{}, 1, 0, "delta");
  named(AtOrder{1}, 1, 1e-5, "order");
}

}  // namespace
}  // namespace dpbudget::filter
