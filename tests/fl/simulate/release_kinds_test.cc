// Releases through a shuffler, and clipping that adapts: their law, by Monte Carlo, and what they record.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/simulate/release.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

class ReleaseKinds : public ::testing::Test {
 protected:
  ReleaseKinds() : data_(eight_clients()), model_(make_model("softmax", data_.train)) {
    parameters_ = Vector::LinSpaced(model_->dimension(), -0.5, 0.5);
  }

  // The release of client 2 in `round`, all of whose records are the batch.
  Vector release(const fl::RunRequest& run, std::uint64_t round, ReleaseRun* recorded = nullptr) {
    BatchRecipe recipe = recipe_of(run, sizes_, 1, run.clip_norm);
    recipe.sample = 32;
    recipe.divisor = 32;
    BatchRelease release({*model_, data_.train, data_.clients[2], 7, round, 2}, recipe, workspace_);
    const Vector given = release.gradient(parameters_);
    if (recorded != nullptr) *recorded = release.releases().front();
    return given;
  }

  Vector clipped_mean(double clip_norm) {
    Vector sum(model_->dimension());
    const auto workspace = model_->workspace();
    model_->clipped_gradient_sum(parameters_, data_.train, data_.clients[2], clip_norm, *workspace, sum);
    return sum / 32;
  }

  // Over `count` rounds every coordinate has the mean and variance stated: six standard errors, for Gaussian noise or
  // the nearly Gaussian sum of binomials. Chance exceeds one of 30 such bounds with probability below 1e-7.
  void expect_law(const fl::RunRequest& run, int count, double variance, const Vector& mean) {
    Vector sum = Vector::Zero(mean.size());
    Vector squares = Vector::Zero(mean.size());
    for (int i = 1; i <= count; ++i) {
      const Vector error = release(run, static_cast<std::uint64_t>(i)) - mean;
      sum += error;
      squares += error.cwiseAbs2();
    }
    for (Eigen::Index j = 0; j < mean.size(); ++j) {
      EXPECT_NEAR(sum(j) / count, 0, 6 * std::sqrt(variance / count)) << j;
      EXPECT_NEAR(squares(j) / count / variance, 1, 6 * std::sqrt(2.0 / count)) << j;
    }
  }

  FederatedData data_;
  std::unique_ptr<Model> model_;
  Vector parameters_;
  Sizes sizes_{.clients = 8, .records = 32, .dimension = 15};
  ReleaseWorkspace workspace_;
};

TEST_F(ReleaseKinds, ShuffledGaussianReportsAddUp) {
  const auto run = completed(kind_of("shuffled-mb-sgd"));
  ReleaseRun recorded;
  release(run, 1, &recorded);
  EXPECT_EQ(recorded.mechanism, traits_of(Mechanism::shuffled_gaussian).name);
  EXPECT_DOUBLE_EQ(recorded.noise_std, 4);  // of a report: 4 times 2 C
  EXPECT_LE(recorded.largest_released, 0.5 * (1 + 1e-12));
  EXPECT_GT(recorded.largest_norm, 0.5);
  expect_law(run, 4000, 16.0 / 32, clipped_mean(0.5));
}

// Fewer noise bits than a run would have, so that the rounding to steps shows as well.
TEST_F(ReleaseKinds, BinomialReportsAddUp) {
  auto run = kind_of("binomial-ac-sa");
  run.options["noise_bits"] = 256U;
  run.options["granularity"] = 1U << 20U;
  run = completed(run);
  ReleaseRun recorded;
  release(run, 1, &recorded);
  EXPECT_EQ(recorded.mechanism, traits_of(Mechanism::shuffled_binomial).name);
  ASSERT_TRUE(recorded.encoder);
  EXPECT_EQ(*recorded.encoder, encoder_of(settle(run), 0.5));
  // What is recorded is the noise of the sum of 32 reports.
  EXPECT_NEAR(recorded.noise_std, std::sqrt(32 * 256 / 4.0) * 0x1p-20, 1e-18);
  expect_law(run, 1500, recorded.noise_std * recorded.noise_std / 32 / 32, clipped_mean(0.5));
}

