#include "dpbudget/mechanisms/frequency_oracle.h"

#include <gtest/gtest.h>

#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::mechanisms {
namespace {

using Report = std::vector<std::uint32_t>;

TEST(Frequency, InvertsTheExpectedSupport) {
  const Support support{0.25, 0.5};
  EXPECT_DOUBLE_EQ(frequency(25, 100, support), 0);
  EXPECT_DOUBLE_EQ(frequency(75, 100, support), 1);
  EXPECT_DOUBLE_EQ(frequency(0, 100, support), -0.5);
}

TEST(Frequencies, CountEveryCategory) {
  const std::vector<Report> reports = {{0, 2}, {2}, {}, {1, 2}};
  const std::vector<double> estimates = frequencies(reports, 4, {0, 1});
  EXPECT_EQ(estimates, (std::vector<double>{0.25, 0.25, 0.75, 0}));
}

TEST(Frequencies, RefuseByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Support good{0.25, 0.5};
  EXPECT_REFUSED("reports", frequency(0, 0, good));
  EXPECT_REFUSED("supporting", frequency(5, 4, good));
  for (const double bad : {-0.1, 1.0, nan}) EXPECT_REFUSED("base", frequency(1, 4, {bad, 0.5}));
  for (const double bad : {0.0, -0.1, 1.5, nan}) EXPECT_REFUSED("gain", frequency(1, 4, {0.1, bad}));
  EXPECT_REFUSED("reports", frequencies({}, 4, good));
  EXPECT_REFUSED("value", frequencies(std::vector<Report>{{4}}, 4, good));
  EXPECT_REFUSED("categories", frequencies(std::vector<Report>{{0}}, 1, good));
  EXPECT_REFUSED("categories", frequencies(std::vector<Report>{{0}}, std::uint64_t{1} << 32, good));
  for (const double bad : {-1e-300, 700.1, nan}) EXPECT_REFUSED("epsilon", require_local_epsilon(bad));
}

}  // namespace
}  // namespace dpbudget::mechanisms
