#include "dpbudget/fl/model/linear_models.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "fl/model/problems.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

// Softmax regression of one record at a time, from the definitions.
double record_loss(const Vector& parameters, const Dataset& dataset, std::uint32_t row) {
  const Index features = dataset.features.cols();
  const int classes = dataset.classes;
  std::vector<long double> logits(static_cast<std::size_t>(classes));
  for (int c = 0; c < classes; ++c) {
    long double logit = parameters(features * classes + c);
    for (Index f = 0; f < features; ++f) logit += dataset.features(row, f) * parameters(f * classes + c);
    logits[static_cast<std::size_t>(c)] = logit;
  }
  const long double largest = *std::ranges::max_element(logits);
  long double sum = 0;
  for (const long double logit : logits) sum += std::exp(logit - largest);
  return static_cast<double>(largest + std::log(sum) - logits[static_cast<std::size_t>(dataset.labels[row])]);
}

double record_loss_as(int label, const Problem& problem, std::uint32_t row) {
  Dataset as_if = problem.dataset;
  as_if.labels[row] = label;
  return record_loss(problem.parameters, as_if, row);
}

Vector record_gradient(const Problem& problem, std::uint32_t row) {
  const Index features = problem.dataset.features.cols();
  const int classes = problem.dataset.classes;
  Vector gradient((features + 1) * classes);
  for (int c = 0; c < classes; ++c) {
    const double residual = std::exp(-record_loss_as(c, problem, row)) - (c == problem.dataset.labels[row] ? 1 : 0);
    for (Index f = 0; f <= features; ++f)
      gradient(f * classes + c) = (f < features ? problem.dataset.features(row, f) : 1) * residual;
  }
  return gradient;
}

RC_GTEST_PROP(SoftmaxModel, SumsTheClippedGradientsOfItsRecords, ()) {
  const auto features = *rc::gen::inRange<Index>(1, 12);
  const auto classes = *rc::gen::inRange(2, 6);
  const auto records = *rc::gen::inRange(1U, 40U);
  const auto model = make_softmax<double>(features, classes);
  Problem given = problem_for(*model, *rc::gen::arbitrary<std::uint64_t>(), records, features, classes);
  given.rows = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, records));
  for (const double clip_norm : {0.01, 1.0, 3.0, infinity}) {
    Vector expected = Vector::Zero(model->dimension());
    double largest_norm = 0;
    for (const std::uint32_t row : given.rows) {
      const Vector gradient = record_gradient(given, row);
      largest_norm = std::max(largest_norm, gradient.norm());
      expected += gradient / std::max(1.0, gradient.norm() / clip_norm);
    }
    const Sum actual = clipped_sum(*model, given, clip_norm);
    // Clipping leaves room for the sum's roundings: for these few records 1e-12 of it.
    RC_ASSERT((actual.gradient - expected).norm() <= 1e-11 * (1 + expected.norm()));
    RC_ASSERT(std::abs(actual.largest_norm - largest_norm) <= 1e-12 * (1 + largest_norm));
  }
}

// Sensitivity under replace_one is 2 C: a record is given other features and another label.
TEST(SoftmaxModel, MovesByTwiceTheClippingNormWithOneRecord) {
  const auto model = make_softmax<double>(4, 3);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Problem given = problem_for(*model, seed, 20, 4, 3, 10);
    const Vector before = clipped_sum(*model, given, 0.7).gradient;
    given.dataset.features.row(7) *= -100;
    given.dataset.labels[7] = (given.dataset.labels[7] + 1) % 3;
    EXPECT_LE((clipped_sum(*model, given, 0.7).gradient - before).norm(), 2 * 0.7);
  }
}

TEST(SoftmaxModel, SurvivesExtremeLogits) {
  const auto model = make_softmax<double>(4, 3);
  Problem given = problem_for(*model, 3, 200, 4, 3, 1e6);
  double loss = 0;
  for (const std::uint32_t row : given.rows) loss += record_loss(given.parameters, given.dataset, row) / 200;
  EXPECT_NEAR(model->loss(given.parameters, given.dataset, given.rows, *model->workspace()) / loss, 1, 1e-12);
  EXPECT_LE(clipped_sum(*model, given, 1).gradient.norm(), 200);
  given.parameters.setConstant(1e300);
  EXPECT_TRUE(clipped_sum(*model, given, 1).gradient.allFinite());
}

