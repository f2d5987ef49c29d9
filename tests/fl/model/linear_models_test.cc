#include "dpbudget/fl/model/linear_models.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "fl/model/problems.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(LinearModels, StartAtZeroWithABias) {
  for (const auto& model : {make_logistic(5), make_linear(5), make_hinge(5, 0.5)})
    EXPECT_EQ(model->initial(3), Vector::Zero(6));
  EXPECT_EQ(make_logistic(5)->name(), "logistic");
  EXPECT_EQ(make_linear(5)->name(), "linear");
  EXPECT_EQ(make_hinge(5, 0.5)->name(), "hinge:0.5");
  EXPECT_EQ(make_linear(5)->score_kind(), Score::mean_squared_error);
  EXPECT_EQ(make_hinge(5, 0.5)->score_kind(), Score::accuracy);
}

TEST(LinearModels, OfZeroParametersLoseWhatTheyShould) {
  const auto logistic = make_logistic(5), linear = make_linear(5), hinge = make_hinge(5, 1000);
  Problem labelled = problem_for(*logistic, 1, 50, 5, 2, 0), fitted = problem_for(*linear, 1, 50, 5, 0, 0);
  EXPECT_NEAR(logistic->loss(labelled.parameters, labelled.dataset, labelled.rows, *logistic->workspace()),
              std::log(2.0), 1e-14);
  const double mean_square = Eigen::Map<const Vector>(fitted.dataset.targets.data(), 50).squaredNorm() / 50;
  EXPECT_NEAR(linear->loss(fitted.parameters, fitted.dataset, fitted.rows, *linear->workspace()), mean_square / 2,
              1e-14);
  EXPECT_NEAR(linear->score(fitted.parameters, fitted.dataset, fitted.rows, *linear->workspace()), mean_square, 1e-14);
  const double mean_squared_norm = 1 + labelled.dataset.features.squaredNorm() / 50;
  EXPECT_NEAR(hinge->loss(labelled.parameters, labelled.dataset, labelled.rows, *hinge->workspace()),
              1 - mean_squared_norm / 2000, 1e-12);
}

TEST(LinearModel, HasNoGradientAtTheLeastSquares) {
  const auto model = make_linear(4);
  Problem given = problem_for(*model, 2, 200, 4, 0);
  Matrix design(200, 5);
  design << given.dataset.features, Vector::Ones(200);
  given.parameters = design.colPivHouseholderQr().solve(Eigen::Map<const Vector>(given.dataset.targets.data(), 200));
  EXPECT_LE(clipped_sum(*model, given, std::numeric_limits<double>::infinity()).gradient.norm(), 1e-11);
}

TEST(LogisticModel, AgreesWithTwoClassSoftmaxOfOppositeWeights) {
  const auto model = make_logistic(3);
  const Problem given = problem_for(*model, 3, 20, 3, 2);
  double loss = 0, right = 0;
  for (const std::uint32_t row : given.rows) {
    const double output = given.dataset.features.row(row).dot(given.parameters.head(3)) + given.parameters(3);
    loss += given.dataset.labels[row] == 1 ? std::log1p(std::exp(-output)) : std::log1p(std::exp(output));
    right += (output > 0) == (given.dataset.labels[row] == 1) ? 1 : 0;
  }
  EXPECT_NEAR(model->loss(given.parameters, given.dataset, given.rows, *model->workspace()), loss / 20, 1e-13);
  EXPECT_DOUBLE_EQ(model->score(given.parameters, given.dataset, given.rows, *model->workspace()), right / 20);
}

TEST(LinearModels, RefuseByName) {
  EXPECT_REFUSED("features", make_logistic(0));
  EXPECT_REFUSED("features", make_linear(0));
  EXPECT_REFUSED("features", make_hinge(0, 1));
  for (const double smoothing : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_REFUSED("smoothing", make_hinge(3, smoothing));
}

}  // namespace
}  // namespace dpbudget::fl
