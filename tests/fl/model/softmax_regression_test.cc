#include "dpbudget/fl/model/softmax_regression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "dpbudget/mechanisms/random.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Model = SoftmaxRegression<double>;
using Eigen::Index;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Problem {
  Dataset dataset;
  VectorXd parameters;
  std::vector<std::uint32_t> rows;
};

Problem random_problem(std::uint64_t seed, Index records, Index features, int classes, double scale = 1) {
  mechanisms::Stream stream({seed, mechanisms::Purpose::initialisation, 0, 0, 0});
  Problem problem{{Matrix(records, features), {}, classes}, VectorXd((features + 1) * classes), {}};
  for (double& value : problem.dataset.features.reshaped()) value = stream.normal();
  for (double& value : problem.parameters) value = scale * stream.normal();
  for (Index i = 0; i < records; ++i)
    problem.dataset.labels.push_back(static_cast<std::int32_t>(stream.uniform() * classes));
  problem.rows.resize(static_cast<std::size_t>(records));
  std::iota(problem.rows.begin(), problem.rows.end(), 0u);
  return problem;
}

// One record at a time, from the definitions.
double record_loss(const VectorXd& parameters, const Dataset& dataset, std::uint32_t row) {
  const Index features = dataset.features.cols();
  const int classes = dataset.classes;
  std::vector<long double> logits(static_cast<std::size_t>(classes));
  for (int c = 0; c < classes; ++c) {
    long double logit = parameters(features * classes + c);
    for (Index f = 0; f < features; ++f) logit += dataset.features(row, f) * parameters(f * classes + c);
    logits[static_cast<std::size_t>(c)] = logit;
  }
  const long double largest = *std::max_element(logits.begin(), logits.end());
  long double sum = 0;
  for (const long double logit : logits) sum += std::exp(logit - largest);
  return static_cast<double>(largest + std::log(sum) - logits[static_cast<std::size_t>(dataset.labels[row])]);
}

VectorXd record_gradient(const VectorXd& parameters, const Dataset& dataset, std::uint32_t row) {
  const Index features = dataset.features.cols();
  const int classes = dataset.classes;
  VectorXd probabilities(classes);
  for (int c = 0; c < classes; ++c) {
    Dataset as_if = dataset;
    as_if.labels[row] = c;
    probabilities(c) = std::exp(-record_loss(parameters, as_if, row));
  }
  VectorXd gradient((features + 1) * classes);
  for (Index f = 0; f <= features; ++f)
    for (int c = 0; c < classes; ++c)
      gradient(f * classes + c) =
          (f < features ? dataset.features(row, f) : 1) * (probabilities(c) - (c == dataset.labels[row] ? 1 : 0));
  return gradient;
}

struct Sum {
  VectorXd gradient;
  double largest_norm;
};

Sum by_record(const Problem& problem, double clip_norm) {
  Sum sum{VectorXd::Zero(problem.parameters.size()), 0};
  for (const std::uint32_t row : problem.rows) {
    const VectorXd gradient = record_gradient(problem.parameters, problem.dataset, row);
    sum.largest_norm = std::max(sum.largest_norm, gradient.norm());
    sum.gradient += gradient / std::max(1.0, gradient.norm() / clip_norm);
  }
  return sum;
}

Sum by_model(const Problem& problem, double clip_norm) {
  const Model model(problem.dataset.features.cols(), problem.dataset.classes);
  Model::Workspace workspace;
  Sum sum{VectorXd(model.dimension()), 0};
  sum.largest_norm =
      model.clipped_gradient_sum(problem.parameters, problem.dataset, problem.rows, clip_norm, workspace, sum.gradient)
          .largest;
  return sum;
}

RC_GTEST_PROP(ClippedGradientSum, EqualsTheSumOfMaterialisedClippedGradients, ()) {
  Problem problem = random_problem(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 40),
                                   *rc::gen::inRange(1, 12), *rc::gen::inRange(2, 6));
  const auto records = static_cast<std::uint32_t>(problem.dataset.records());
  problem.rows = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, records));
  for (const double clip_norm : {0.01, 1.0, 3.0, infinity}) {
    const Sum expected = by_record(problem, clip_norm), actual = by_model(problem, clip_norm);
    RC_ASSERT((actual.gradient - expected.gradient).norm() <= 1e-12 * (1 + expected.gradient.norm()));
    RC_ASSERT(std::abs(actual.largest_norm - expected.largest_norm) <= 1e-12 * (1 + expected.largest_norm));
  }
}

