#include "dpbudget/mechanisms/binomial_encoder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "dpbudget/mechanisms/bernoulli.h"
#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

// P(ones) of one report, by convolution of the coin of the fraction with the binomial.
std::vector<double> law(double whole, double fraction, const BinomialEncoder& encoder) {
  const boost::math::binomial noise(static_cast<double>(encoder.noise_bits), encoder.probability);
  std::vector<double> probabilities(encoder.granularity + encoder.noise_bits + 1);
  for (std::uint64_t k = 0; k <= encoder.noise_bits; ++k) {
    const double mass = pdf(noise, static_cast<double>(k));
    probabilities[k + static_cast<std::uint64_t>(whole)] += (1 - fraction) * mass;
    if (fraction > 0) probabilities[k + static_cast<std::uint64_t>(whole) + 1] += fraction * mass;
  }
  return probabilities;
}

TEST(BinomialEncoder, ReportsHaveTheirLaw) {
  const BinomialEncoder encoder{-2, 2, 8, 20, 0.3};  // steps of 1/2
  for (const auto& [value, whole, fraction] :
       {std::tuple{-2.0, 0.0, 0.0}, {-1.9, 0.0, 0.2}, {0.0, 4.0, 0.0}, {0.65, 5.0, 0.3}, {2.0, 8.0, 0.0}}) {
    Stream drawing = stream_of(27, 1);
    std::vector<std::uint64_t> counts(29);
    for (int i = 0; i < 50000; ++i) {
      const Bits report = encode(value, encoder, drawing);
      EXPECT_EQ(report.total, 28u);
      ++counts.at(report.ones);
    }
    EXPECT_GT(goodness_of_fit(counts, law(whole, fraction, encoder)), 1e-6) << value;
  }
}

// Expectation and variance by the law of a report instead of draws.
TEST(BinomialEncoder, EstimateIsUnbiasedWithItsVariance) {
  const BinomialEncoder encoder{-1, 3, 5, 30, 0.2};
  const double step = 0.8;
  for (const double value : {-1.0, -0.7, 0.1, 1.234, 2.9, 3.0}) {
    const double exact = (value + 1) / step;
    const std::vector<double> probabilities = law(std::floor(exact), exact - std::floor(exact), encoder);
    double mean = 0, squares = 0;
    for (std::size_t ones = 0; ones < probabilities.size(); ++ones) {
      const double estimate = decode({ones, 35}, encoder);
      mean += probabilities[ones] * estimate;
      squares += probabilities[ones] * (estimate - value) * (estimate - value);
    }
    EXPECT_NEAR(mean, value, 1e-13);
    EXPECT_NEAR(squares, report_variance(value, encoder), 1e-12);
  }
}

// P_vec by simulation: 5 standard deviations of the mean, and of the variance of a nearly normal sum, 6e-7 each.
TEST(BinomialEncoder, SumsVectorsWithoutBias) {
  const BinomialEncoder encoder{-1.5, 1.5, 7, 100, 0.25};
  const int users = 20, runs = 3000;
  Eigen::MatrixXd values(3, users);
  for (int user = 0; user < users; ++user)
    values.col(user) = Eigen::Vector3d(std::sin(user), 1.5 * std::cos(user), user % 2 == 0 ? -1.5 : 1.5);
  Eigen::Vector3d variance = Eigen::Vector3d::Zero(), sums = variance, squares = variance;
  for (int user = 0; user < users; ++user)
    for (int j = 0; j < 3; ++j) variance(j) += report_variance(values(j, user), encoder);
  Stream drawing = stream_of(27, 3);
  for (int run = 0; run < runs; ++run) {
    std::vector<Bits> shuffled(3);
    for (int user = 0; user < users; ++user) {
      const std::vector<Bits> report = encode(values.col(user), encoder, drawing);
      for (std::size_t j = 0; j < 3; ++j) shuffled[j] += report.at(j);
    }
    for (int j = 0; j < 3; ++j) {
      const double error = decode(shuffled[static_cast<std::size_t>(j)], encoder) - values.row(j).sum();
      sums(j) += error;
      squares(j) += error * error;
    }
  }
  for (int j = 0; j < 3; ++j) {
    EXPECT_LT(std::abs(sums(j)) / std::sqrt(runs * variance(j)), 5) << j;
    EXPECT_LT(std::abs(squares(j) / variance(j) - runs) / std::sqrt(2.0 * runs), 5) << j;
  }
}

RC_GTEST_PROP(BinomialEncoder, OnesStayWithinTheBits, (std::uint64_t step)) {
  const double lower = std::ldexp(*rc::gen::inRange(-1000000, 1000000), *rc::gen::inRange(-900, 900));
  const double upper = lower + std::abs(lower) * *rc::gen::inRange(1, 1000) / 77.0 + 1e-280;
  const auto granularity = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 52);
  const BinomialEncoder encoder{lower, upper, granularity, 3, 1e-9};
  Stream drawing = stream_of(27, step), same = stream_of(27, step);
  const Bits top = encode(upper, encoder, drawing);
  RC_ASSERT(top.ones >= granularity);
  RC_ASSERT(top.ones <= top.total);
  RC_ASSERT(encode(upper, encoder, same) == top);
  const Bits bottom = encode(lower, encoder, drawing);
  RC_ASSERT(bottom.ones <= 3u);
}

