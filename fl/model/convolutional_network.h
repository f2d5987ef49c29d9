/// @file
/// Two convolutions and two dense layers.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/convolution.h"
#include "dpbudget/fl/model/dense_network.h"

namespace dpbudget::fl {

/// A body of BlockModel, as DenseNetwork is. Its parameters are those of the first convolution, of the second, and of
/// the dense layers. The convolutions' gradients are formed record by record: they are small.
template <class Scalar_>
class ConvolutionalNetwork {
 public:
  using Scalar = Scalar_;
  using Parameters = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Activations = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Fewer than in a dense network: the gradients of the convolutions are kept for a whole block.
  static constexpr Eigen::Index block = 32;

  /// How wide the layers are.
  struct Widths {
    Eigen::Index first_filters;
    Eigen::Index second_filters;
    Eigen::Index hidden_units;
  };

  /// Row i belongs to the block's record i.
  struct Memory {
    Activations images;
    Activations middle;                                                ///< the first's outputs
    std::array<std::vector<std::int32_t>, 2> winners;                  ///< record after record
    std::array<typename Convolution<Scalar>::Memory, 2> convolutions;  ///< of one record
    typename DenseNetwork<Scalar>::Memory dense;
    Activations derivatives;        ///< by the second convolution's outputs
    Parameters middle_derivatives;  ///< by the first convolution's outputs, of one record
    Activations gradients;          ///< by the convolutions' parameters
  };

  /// @param shape  of the images, at least 10 x 10 x 1; their numbers are in order by channel
  /// @throws InvalidArgument naming input, filters or widths
  ConvolutionalNetwork(const ImageShape& shape, const Widths& widths, Eigen::Index outputs);

  Eigen::Index dimension() const { return convolved() + dense_.dimension(); }
  std::vector<Eigen::Index> tensors() const;  ///< lengths of each layer's weights and biases
  Eigen::Index features() const { return first_.input().size(); }
  Memory memory() const;

  auto inputs(Eigen::Index count, Memory& memory) const { return memory.images.topRows(count); }
  auto outputs(Eigen::Index count, Memory& memory) const { return dense_.outputs(count, memory.dense); }

  void forward(Eigen::Ref<const Parameters> parameters, Eigen::Index count, Memory& memory) const;
  void backward(Eigen::Ref<const Parameters> parameters, Eigen::Index count, Memory& memory,
                Eigen::Ref<Eigen::VectorXd> squared_norms) const;
  void sum_gradients(Eigen::Index count, Eigen::Ref<const Parameters> factors, Memory& memory,
                     Eigen::Ref<Parameters> out) const;

  /// Biases zero, weights of variance 2 / inputs (of a convolution: the patch's numbers), but 1 / inputs at the
  /// outputs: see DenseNetwork::initial.
  Vector initial(std::uint64_t seed) const;

 private:
  Eigen::Index convolved() const { return first_.dimension() + second_.dimension(); }

  Convolution<Scalar> first_;
  Convolution<Scalar> second_;
  DenseNetwork<Scalar> dense_;
};

extern template class ConvolutionalNetwork<float>;
extern template class ConvolutionalNetwork<double>;

}  // namespace dpbudget::fl