TEST(SoftmaxModel, LosesTheMeanOverTheRows) {
  const auto model = make_softmax<double>(6, 4);
  Problem given = problem_for(*model, 10, 300, 6, 4, 2);
  const auto mean = [&] {
    double sum = 0;
    for (const std::uint32_t row : given.rows) sum += record_loss(given.parameters, given.dataset, row);
    return sum / static_cast<double>(given.rows.size());
  };
  const auto loss = [&] { return model->loss(given.parameters, given.dataset, given.rows, *model->workspace()); };
  EXPECT_NEAR(loss(), mean(), 1e-12);
  given.rows = {17, 17, 299};
  EXPECT_NEAR(loss(), mean(), 1e-12);
  given.parameters.setZero();
  EXPECT_DOUBLE_EQ(loss(), std::log(4));
}

// One feature x, classes by the sign of x; ties go to the first class.
TEST(SoftmaxModel, CountsTheLikeliestLabels) {
  const Dataset dataset{Matrix{{-2.0}, {-1.0}, {1.0}, {2.0}}, {0, 1, 1, 1}, 2};
  const std::vector<std::uint32_t> rows = {0, 1, 2, 3};
  const auto model = make_softmax<double>(1, 2);
  const auto score = [&](const Vector& parameters) {
    return model->score(parameters, dataset, rows, *model->workspace());
  };
  EXPECT_EQ(score(Vector{{-1, 1, 0, 0}}), 0.75);
  EXPECT_EQ(score(Vector{{1, -1, 0, 0}}), 0.25);
  EXPECT_EQ(score(Vector{{0, 0, 0, 1}}), 0.75);
  EXPECT_EQ(score(Vector{{0, 0, 0, 0}}), 0.25);
}

TEST(SoftmaxModel, ScoresRecordByRecordAcrossBlocks) {
  const auto model = make_softmax<double>(6, 4);
  const Problem given = problem_for(*model, 13, 300, 6, 4);
  const auto right = std::ranges::count_if(given.rows, [&](std::uint32_t row) {
    const double own = record_loss(given.parameters, given.dataset, row);
    return own <= std::min({record_loss_as(0, given, row), record_loss_as(1, given, row), record_loss_as(2, given, row),
                            record_loss_as(3, given, row)});
  });
  EXPECT_EQ(model->score(given.parameters, given.dataset, given.rows, *model->workspace()),
            static_cast<double>(right) / 300);
}

TEST(SoftmaxModel, SaysTheNormsOfItsRecords) {
  const auto model = make_softmax<double>(6, 4);
  const Problem given = problem_for(*model, 16, 300, 6, 4);
  std::vector<double> norms(300);
  model->gradient_norms(given.parameters, given.dataset, given.rows, *model->workspace(), norms);
  for (const std::uint32_t row : given.rows) EXPECT_NEAR(norms[row], record_gradient(given, row).norm(), 1e-12);
}

TEST(LinearModels, StartAtZeroWithABias) {
  for (const auto& model : {make_logistic<double>(5), make_linear<double>(5), make_hinge<double>(5, 0.5)})
    EXPECT_EQ(model->initial(3), Vector::Zero(6));
  EXPECT_EQ(make_softmax<double>(5, 3)->initial(3), Vector::Zero(18));
  EXPECT_EQ(make_softmax<double>(5, 3)->name(), "softmax");
  EXPECT_EQ(make_logistic<double>(5)->name(), "logistic");
  EXPECT_EQ(make_linear<double>(5)->name(), "linear");
  EXPECT_EQ(make_hinge<double>(5, 0.5)->name(), "hinge:0.5");
  EXPECT_EQ(make_linear<double>(5)->score_kind(), Score::mean_squared_error);
  EXPECT_EQ(make_hinge<double>(5, 0.5)->score_kind(), Score::accuracy);
}

TEST(LinearModels, OfZeroParametersLoseWhatTheyShould) {
  const auto logistic = make_logistic<double>(5), linear = make_linear<double>(5), hinge = make_hinge<double>(5, 1000);
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
  const auto model = make_linear<double>(4);
  Problem given = problem_for(*model, 2, 200, 4, 0);
  Matrix design(200, 5);
  design << given.dataset.features, Vector::Ones(200);
  given.parameters = design.colPivHouseholderQr().solve(Eigen::Map<const Vector>(given.dataset.targets.data(), 200));
  EXPECT_LE(clipped_sum(*model, given, std::numeric_limits<double>::infinity()).gradient.norm(), 1e-11);
}

TEST(LogisticModel, AgreesWithTwoClassSoftmaxOfOppositeWeights) {
  const auto model = make_logistic<double>(3);
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
  EXPECT_REFUSED("features", make_softmax<double>(0, 3));
  EXPECT_REFUSED("classes", make_softmax<double>(4, 1));
  EXPECT_REFUSED("features", make_logistic<double>(0));
  EXPECT_REFUSED("features", make_linear<double>(0));
  EXPECT_REFUSED("features", make_hinge<double>(0, 1));
  for (const double smoothing : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_REFUSED("smoothing", make_hinge<double>(3, smoothing));
}

}  // namespace
}  // namespace dpbudget::fl