// What leaves is what the value was rounded to and the noise that its stream alone gives.
RC_GTEST_PROP(BinomialEncoder, NoiseIsDrawnAgainWithoutTheValue, (std::uint64_t step)) {
  const BinomialEncoder encoder{-1.5, 2, *rc::gen::inRange<std::uint64_t>(1, 1000),
                                *rc::gen::inRange<std::uint64_t>(1, 500), 0.25};
  Eigen::VectorXd value(3);
  for (double& coordinate : value) coordinate = *rc::gen::inRange(-1500, 2001) / 1000.0;
  Stream rounding = stream_of(27, step), noise = stream_of(27, step + 1), same_rounding = rounding, same_noise = noise;
  const std::vector<Bits> report = encode(value, encoder, rounding, noise);
  const std::vector<std::uint64_t> own = rounded(value, encoder, same_rounding);
  for (std::size_t j = 0; j < 3; ++j) {
    const std::uint64_t ones = binomial(encoder.noise_bits, encoder.probability, same_noise);
    RC_ASSERT(report[j].ones == own[j] + ones);
    RC_ASSERT(report[j].total == encoder.granularity + encoder.noise_bits);
    const double exact = (value(static_cast<Eigen::Index>(j)) + 1.5) / 3.5 * static_cast<double>(encoder.granularity);
    RC_ASSERT(std::abs(static_cast<double>(own[j]) - exact) < 1 + 1e-9);
    const double decoded = -1.5 + 3.5 / static_cast<double>(encoder.granularity) * static_cast<double>(own[j]);
    RC_ASSERT(std::abs(decode(report[j], encoder) - decoded - noise_of(ones, 1, encoder)) <= 1e-12);
  }
  // With one stream for both it is what it was.
  Stream both = stream_of(27, step), same = stream_of(27, step);
  RC_ASSERT(encode(value, encoder, both) == encode(value, encoder, same, same));
}

// The largest difference of floors and ceilings over all pairs at the distance, on a grid finer than the steps.
TEST(BinomialEncoder, ShiftIsTheLargestThatHappens) {
  const BinomialEncoder encoder{0, 1, 8, 1, 0.5};
  const int grid = 128;
  for (int distance = 0; distance <= grid; ++distance) {
    double largest = 0;
    for (int low = 0; low + distance <= grid; ++low)
      largest = std::max(largest, std::ceil((low + distance) * 8.0 / grid) - std::floor(low * 8.0 / grid));
    const std::uint64_t shift = largest_shift(static_cast<double>(distance) / grid, encoder);
    EXPECT_GE(static_cast<double>(shift), largest) << distance;
    EXPECT_LE(static_cast<double>(shift), largest + 1) << distance;
    EXPECT_LE(shift, 8u);
  }
}

TEST(BinomialEncoder, RefusesBeforeItDraws) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const BinomialEncoder good{-1, 1, 8, 20, 0.3};
  Stream drawing = stream_of(27, 0), untouched = stream_of(27, 0);
  const auto refused = [&](const char* name, const BinomialEncoder& bad) {
    EXPECT_REFUSED(name, encode(0, bad, drawing));
    EXPECT_REFUSED(name, encode(Eigen::VectorXd::Zero(2), bad, drawing));
    EXPECT_REFUSED(name, encode(Eigen::VectorXd::Zero(2), bad, drawing, drawing));
    EXPECT_REFUSED(name, rounded(Eigen::VectorXd::Zero(2), bad, drawing));
    EXPECT_REFUSED(name, noise_of(0, 1, bad));
    EXPECT_REFUSED(name, decode({0, 0}, bad));
    EXPECT_REFUSED(name, report_variance(0, bad));
    EXPECT_REFUSED(name, largest_shift(0, bad));
  };
  for (const double bad : {nan, infinity, -infinity, -1e291}) refused("lower", {bad, 1, 8, 20, 0.3});
  for (const double bad : {nan, infinity, 1e291, -1.0, -2.0}) refused("upper", {-1, bad, 8, 20, 0.3});
  const std::uint64_t most = std::uint64_t{1} << 53;
  for (const std::uint64_t bad : {std::uint64_t{0}, most + 1}) refused("granularity", {-1, 1, bad, 20, 0.3});
  for (const std::uint64_t bad : {std::uint64_t{0}, most - 7}) refused("noise_bits", {-1, 1, 8, bad, 0.3});
  for (const double bad : {nan, 0.0, 1.0, -0.5}) refused("probability", {-1, 1, 8, 20, bad});
  for (const double bad : {nan, infinity, -1.1, 1.1}) {
    EXPECT_REFUSED("value", encode(bad, good, drawing));
    EXPECT_REFUSED("value", encode(Eigen::Vector2d(0, bad), good, drawing));
    EXPECT_REFUSED("value", encode(Eigen::Vector2d(0, bad), good, drawing, drawing));
    EXPECT_REFUSED("value", rounded(Eigen::Vector2d(0, bad), good, drawing));
    EXPECT_REFUSED("value", report_variance(bad, good));
  }
  for (const double bad : {nan, -0.1, 2.1}) EXPECT_REFUSED("distance", largest_shift(bad, good));
  EXPECT_REFUSED("total", decode({0, 27}, good));
  EXPECT_REFUSED("total", decode({0, 28 * (most / 28 + 1)}, good));
  EXPECT_REFUSED("ones", decode({29, 28}, good));
  EXPECT_EQ(drawing(), untouched());
}

}  // namespace
}  // namespace dpbudget::mechanisms
