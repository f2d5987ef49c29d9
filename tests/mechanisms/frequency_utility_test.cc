#include "dpbudget/mechanisms/frequency_utility.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "accounting/shuffle/finite_blankets.h"
#include "dpbudget/mechanisms/rappor.h"
#include "dpbudget/mechanisms/subset_selection.h"
#include "mechanisms/refused.h"

namespace dpbudget::mechanisms {
namespace {

using dpbudget::testing::Channel;
using dpbudget::testing::log_uniform;

// The probabilities of every output that supports value 0, for who holds it and who holds 1.
template <class Supports>
void expect_support(const Event& event, const Channel& channel, const Supports& supports) {
  long double own = 0;
  long double base = 0;
  for (std::size_t y = 0; y < channel[0].size(); ++y) {
    if (!supports(y)) continue;
    own += channel[0][y];
    base += channel[1][y];
  }
  const Support found = support_of(event).value();
  RC_ASSERT(std::abs(found.base - base) < 1e-15L);
  RC_ASSERT(std::abs(found.gain - (own - base)) < 1e-15L);
}

RC_GTEST_PROP(FrequencyUtility, SupportsAreSumsOverOutputs, ()) {
  const double epsilon = log_uniform(1e-3, 10);
  const auto k = static_cast<std::uint64_t>(*rc::gen::inRange(2, 8));
  const auto has_bit = [](std::size_t y) { return (y & 1U) != 0; };
  expect_support(RandomizedResponse{epsilon, k}, dpbudget::testing::response_channel(epsilon, k),
                 [](std::size_t y) { return y == 0; });
  expect_support(Rappor{epsilon, k}, dpbudget::testing::rappor_channel(epsilon, k), has_bit);
  expect_support(UnaryEncoding{epsilon, k}, dpbudget::testing::unary_channel(epsilon, k), has_bit);
  // A set, or a column, supports what it is likelier for.
  const auto is_likelier = [](const Channel& channel) {
    return [&channel](std::size_t y) {
      long double least = 1;
      for (const auto& row : channel)
        for (const long double p : row) least = std::min(least, p);
      return channel[0][y] > least * 1.0001L;
    };
  };
  const Channel columns = dpbudget::testing::hadamard_channel(epsilon, k);
  expect_support(HadamardResponse{epsilon, k}, columns, is_likelier(columns));
  const SubsetSelection sets{epsilon, k, static_cast<std::uint64_t>(*rc::gen::inRange(0, static_cast<int>(k)))};
  const Channel subsets = dpbudget::testing::channel_of(sets);
  expect_support(sets, subsets, is_likelier(subsets));
  RC_ASSERT(!support_of(PureDp{epsilon}));
}

// Estimates from drawn reports: their variance is within five of its own standard deviations of the formula.
TEST(FrequencyUtility, VarianceIsThatOfDrawnReports) {
  const std::uint64_t users = 60;
  const int runs = 6000;
  const auto expect_variance = [&](const Event& event, auto&& report) {
    const Support support = support_of(event).value();
    Stream drawing({25, Purpose::local_randomness, 0, 0, 7});
    double sum = 0;
    double squares = 0;
    for (int run = 0; run < runs; ++run) {
      std::uint64_t supporting = 0;
      for (std::uint64_t user = 0; user < users; ++user)
        for (const std::uint32_t category : report(user % 3 == 0 ? 0U : 1U, drawing)) supporting += category == 0;
      const double estimate = frequency(supporting, users, support);
      sum += estimate;
      squares += estimate * estimate;
    }
    const double mean = sum / runs;
    const double variance = squares / runs - mean * mean;
    const double truth = frequency_variance(support, users, 1.0 / 3);
    EXPECT_NEAR(mean, 1.0 / 3, 5 * std::sqrt(truth / runs));
    EXPECT_NEAR(variance, truth, 5 * truth * std::sqrt(2.0 / runs));
  };
  expect_variance(Rappor{1.0, 4}, [](std::uint32_t value, Stream& stream) { return rappor(value, 4, 1, stream); });
  expect_variance(SubsetSelection{1.0, 6, 2},
                  [](std::uint32_t value, Stream& stream) { return subset_selection(value, 6, 2, 1, stream); });
}

// The closed forms of the papers, of an item that nobody holds.
TEST(FrequencyUtility, HasThePublishedVariances) {
  const double e = 1.5;
  const double s = std::exp(e);
  const auto of = [](const Event& event) { return frequency_variance(support_of(event).value(), 100, 0); };
  EXPECT_NEAR(of(UnaryEncoding{e, 9}), 4 * s / ((s - 1) * (s - 1)) / 100, 1e-15);
  EXPECT_NEAR(of(RandomizedResponse{e, 9}), (s + 7) / ((s - 1) * (s - 1)) / 100, 1e-15);
  EXPECT_NEAR(of(Rappor{e, 9}), std::exp(e / 2) / std::pow(std::exp(e / 2) - 1, 2) / 100, 1e-15);
  EXPECT_NEAR(of(HadamardResponse{e, 9}), std::pow((s + 1) / (s - 1), 2) / 100, 1e-15);
  EXPECT_EQ(of(UnaryEncoding{0.0, 9}), std::numeric_limits<double>::infinity());
}

TEST(FrequencyUtility, RefusesWhatIsOutOfRange) {
  for (const double bad : {701.0, 1e6}) {
    EXPECT_REFUSED("epsilon", support_of(UnaryEncoding{bad, 4}));
    EXPECT_REFUSED("epsilon", support_of(HadamardResponse{bad, 4}));
    EXPECT_REFUSED("epsilon", support_of(Rappor{bad, 4}));
  }
  EXPECT_REFUSED("categories", support_of(SubsetSelection{1.0, std::uint64_t{1} << 32, 1}));
  EXPECT_REFUSED("reports", frequency_variance({0.5, 0.1}, 0, 0));
  for (const double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_REFUSED("held", frequency_variance({0.5, 0.1}, 10, bad));
}

}  // namespace
}  // namespace dpbudget::mechanisms
