#include "dpbudget/fl/model/convolution.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/arithmetic/products.h"

namespace dpbudget::fl {

using Eigen::Index;

template <class Scalar>
Convolution<Scalar>::Convolution(const ImageShape& input, ChannelOrder order, Index filters)
    : input_(input), order_(order), filters_(filters) {
  const bool large_enough = 4 <= input.height && 4 <= input.width && 1 <= input.channels;
  require(large_enough, "input",
          std::to_string(input.height) + " x " + std::to_string(input.width) + " x " + std::to_string(input.channels),
          "at least 4 x 4 x 1");
  require(1 <= filters, "filters", filters, "at least 1");
}

template <class Scalar>
typename Convolution<Scalar>::Memory Convolution<Scalar>::memory() const {
  const Index positions = rows() * columns();
  return {Values::Ones(positions, patch() + 1), Values(positions, filters_)};
}

template <class Scalar>
void Convolution<Scalar>::gather_patches(std::span<const Scalar> image, Values& patches) const {
  const Index channels = input_.channels;
  for (Index row = 0; row < rows(); ++row)
    for (Index column = 0; column < columns(); ++column) {
      Scalar* to = &patches(row * columns() + column, 0);
      for (Index down = 0; down < 3; ++down) {
        const Index pixel = (row + down) * input_.width + column;
        if (order_ == ChannelOrder::by_pixel) {
          to = std::copy_n(image.data() + pixel * channels, 3 * channels, to);
          continue;
        }
        for (Index right = 0; right < 3; ++right)
          for (Index channel = 0; channel < channels; ++channel)
            *to++ = image[static_cast<std::size_t>(channel * input_.height * input_.width + pixel + right)];
      }
    }
}

template <class Scalar>
void Convolution<Scalar>::scatter_patches(const Values& patches, std::span<Scalar> image) const {
  std::ranges::fill(image, Scalar{0});
  const Index line = 3 * input_.channels;
  for (Index row = 0; row < rows(); ++row)
    for (Index column = 0; column < columns(); ++column)
      for (Index down = 0; down < 3; ++down) {
        Scalar* to = image.data() + ((row + down) * input_.width + column) * input_.channels;
        Eigen::Map<Eigen::Array<Scalar, 1, Eigen::Dynamic>>(to, line) +=
            patches.row(row * columns() + column).segment(down * line, line).array();
      }
}

template <class Scalar>
void Convolution<Scalar>::forward(Eigen::Ref<const Parameters> parameters, std::span<const Scalar> image,
                                  Memory& memory, std::span<Scalar> pooled, std::span<std::int32_t> winners) const {
  const Eigen::Map<const Values> weights(parameters.data(), patch() + 1, filters_);
  gather_patches(image, memory.patches);
  multiply<Scalar>(memory.patches, weights, memory.maps);
  const ImageShape out = output();
  for (Index row = 0; row < out.height; ++row)
    for (Index column = 0; column < out.width; ++column) {
      const auto first = static_cast<std::size_t>((row * out.width + column) * filters_);
      const std::span<Scalar> largest = pooled.subspan(first, static_cast<std::size_t>(filters_));
      const std::span<std::int32_t> winner = winners.subspan(first, static_cast<std::size_t>(filters_));
      std::ranges::fill(largest, Scalar{0});
      std::ranges::fill(winner, -1);
      for (const Index down : {0, 1})
        for (const Index right : {0, 1}) {
          const Index position = (2 * row + down) * columns() + 2 * column + right;
          const Scalar* values = &memory.maps(position, 0);
          for (std::size_t k = 0; k < largest.size(); ++k)
            if (values[k] > largest[k] || std::isnan(values[k])) {
              largest[k] = values[k];
              winner[k] = static_cast<std::int32_t>(position);
            }
        }
    }
}

template <class Scalar>
void Convolution<Scalar>::backward(Eigen::Ref<const Parameters> parameters, std::span<const Scalar> image,
                                   std::span<const Scalar> derivatives, std::span<const std::int32_t> winners,
                                   Memory& memory, Eigen::Ref<Parameters> gradient,
                                   std::span<Scalar> image_derivatives) const {
  memory.maps.setZero();
  for (std::size_t i = 0; i < winners.size(); ++i)
    if (0 <= winners[i]) memory.maps(winners[i], static_cast<Index>(i) % filters_) = derivatives[i];
  gather_patches(image, memory.patches);
  multiply_transposed<Scalar>(memory.patches, memory.maps, Eigen::Map<Values>(gradient.data(), patch() + 1, filters_));
  if (image_derivatives.empty()) return;
  // The patches have served: the derivatives by them take their place, beside the bias's 1.
  const Eigen::Map<const Values> weights(parameters.data(), patch(), filters_);
  multiply_by_transposed<Scalar>(memory.maps, weights, memory.patches.leftCols(patch()));
  scatter_patches(memory.patches, image_derivatives);
}

template class Convolution<float>;
template class Convolution<double>;

}  // namespace dpbudget::fl
