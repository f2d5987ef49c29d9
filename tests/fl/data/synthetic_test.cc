#include "dpbudget/fl/data/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

Matrix inputs_of(const FederatedData& data, std::size_t user) {
  return data.train.features(data.clients[user], Eigen::all);
}

// Mean over coordinates and users of the squared user means of the inputs: beta + 1 + variance of a mean.
double input_mean_spread(const FederatedData& data) {
  double sum = 0;
  for (std::size_t user = 0; user < data.clients.size(); ++user)
    sum += inputs_of(data, user).colwise().mean().squaredNorm();
  return sum / static_cast<double>(data.clients.size() * synthetic_features);
}

TEST(Synthetic, HasTheSizesItPromises) {
  const FederatedData data = synthetic({.alpha = 1, .beta = 1, .users = 7, .records_per_user = 33, .seed = 1});
  EXPECT_NO_THROW(check(data));
  EXPECT_EQ(data.train.records(), 7u * 26);
  EXPECT_EQ(data.test.records(), 7u * 7);
  EXPECT_EQ(data.train.features.cols(), 40);
  EXPECT_EQ(data.train.classes, 10);
  ASSERT_EQ(data.clients.size(), 7u);
  for (const auto& rows : data.clients) EXPECT_EQ(rows.size(), 26u);
}

TEST(Synthetic, IsAFunctionOfItsParameters) {
  const Synthetic parameters{.alpha = 1, .beta = 2, .users = 3, .records_per_user = 50, .seed = 4};
  EXPECT_EQ(fingerprint(synthetic(parameters)), fingerprint(synthetic(parameters)));
  Synthetic other = parameters;
  other.seed = 5;
  EXPECT_NE(fingerprint(synthetic(other)), fingerprint(synthetic(parameters)));
}

TEST(Synthetic, MoreUsersLeaveTheFirstAsTheyWere) {
  const FederatedData few = synthetic({.alpha = 1, .beta = 1, .users = 2, .records_per_user = 50, .seed = 9});
  const FederatedData many = synthetic({.alpha = 1, .beta = 1, .users = 5, .records_per_user = 50, .seed = 9});
  EXPECT_EQ(few.train.features, many.train.features.topRows(80));
  EXPECT_EQ(few.test.features, many.test.features.topRows(20));
  EXPECT_TRUE(std::equal(few.train.labels.begin(), few.train.labels.end(), many.train.labels.begin()));
  EXPECT_NE(inputs_of(many, 3), inputs_of(many, 4));
}

TEST(Synthetic, InputsHaveVarianceFallingAsPublished) {
  const FederatedData data = synthetic({.alpha = 0, .beta = 0, .users = 2, .records_per_user = 25000, .seed = 3});
  for (std::size_t user = 0; user < 2; ++user) {
    const Matrix inputs = inputs_of(data, user);
    const Matrix centred = inputs.rowwise() - inputs.colwise().mean();
    for (Eigen::Index j = 0; j < 40; ++j) {
      // 20000 draws: a relative deviation of 6 % is 6 standard deviations.
      const double variance = centred.col(j).squaredNorm() / static_cast<double>(inputs.rows());
      EXPECT_NEAR(variance * std::pow(static_cast<double>(j + 1), 1.2), 1, 0.06) << j;
    }
    const double correlation = centred.col(0).dot(centred.col(1)) / centred.col(0).norm() / centred.col(1).norm();
    EXPECT_LT(std::abs(correlation), 6 / std::sqrt(20000.0));
  }
}

// 100 users x 40 coordinates: mean squares have a relative standard deviation of sqrt(2 / 4000) = 2.2 %.
TEST(Synthetic, InputMeansSpreadWithBetaAsAVariance) {
  for (const double beta : {0.0, 1.0, 5.0}) {
    const FederatedData data = synthetic({.alpha = 0, .beta = beta, .users = 100, .records_per_user = 50, .seed = 6});
    double within = 0;
    for (int j = 1; j <= 40; ++j) within += std::pow(j, -1.2) / 40 / 40;  // over 40 training records and 40 coordinates
    EXPECT_NEAR(input_mean_spread(data) / (beta + 1 + within), 1, 0.12) << beta;
  }
}

