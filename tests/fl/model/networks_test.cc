#include "dpbudget/fl/model/networks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fl/model/problems.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

// From the definition, with parameters where the header says they are.
std::vector<long double> outputs_of(const Vector& parameters, const Dataset& dataset, std::uint32_t row, Index hidden) {
  const Index features = dataset.features.cols();
  const Index classes = dataset.classes;
  std::vector<long double> units(static_cast<std::size_t>(hidden)), outputs(static_cast<std::size_t>(classes));
  for (Index h = 0; h < hidden; ++h) {
    long double sum = parameters(features * hidden + h);
    for (Index f = 0; f < features; ++f) sum += dataset.features(row, f) * parameters(f * hidden + h);
    units[static_cast<std::size_t>(h)] = sum > 0 ? sum : 0;
  }
  const auto second = parameters.tail((hidden + 1) * classes);
  for (Index c = 0; c < classes; ++c) {
    long double sum = second(hidden * classes + c);
    for (Index h = 0; h < hidden; ++h) sum += units[static_cast<std::size_t>(h)] * second(h * classes + c);
    outputs[static_cast<std::size_t>(c)] = sum;
  }
  return outputs;
}

TEST(Mlp, HasTheLossAndTheScoreOfItsDefinition) {
  for (const Index hidden : {1, 7, 50}) {
    const auto exact = make_mlp<double>(9, hidden, 4);
    const auto single = make_mlp<float>(9, hidden, 4);
    const Problem given = problem_for(*exact, 1, 150, 9, 4, 0.7);
    double loss = 0, right = 0;
    for (const std::uint32_t row : given.rows) {
      const auto outputs = outputs_of(given.parameters, given.dataset, row, hidden);
      const auto label = static_cast<std::size_t>(given.dataset.labels[row]);
      long double total = 0;
      for (const long double output : outputs) total += std::exp(output - outputs[label]);
      loss += static_cast<double>(std::log(total));
      right += std::ranges::max(outputs) == outputs[label] ? 1 : 0;
    }
    for (const Model* model : {exact.get(), single.get()}) {
      const auto workspace = model->workspace();
      const double tolerance = model == exact.get() ? 1e-12 : 1e-5;
      EXPECT_NEAR(model->loss(given.parameters, given.dataset, given.rows, *workspace), loss / 150,
                  tolerance * (1 + loss));
      EXPECT_NEAR(model->score(given.parameters, given.dataset, given.rows, *workspace), right / 150, 1e-12);
    }
  }
}

TEST(Networks, InFloatAgreeWithDouble) {
  for (const bool convolutional : {false, true}) {
    const Index features = convolutional ? 784 : 60;
    const auto exact = convolutional ? make_cnn<double>(784, 10) : make_mlp<double>(60, 200, 10);
    const auto single = convolutional ? make_cnn<float>(784, 10) : make_mlp<float>(60, 200, 10);
    Problem given = problem_for(*exact, 2, 40, features, 10);
    given.parameters = exact->initial(3);
    const Sum expected = clipped_sum(*exact, given, 0.5), actual = clipped_sum(*single, given, 0.5);
    EXPECT_LE((actual.gradient - expected.gradient).norm(),
              (1e-5 + 40 * 40 * 0x1p-24) * 40 * 0.5);  // the room for rounding
    EXPECT_NEAR(actual.largest_norm / expected.largest_norm, 1, 1e-5);
  }
}

TEST(Networks, HaveTheDimensionsTheyShould) {
  EXPECT_EQ(make_mlp<float>(60, 200, 10)->dimension(), 61 * 200 + 201 * 10);
  EXPECT_EQ(make_cnn<float>(784, 10)->dimension(), 10 * 16 + 145 * 32 + (5 * 5 * 32 + 1) * 128 + 129 * 10);
  EXPECT_EQ(make_cnn<float>(784, 10)->dimension(), 108'618);
  EXPECT_EQ(make_cnn<float>(3072, 10)->dimension(), 28 * 16 + 145 * 32 + (6 * 6 * 32 + 1) * 128 + 129 * 10);
  EXPECT_EQ(make_mlp<float>(60, 200, 10)->name(), "mlp:200");
  EXPECT_EQ(make_cnn<float>(3072, 10)->name(), "cnn");
}

// A layer's weights, all but the biases, which are the end of it.
void expect_uniform(const Vector& parameters, Index offset, Index inputs, Index outputs, double variance) {
  const auto weights = parameters.segment(offset, inputs * outputs);
  const double bound = std::sqrt(3 * variance);
  const auto count = static_cast<double>(weights.size());
  EXPECT_LE(weights.cwiseAbs().maxCoeff(), bound);
  // Standard errors of the mean and of the mean square of a uniform variable.
  EXPECT_LE(std::abs(weights.mean()), 5 * std::sqrt(variance / count));
  EXPECT_NEAR(weights.squaredNorm() / count / variance, 1, 5 * std::sqrt(0.8 / count));
  EXPECT_EQ(parameters.segment(offset + weights.size(), outputs), Vector::Zero(outputs));
}

TEST(InitialParameters, AreUniformByFanInWithBiasesZero) {
  const Vector dense = make_mlp<float>(60, 200, 10)->initial(5);
  expect_uniform(dense, 0, 60, 200, 2.0 / 60);
  expect_uniform(dense, 61 * 200, 200, 10, 1.0 / 200);
  const Vector images = make_cnn<float>(784, 10)->initial(5);
  expect_uniform(images, 0, 9, 16, 2.0 / 9);
  expect_uniform(images, 160, 144, 32, 2.0 / 144);
  expect_uniform(images, 160 + 145 * 32, 800, 128, 2.0 / 800);
  expect_uniform(images, 160 + 145 * 32 + 801 * 128, 128, 10, 1.0 / 128);
}

TEST(InitialParameters, DependOnTheSeedAlone) {
  const auto model = make_mlp<float>(6, 20, 3);
  EXPECT_EQ(model->initial(1), make_mlp<double>(6, 20, 3)->initial(1));
  EXPECT_NE(model->initial(1), model->initial(2));
  // Layers do not share draws.
  const Vector square = make_mlp<float>(5, 5, 5)->initial(1);
  EXPECT_GT((square.head(25) - std::sqrt(2.0) * square.segment(30, 25)).norm(), 0.1);
}

TEST(Networks, RefuseByName) {
  EXPECT_REFUSED("features", make_mlp<float>(0, 3, 2));
  EXPECT_REFUSED("hidden_units", make_mlp<float>(3, 0, 2));
  EXPECT_REFUSED("classes", make_mlp<double>(3, 3, 1));
  for (const Index features : {783, 785, 1024, 3071}) EXPECT_REFUSED("features", make_cnn<float>(features, 10));
  EXPECT_REFUSED("classes", make_cnn<double>(784, 1));
}

}  // namespace
}  // namespace dpbudget::fl
