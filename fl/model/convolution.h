/// @file
/// One convolution with its rectifier and pooling, on one image.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace dpbudget::fl {

/// Of an image: `channels` numbers for each of height x width pixels.
struct ImageShape {
  Eigen::Index height;
  Eigen::Index width;
  Eigen::Index channels;
  Eigen::Index size() const { return height * width * channels; }
};

/// How the numbers of an image follow each other: MNIST has but one channel, CIFAR-10's files have one channel after
/// the other, and a convolution makes images whose pixels are together.
enum class ChannelOrder { by_channel, by_pixel };

/// A 3 x 3 convolution of stride 1 without padding, max(0, .), and the maximum over 2 x 2 squares (of odd sides the
/// last line belongs to no square), as one product of matrices: row p of `patches` holds the 9 pixels around position p
/// and the bias's 1. Parameters: the weight of the patch's number f for filter k is at f * filters + k, f counting
/// rows, columns and channels of the patch, the channel fastest; the bias is the last f.
/// @source Chellapilla, Puri, Simard 2006, "High performance convolutional neural networks for document processing"
template <class Scalar>
class Convolution {
 public:
  using Parameters = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Contents mean nothing between calls.
  struct Memory {
    Values patches;  ///< positions x (9 channels + 1)
    Values maps;     ///< positions x filters
  };

  /// @param input    at least 4 x 4 x 1
  /// @param filters  at least 1
  /// @throws InvalidArgument naming input or filters
  Convolution(const ImageShape& input, ChannelOrder order, Eigen::Index filters);

  const ImageShape& input() const { return input_; }
  ImageShape output() const { return {rows() / 2, columns() / 2, filters_}; }
  Eigen::Index patch() const { return 9 * input_.channels; }
  Eigen::Index dimension() const { return (patch() + 1) * filters_; }
  Memory memory() const;

  /// Leaves in `pooled`, of the output's size and by pixel, what the next layer takes, and in `winners`, of the same
  /// length, the position whose value each is, -1 where all were at most 0. NaN wins.
  void forward(Eigen::Ref<const Parameters> parameters, std::span<const Scalar> image, Memory& memory,
               std::span<Scalar> pooled, std::span<std::int32_t> winners) const;

  /// From the derivatives by forward's `pooled`: leaves in `gradient` those by the parameters, and, unless it is
  /// empty, in `image_derivatives` (by pixel, as long as the image) those by the image.
  void backward(Eigen::Ref<const Parameters> parameters, std::span<const Scalar> image,
                std::span<const Scalar> derivatives, std::span<const std::int32_t> winners, Memory& memory,
                Eigen::Ref<Parameters> gradient, std::span<Scalar> image_derivatives) const;

 private:
  Eigen::Index rows() const { return input_.height - 2; }
  Eigen::Index columns() const { return input_.width - 2; }
  void gather_patches(std::span<const Scalar> image, Values& patches) const;
  void scatter_patches(const Values& patches, std::span<Scalar> image) const;

  ImageShape input_;
  ChannelOrder order_;
  Eigen::Index filters_;
};

extern template class Convolution<float>;
extern template class Convolution<double>;

}  // namespace dpbudget::fl