TEST(ClippedGradientSum, EqualsItAcrossBlockBoundaries) {
  for (const Index records : {127, 128, 129, 256, 300}) {
    const Problem problem = random_problem(1, records, 5, 3);
    const Sum expected = by_record(problem, 1.5), actual = by_model(problem, 1.5);
    EXPECT_LT((actual.gradient - expected.gradient).norm(), 1e-12 * expected.gradient.norm()) << records;
    EXPECT_DOUBLE_EQ(actual.largest_norm, expected.largest_norm);
  }
}

TEST(ClippedGradientSum, IsTheDerivativeOfTheLoss) {
  const Problem problem = random_problem(2, 150, 6, 4);
  const Model model(6, 4);
  Model::Workspace workspace;
  const VectorXd mean_gradient = by_model(problem, infinity).gradient / 150;
  const double step = 1e-5;
  for (Index i = 0; i < model.dimension(); ++i) {
    VectorXd up = problem.parameters, down = problem.parameters;
    up(i) += step;
    down(i) -= step;
    const double slope =
        (model.loss(up, problem.dataset, workspace) - model.loss(down, problem.dataset, workspace)) / (2 * step);
    EXPECT_NEAR(mean_gradient(i), slope, 1e-9);
  }
}

TEST(ClippedGradientSum, BoundsWhatOneRecordChanges) {
  // Sensitivity under replace_one is 2 C: a record's row is given another feature vector and label.
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Problem problem = random_problem(seed, 20, 4, 3, 10);
    const VectorXd before = by_model(problem, 0.7).gradient;
    problem.dataset.features.row(7) *= -100;
    problem.dataset.labels[7] = (problem.dataset.labels[7] + 1) % 3;
    EXPECT_LE((by_model(problem, 0.7).gradient - before).norm(), 2 * 0.7 * (1 + 1e-12));
  }
}

TEST(ClippedGradientSum, SurvivesExtremeLogits) {
  Problem problem = random_problem(3, 200, 4, 3, 1e6);
  const Sum sum = by_model(problem, 1);
  EXPECT_TRUE(sum.gradient.allFinite());
  EXPECT_LE(sum.gradient.norm(), 200 * (1 + 1e-12));
  problem.parameters.setConstant(1e300);
  EXPECT_TRUE(by_model(problem, 1).gradient.allFinite());
}

TEST(ClippedGradientSum, WithoutRowsIsZero) {
  Problem problem = random_problem(3, 5, 4, 3);
  problem.rows.clear();
  const Sum sum = by_model(problem, 1);
  EXPECT_EQ(sum.gradient, VectorXd::Zero(15));
  EXPECT_EQ(sum.largest_norm, 0);
}

TEST(ClippedGradientSum, AWorkspaceCarriesNothingOver) {
  const Problem large = random_problem(4, 300, 30, 7), small = random_problem(5, 10, 30, 7),
                other = random_problem(6, 9, 3, 2);
  Model::Workspace workspace;
  for (const Problem* problem : {&large, &small, &other, &large}) {
    const Model model(problem->dataset.features.cols(), problem->dataset.classes);
    VectorXd gradient(model.dimension());
    model.clipped_gradient_sum(problem->parameters, problem->dataset, problem->rows, 1, workspace, gradient);
    EXPECT_EQ(gradient, by_model(*problem, 1).gradient);
  }
}

TEST(ClippedGradientSum, SinglePrecisionAgreesWithDouble) {
  const Problem problem = random_problem(7, 300, 40, 10, 0.3);
  const SoftmaxRegression<float> model(40, 10);
  SoftmaxRegression<float>::Workspace workspace;
  Eigen::VectorXf gradient(model.dimension());
  const Eigen::VectorXf parameters = problem.parameters.cast<float>();
  const double norm =
      model.clipped_gradient_sum(parameters, problem.dataset, problem.rows, 1, workspace, gradient).largest;
  const Sum expected = by_model(problem, 1);
  EXPECT_NEAR(norm, expected.largest_norm, 1e-4);
  EXPECT_LT((gradient.cast<double>() - expected.gradient).norm(), 1e-5 * 300);
  Model::Workspace exact;
  EXPECT_NEAR(model.loss(parameters, problem.dataset, workspace),
              Model(40, 10).loss(problem.parameters, problem.dataset, exact), 1e-5);
}

