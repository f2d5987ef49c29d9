#include "dpbudget/accounting/sequence/accountant.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::sequence {
namespace {

Event round_of(double noise) {
  return Participates{Rate(8, 40), Event(repeat(5, SampledWithoutReplacement{Rate(0.2), Event(Gaussian{noise})}))};
}

Sequence decaying(std::uint64_t rounds, double first, double factor) {
  Sequence sequence{{}, Adjacency::replace_one};
  double noise = first;
  for (std::uint64_t r = 0; r < rounds; ++r, noise *= factor) sequence.add(round_of(noise));
  return sequence;
}

TEST(Sequence, CountsEqualRoundsAndComposesTheFirst) {
  Sequence sequence{{}, Adjacency::replace_one};
  sequence.add(Gaussian{2}, 3);
  sequence.add(Gaussian{2});
  sequence.add(Gaussian{1}, 2);
  sequence.add(Gaussian{5}, 0);
  EXPECT_EQ(sequence.stretches.size(), 2U);
  EXPECT_EQ(sequence.rounds(), 6U);
  EXPECT_EQ(sequence.first(0), compose({}));
  EXPECT_EQ(sequence.first(4), repeat(4, Gaussian{2}));
  EXPECT_EQ(sequence.first(5), compose({repeat(4, Gaussian{2}), Gaussian{1}}));
  EXPECT_EQ(sequence.beginning(5).rounds(), 5U);
  EXPECT_EQ(sequence.beginning(6).first(6), sequence.first(6));
  EXPECT_REFUSED("rounds", sequence.first(7));
}

TEST(SequenceAccountant, IsTheAccountantOfTheWholePrefix) {
  const Sequence sequence = decaying(6, 20, 0.9);
  for (const AccountantName name : {AccountantName::renyi, AccountantName::approximate}) {
    const auto accountant = make_accountant(name, sequence, 1e-5).value();
    for (const std::uint64_t rounds : {6U, 1U, 4U}) {
      const Plan plan{sequence.first(rounds), Adjacency::replace_one};
      const double whole = dpbudget::make_accountant(name, plan).value()->epsilon(1, 1e-5).value().upper;
      EXPECT_NEAR(accountant->epsilon(rounds).value().upper / whole, 1, 1e-12) << to_string(name) << rounds;
    }
  }
}

TEST(SequenceAccountant, BracketsAsTheLossDistributionOfTheWholePrefix) {
  const Sequence sequence = decaying(4, 20, 0.9);
  const auto accountant = make_accountant(AccountantName::loss_distribution, sequence, 1e-5, 1e-3).value();
  for (const std::uint64_t rounds : {2U, 4U, 1U}) {
    const Plan plan{sequence.first(rounds), Adjacency::replace_one};
    const Bound whole =
        dpbudget::make_accountant(AccountantName::loss_distribution, plan, 1e-3).value()->epsilon(1, 1e-5).value();
    const Bound found = accountant->epsilon(rounds).value();
    EXPECT_LE(found.lower, found.upper);
    EXPECT_LE(found.lower, whole.upper);
    EXPECT_LE(whole.lower, found.upper);
    EXPECT_NEAR(found.upper / whole.upper, 1, 3e-3);
  }
}

TEST(SequenceAccountant, IsExactForGaussians) {
  Sequence sequence{{}, Adjacency::add_or_remove_one};
  for (const double noise : {8.0, 6.0, 5.0}) sequence.add(Gaussian{noise}, 3);
  const double one = 1 / std::sqrt(3 / 64.0 + 3 / 36.0 + 2 / 25.0);
  const Bound whole = dpbudget::make_accountant(AccountantName::exact, {Gaussian{one}, Adjacency::add_or_remove_one})
                          .value()
                          ->epsilon(1, 1e-6)
                          .value();
  for (const AccountantName name : {AccountantName::exact, AccountantName::best}) {
    const Bound found = make_accountant(name, sequence, 1e-6).value()->epsilon(8).value();
    EXPECT_NEAR(found.upper, whole.upper, 1e-9);
    EXPECT_NEAR(found.lower, whole.lower, 1e-9);
  }
  const Bound by_losses =
      make_accountant(AccountantName::loss_distribution, sequence, 1e-6).value()->epsilon(8).value();
  EXPECT_LE(by_losses.lower, whole.upper);
  EXPECT_GE(by_losses.upper, whole.lower);
  EXPECT_NEAR(by_losses.upper / whole.upper, 1, 2e-3);
}

// What knows (epsilon, delta)-DP randomisers is asked about sequences as about plans, and one member's limit is not
// that of all.
TEST(SequenceAccountant, PutsTogetherWhatTheBestOfOnePlanDoes) {
  Sequence shuffles{{}, Adjacency::replace_one};
  for (const double local_epsilon : {1.0, 0.5})
    shuffles.add(Shuffled{10, Event(ApproximateDp{local_epsilon, 1e-9})}, 2);
  Sequence tiny{{}, Adjacency::add_or_remove_one};
  tiny.add(DiscreteGaussian{1e-160});
  tiny.add(Laplace{1});
  for (const Sequence& sequence : {shuffles, tiny}) {
    const auto best = make_accountant(AccountantName::best, sequence, 0.1).value();
    for (std::uint64_t rounds = 1; rounds <= sequence.rounds(); ++rounds) {
      const Plan plan{sequence.first(rounds), sequence.adjacency};
      const Bound whole = dpbudget::make_accountant(AccountantName::best, plan).value()->epsilon(1, 0.1).value();
      const Bound found = best->epsilon(rounds).value();
      EXPECT_LE(found.lower, whole.upper);
      EXPECT_GE(found.upper, whole.lower);
      if (std::isinf(whole.upper)) continue;
      EXPECT_NEAR(found.upper, whole.upper, 1e-3 * whole.upper) << rounds;
      EXPECT_EQ(found.accountant, whole.accountant);
    }
  }
  EXPECT_LE(make_accountant(AccountantName::best, shuffles, 0.1).value()->epsilon(4).value().upper, 3);
}

TEST(SequenceAccountant, NamesTheTheoremsOfItsRounds) {
  const auto accountant = make_accountant(AccountantName::loss_distribution, decaying(3, 20, 0.9), 1e-5).value();
  const Bound found = accountant->epsilon(3).value();
  for (const char* part : {"Gaussian: Balle, Wang 2018, Theorem 8", "sampling without replacement: Dong, Roth, Su 2019",
                           "participation seen by the adversary"})
    EXPECT_NE(joined(found.theorems).find(part), std::string::npos) << part;
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes.front().find("no data sets attain"), std::string::npos);
}

