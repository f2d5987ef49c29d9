#include "dpbudget/mechanisms/gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::mechanisms {
namespace {

const StreamKey key{11, Purpose::noise, 2, 3, 4};
const double not_positive_and_finite[] = {0, -1, std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};

TEST(AddGaussianNoise, AddsTheStreamsNormalsTimesTheDeviation) {
  Eigen::VectorXd value = Eigen::VectorXd::LinSpaced(7, -3, 3);
  Stream stream(key), same(key);
  const GaussianNoise done = add_gaussian_noise(value, 2.5, stream);
  std::array<double, 7> draws;
  same.fill_normal(draws);
  double sum_of_squares = 0;
  for (Eigen::Index i = 0; i < 7; ++i) {
    const double draw = draws[static_cast<std::size_t>(i)];
    sum_of_squares += draw * draw;
    EXPECT_EQ(value(i), static_cast<double>(i) - 3 + 2.5 * draw);
  }
  EXPECT_EQ(done.noise_std, 2.5);
  EXPECT_EQ(done.coordinates, 7u);
  EXPECT_EQ(done.sum_of_squares, sum_of_squares);
}

// What a ledger's verification relies on: the noise in the value is what is reported.
TEST(AddGaussianNoise, ReportsTheNoiseThatIsInTheValue) {
  const Eigen::Index size = 100000;
  Eigen::VectorXd value = Eigen::VectorXd::Zero(size);
  Stream stream(key);
  const GaussianNoise done = add_gaussian_noise(value, 3, stream);
  EXPECT_NEAR(value.squaredNorm() / 9, done.sum_of_squares, 1e-9 * done.sum_of_squares);
  const boost::math::chi_squared law(static_cast<double>(size));
  EXPECT_GT(done.sum_of_squares, quantile(law, 1e-6));
  EXPECT_LT(done.sum_of_squares, quantile(complement(law, 1e-6)));
}

TEST(AddGaussianNoise, TakesSegmentsAndNothing) {
  Eigen::VectorXd value = Eigen::VectorXd::Zero(4);
  Stream stream(key);
  add_gaussian_noise(value.segment(1, 2), 1, stream);
  EXPECT_EQ(value(0), 0);
  EXPECT_NE(value(1), 0);
  EXPECT_NE(value(2), 0);
  EXPECT_EQ(value(3), 0);
  EXPECT_EQ(add_gaussian_noise(value.head(0), 1, stream).coordinates, 0u);
}

TEST(AddGaussianNoise, RefusesBeforeItDraws) {
  Eigen::VectorXd value = Eigen::VectorXd::Zero(4);
  for (const double noise_std : not_positive_and_finite) {
    Stream stream(key), untouched(key);
    EXPECT_REFUSED("noise_std", add_gaussian_noise(value, noise_std, stream));
    EXPECT_EQ(stream(), untouched());
    EXPECT_EQ(value.norm(), 0);
  }
}

TEST(GaussianEvent, MeasuresTheNoiseAgainstTheSensitivity) {
  EXPECT_EQ(event_of(GaussianNoise{6, 10, 9.5}, 1.5), Gaussian{4.0});
}

TEST(GaussianEvent, RefusesByName) {
  for (const double bad : not_positive_and_finite) {
    EXPECT_REFUSED("sensitivity", event_of(GaussianNoise{1, 1, 1}, bad));
    EXPECT_REFUSED("noise_std", event_of(GaussianNoise{bad, 1, 1}, 1));
  }
  EXPECT_REFUSED("noise_std", event_of(GaussianNoise{1e300, 1, 1}, 1e-300));
}

}  // namespace
}  // namespace dpbudget::mechanisms
