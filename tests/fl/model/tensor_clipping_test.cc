#include "dpbudget/fl/model/tensor_clipping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/model/problems.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

std::unique_ptr<Model> model_of(const std::string& name, Eigen::Index features, int classes) {
  return make_model(name, Dataset{Matrix::Zero(1, features), {0}, classes});
}

TEST(TensorClipping, KnowsWeightsAndBiases) {
  EXPECT_EQ(model_of("softmax", 5, 3)->tensors(), (std::vector<Eigen::Index>{15, 3}));
  EXPECT_EQ(model_of("mlp:7", 5, 3)->tensors(), (std::vector<Eigen::Index>{35, 7, 21, 3}));
  const auto cnn = model_of("cnn", 784, 10);
  const std::vector<Eigen::Index> tensors = cnn->tensors();
  EXPECT_EQ(tensors.size(), 8U);
  EXPECT_EQ(tensors[0], 9 * tensors[1]);
  EXPECT_EQ(std::accumulate(tensors.begin(), tensors.end(), Eigen::Index{0}), cnn->dimension());
}

// fl/account/proofs.md, 4.2
TEST(TensorClipping, ClipsEachTensorOfEachRecord) {
  constexpr double clip = 0.7;
  for (const char* name : {"softmax", "mlp:7"}) {
    SCOPED_TRACE(name);
    const auto model = model_of(name, 5, 3);
    const Problem problem = problem_for(*model, 4, 9, 5, 3);
    const auto workspace = model->workspace();
    const std::vector<Eigen::Index> tensors = model->tensors();
    const double share = clip / std::sqrt(static_cast<double>(tensors.size()));
    Vector expected = Vector::Zero(model->dimension());
    double largest = 0;
    int clipped = 0;
    for (const std::uint32_t row : problem.rows) {
      Problem one = problem;
      one.rows = {row};
      Vector gradient = clipped_sum(*model, one, std::numeric_limits<double>::infinity()).gradient;
      largest = std::max(largest, gradient.norm());
      Eigen::Index begin = 0;
      for (const Eigen::Index length : tensors) {
        auto tensor = gradient.segment(begin, length);
        if (tensor.norm() > share) {
          tensor *= share / tensor.norm();
          ++clipped;
        }
        begin += length;
      }
      expected += gradient;
    }
    EXPECT_GT(clipped, 9);
    Vector out = Vector::Constant(model->dimension(), 7);
    const Norms norms =
        tensor_clipped_gradient_sum(*model, problem.parameters, problem.dataset, problem.rows, clip, *workspace, out);
    EXPECT_LT((out - expected).norm(), 1e-12);
    EXPECT_NEAR(norms.largest, largest, 1e-6 * largest);
    EXPECT_LE(norms.largest_clipped, clip);
    EXPECT_GT(norms.largest_clipped, 0.99 * clip);
    // Of a whole, the same norm goes elsewhere.
    EXPECT_GT((out - clipped_sum(*model, problem, clip).gradient).norm(), 0.01);
  }
}

TEST(TensorClipping, SumsNothingToZeroAndRefusesWhatModelsDo) {
  const auto model = model_of("softmax", 5, 3);
  const Problem problem = problem_for(*model, 4, 2, 5, 3);
  const auto workspace = model->workspace();
  Vector out = Vector::Constant(model->dimension(), 7);
  const auto sum = [&](double clip, const Vector& parameters, std::span<const std::uint32_t> rows) {
    return tensor_clipped_gradient_sum(*model, parameters, problem.dataset, rows, clip, *workspace, out);
  };
  EXPECT_EQ(sum(1, problem.parameters, {}).largest, 0);
  EXPECT_EQ(out.norm(), 0);
  EXPECT_THROW(sum(0, problem.parameters, problem.rows), InvalidArgument);
  EXPECT_THROW(sum(std::numeric_limits<double>::infinity(), problem.parameters, problem.rows), InvalidArgument);
  EXPECT_THROW(sum(1, Vector::Zero(2), problem.rows), InvalidArgument);
  const std::vector<std::uint32_t> beyond = {9};
  EXPECT_THROW(sum(1, problem.parameters, beyond), InvalidArgument);
}

// The ledger of such a run is that of a run clipped to C, and verifies; it trains otherwise.
TEST(TensorClipping, CostsWhatClippingTheWholeCosts) {
  const FederatedData data = ten_clients();
  RunRequest run = small_run("dp-fedavg");
  run.clip_norm = 0.1;
  const Result whole = simulate(run, data);
  const Report fixed = verify(ledger_from(ledger_text(run, data)), 1e-5);
  run.clipping = PerTensorClipping{};
  const Result by_tensor = simulate(run, data);
  const Report report = verify(ledger_from(ledger_text(run, data)), 1e-5);
  EXPECT_TRUE(report.passed);
  EXPECT_TRUE(report.is_private);
  ASSERT_EQ(report.views.size(), fixed.views.size());
  for (std::size_t i = 0; i < report.views.size(); ++i) {
    EXPECT_EQ(report.views[i].executed->epsilon.upper, fixed.views[i].executed->epsilon.upper);
    EXPECT_EQ(report.views[i].planned->plan, fixed.views[i].planned->plan);
  }
  EXPECT_GT((whole.parameters - by_tensor.parameters).norm(), 1e-6);
  run.algorithm = "shuffled-mb-sgd";
  run.options.clear();
  run.local_steps = 1;
  EXPECT_THROW(static_cast<void>(settle(run)), InvalidArgument);
}

// Norms far below C are not clipped; what is recorded of them must be one number, however it was added up.
TEST(TensorClipping, RecordsNoLongerNormThanWentIn) {
  const FederatedData data = ten_clients();
  for (const char* algorithm : {"dp-fedavg", "dp-scaffold", "dp-mb-sgd"}) {
    RunRequest run = small_run(algorithm);
    run.clipping = PerTensorClipping{};
    run.clip_norm = 50;
    for (run.seed = 1; run.seed <= 5; ++run.seed)
      EXPECT_TRUE(verify(ledger_from(ledger_text(run, data)), 1e-5).passed) << algorithm << run.seed;
  }
}

}  // namespace
}  // namespace dpbudget::fl
