#include "dpbudget/fl/data/naive_predictor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

FederatedData with_targets(const std::vector<double>& train, const std::vector<double>& test) {
  FederatedData data;
  data.train = {Matrix::Zero(static_cast<Eigen::Index>(train.size()), 1), {}, 0, train};
  data.test = {Matrix::Zero(static_cast<Eigen::Index>(test.size()), 1), {}, 0, test};
  return data;
}

TEST(NaivePredictor, IsTheMeanOfTheTrainingTargets) {
  EXPECT_DOUBLE_EQ(naive_squared_error(with_targets({1, 2, 6}, {3, 5})), 2);
  EXPECT_DOUBLE_EQ(naive_squared_error(with_targets({7}, {7, 7})), 0);
}

// Mean squared error = variance + squared bias, each computed otherwise.
RC_GTEST_PROP(NaivePredictor, ErrsByVarianceAndBias, ()) {
  const auto targets = [] {
    const auto whole = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000)));
    return std::vector<double>(whole.begin(), whole.end());
  };
  const std::vector<double> train = targets();
  const std::vector<double> test = targets();
  const auto moment = [](const std::vector<double>& values, int power) {
    double sum = 0;
    for (const double value : values) sum += std::pow(value, power);
    return sum / static_cast<double>(values.size());
  };
  const double bias = moment(test, 1) - moment(train, 1);
  const double variance = moment(test, 2) - moment(test, 1) * moment(test, 1);
  const double expected = variance + bias * bias;
  RC_ASSERT(std::abs(naive_squared_error(with_targets(train, test)) - expected) <= 1e-8 * (1 + expected));
}

TEST(NaivePredictor, IsWhatErrorsAreRelativeTo) {
  EXPECT_DOUBLE_EQ(relative_rmse(8, 2).value(), 2);
  EXPECT_DOUBLE_EQ(relative_rmse(0, 2).value(), 0);
  EXPECT_FALSE(relative_rmse(8, 0).has_value());
}

TEST(NaivePredictor, RefusesByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_REFUSED("targets", naive_squared_error(with_targets({}, {1})));
  EXPECT_REFUSED("targets", naive_squared_error(with_targets({1}, {})));
  EXPECT_REFUSED("targets", naive_squared_error(with_targets({0}, {1e200})));
  EXPECT_REFUSED("mean_squared_error", relative_rmse(-1, 2));
  EXPECT_REFUSED("mean_squared_error", relative_rmse(nan, 2));
  for (const double bad : {-1.0, nan, infinity}) EXPECT_REFUSED("naive", relative_rmse(1, bad));
}

}  // namespace
}  // namespace dpbudget::fl
