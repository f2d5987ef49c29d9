#include "dpbudget/fl/model/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Values = CrossEntropy<double>::Values;

const Dataset dataset{Matrix::Zero(4, 1), {0, 2, 1, 2}, 3};
const CrossEntropy<double> head(3);

TEST(CrossEntropy, IsTheLogOfTheSharesAtTheLabels) {
  const std::vector<std::uint32_t> rows{1, 2};  // labels 2 and 1
  Values outputs{{std::log(1.0), std::log(2.0), std::log(5.0)}, {std::log(3.0), std::log(4.0), std::log(1.0)}};
  Values derivatives = outputs;
  EXPECT_NEAR(head.losses(dataset, rows, dataset.features, outputs), -std::log(5.0 / 8) - std::log(4.0 / 8), 1e-14);
  head.differentiate(dataset, rows, dataset.features, derivatives);
  EXPECT_TRUE(derivatives.isApprox(Values{{1.0 / 8, 2.0 / 8, 5.0 / 8 - 1}, {3.0 / 8, 4.0 / 8 - 1, 1.0 / 8}}, 1e-14));
}

TEST(CrossEntropy, SurvivesExtremeOutputs) {
  const std::vector<std::uint32_t> rows{0, 0};
  Values outputs{{1e300, -1e300, 0}, {-1e300, 0, 1e300}};
  Values derivatives = outputs;
  EXPECT_DOUBLE_EQ(head.losses(dataset, rows, dataset.features, outputs), 2e300);
  head.differentiate(dataset, rows, dataset.features, derivatives);
  // Eigen's exp does not go all the way to 0.
  EXPECT_LE((derivatives - Values{{0, 0, 0}, {-1, 0, 1}}).cwiseAbs().maxCoeff(), 1e-300);
}

TEST(CrossEntropy, LetsNaNThrough) {
  const std::vector<std::uint32_t> rows{0};
  for (const Eigen::Index at : {0, 1, 2}) {
    Values outputs{{1, 2, 3}};
    outputs(at) = std::numeric_limits<double>::quiet_NaN();
    Values derivatives = outputs;
    EXPECT_TRUE(std::isnan(head.losses(dataset, rows, dataset.features, outputs)));
    head.differentiate(dataset, rows, dataset.features, derivatives);
    for (const double derivative : derivatives.reshaped()) EXPECT_TRUE(std::isnan(derivative));
  }
}

TEST(CrossEntropy, ScoresTheFirstOfEqualOutputs) {
  const std::vector<std::uint32_t> rows{0, 1, 2, 3};  // labels 0, 2, 1, 2
  EXPECT_EQ(head.scores(dataset, rows, Values{{1, 1, 0}, {0, 1, 1}, {0, 1, 1}, {0, 0, 1}}), 3);
}

TEST(CrossEntropy, RefusesByName) {
  EXPECT_REFUSED("classes", CrossEntropy<float>(1));
  EXPECT_REFUSED("dataset", head.check(dataset, 2));
  EXPECT_REFUSED("dataset", CrossEntropy<double>(4).check(dataset, 1));
}

}  // namespace
}  // namespace dpbudget::fl
