/// @file
/// Neural networks under cross-entropy, with random initial weights.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// One hidden layer of rectified linear units: "mlp:200" for 200 of them. Parameters are laid out as DenseNetwork
/// says. Instantiated for float and
/// double.
/// @param features      at least 1
/// @param hidden_units  at least 1
/// @param classes       at least 2
/// @throws InvalidArgument naming features, hidden_units or classes
/// @source Noble, Bellet, Dieuleveut 2022, appendix D.1 (200 units); Chen et al. 2024, section VI (1200 units)
template <class Scalar>
std::unique_ptr<Model> make_mlp(Eigen::Index features, Eigen::Index hidden_units, int classes);

/// The small convolutional network for images: "cnn". Two 3 x 3 convolutions, a dense layer of 128 rectified linear
/// units, and the outputs, as Zheng et al. have it for MNIST. Their paper leaves the rest open; here the convolutions
/// have 16 and 32 filters, stride 1, no padding, and a rectifier and 2 x 2 maximum pooling after each: 108,618
/// parameters for MNIST and 10 classes. Laid out as ConvolutionalNetwork says. Instantiated for float and double. (For
/// CIFAR-10 Zheng et al. train another, that of TensorFlow's tutorial.)
///
/// @param features  784: 28 x 28 pixels of one channel, row by row (MNIST); or 3072: 32 x 32 pixels of three channels,
///                  channel after channel (CIFAR-10)
/// @param classes   at least 2
/// @throws InvalidArgument naming features or classes
/// @source Zheng, Chen, Long, Su 2021, section 4.1
template <class Scalar>
std::unique_ptr<Model> make_cnn(Eigen::Index features, int classes);

extern template std::unique_ptr<Model> make_mlp<float>(Eigen::Index, Eigen::Index, int);
extern template std::unique_ptr<Model> make_mlp<double>(Eigen::Index, Eigen::Index, int);
extern template std::unique_ptr<Model> make_cnn<float>(Eigen::Index, int);
extern template std::unique_ptr<Model> make_cnn<double>(Eigen::Index, int);

}  // namespace dpbudget::fl