// A value that is not a number must never pass as a clipped gradient. A bias of -infinity (parameters 12 to 14) is no
// such case: its class has probability 0.
TEST(ClippedGradientSum, RefusesWhatIsNotFinite) {
  for (const double bad : {nan, infinity, -infinity})
    for (Index at = 0; at < (bad < 0 ? 12 : 15); ++at) {
      Problem problem = random_problem(8, 137, 4, 3);
      problem.parameters(at) = bad;
      EXPECT_REFUSED("norm", by_model(problem, 1));
    }
  for (const double bad : {nan, infinity, -infinity, 1e200})
    for (Index row : {0, 50, 136})
      for (Index column : {0, 1, 3}) {
        Problem problem = random_problem(8, 137, 4, 3);
        problem.dataset.features(row, column) = bad;
        EXPECT_REFUSED("norm", by_model(problem, 1));
      }
}

TEST(ClippedGradientSum, RefusesByName) {
  const Problem good = random_problem(9, 5, 4, 3);
  const Model model(4, 3);
  Model::Workspace workspace;
  VectorXd out(15);
  const auto sum = [&](const Problem& problem, double clip_norm = 1) {
    return model.clipped_gradient_sum(problem.parameters, problem.dataset, problem.rows, clip_norm, workspace, out);
  };
  Problem problem = good;
  problem.parameters.resize(14);
  EXPECT_REFUSED("parameters", sum(problem));
  problem = good;
  problem.rows[2] = 5;
  EXPECT_REFUSED("rows", sum(problem));
  problem = good;
  problem.dataset.classes = 4;
  EXPECT_REFUSED("dataset", sum(problem));
  problem = good;
  problem.dataset.features.resize(5, 3);
  EXPECT_REFUSED("dataset", sum(problem));
  problem = good;
  problem.dataset.labels.pop_back();
  EXPECT_REFUSED("dataset", sum(problem));
  for (const std::int32_t label : {-1, 3}) {
    problem = good;
    problem.dataset.labels[4] = label;
    EXPECT_REFUSED("label", sum(problem));
  }
  for (const double clip_norm : {0.0, -1.0, nan}) EXPECT_REFUSED("clip_norm", sum(good, clip_norm));
  out.resize(16);
  EXPECT_REFUSED("out", sum(good));
  EXPECT_REFUSED("features", Model(0, 3));
  EXPECT_REFUSED("classes", Model(4, 1));
}

TEST(Loss, IsTheMeanOverTheRows) {
  Problem problem = random_problem(10, 300, 6, 4, 2);
  const Model model(6, 4);
  Model::Workspace workspace;
  double all = 0;
  for (const std::uint32_t row : problem.rows) all += record_loss(problem.parameters, problem.dataset, row);
  EXPECT_NEAR(model.loss(problem.parameters, problem.dataset, workspace), all / 300, 1e-12);
  EXPECT_NEAR(model.loss(problem.parameters, problem.dataset, problem.rows, workspace), all / 300, 1e-12);
  problem.rows = {17, 17, 299};
  EXPECT_NEAR(model.loss(problem.parameters, problem.dataset, problem.rows, workspace),
              (2 * record_loss(problem.parameters, problem.dataset, 17) +
               record_loss(problem.parameters, problem.dataset, 299)) /
                  3,
              1e-12);
}

TEST(Loss, OfZeroParametersIsTheLogOfTheClasses) {
  Problem problem = random_problem(11, 30, 6, 4);
  problem.parameters.setZero();
  Model::Workspace workspace;
  EXPECT_DOUBLE_EQ(Model(6, 4).loss(problem.parameters, problem.dataset, workspace), std::log(4));
}

TEST(Loss, IsFiniteForExtremeLogitsAndNaNForNaN) {
  Problem problem = random_problem(12, 30, 6, 4, 1e6);
  Model::Workspace workspace;
  EXPECT_NEAR(
      Model(6, 4).loss(problem.parameters, problem.dataset, problem.rows, workspace) /
          [&] {
            double sum = 0;
            for (const std::uint32_t row : problem.rows) sum += record_loss(problem.parameters, problem.dataset, row);
            return sum / 30;
          }(),
      1, 1e-12);
  for (Index at = 0; at < problem.parameters.size(); ++at) {
    VectorXd parameters = problem.parameters;
    parameters(at) = nan;
    EXPECT_FALSE(std::isfinite(Model(6, 4).loss(parameters, problem.dataset, workspace))) << at;
  }
}

