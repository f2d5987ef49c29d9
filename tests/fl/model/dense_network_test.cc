#include "dpbudget/fl/model/dense_network.h"

#include <gtest/gtest.h>

#include <vector>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Eigen::VectorXd;

// Two features, two rectified units, one output; every number by hand.
TEST(DenseNetwork, IsItsDefinitionByHand) {
  const DenseNetwork<double> network({2, 2, 1});
  ASSERT_EQ(network.dimension(), 9);
  // Unit 0 is x + 2 y + 1, unit 1 is -x + y - 3; the output is 5 times unit 0 + 7 times unit 1 - 2.
  const VectorXd parameters{{1, -1, 2, 1, 1, -3, 5, 7, -2}};
  auto memory = network.memory();
  network.inputs(2, memory) << 3, 4, 0, 5;  // units (12, -2) and (11, 2)
  network.forward(parameters, 2, memory);
  EXPECT_EQ(network.outputs(2, memory)(0, 0), 5 * 12 - 2);
  EXPECT_EQ(network.outputs(2, memory)(1, 0), 5 * 11 + 7 * 2 - 2);

  network.outputs(2, memory) << 1, -1;
  VectorXd squared_norms = VectorXd::Constant(2, 100);
  network.backward(parameters, 2, memory, squared_norms);
  EXPECT_EQ(squared_norms(0), 100 + (12 * 12 + 1) + (9 + 16 + 1) * 25);
  EXPECT_EQ(squared_norms(1), 100 + (11 * 11 + 4 + 1) + (25 + 1) * (25 + 49));

  DenseNetwork<double>::Activations by_features(2, 2);
  network.differentiate_inputs(parameters, 2, memory, by_features);
  EXPECT_EQ(by_features, (DenseNetwork<double>::Activations{{5, 10}, {-5 + 7, -10 - 7}}));

  VectorXd sum(9);
  network.sum_gradients(2, VectorXd{{2, 10}}, memory, sum);
  EXPECT_EQ(
      sum,
      (VectorXd{{2 * 15, 0, 2 * 20 - 10 * 25, -10 * 35, 2 * 5 - 10 * 5, -10 * 7, 2 * 12 - 10 * 11, -10 * 2, 2 - 10}}));
}

TEST(DenseNetwork, StartsAtZeroWithoutHiddenLayers) {
  EXPECT_EQ(DenseNetwork<double>({3, 2}).initial(1), VectorXd::Zero(8));
  EXPECT_NE(DenseNetwork<double>({3, 2, 2}).initial(1, 0), DenseNetwork<double>({3, 2, 2}).initial(1, 1));
}

TEST(DenseNetwork, RefusesByName) {
  EXPECT_REFUSED("widths", DenseNetwork<double>({3}));
  EXPECT_REFUSED("widths", DenseNetwork<double>({3, 0, 2}));
  EXPECT_REFUSED("widths", DenseNetwork<float>({0, 2}));
}

}  // namespace
}  // namespace dpbudget::fl
