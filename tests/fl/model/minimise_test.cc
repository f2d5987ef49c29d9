#include "dpbudget/fl/model/minimise.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "dpbudget/fl/data/partition.h"
#include "dpbudget/fl/data/synthetic.h"
#include "dpbudget/fl/model/catalogue.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// A quadratic whose least value is known, of condition numbers up to 1e6.
RC_GTEST_PROP(Minimise, FindsTheLeastOfQuadratics, ()) {
  const double mu = std::pow(10, -static_cast<double>(*rc::gen::inRange(0, 40)) / 10);
  const double steepest = mu * std::pow(10, static_cast<double>(*rc::gen::inRange(0, 60)) / 10);
  const Vector curvatures{{mu, std::sqrt(mu * steepest), steepest}};
  const Vector target{{1, -2, 0.5}};
  const Objective quadratic = [&](const Vector& x, Vector& gradient) {
    gradient = curvatures.cwiseProduct(x - target);
    return 3 + gradient.dot(x - target) / 2;
  };
  const Minimum found = minimise(quadratic, Vector::Zero(3), mu, 1e-9);
  RC_ASSERT(found.gap <= 1e-9);
  RC_ASSERT(found.value - 3 <= found.gap + 1e-14);
  RC_ASSERT(found.value >= 3);
}

TEST(Minimise, FindsTheLeastLossAndItsGap) {
  const FederatedData data = synthetic({.alpha = 1, .beta = 1, .users = 4, .records_per_user = 40, .seed = 3});
  const auto model = make_model("softmax", data.train);
  const Minimum rough = minimum(*model, data, ClientWeights::equal, 0.01, 1e-3);
  const Minimum fine = minimum(*model, data, ClientWeights::equal, 0.01, 1e-10);
  EXPECT_LE(rough.gap, 1e-3);
  EXPECT_LE(fine.gap, 1e-10);
  EXPECT_LE(rough.value - rough.gap, fine.value);
  EXPECT_GE(rough.value, fine.value);
  EXPECT_LT(dissimilarity_at_optimum(*model, data, fine.point, 0.01).gradient_norm, 1e-5);
  const auto own = client_minima(*model, data, 0.01, 1e-8);
  double sum = 0;
  std::vector<Vector> optima;
  for (const Minimum& minimum : own) {
    sum += minimum.value / 4;
    optima.push_back(minimum.point);
  }
  EXPECT_LT(sum, fine.value);  // each client can do better alone
  EXPECT_NEAR(local_global_gap(*model, data, fine.point, optima, 0.01), fine.value - sum, 1e-7);
}

// Least squares in closed form.
TEST(Minimise, SolvesLeastSquares) {
  Dataset all{Matrix(6, 1), {}, 0, {1, 3, 2, 5, 4, 6}};
  all.features << 0, 1, 2, 3, 4, 5;
  const FederatedData data = federate(all, {{0, 1, 2, 3, 4, 5}}, all, "one");
  const auto model = make_model("linear", data.train);
  const Minimum found = minimum(*model, data, ClientWeights::equal, 0.1, 1e-12);
  Matrix inputs(6, 2);
  inputs << all.features, Vector::Ones(6);
  const Vector targets = Vector::Map(all.targets.data(), 6);
  const Matrix normal = inputs.transpose() * inputs / 6 + 0.1 * Matrix::Identity(2, 2);
  const Vector exact = normal.ldlt().solve(inputs.transpose() * targets / 6);
  EXPECT_LT((found.point - exact).norm(), 1e-5);
}

TEST(Minimise, RefusesWhatHasNoSuchGap) {
  const FederatedData data = synthetic({.users = 2, .records_per_user = 10});
  EXPECT_REFUSED("model is mlp:3", minimum(*make_model("mlp:3", data.train), data, ClientWeights::equal, 0.01, 1e-3));
  EXPECT_REFUSED("regularisation is 0",
                 minimum(*make_model("softmax", data.train), data, ClientWeights::equal, 0, 1e-3));
  EXPECT_REFUSED("gap is 0", minimum(*make_model("softmax", data.train), data, ClientWeights::equal, 0.1, 0));
}

// Rounding leaves a gradient that no step takes away.
TEST(Minimise, EndsWhereNothingMoreIsToBeGained) {
  const FederatedData data = synthetic({.alpha = 1, .beta = 1, .users = 4, .records_per_user = 40, .seed = 3});
  const auto model = make_model("softmax", data.train);
  const Minimum found = minimum(*model, data, ClientWeights::equal, 0.01, 1e-40);
  EXPECT_GT(found.gap, 1e-40);
  EXPECT_LT(found.gap, 1e-24);
  EXPECT_LT(found.steps, 100000U);
}

}  // namespace
}  // namespace dpbudget::fl