// With larger beta a user's inputs are further out, and its labels more one-sided.
TEST(Synthetic, LabelsGrowApartWithBeta) {
  const auto commonest_share = [](double beta) {
    const FederatedData data = synthetic({.alpha = 0, .beta = beta, .users = 60, .records_per_user = 250, .seed = 8});
    double share = 0;
    for (const auto& rows : data.clients) {
      std::vector<int> counts(10);
      for (const std::uint32_t row : rows) ++counts[static_cast<std::size_t>(data.train.labels[row])];
      share += *std::ranges::max_element(counts) / static_cast<double>(rows.size());
    }
    return share / static_cast<double>(data.clients.size());
  };
  EXPECT_GT(commonest_share(5), commonest_share(0) + 0.02);
}

// 60 users x 410 or 40 entries: sums of squares are chi-squared.
TEST(SyntheticUser, EntriesHaveTheVariancesAsPublished) {
  const auto expect_variance = [](double sum_of_squares, double entries, double variance) {
    const boost::math::chi_squared law(entries);
    EXPECT_GT(sum_of_squares / variance, quantile(law, 1e-6));
    EXPECT_LT(sum_of_squares / variance, quantile(complement(law, 1e-6)));
  };
  for (const double alpha : {0.0, 5.0})
    for (const double beta : {0.0, 3.0}) {
      double weights = 0, biases = 0, inputs = 0;
      for (std::uint64_t user = 0; user < 60; ++user) {
        const SyntheticUser drawn = synthetic_user({.alpha = alpha, .beta = beta, .seed = 2}, user);
        weights += drawn.weights.squaredNorm();
        biases += drawn.bias.squaredNorm();
        inputs += drawn.input_mean.squaredNorm();
      }
      expect_variance(weights, 60 * 400, 1 + alpha);
      expect_variance(biases, 60 * 10, 1 + alpha);
      expect_variance(inputs, 60 * 40, 1 + beta);
    }
}

// Labels that differ from the user's own model are the changed ones: binomial in number, uniform in kind.
TEST(Synthetic, ChangesOneTrueLabelInTwenty) {
  const Synthetic parameters{.alpha = 1, .beta = 1, .users = 50, .records_per_user = 1000, .seed = 10};
  const FederatedData data = synthetic(parameters);
  std::vector<double> shifts(10);
  for (std::uint64_t user = 0; user < parameters.users; ++user) {
    const SyntheticUser truth = synthetic_user(parameters, user);
    for (const std::uint32_t row : data.clients[user]) {
      Eigen::Index label = 0;
      (data.train.features.row(row) * truth.weights.transpose() + truth.bias).maxCoeff(&label);
      ++shifts[static_cast<std::size_t>(data.train.labels[row] - label + 10) % 10];
    }
  }
  const auto records = static_cast<double>(data.train.records());
  const double changed = records - shifts[0];
  const boost::math::binomial law(records, synthetic_label_noise);
  EXPECT_GT(changed, quantile(law, 1e-6));
  EXPECT_LT(changed, quantile(complement(law, 1e-6)));
  for (std::size_t shift = 1; shift < 10; ++shift)
    EXPECT_NEAR(shifts[shift], changed / 9, 6 * std::sqrt(changed / 9)) << shift;
}