TEST(SequenceAccountant, TakesManyEqualRounds) {
  Sequence sequence{{}, Adjacency::add_or_remove_one};
  sequence.add(PoissonSampled{Rate(0.01), Event(Gaussian{1})}, 1000000);
  const auto accountant = make_accountant(AccountantName::best, sequence, 1e-5).value();
  const Bound found = accountant->epsilon(10000).value();
  EXPECT_NEAR(found.upper, 6.1877123900, 1e-6);  // formulas.md 7.7
}

TEST(SequenceAccountant, GivesUpTheLowerEndOfWhatIsNotExact) {
  Sequence sequence = decaying(4, 20, 0.9);
  const Bound exact = make_accountant(AccountantName::best, sequence, 1e-5).value()->epsilon(4).value();
  sequence.is_exact = false;
  const Bound found = make_accountant(AccountantName::best, sequence, 1e-5).value()->epsilon(4).value();
  EXPECT_GT(exact.lower, 0);
  EXPECT_EQ(found.lower, 0);
  EXPECT_EQ(found.upper, exact.upper);
  EXPECT_EQ(found.notes.size(), exact.notes.size() + 1);
}

TEST(SequenceAccountant, AnswersInAnyOrderTheSame) {
  const auto upwards = make_accountant(AccountantName::loss_distribution, decaying(12, 20, 0.9), 1e-5).value();
  const auto downwards = make_accountant(AccountantName::loss_distribution, decaying(12, 20, 0.9), 1e-5).value();
  for (std::uint64_t rounds = 1; rounds <= 12; ++rounds) EXPECT_TRUE(upwards->epsilon(rounds).has_value());
  for (std::uint64_t rounds = 12; rounds > 0; --rounds) {
    const Bound found = downwards->epsilon(rounds).value();
    const Bound before = upwards->epsilon(rounds).value();
    EXPECT_NEAR(found.upper / before.upper, 1, 1e-4) << rounds;
    EXPECT_NEAR(found.lower / before.lower, 1, 1e-4) << rounds;
  }
}