TEST(Accuracy, CountsTheLikeliestLabels) {
  // One feature x, classes by the sign of x.
  const Dataset dataset{Matrix{{-2.0}, {-1.0}, {1.0}, {2.0}}, {0, 1, 1, 1}, 2};
  const Model model(1, 2);
  Model::Workspace workspace;
  EXPECT_EQ(model.accuracy(VectorXd{{-1, 1, 0, 0}}, dataset, workspace), 0.75);
  EXPECT_EQ(model.accuracy(VectorXd{{1, -1, 0, 0}}, dataset, workspace), 0.25);
  EXPECT_EQ(model.accuracy(VectorXd{{0, 0, 0, 1}}, dataset, workspace), 0.75);
  EXPECT_EQ(model.accuracy(VectorXd{{0, 0, 0, 0}}, dataset, workspace), 0.25);  // ties go to the first class
}

TEST(Accuracy, AgreesWithRecordByRecordAcrossBlocks) {
  const Problem problem = random_problem(13, 300, 6, 4);
  int right = 0;
  for (const std::uint32_t row : problem.rows) {
    bool likeliest = true;
    for (int c = 0; c < 4; ++c) {
      Dataset as_if = problem.dataset;
      as_if.labels[row] = c;
      likeliest = likeliest &&
                  record_loss(problem.parameters, as_if, row) >= record_loss(problem.parameters, problem.dataset, row);
    }
    right += likeliest;
  }
  Model::Workspace workspace;
  EXPECT_EQ(Model(6, 4).accuracy(problem.parameters, problem.dataset, workspace), right / 300.0);
}

TEST(Accuracy, OfSomeRowsIsThatOfTheirRecords) {
  const Problem problem = random_problem(15, 300, 6, 4);
  const Model model(6, 4);
  Model::Workspace workspace;
  EXPECT_EQ(model.accuracy(problem.parameters, problem.dataset, problem.rows, workspace),
            model.accuracy(problem.parameters, problem.dataset, workspace));
  const std::vector<std::uint32_t> rows{17, 17, 299};
  Dataset some{Matrix(3, 6), {}, 4};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    some.features.row(static_cast<Index>(i)) = problem.dataset.features.row(rows[i]);
    some.labels.push_back(problem.dataset.labels[rows[i]]);
  }
  EXPECT_EQ(model.accuracy(problem.parameters, problem.dataset, rows, workspace),
            model.accuracy(problem.parameters, some, workspace));
}

TEST(GradientNorms, AreThoseOfTheRecords) {
  const Problem problem = random_problem(16, 300, 6, 4);
  const Model model(6, 4);
  Model::Workspace workspace;
  std::vector<double> norms(300);
  model.gradient_norms(problem.parameters, problem.dataset, problem.rows, workspace, norms);
  for (const std::uint32_t row : problem.rows)
    EXPECT_NEAR(norms[row], record_gradient(problem.parameters, problem.dataset, row).norm(), 1e-12);
  EXPECT_EQ(*std::max_element(norms.begin(), norms.end()), by_model(problem, 1).largest_norm);
}

TEST(LossAndAccuracy, RefuseByName) {
  const Problem good = random_problem(14, 5, 4, 3);
  const Model model(4, 3);
  Model::Workspace workspace;
  const VectorXd shorter = VectorXd::Zero(14);
  const Dataset empty{Matrix(0, 4), {}, 3};
  EXPECT_REFUSED("parameters", model.loss(shorter, good.dataset, workspace));
  EXPECT_REFUSED("parameters", model.loss(shorter, good.dataset, good.rows, workspace));
  EXPECT_REFUSED("parameters", model.accuracy(shorter, good.dataset, workspace));
  EXPECT_REFUSED("rows", model.loss(good.parameters, good.dataset, {}, workspace));
  const std::vector<std::uint32_t> outside{5};
  EXPECT_REFUSED("rows", model.loss(good.parameters, good.dataset, outside, workspace));
  EXPECT_REFUSED("rows", model.accuracy(good.parameters, good.dataset, {}, workspace));
  EXPECT_REFUSED("rows", model.accuracy(good.parameters, good.dataset, outside, workspace));
  EXPECT_REFUSED("dataset", model.loss(good.parameters, empty, workspace));
  EXPECT_REFUSED("dataset", model.accuracy(good.parameters, empty, workspace));
  const Model wider(5, 3);
  const VectorXd parameters = VectorXd::Zero(18);
  EXPECT_REFUSED("dataset", wider.loss(parameters, good.dataset, workspace));
  EXPECT_REFUSED("dataset", wider.accuracy(parameters, good.dataset, workspace));
}

}  // namespace
}  // namespace dpbudget::fl