// Whose a record is shows in its inputs: a user's train and test means agree, those of two users do not.
TEST(Synthetic, TestRecordsBelongToTheirUsers) {
  for (const SyntheticSizes sizes : {SyntheticSizes::equal, SyntheticSizes::power_law}) {
    const FederatedData data =
        synthetic({.alpha = 0, .beta = 1, .users = 30, .records_per_user = 100, .seed = 2, .sizes = sizes});
    EXPECT_NO_THROW(check(data));
    ASSERT_EQ(data.test_clients.size(), 30u);
    std::size_t tested = 0;
    for (std::size_t user = 0; user < 30; ++user) {
      const auto mean_of_test = [&](std::size_t other) {
        return data.test.features(data.test_clients[other], Eigen::all).colwise().mean().eval();
      };
      const Eigen::RowVectorXd mean = inputs_of(data, user).colwise().mean();
      EXPECT_LT((mean - mean_of_test(user)).norm(), 2);
      EXPECT_GT((mean - mean_of_test((user + 1) % 30)).norm(), 4);
      const std::size_t size = data.clients[user].size() + data.test_clients[user].size();
      EXPECT_EQ(data.clients[user].size(), size * 4 / 5);
      tested += data.test_clients[user].size();
    }
    EXPECT_EQ(tested, data.test.records());
  }
}

// Logarithms of the sizes beyond 50, once large enough for the rounding down not to matter, are N(4, 2^2) tails.
TEST(Synthetic, PowerLawSizesAreThePublishedLognormalOnes) {
  const FederatedData data = synthetic({.users = 400, .seed = 5, .sizes = SyntheticSizes::power_law});
  std::vector<double> sizes;
  for (std::size_t user = 0; user < 400; ++user)
    sizes.push_back(static_cast<double>(data.clients[user].size() + data.test_clients[user].size()));
  EXPECT_GE(*std::ranges::min_element(sizes), 50);
  // P(exp(4 + 2 Z) >= e^(4 + 2 z)) at z = -1, 0, 1, 2.
  for (const auto& [z, tail] : {std::pair(-1.0, 0.841345), {0.0, 0.5}, {1.0, 0.158655}, {2.0, 0.02275}}) {
    const double bound = 50 + std::floor(std::exp(4 + 2 * z));
    const auto above = static_cast<double>(std::ranges::count_if(sizes, [&](double size) { return size > bound; }));
    // "Above" loses the interval up to the next integer, less than 0.1 of a density of 0.4 / 2 per unit of logarithm.
    EXPECT_NEAR(above / 400, tail, 6 * std::sqrt(tail * (1 - tail) / 400) + 0.02) << z;
  }
}

TEST(Synthetic, PowerLawUsersAreThoseOfEqualSizes) {
  const Synthetic equal{.alpha = 1, .beta = 1, .users = 3, .records_per_user = 50, .seed = 4};
  Synthetic power_law = equal;
  power_law.sizes = SyntheticSizes::power_law;
  const Matrix few = inputs_of(synthetic(equal), 2);
  const Matrix many = inputs_of(synthetic(power_law), 2);
  ASSERT_GE(many.rows(), few.rows());
  EXPECT_EQ(few, many.topRows(few.rows()));
}

TEST(Synthetic, RefusesByName) {
  for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_REFUSED("alpha", synthetic({.alpha = bad}));
    EXPECT_REFUSED("beta", synthetic({.beta = bad}));
    EXPECT_REFUSED("alpha", synthetic_user({.alpha = bad}, 0));
    EXPECT_REFUSED("beta", synthetic_user({.beta = bad}, 0));
  }
  EXPECT_REFUSED("users", synthetic({.users = 0}));
  EXPECT_REFUSED("users", synthetic({.users = 1000000}));
  EXPECT_REFUSED("users", synthetic({.users = ~std::uint64_t{0}}));
  EXPECT_REFUSED("users", synthetic({.users = 0, .sizes = SyntheticSizes::power_law}));
  EXPECT_REFUSED("users", synthetic({.users = 90000000, .sizes = SyntheticSizes::power_law}));
  EXPECT_REFUSED("records_per_user", synthetic({.records_per_user = 1}));
  EXPECT_REFUSED("records_per_user", synthetic({.records_per_user = std::uint64_t{1} << 32}));
}

}  // namespace
}  // namespace dpbudget::fl
