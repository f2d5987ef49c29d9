#include "dpbudget/fl/model/convolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dpbudget/mechanisms/random.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

struct Pooled {
  std::vector<double> values;
  std::vector<std::int32_t> winners;
};

struct Example {
  Example(const ImageShape& shape, ChannelOrder order, Index filters, std::uint64_t seed = 1)
      : layer(shape, order, filters), parameters(layer.dimension()), image(static_cast<std::size_t>(shape.size())) {
    mechanisms::Stream stream({seed, mechanisms::Purpose::data_generation, 0, 0, 0});
    for (double& value : parameters) value = stream.normal();
    for (double& value : image) value = stream.normal();
  }

  Pooled forward() const {
    auto memory = layer.memory();
    const auto size = static_cast<std::size_t>(layer.output().size());
    Pooled pooled{std::vector<double>(size), std::vector<std::int32_t>(size)};
    layer.forward(parameters, image, memory, pooled.values, pooled.winners);
    return pooled;
  }

  Convolution<double> layer;
  Eigen::VectorXd parameters;
  std::vector<double> image;
};

// From the definition, with an image's number addressed by (row, column, channel).
template <class At>
double by_definition(const Example& example, At&& at, Index row, Index column, Index filter) {
  const Index channels = example.layer.input().channels, filters = example.layer.output().channels;
  double largest = 0;
  for (Index y = 2 * row; y < 2 * row + 2; ++y)
    for (Index x = 2 * column; x < 2 * column + 2; ++x) {
      double sum = example.parameters(9 * channels * filters + filter);
      for (Index down = 0; down < 3; ++down)
        for (Index right = 0; right < 3; ++right)
          for (Index channel = 0; channel < channels; ++channel)
            sum += example.parameters(((down * 3 + right) * channels + channel) * filters + filter) *
                   at(y + down, x + right, channel);
      largest = std::max(largest, sum);
    }
  return largest;
}

TEST(Convolution, AgreesWithItsDefinition) {
  for (const ImageShape shape : {ImageShape{4, 4, 1}, {9, 6, 1}, {7, 10, 3}})
    for (const ChannelOrder order : {ChannelOrder::by_channel, ChannelOrder::by_pixel}) {
      const Example example(shape, order, 4);
      const auto at = [&](Index row, Index column, Index channel) {
        const Index pixel = row * shape.width + column;
        return example.image[static_cast<std::size_t>(order == ChannelOrder::by_pixel
                                                          ? pixel * shape.channels + channel
                                                          : channel * shape.height * shape.width + pixel)];
      };
      const ImageShape out = example.layer.output();
      EXPECT_EQ(out.height, (shape.height - 2) / 2);
      EXPECT_EQ(out.width, (shape.width - 2) / 2);
      const Pooled pooled = example.forward();
      std::size_t next = 0;
      for (Index row = 0; row < out.height; ++row)
        for (Index column = 0; column < out.width; ++column)
          for (Index filter = 0; filter < 4; ++filter, ++next) {
            EXPECT_NEAR(pooled.values[next], by_definition(example, at, row, column, filter), 1e-12);
            EXPECT_EQ(pooled.winners[next] == -1, pooled.values[next] == 0);
          }
    }
}

// Of a weighted sum of the outputs, by parameters and image.
TEST(Convolution, HasTheDerivativesOfItsOutputs) {
  Example example({9, 8, 2}, ChannelOrder::by_pixel, 3);
  const Pooled pooled = example.forward();
  std::vector<double> weights;
  for (std::size_t i = 0; i < pooled.values.size(); ++i) weights.push_back(std::sin(static_cast<double>(i) + 1));
  auto memory = example.layer.memory();
  Eigen::VectorXd gradient(example.layer.dimension());
  std::vector<double> by_image(example.image.size());
  example.layer.backward(example.parameters, example.image, weights, pooled.winners, memory, gradient, by_image);
  const auto slope = [&](double& at) {
    const double before = at, step = 1e-6;
    double difference = 0;
    for (const double sign : {1.0, -1.0}) {
      at = before + sign * step;
      const Pooled moved = example.forward();
      for (std::size_t i = 0; i < weights.size(); ++i) difference += sign * weights[i] * moved.values[i];
    }
    at = before;
    return difference / (2 * step);
  };
  for (Index i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient(i), slope(example.parameters(i)), 1e-7) << i;
  for (std::size_t i = 0; i < by_image.size(); ++i) EXPECT_NEAR(by_image[i], slope(example.image[i]), 1e-7) << i;

  // The first layer asks for no derivatives by the image, and the memory is as good as new.
  Eigen::VectorXd again(example.layer.dimension());
  example.layer.backward(example.parameters, example.image, weights, pooled.winners, memory, again, {});
  EXPECT_EQ(again, gradient);
  EXPECT_EQ(example.forward().values, pooled.values);
}

TEST(Convolution, LetsNaNWin) {
  Example example({4, 4, 1}, ChannelOrder::by_pixel, 2);
  for (std::size_t pixel : {0U, 5U, 10U, 15U}) {
    Example spoilt = example;
    spoilt.image[pixel] = std::numeric_limits<double>::quiet_NaN();
    for (const double value : spoilt.forward().values) EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Convolution, RefusesByName) {
  EXPECT_REFUSED("input", Convolution<double>({3, 4, 1}, ChannelOrder::by_pixel, 1));
  EXPECT_REFUSED("input", Convolution<double>({4, 3, 1}, ChannelOrder::by_pixel, 1));
  EXPECT_REFUSED("input", Convolution<float>({4, 4, 0}, ChannelOrder::by_pixel, 1));
  EXPECT_REFUSED("filters", Convolution<float>({4, 4, 1}, ChannelOrder::by_pixel, 0));
}

}  // namespace
}  // namespace dpbudget::fl
