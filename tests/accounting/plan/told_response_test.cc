#include "dpbudget/accounting/plan/told_response.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "accounting/shuffle/finite_blankets.h"

namespace dpbudget {
namespace {

using testing::Channel;
using testing::log_uniform;

// Of every two values, every output one by one.
void expect_told(const ToldResponse& found, const Channel& channel) {
  const long double odds = std::exp(static_cast<long double>(found.epsilon));
  for (std::size_t x = 0; x < channel.size(); ++x)
    for (std::size_t other = 0; other < channel.size(); ++other) {
      if (x == other) continue;
      long double towards = 0;
      long double against = 0;
      long double none = 0;
      for (std::size_t y = 0; y < channel[x].size(); ++y) {
        const long double ratio = std::log(channel[x][y] / channel[other][y]);
        (std::abs(ratio) < 1e-9L ? none : ratio > 0 ? towards : against) += channel[x][y];
        RC_ASSERT(std::abs(ratio) < 1e-9L || std::abs(std::abs(ratio) - found.epsilon) < 1e-12L);
      }
      RC_ASSERT(std::abs(towards - found.told * odds / (1 + odds)) < 1e-15L);
      RC_ASSERT(std::abs(against - found.told / (1 + odds)) < 1e-15L);
      RC_ASSERT(std::abs(none - found.untold) < 1e-15L);
    }
}

// accounting/plan/proofs.md, 7.1
RC_GTEST_PROP(ToldResponse, IsThatOfEveryOutputOfEveryTwoValues, ()) {
  const double epsilon = log_uniform(1e-3, 10);
  const auto k = static_cast<std::uint64_t>(*rc::gen::inRange(2, 9));
  const auto subset = static_cast<std::uint64_t>(*rc::gen::inRange(0, static_cast<int>(k)));
  expect_told(told_response(RandomizedResponse{epsilon, k}), testing::response_channel(epsilon, k));
  const SubsetSelection sets{epsilon, k, subset};
  expect_told(told_response(sets), testing::channel_of(sets));
  expect_told(told_response(Rappor{epsilon, k}), testing::rappor_channel(epsilon, k));
  expect_told(told_response(UnaryEncoding{epsilon, k}), testing::unary_channel(epsilon, k));
  expect_told(told_response(HadamardResponse{epsilon, k}), testing::hadamard_channel(epsilon, k));
}

TEST(ToldResponse, KeepsItsDigitsAtTheEnds) {
  const std::uint64_t most = std::uint64_t{1} << 53;
  for (const double epsilon : {0.0, 1e-300, 1e-9, 1.0, 50.0, 700.0, 1e4})
    for (const std::uint64_t k : {std::uint64_t{2}, std::uint64_t{3}, most})
      for (const Event& event :
           {Event(SubsetSelection{epsilon, k}), Event(SubsetSelection{epsilon, k, k - 1}), Event(Rappor{epsilon, k}),
            Event(UnaryEncoding{epsilon, k}), Event(HadamardResponse{epsilon, k})}) {
        const auto found = oracle_response(event);
        ASSERT_TRUE(found);
        EXPECT_TRUE(0 < found->told && found->told <= 1) << epsilon << ' ' << k;
        EXPECT_NEAR(found->told + found->untold, 1, 4 * told_error) << epsilon << ' ' << k;
      }
  EXPECT_EQ(told_response(SubsetSelection{1.0, 2}).untold, 0);  // binary randomised response
  EXPECT_FALSE(oracle_response(RandomizedResponse{1.0, 3}));
}

TEST(ToldResponse, TakesTheSizeOfBestAccuracy) {
  EXPECT_EQ(subset_size({1.0, 16}), 4U);
  EXPECT_EQ(subset_size({1.0, 16, 7}), 7U);
  EXPECT_EQ(subset_size({1000.0, 1000}), 1U);
  EXPECT_EQ(subset_size({0.0, 9}), 5U);
  EXPECT_EQ(subset_size({0.0, 2}), 1U);
}

TEST(ToldResponse, HasRowsForEveryValue) {
  EXPECT_EQ(hadamard_order(2), 4U);
  EXPECT_EQ(hadamard_order(3), 4U);
  EXPECT_EQ(hadamard_order(4), 8U);
  EXPECT_EQ(hadamard_order(std::uint64_t{1} << 53), std::uint64_t{1} << 54);
}

}  // namespace
}  // namespace dpbudget