TEST_F(ReleaseKinds, BinomialReportsRoundToSteps) {
  auto run = kind_of("binomial-ac-sa");
  run.options["noise_bits"] = 2U;
  run.options["granularity"] = 1U;
  run = completed(run);
  // Every report is of three bits, each worth 2 C = 1: a multiple of 1 / 32, less 32 fair pairs and the lower ends.
  const Vector given = release(run, 5);
  for (Eigen::Index j = 0; j < given.size(); ++j) EXPECT_EQ(given(j) * 32, std::round(given(j) * 32)) << j;
}

TEST_F(ReleaseKinds, MedianClippingTakesTheNormOfTheBatch) {
  auto run = kind_of("dp-fedavg");
  run.clipping = MedianClipping{};
  ReleaseRun recorded;
  release(completed(run), 1, &recorded);
  std::vector<double> norms(32);
  const auto workspace = model_->workspace();
  model_->gradient_norms(parameters_, data_.train, data_.clients[2], *workspace, norms);
  std::ranges::sort(norms);
  EXPECT_EQ(recorded.mechanism, ReleaseRun::gaussian_at_median);
  EXPECT_TRUE(recorded.clip_norm == norms[16] || recorded.clip_norm == norms[15]);
  EXPECT_NEAR(recorded.noise_std, 4 * 2 * recorded.clip_norm / 32, 1e-15);
}

// Without clipping or noise, the mean gradients of a pass's batches have the mean of all records; its order is another
// one in every pass and round.
// fl/account/proofs.md, 11.1
TEST_F(ReleaseKinds, ShuffledBatchesAreAllRecordsOncePerPass) {
  auto run = kind_of("fedavg");
  run.batches = Batches::shuffled;
  run.local_steps = 10;
  const double unclipped = std::numeric_limits<double>::infinity();
  const fl::SettledRun plain = settle(run);
  const Vector mean = clipped_mean(unclipped);
  std::vector<Vector> firsts;
  for (std::uint64_t round = 1; round <= 3; ++round) {
    BatchRelease release({*model_, data_.train, data_.clients[2], 7, round, 2},
                         recipe_of(plain, sizes_, round, unclipped), workspace_);
    for (int pass = 1; pass <= 2; ++pass) {
      Vector sum = Vector::Zero(model_->dimension());
      for (int batch = 0; batch < 4; ++batch) {
        const Vector gradient = release.gradient(parameters_);
        if (batch == 0) firsts.push_back(gradient);
        sum += gradient;
      }
      EXPECT_LT((sum / 4 - mean).norm(), 1e-14) << round << ", " << pass;
    }
    firsts.push_back(release.gradient(parameters_));
    release.gradient(parameters_);
    std::vector<std::array<std::uint64_t, 3>> recorded;
    for (const ReleaseRun& done : release.releases()) {
      EXPECT_EQ(done.scheme, "shuffled");
      recorded.push_back({done.pass.value(), done.first.value(), done.count});
    }
    EXPECT_EQ(recorded, (std::vector<std::array<std::uint64_t, 3>>{{1, 0, 4}, {2, 0, 4}, {3, 0, 2}}));
  }
  ASSERT_EQ(firsts.size(), 9U);
  for (std::size_t i = 0; i < firsts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT((firsts[i] - firsts[j]).norm(), 1e-3) << i << ", " << j;
}

// Any record is in any batch of a pass, or in what is left over, with probability in proportion to its size: chi-square
// of 3 degrees, which chance exceeds 40 with probability 1e-8. The record in question has a gradient of its own.
// fl/account/proofs.md, 11.1
TEST_F(ReleaseKinds, ShuffledBatchesHaveAnyRecordAnywhere) {
  auto run = kind_of("fedavg");
  run.batches = Batches::shuffled;
  run.local_steps = 3;
  run.record_rate = 9.0 / 32;
  const double unclipped = std::numeric_limits<double>::infinity();
  const BatchRecipe recipe = recipe_of(settle(run), sizes_, 1, unclipped);
  ASSERT_EQ(recipe.sample, 9U);
  const std::uint32_t row = data_.clients[2][13];
  data_.train.features.row(row).setConstant(1e6);
  constexpr int rounds = 4000;
  std::array<double, 4> found{};  // the last: in none
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    BatchRelease release({*model_, data_.train, data_.clients[2], 7, round, 2}, recipe, workspace_);
    std::size_t where = 3;
    for (std::size_t step = 0; step < 3; ++step)
      if (release.gradient(parameters_).norm() > 1e3) where = step;
    ++found[where];
  }
  double chi_square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = rounds * (i < 3 ? 9.0 : 5.0) / 32;
    chi_square += (found[i] - expected) * (found[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 40);
}

TEST_F(ReleaseKinds, DisjointBatchesAreAllRecordsOnce) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  run.user_rate = 1;
  const Ledger ledger = ledger_from(finished(run, data_).ledger);
  std::vector<std::vector<std::uint64_t>> firsts(8);
  for (const Participation& participation : ledger.participations)
    firsts[participation.client].push_back(participation.releases.front().first.value());
  for (const auto& of_client : firsts) EXPECT_EQ(of_client, (std::vector<std::uint64_t>{0, 8, 16, 24}));
  // Without clipping or noise, the batches' mean gradients at one point have the mean of all records.
  auto plain = completed([] {
    auto changed = kind_of("mb-sgd");
    changed.batches = Batches::disjoint;
    return changed;
  }());
  const double unclipped = std::numeric_limits<double>::infinity();
  Vector sum = Vector::Zero(model_->dimension());
  for (std::uint64_t round = 1; round <= 4; ++round) {
    BatchRelease release({*model_, data_.train, data_.clients[2], 7, round, 2},
                         recipe_of(plain, sizes_, round, unclipped), workspace_);
    sum += release.gradient(parameters_);
  }
  EXPECT_LT((sum / 4 - clipped_mean(unclipped)).norm(), 1e-14);
  const BatchRecipe beyond = recipe_of(plain, sizes_, 5, unclipped);
  BatchRelease release({*model_, data_.train, data_.clients[2], 7, 5, 2}, beyond, workspace_);
  EXPECT_REFUSED("steps", release.gradient(parameters_));
}