// A mesh for all 300 leaves 8 % between the ends of the first round alone.
TEST(SequenceAccountant, IsAsNearOfAFewRoundsAsOfAll) {
  Sequence sequence{{}, Adjacency::add_or_remove_one};
  for (int r = 0; r < 300; ++r) sequence.add(PoissonSampled{Rate(0.02), Event(Gaussian{4 * std::pow(0.993, r)})});
  const auto accountant = make_accountant(AccountantName::loss_distribution, sequence, 1e-5).value();
  for (const std::uint64_t rounds : {1U, 4U, 30U, 300U}) {
    const Bound found = accountant->epsilon(rounds).value();
    EXPECT_LE(found.upper, found.lower * 1.005) << rounds;
  }
}

// Of every second round alone a mesh would be twice as coarse as it may be.
TEST(SequenceAccountant, ChoosesAMeshByRoundsOfEveryKind) {
  for (const std::uint64_t loud : {0U, 1U}) {
    Sequence sequence{{}, Adjacency::add_or_remove_one};
    for (std::uint64_t r = 0; r < 600; ++r)
      sequence.add(Gaussian{(r % 2 == loud ? 100 : 2000) + 1e-6 * static_cast<double>(r)});
    const auto accountant = make_accountant(AccountantName::loss_distribution, sequence, 1e-5).value();
    const Bound found = accountant->epsilon(600).value();
    EXPECT_LE(found.upper, found.lower * 1.005) << loud;
  }
}

TEST(SequenceAccountant, FindsHowFarABudgetReaches) {
  const Sequence sequence = decaying(12, 30, 0.9);
  const auto accountant = make_accountant(AccountantName::renyi, sequence, 1e-5).value();
  const double all = accountant->epsilon(12).value().upper;
  for (const double epsilon : {0.0, 0.3 * all, 0.9 * all}) {
    const auto other = make_accountant(AccountantName::renyi, sequence, 1e-5).value();
    for (const std::uint64_t start : {0U, 5U, 12U}) {
      const Reach found = reach(*other, 12, epsilon, start).value();
      EXPECT_FALSE(found.is_whole);
      EXPECT_LE(accountant->epsilon(found.rounds).value().upper, epsilon);
      EXPECT_GT(accountant->epsilon(found.rounds + 1).value().upper, epsilon);
      EXPECT_EQ(found.at_next.upper, accountant->epsilon(found.rounds + 1).value().upper);
    }
  }
  EXPECT_TRUE(reach(*accountant, 12, all).value().is_whole);
  EXPECT_EQ(reach(*accountant, 12, all).value().rounds, 12U);
}

RC_GTEST_PROP(SequenceAccountant, DoesNotFallAsRoundsAreAdded, ()) {
  const double first = *rc::gen::element(3.0, 10.0, 50.0);
  const double factor = *rc::gen::element(0.7, 0.99, 1.0, 1.05);
  const auto accountant = make_accountant(AccountantName::renyi, decaying(4, first, factor), 1e-5).value();
  const auto rounds = *rc::gen::inRange<std::uint64_t>(0, 4);
  RC_ASSERT(accountant->epsilon(rounds).value().upper <= accountant->epsilon(rounds + 1).value().upper * (1 + 1e-9));
}

TEST(SequenceAccountant, RefusesByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Sequence sequence = decaying(3, 20, 0.9);
  EXPECT_REFUSED("delta", make_accountant(AccountantName::best, sequence, nan).value());
  EXPECT_REFUSED("tolerance", make_accountant(AccountantName::best, sequence, 1e-5, 1.5).value());
  for (const AccountantName name :
       {AccountantName::renyi, AccountantName::loss_distribution, AccountantName::best, AccountantName::approximate})
    EXPECT_REFUSED("rounds", make_accountant(name, sequence, 1e-5).value()->epsilon(4).value());
  EXPECT_REFUSED("rounds",
                 make_accountant(AccountantName::renyi, decaying(3, 20, 1), 1e-5).value()->epsilon(4).value());
  EXPECT_REFUSED("there is no closed form", make_accountant(AccountantName::exact, sequence, 1e-5).value());
  EXPECT_REFUSED("noise_multiplier", make_accountant(AccountantName::renyi, decaying(3, -2, 0.9), 1e-5).value());
  const auto accountant = make_accountant(AccountantName::renyi, sequence, 1e-5).value();
  EXPECT_REFUSED("epsilon", reach(*accountant, 3, -1).value());
  EXPECT_REFUSED("start", reach(*accountant, 3, 1, 4).value());
}

}  // namespace
}  // namespace dpbudget::sequence
