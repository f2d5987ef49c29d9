#include "dpbudget/fl/simulate/release.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/fl/model/linear_models.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Batches that are released as they are.
BatchRecipe plain(std::uint64_t sample) {
  BatchRecipe recipe;
  recipe.sample = sample;
  recipe.clip_norm = infinity;
  return recipe;
}

// Gaussian noise of standard deviation `noise_std` on the mean of a batch, for `steps` of them.
BatchRecipe noisy(std::uint64_t sample, double clip_norm, double noise_std, std::size_t steps = 1) {
  BatchRecipe recipe;
  recipe.mechanism = Mechanism::gaussian;
  recipe.sample = sample;
  recipe.clip_norm = clip_norm;
  recipe.divisor = static_cast<double>(sample);
  recipe.noise_multipliers.assign(steps, noise_std / (2 * clip_norm / recipe.divisor));
  return recipe;
}

class BatchReleaseTest : public ::testing::Test {
 protected:
  ClientData client(std::uint64_t number, std::uint64_t round = 1) const {
    return {*model_, data_.train, data_.clients[number], 5, round, number};
  }

  // One record's gradient by its definition: (p - e_y) times (x, 1), clipped.
  Vector record_gradient(const Vector& parameters, std::uint32_t row, double clip_norm) const {
    const auto features = data_.train.features.cols();
    const int classes = data_.train.classes;
    Vector x(features + 1);
    x << data_.train.features.row(row).transpose(), 1;
    Vector p(classes);
    for (int c = 0; c < classes; ++c) {
      p(c) = 0;
      for (Eigen::Index f = 0; f <= features; ++f) p(c) += parameters(f * classes + c) * x(f);
    }
    p = p.array().exp();
    p /= p.sum();
    p(data_.train.labels[row]) -= 1;
    Vector gradient(parameters.size());
    for (Eigen::Index f = 0; f <= features; ++f)
      for (int c = 0; c < classes; ++c) gradient(f * classes + c) = p(c) * x(f);
    return gradient / std::max(1.0, gradient.norm() / clip_norm);
  }

  Vector mean_gradient(const Vector& parameters, std::uint64_t number, double clip_norm) const {
    Vector sum = Vector::Zero(parameters.size());
    for (const std::uint32_t row : data_.clients[number]) sum += record_gradient(parameters, row, clip_norm);
    return sum / static_cast<double>(data_.clients[number].size());
  }

  const FederatedData data_ = small_data({12, 20, 9});
  const std::unique_ptr<Model> model_ = make_softmax<double>(4, 3);
  const Vector at_ = Vector::LinSpaced(15, -1, 1);
  ReleaseWorkspace workspace_;
};

TEST_F(BatchReleaseTest, WithoutNoiseAndSamplingIsTheMeanGradient) {
  BatchRelease release(client(1), plain(20), workspace_);
  EXPECT_LT((release.gradient(at_) - mean_gradient(at_, 1, infinity)).norm(), 1e-13);
  ASSERT_EQ(release.releases().size(), 1u);
  EXPECT_EQ(release.releases()[0].mechanism, traits_of(Mechanism::none).name);
  EXPECT_EQ(release.releases()[0].noise_std, 0);
}

TEST_F(BatchReleaseTest, IsTheClippedMeanPlusTheNoiseItRecords) {
  BatchRelease release(client(1), noisy(20, 0.5, 1e-3), workspace_);
  const Vector noise = release.gradient(at_) - mean_gradient(at_, 1, 0.5);
  EXPECT_GT(noise.norm(), 0);
  EXPECT_NEAR(release.releases()[0].noise_sum_of_squares, noise.squaredNorm(), 1e-12 * 15);
  double largest = 0;
  for (const std::uint32_t row : data_.clients[1])
    largest = std::max(largest, record_gradient(at_, row, infinity).norm());
  EXPECT_NEAR(release.releases()[0].largest_norm, largest, 1e-12);
  EXPECT_GT(largest, 0.5);
  EXPECT_NEAR(release.releases()[0].largest_released, 0.5, 1e-12);
}

TEST_F(BatchReleaseTest, RecordsEveryReleaseOfTheRound) {
  BatchRelease release(client(1), noisy(4, 0.5, 0.25, 7), workspace_);
  for (int step = 0; step < 7; ++step) release.gradient(at_);
  ASSERT_EQ(release.releases().size(), 1u);
  const ReleaseRun& run = release.releases()[0];
  EXPECT_EQ(run.count, 7u);
  EXPECT_EQ(run.mechanism, traits_of(Mechanism::gaussian).name);
  EXPECT_DOUBLE_EQ(run.noise_std, 0.25);
  EXPECT_EQ(run.clip_norm, 0.5);
  EXPECT_EQ(run.sample, 4u);
  EXPECT_EQ(run.population, 20u);
  EXPECT_EQ(run.scheme, "without_replacement");
  EXPECT_EQ(run.coordinates, 15u);
}