// With the model held still, C settles where the quantile is: below it lies that share of the norms.
TEST_F(ReleaseKinds, AdaptiveClippingFollowsTheQuantile) {
  std::vector<double> norms(256);
  std::vector<std::uint32_t> rows(256);
  std::iota(rows.begin(), rows.end(), 0U);
  const auto workspace = model_->workspace();
  const Vector still = model_->initial(5);
  model_->gradient_norms(still, data_.train, rows, *workspace, norms);
  for (const double quantile : {0.2, 0.5, 0.8})
    for (const double start : {0.01, 100.0}) {
      auto run = adaptive_clipping().run;
      run.rounds = 150;
      run.local_steps = 1;
      run.user_rate = 1;
      run.record_rate = 1;
      run.options["step"] = 1e-12;
      run.regularisation = 0;
      run.clip_norm = start;
      run.options["clip_quantile"] = quantile;
      run.options["clip_noise"] = 0.5;
      run.evaluate_every = 150;
      const Ledger ledger = ledger_from(finished(run, data_).ledger);
      double last = 0;
      for (std::size_t i = ledger.participations.size() - 8; i < ledger.participations.size(); ++i)
        last = ledger.participations[i].releases.front().clip_norm;
      EXPECT_EQ(ledger.participations.front().releases.front().clip_norm, start);
      const auto below = std::ranges::count_if(norms, [&](double norm) { return norm <= last; });
      EXPECT_NEAR(static_cast<double>(below) / 256, quantile, 0.15) << start;
    }
}

}  // namespace
}  // namespace dpbudget::fl
