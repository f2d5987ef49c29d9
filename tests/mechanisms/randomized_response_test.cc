#include "dpbudget/mechanisms/randomized_response.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

TEST(RandomizedResponse, HasItsLaw) {
  for (const std::uint64_t categories : {2, 3, 10})
    for (const double epsilon : {0.0, 0.3, 1.0, 4.0})
      for (const std::uint64_t value : {std::uint64_t{0}, categories / 2, categories - 1}) {
        const double lie = 1 / (std::exp(epsilon) + static_cast<double>(categories) - 1);
        std::vector<double> law(categories, lie);
        law[value] = std::exp(epsilon) * lie;
        Stream drawing = stream_of(22, value);
        std::vector<std::uint64_t> counts(categories);
        for (int i = 0; i < 30000; ++i) ++counts.at(randomized_response(value, categories, epsilon, drawing));
        EXPECT_GT(goodness_of_fit(counts, law), 1e-6) << categories << ' ' << epsilon << ' ' << value;
      }
}

RC_GTEST_PROP(RandomizedResponse, IsAFunctionOfTheKey, (std::uint64_t step)) {
  const auto categories = *rc::gen::inRange<std::uint64_t>(2, std::uint64_t{1} << 53);
  const auto value = *rc::gen::inRange<std::uint64_t>(0, categories);
  Stream first = stream_of(22, step), second = stream_of(22, step);
  const std::uint64_t report = randomized_response(value, categories, 2, first);
  RC_ASSERT(report < categories);
  RC_ASSERT(report == randomized_response(value, categories, 2, second));
}

// Frequencies that the law itself has are found exactly.
TEST(RandomizedResponse, SupportInvertsTheLaw) {
  for (const double epsilon : {1e-12, 0.5, 3.0, 700.0})
    for (const std::uint64_t categories : {std::uint64_t{2}, std::uint64_t{100}, std::uint64_t{1} << 53}) {
      const Support support = randomized_response_support(categories, epsilon);
      const double others = static_cast<double>(categories) - 1;
      // Truth and lies: (base + gain) + (k - 1) base = 1, in the odds e^epsilon.
      EXPECT_NEAR(support.base * (others + 1) + support.gain, 1, 1e-15);
      EXPECT_NEAR(support.gain / support.base / std::expm1(epsilon), 1, 1e-15);
    }
}

TEST(RandomizedResponse, EstimatesFrequenciesWithoutBias) {
  const std::uint64_t users = 200000, categories = 4;
  const double epsilon = 1, share = 0.3;
  Stream drawing = stream_of(22, 9);
  std::uint64_t supporting = 0;
  for (std::uint64_t user = 0; user < users; ++user) {
    const std::uint64_t value = user < static_cast<std::uint64_t>(share * users) ? 2 : user % 2;
    supporting += randomized_response(value, categories, epsilon, drawing) == 2 ? 1 : 0;
  }
  const Support support = randomized_response_support(categories, epsilon);
  const double deviation = 0.5 / std::sqrt(users) / support.gain;  // at most
  EXPECT_LT(std::abs(frequency(supporting, users, support) - share), 5 * deviation);
}

TEST(RandomizedResponse, SaysWhichEventItIs) {
  EXPECT_EQ(randomized_response_event(5, 1.5), (RandomizedResponse{1.5, 5}));
}

TEST(RandomizedResponse, RefusesBeforeItDraws) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Stream drawing = stream_of(22, 0), untouched = stream_of(22, 0);
  EXPECT_REFUSED("value", randomized_response(3, 3, 1, drawing));
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 53) + 1}) {
    EXPECT_REFUSED("categories", randomized_response(0, bad, 1, drawing));
    EXPECT_REFUSED("categories", randomized_response_event(bad, 1));
    EXPECT_REFUSED("categories", randomized_response_support(bad, 1));
  }
  for (const double bad : {-0.1, 701.0, std::numeric_limits<double>::infinity(), nan}) {
    EXPECT_REFUSED("epsilon", randomized_response(0, 3, bad, drawing));
    EXPECT_REFUSED("epsilon", randomized_response_event(3, bad));
    EXPECT_REFUSED("epsilon", randomized_response_support(3, bad));
  }
  EXPECT_EQ(drawing(), untouched());
}

}  // namespace
}  // namespace dpbudget::mechanisms
