/// @file
/// Dense layers with rectifiers between them, for many records at once.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// A body of BlockModel. Parameters, layer by layer: the weight of input f for output c is at f * outputs + c, and the
/// bias is the weight of one more input, of value 1, the last. max(0, .) stands between two layers; its derivative at 0
/// is taken as 0.
///
/// The gradient of a record by a layer's weights is its inputs a times the derivatives d by the layer's outputs,
/// transposed: it is never formed, for its squared norm is |a|^2 |d|^2.
/// @source Goodfellow 2015, "Efficient per-example gradient computations"
template <class Scalar_>
class DenseNetwork {
 public:
  using Scalar = Scalar_;
  using Parameters = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Activations = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Records per call: few enough that activations stay in the cache between products.
  static constexpr Eigen::Index block = 128;

  /// Row i belongs to the block's record i.
  struct Memory {
    std::vector<Activations> inputs;       ///< of each layer, the last column 1
    std::vector<Activations> derivatives;  ///< of each layer's outputs: first their values, then the loss's derivatives
  };

  /// @param widths  of the records, the hidden layers and the outputs: two or more numbers, each at least 1
  /// @throws InvalidArgument naming widths
  explicit DenseNetwork(std::vector<Eigen::Index> widths);

  Eigen::Index dimension() const;
  std::vector<Eigen::Index> tensors() const;        ///< lengths of each layer's weights and biases
  bool is_linear() const { return layers() == 1; }  ///< whether outputs are linear in the parameters
  Eigen::Index features() const { return widths_.front(); }
  Memory memory() const;

  /// Where the caller writes `count` records, at most `block`, one a row.
  auto inputs(Eigen::Index count, Memory& memory) const {
    return memory.inputs.front().topLeftCorner(count, features());
  }

  /// Where forward leaves the outputs, and the caller the loss's derivatives by them for backward.
  auto outputs(Eigen::Index count, Memory& memory) const { return memory.derivatives.back().topRows(count); }

  void forward(Eigen::Ref<const Parameters> parameters, Eigen::Index count, Memory& memory) const;

  /// Adds the squared norm of each record's gradient to squared_norms, of length count.
  void backward(Eigen::Ref<const Parameters> parameters, Eigen::Index count, Memory& memory,
                Eigen::Ref<Eigen::VectorXd> squared_norms) const;

  /// Leaves in out the sum of the records' gradients, each times its factor. After backward, once: it scales the
  /// derivatives.
  void sum_gradients(Eigen::Index count, Eigen::Ref<const Parameters> factors, Memory& memory,
                     Eigen::Ref<Parameters> out) const;

  /// Leaves in out the derivatives of the losses by the records' features, one record a row. After backward, before
  /// sum_gradients.
  void differentiate_inputs(Eigen::Ref<const Parameters> parameters, Eigen::Index count, const Memory& memory,
                            Eigen::Ref<Activations> out) const;

  /// Zero without hidden layers. Else biases are zero and a layer's weights uniform with variance 2 / inputs before a
  /// rectifier, 1 / inputs at the outputs: layer k's draws are keyed by (seed, initialisation, step first_layer + k).
  /// @source He, Zhang, Ren, Sun 2015, "Delving deep into rectifiers", section 2.2
  Vector initial(std::uint64_t seed, std::uint64_t first_layer = 0) const;

 private:
  std::size_t layers() const { return widths_.size() - 1; }
  Eigen::Index offset(std::size_t layer) const;

  std::vector<Eigen::Index> widths_;
};

extern template class DenseNetwork<float>;
extern template class DenseNetwork<double>;

}  // namespace dpbudget::fl
