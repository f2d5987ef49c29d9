// Shuffled frequency oracles against all of their data sets, by the definition alone.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>

#include "accounting/random_event.h"
#include "accounting/shuffle/finite_blankets.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/shuffle/clones/hidden_pair.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::shuffle {
namespace {

using testing::Channel;
using testing::log_uniform;

struct Oracle {
  Event event;
  Channel channel;
};

Oracle random_oracle(int least_categories = 2) {
  const double epsilon = log_uniform(0.05, 6);
  const auto k = static_cast<std::uint64_t>(*rc::gen::inRange(least_categories, 5));
  switch (*rc::gen::inRange(0, 4)) {
    case 0: {
      const SubsetSelection sets{epsilon, k, static_cast<std::uint64_t>(*rc::gen::inRange(0, static_cast<int>(k)))};
      return {sets, testing::channel_of(sets)};
    }
    case 1:
      return {Rappor{epsilon, std::min<std::uint64_t>(k, 3)},
              testing::rappor_channel(epsilon, std::min<std::uint64_t>(k, 3))};
    case 2:
      return {UnaryEncoding{epsilon, std::min<std::uint64_t>(k, 3)},
              testing::unary_channel(epsilon, std::min<std::uint64_t>(k, 3))};
    default:
      return {HadamardResponse{epsilon, k}, testing::hadamard_channel(epsilon, k)};
  }
}

double epsilon_of(const Event& event) { return randomizer_epsilon(event); }

// accounting/shuffle/blanket/proofs.md, 2.2 and 2.3; accounting/shuffle/proofs.md, 4.1 and 7.6
RC_GTEST_PROP(ShuffledOracles, EveryAccountantHoldsTheWorstDataSets, ()) {
  const auto [event, channel] = random_oracle();
  const int reports = *rc::gen::inRange(1, channel[0].size() > 4 ? 4 : 5);
  const double epsilon = *rc::gen::inRange(0, 10) * 0.1 * epsilon_of(event);
  const auto truth = static_cast<double>(testing::shuffled_delta(channel, reports, epsilon));
  const Plan plan{Shuffled{static_cast<std::uint64_t>(reports), Inner(event)}, Adjacency::replace_one};
  RC_LOG() << to_text(plan) << " at " << epsilon << ": " << truth;
  for (const AccountantName name :
       {AccountantName::exact, AccountantName::loss_distribution, AccountantName::renyi, AccountantName::approximate}) {
    const DeltaBound found = make_accountant(name, plan).value()->delta(1, epsilon).value();
    RC_LOG() << to_string(name) << ": " << found.bound.lower << " " << found.bound.upper;
    RC_ASSERT(found.bound.lower <= truth * (1 + 1e-12) + 1e-15);
    RC_ASSERT(found.bound.upper >= truth * (1 - 1e-12) - 1e-15);
  }
}

// Twice, the data being the same in both rounds. The lower end is that of such data.
TEST(ShuffledOracles, ComposeFromAboveAndBelow) {
  const auto expect_inside = [](const Event& event, const Channel& channel, int reports, double epsilon) {
    long double truth = 0;
    for (std::size_t z = 0; z < channel.size(); ++z)
      for (std::size_t x = 0; x < channel.size(); ++x)
        for (std::size_t other = 0; other < channel.size(); ++other) {
          testing::ShuffledLaw others{{testing::Counts(channel[0].size()), 1}};
          for (int i = 1; i < reports; ++i) others = testing::with_report(others, channel[z]);
          const testing::ShuffledLaw one = testing::with_report(others, channel[x]);
          const testing::ShuffledLaw two = testing::with_report(others, channel[other]);
          long double delta = 0;
          for (const auto& [first, p] : one)
            for (const auto& [second, q] : one)
              delta +=
                  std::max(0.0L, p * q - std::exp(static_cast<long double>(epsilon)) * two.at(first) * two.at(second));
          truth = std::max(truth, delta);
        }
    const Plan plan{Shuffled{static_cast<std::uint64_t>(reports), Inner(event)}, Adjacency::replace_one};
    const DeltaBound found =
        make_accountant(AccountantName::loss_distribution, plan, 1e-2).value()->delta(2, epsilon).value();
    EXPECT_LE(found.bound.lower, truth) << to_text(plan) << " at " << epsilon;
    EXPECT_GE(found.bound.upper, truth) << to_text(plan) << " at " << epsilon;
    EXPECT_GT(found.bound.lower, 0) << to_text(plan) << " at " << epsilon;
  };
  const SubsetSelection sets{1.0, 4, 2};
  for (const double epsilon : {0.0, 0.5}) {
    expect_inside(sets, testing::channel_of(sets), 2, epsilon);
    expect_inside(Rappor{1.5, 3}, testing::rappor_channel(1.5, 3), 2, epsilon);
    expect_inside(UnaryEncoding{1.0, 3}, testing::unary_channel(1, 3), 2, epsilon);
    expect_inside(HadamardResponse{2.0, 3}, testing::hadamard_channel(2, 3), 3, epsilon);
  }
}

// accounting/shuffle/proofs.md, 7.6
RC_GTEST_PROP(ShuffledOracles, ThirdValuesShowNoMoreThanTheWorstDataSets, ()) {
  const auto [event, channel] = random_oracle(3);
  const int reports = *rc::gen::inRange(1, channel[0].size() > 4 ? 4 : 5);
  const double epsilon = *rc::gen::inRange(0, 10) * 0.1 * epsilon_of(event);
  const auto pair = attained_third_value_pair({static_cast<std::uint64_t>(reports), Inner(event)});
  const auto truth = static_cast<double>(testing::shuffled_delta(channel, reports, epsilon));
  const double shown = std::exp(log_delta(pair.value(), epsilon).lower);
  RC_ASSERT(shown <= truth * (1 + 1e-12) + 1e-15);
  // One report is shown as it is.
  if (reports == 1) RC_ASSERT(shown >= truth * (1 - 1e-11));
}

// What the counts of reports for x alone and for x' alone show, where all others hold the third value of the proof.
RC_GTEST_PROP(ShuffledOracles, ThirdValuesShowTheirCounts, ()) {
  const auto [event, channel] = random_oracle(3);
  const int reports = *rc::gen::inRange(1, 5);
  const double epsilon = *rc::gen::inRange(0, 10) * 0.1 * epsilon_of(event);
  // Each report as one of x alone, x' alone, neither.
  Channel told(3, std::vector<long double>(3, 0));
  for (std::size_t y = 0; y < channel[0].size(); ++y) {
    const long double ratio = std::log(channel[0][y] / channel[1][y]);
    const std::size_t kind = std::abs(ratio) < 1e-9L ? 2 : ratio > 0 ? 0 : 1;
    for (std::size_t user = 0; user < 3; ++user) told[user][kind] += channel[user][y];
  }
  testing::ShuffledLaw others{{testing::Counts(3), 1}};
  for (int i = 1; i < reports; ++i) others = testing::with_report(others, told[2]);
  const auto truth = static_cast<double>(
      testing::delta_between(testing::with_report(others, told[0]), testing::with_report(others, told[1]), epsilon));
  const auto pair = attained_third_value_pair({static_cast<std::uint64_t>(reports), Inner(event)});
  const numeric::Bracket found = log_delta(pair.value(), epsilon);
  RC_LOG() << std::exp(found.lower) << " " << truth << " " << std::exp(found.upper);
  RC_ASSERT(std::exp(found.lower) <= truth * (1 + 1e-11) + 1e-15);
  RC_ASSERT(std::exp(found.upper) >= truth * (1 - 1e-11) - 1e-15);
}

// The blanket is what makes the answer, where it hides more than clones do.
TEST(ShuffledOracles, AreAnsweredByTheirOwnBlanket) {
  for (const char* text : {"shuffle(1000, subset_selection(2, 16))", "shuffle(1000, rappor(2, 16))",
                           "shuffle(1000, oue(2, 16))", "shuffle(1000, hadamard(2, 16))"}) {
    const Plan plan = parse_plan(text);
    const Bound found = make_accountant(AccountantName::best, plan).value()->epsilon(1, 1e-6).value();
    const Bound any =
        make_accountant(AccountantName::best, parse_plan("shuffle(1000, pure(2))")).value()->epsilon(1, 1e-6).value();
    EXPECT_LT(found.upper, 0.8 * any.upper) << text;
    EXPECT_GT(found.lower, 0.5 * found.upper) << text;
    EXPECT_EQ(found.guarantee, Guarantee::proven) << text;
  }
}

TEST(ShuffledOracles, OfSetsOfOneValueAreResponses) {
  const auto ends = [](const char* text) {
    const Bound found = make_accountant(AccountantName::exact, parse_plan(text)).value()->epsilon(1, 1e-5).value();
    return std::pair{found.lower, found.upper};
  };
  EXPECT_EQ(ends("shuffle(500, subset_selection(1, 2))"), ends("shuffle(500, rr(1))"));
  EXPECT_EQ(ends("shuffle(500, subset_selection(2, 5, 1))"), ends("shuffle(500, rr(2, 5))"));
}

TEST(ShuffledOracles, OfWideEpsilonsAreAnswered) {
  for (const char* local : {"subset_selection(1e-9, 5, 2)", "rappor(30, 5)", "oue(100, 5)", "hadamard(645, 1000)",
                            "oue(1000, 5)", "hadamard(0, 5)", "subset_selection(3, 9007199254740992)"}) {
    const Plan plan = parse_plan("shuffle(100, " + std::string(local) + ")");
    const Bound found = make_accountant(AccountantName::exact, plan).value()->epsilon(1, 1e-6).value();
    EXPECT_LE(found.lower, found.upper) << local;
    EXPECT_LE(found.upper, randomizer_epsilon(*std::get<Shuffled>(plan.event).inner)) << local;
  }
}

}  // namespace
}  // namespace dpbudget::shuffle