// Every mean over a batch of one record is that record's gradient: each record of the client, and of nobody else, must
// come up, and the draws must differ from step to step.
TEST_F(BatchReleaseTest, DrawsBatchesFromItsOwnRecordsAlone) {
  BatchRelease release(client(2), plain(1), workspace_);
  std::vector<int> seen(9);
  for (int step = 0; step < 200; ++step) {
    const Vector gradient = release.gradient(at_);
    int matches = 0;
    for (std::size_t i = 0; i < 9; ++i)
      if ((gradient - record_gradient(at_, data_.clients[2][i], infinity)).norm() < 1e-12) {
        ++matches;
        ++seen[i];
      }
    ASSERT_EQ(matches, 1);
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

// Noise of different clients, rounds and steps: standard normal together (chi-squared at 1e-6 two-sided), and pairwise
// uncorrelated (each correlation of 15 coordinates below 0.9999 rules out a copy).
TEST_F(BatchReleaseTest, NoiseIsFreshForEveryClientRoundAndStep) {
  std::vector<Vector> noises;
  double squares = 0;
  double total = 0;
  for (const std::uint64_t round : {1, 2})
    for (const std::uint64_t number : {0, 1, 2}) {
      const std::uint64_t records = data_.clients[number].size();
      BatchRelease release(client(number, round), noisy(records, 0.5, 3, 40), workspace_);
      for (int step = 0; step < 40; ++step) {
        noises.push_back((release.gradient(at_) - mean_gradient(at_, number, 0.5)) / 3);
        squares += noises.back().squaredNorm();
        total += noises.back().sum();
      }
    }
  for (std::size_t i = 0; i < noises.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) ASSERT_LT(noises[i].normalized().dot(noises[j].normalized()), 0.9999);
  const double draws = 15.0 * static_cast<double>(noises.size());
  const boost::math::chi_squared law(draws);
  EXPECT_GT(cdf(law, squares), 5e-7);
  EXPECT_GT(cdf(complement(law, squares)), 5e-7);
  EXPECT_GT(cdf(boost::math::normal(), -std::abs(total) / std::sqrt(draws)), 5e-7);
}

TEST_F(BatchReleaseTest, RefusesWhatIsNoRecipe) {
  const auto with_noise = [](double multiplier) {
    BatchRecipe recipe = noisy(1, 1, 1);
    recipe.noise_multipliers = {multiplier};
    return recipe;
  };
  const auto clipped_to = [](BatchRecipe recipe, double clip_norm) {
    recipe.clip_norm = clip_norm;
    return recipe;
  };
  EXPECT_REFUSED("sample", BatchRelease(client(0), noisy(0, 1, 1), workspace_));
  EXPECT_REFUSED("sample", BatchRelease(client(0), noisy(13, 1, 1), workspace_));
  EXPECT_REFUSED("noise", BatchRelease(client(0), with_noise(-1), workspace_));
  EXPECT_REFUSED("noise", BatchRelease(client(0), with_noise(0), workspace_));
  EXPECT_REFUSED("noise", BatchRelease(client(0), with_noise(infinity), workspace_));
  EXPECT_REFUSED("noise", BatchRelease(client(0), with_noise(std::nan("")), workspace_));
  EXPECT_REFUSED("clip", BatchRelease(client(0), clipped_to(noisy(1, 1, 1), 0), workspace_));
  EXPECT_REFUSED("clip", BatchRelease(client(0), clipped_to(noisy(1, 1, 1), std::nan("")), workspace_));
  // Noise without sensitivity, and a sensitivity without noise.
  EXPECT_REFUSED("clip", BatchRelease(client(0), clipped_to(noisy(1, 1, 1), infinity), workspace_));
  EXPECT_REFUSED("clip", BatchRelease(client(0), clipped_to(plain(1), 1), workspace_));
}

TEST_F(BatchReleaseTest, RefusesAStepThatHasNoNoise) {
  BatchRelease release(client(1), noisy(4, 0.5, 0.25, 2), workspace_);
  release.gradient(at_);
  release.gradient(at_);
  EXPECT_REFUSED("steps", release.gradient(at_));
  ASSERT_EQ(release.releases().size(), 1u);
  EXPECT_EQ(release.releases()[0].count, 2u);
}

}  // namespace
}  // namespace dpbudget::fl
