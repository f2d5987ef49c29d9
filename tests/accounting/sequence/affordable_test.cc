#include "dpbudget/accounting/sequence/affordable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::sequence {
namespace {

Sequence thinning(std::uint64_t rounds) {
  Sequence sequence{{}, Adjacency::add_or_remove_one};
  for (std::uint64_t r = 0; r < rounds; ++r)
    sequence.add(PoissonSampled{Rate(0.05), Event(Gaussian{3 * std::pow(0.97, static_cast<double>(r))})});
  return sequence;
}

TEST(Affordable, IsTheReachWithinSoManyRounds) {
  constexpr std::uint64_t end = 24;
  constexpr double delta = 1e-5;
  for (const AccountantName name : {AccountantName::best, AccountantName::renyi, AccountantName::loss_distribution}) {
    const auto all = make_accountant(name, thinning(end), delta).value();
    for (const double epsilon : {0.0, 0.4, 1e3}) {
      const Reach found = affordable(thinning, end, name, delta, default_tolerance, epsilon).value();
      const Reach within = reach(*all, end, epsilon).value();
      // Meshes depend on how many rounds are looked at.
      EXPECT_NEAR(static_cast<double>(found.rounds), static_cast<double>(within.rounds),
                  name == AccountantName::loss_distribution ? 1 : 0)
          << to_string(name) << " " << epsilon;
      EXPECT_EQ(found.is_whole, within.is_whole);
      EXPECT_LE(found.at_rounds.upper, epsilon);
      if (!found.is_whole) {
        EXPECT_GT(found.at_next.upper, epsilon);
      }
    }
  }
}

TEST(Affordable, TakesEqualRoundsWithoutEnd) {
  const auto same = [](std::uint64_t rounds) {
    Sequence sequence{{}, Adjacency::add_or_remove_one};
    sequence.add(Gaussian{1e4}, rounds);
    return sequence;
  };
  const auto exact =
      dpbudget::make_accountant(AccountantName::best, {Gaussian{1e4}, Adjacency::add_or_remove_one}).value();
  const Reach found = affordable(same, 1ULL << 53, AccountantName::best, 1e-5, default_tolerance, 1).value();
  EXPECT_LE(exact->epsilon(found.rounds, 1e-5)->upper, 1);
  EXPECT_GT(exact->epsilon(found.rounds + 1, 1e-5)->upper, 1);
  EXPECT_EQ(affordable(same, 5, AccountantName::best, 1e-5, default_tolerance, 1)->rounds, 5U);
}

TEST(Affordable, RefusesByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED("epsilon", affordable(thinning, 5, AccountantName::best, 1e-5, 1e-3, nan).value());
  EXPECT_REFUSED("delta", affordable(thinning, 5, AccountantName::renyi, nan, 1e-3, 1).value());
}

}  // namespace
}  // namespace dpbudget::sequence
