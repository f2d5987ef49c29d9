#include "dpbudget/mechanisms/rappor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

// The law of all bits together: each pattern's probability is a product.
TEST(Rappor, HasItsLaw) {
  for (const std::uint32_t categories : {2u, 5u})
    for (const double epsilon : {0.0, 1.0, 4.0})
      for (std::uint32_t value = 0; value < categories; ++value) {
        const double flip = 1 / (1 + std::exp(epsilon / 2));
        std::vector<double> law;
        for (std::uint32_t pattern = 0; pattern < (1u << categories); ++pattern) {
          const int flips = __builtin_popcount(pattern ^ (1u << value));
          law.push_back(std::pow(flip, flips) * std::pow(1 - flip, static_cast<int>(categories) - flips));
        }
        Stream drawing = stream_of(25, value);
        std::vector<std::uint64_t> counts(law.size());
        for (int i = 0; i < 20000; ++i) {
          std::uint32_t pattern = 0;
          for (const std::uint32_t category : rappor(value, categories, epsilon, drawing)) pattern |= 1u << category;
          ++counts.at(pattern);
        }
        EXPECT_GT(goodness_of_fit(counts, law), 1e-6) << categories << ' ' << epsilon << ' ' << value;
      }
}

TEST(Rappor, SupportIsThatOfABit) {
  for (const double epsilon : {0.0, 0.5, 10.0, 700.0}) {
    const Support support = rappor_support(epsilon);
    EXPECT_DOUBLE_EQ(support.base, std::exp(-epsilon / 2) / (1 + std::exp(-epsilon / 2)));
    EXPECT_DOUBLE_EQ(support.gain, std::tanh(epsilon / 4));
  }
  EXPECT_DOUBLE_EQ(rappor_support(1e-12).gain, 2.5e-13);
}

TEST(Rappor, EstimatesFrequenciesWithoutBias) {
  const std::uint64_t users = 40000, categories = 4;
  const std::vector<double> shares = {0.5, 0.25, 0.25, 0};
  Stream drawing = stream_of(25, 99);
  std::vector<std::vector<std::uint32_t>> reports;
  for (std::uint64_t user = 0; user < users; ++user)
    reports.push_back(rappor(user % 4 < 2 ? 0 : user % 4 - 1, categories, 1, drawing));
  const Support support = rappor_support(1);
  const std::vector<double> estimates = frequencies(reports, categories, support);
  const double deviation = 0.5 / std::sqrt(users) / support.gain;  // at most
  for (std::size_t i = 0; i < categories; ++i) EXPECT_LT(std::abs(estimates[i] - shares[i]), 5 * deviation) << i;
}

RC_GTEST_PROP(Rappor, IsAFunctionOfTheKey, (std::uint64_t step)) {
  Stream first = stream_of(25, step), second = stream_of(25, step);
  RC_ASSERT(rappor(3, 40, 1.5, first) == rappor(3, 40, 1.5, second));
}

TEST(Rappor, SaysWhichEventItIs) { EXPECT_EQ(rappor_event(7, 1.5), (Rappor{1.5, 7})); }

TEST(Rappor, RefusesBeforeItDraws) {
  Stream drawing = stream_of(25, 0), untouched = stream_of(25, 0);
  EXPECT_REFUSED("value", rappor(5, 5, 1, drawing));
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32})
    EXPECT_REFUSED("categories", rappor(0, bad, 1, drawing));
  for (const double bad : {-0.1, 701.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_REFUSED("epsilon", rappor(0, 5, bad, drawing));
    EXPECT_REFUSED("epsilon", rappor_event(5, bad));
    EXPECT_REFUSED("epsilon", rappor_support(bad));
  }
  EXPECT_EQ(drawing(), untouched());
}

}  // namespace
}  // namespace dpbudget::mechanisms
