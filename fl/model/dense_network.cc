#include "dpbudget/fl/model/dense_network.h"

#include <array>
#include <span>
#include <string>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/arithmetic/products.h"
#include "dpbudget/fl/arithmetic/rows.h"
#include "dpbudget/fl/model/initial_weights.h"

namespace dpbudget::fl {

using Eigen::Index;

template <class Scalar>
DenseNetwork<Scalar>::DenseNetwork(std::vector<Index> widths) : widths_(std::move(widths)) {
  require(2 <= widths_.size(), "widths", std::to_string(widths_.size()) + " numbers", "two or more");
  for (const Index width : widths_) require(1 <= width, "widths", width, "at least 1 each");
}

template <class Scalar>
Index DenseNetwork<Scalar>::offset(std::size_t layer) const {
  Index sum = 0;
  for (std::size_t k = 0; k < layer; ++k) sum += (widths_[k] + 1) * widths_[k + 1];
  return sum;
}

template <class Scalar>
Index DenseNetwork<Scalar>::dimension() const {
  return offset(layers());
}

template <class Scalar>
std::vector<Index> DenseNetwork<Scalar>::tensors() const {
  std::vector<Index> lengths;
  for (std::size_t k = 0; k < layers(); ++k) {
    lengths.push_back(widths_[k] * widths_[k + 1]);
    lengths.push_back(widths_[k + 1]);
  }
  return lengths;
}

template <class Scalar>
typename DenseNetwork<Scalar>::Memory DenseNetwork<Scalar>::memory() const {
  Memory memory;
  for (std::size_t k = 0; k < layers(); ++k) {
    memory.inputs.push_back(Activations::Ones(block, widths_[k] + 1));
    memory.derivatives.emplace_back(block, widths_[k + 1]);
  }
  return memory;
}

template <class Scalar>
void DenseNetwork<Scalar>::forward(Eigen::Ref<const Parameters> parameters, Index count, Memory& memory) const {
  for (std::size_t k = 0; k < layers(); ++k) {
    const Eigen::Map<const Activations> weights(parameters.data() + offset(k), widths_[k] + 1, widths_[k + 1]);
    auto outputs = memory.derivatives[k].topRows(count);
    multiply<Scalar>(memory.inputs[k].topRows(count), weights, outputs);
    // Asked this way round, NaN passes: else a record whose activations overflow might seem to have a gradient.
    if (k + 1 < layers())
      memory.inputs[k + 1].topLeftCorner(count, widths_[k + 1]) = (outputs.array() < 0).select(Scalar{0}, outputs);
  }
}

template <class Scalar>
void DenseNetwork<Scalar>::backward(Eigen::Ref<const Parameters> parameters, Index count, Memory& memory,
                                    Eigen::Ref<Eigen::VectorXd> squared_norms) const {
  for (std::size_t k = layers(); k-- > 0;) {
    auto derivatives = memory.derivatives[k].topRows(count);
    if (k + 1 < layers()) {
      const Eigen::Map<const Activations> weights(parameters.data() + offset(k + 1), widths_[k + 1], widths_[k + 2]);
      multiply_by_transposed<Scalar>(memory.derivatives[k + 1].topRows(count), weights, derivatives);
      const auto rectified = memory.inputs[k + 1].topLeftCorner(count, widths_[k + 1]).array();
      derivatives.array() *= (rectified > 0).template cast<Scalar>();
    }
    std::array<double, block> of_inputs;
    std::array<double, block> of_derivatives;
    const auto rows = static_cast<std::size_t>(count);
    fl::squared_norms<Scalar>(memory.inputs[k].topRows(count), std::span(of_inputs).first(rows));
    fl::squared_norms<Scalar>(derivatives, std::span(of_derivatives).first(rows));
    for (std::size_t i = 0; i < rows; ++i) squared_norms(static_cast<Index>(i)) += of_inputs[i] * of_derivatives[i];
  }
}

template <class Scalar>
void DenseNetwork<Scalar>::sum_gradients(Index count, Eigen::Ref<const Parameters> factors, Memory& memory,
                                         Eigen::Ref<Parameters> out) const {
  for (std::size_t k = 0; k < layers(); ++k) {
    auto derivatives = memory.derivatives[k].topRows(count);
    derivatives.array().colwise() *= factors.array();
    multiply_transposed<Scalar>(memory.inputs[k].topRows(count), derivatives,
                                Eigen::Map<Activations>(out.data() + offset(k), widths_[k] + 1, widths_[k + 1]));
  }
}

template <class Scalar>
void DenseNetwork<Scalar>::differentiate_inputs(Eigen::Ref<const Parameters> parameters, Index count,
                                                const Memory& memory, Eigen::Ref<Activations> out) const {
  const Eigen::Map<const Activations> weights(parameters.data(), widths_[0], widths_[1]);
  multiply_by_transposed<Scalar>(memory.derivatives.front().topRows(count), weights, out);
}

template <class Scalar>
Vector DenseNetwork<Scalar>::initial(std::uint64_t seed, std::uint64_t first_layer) const {
  Vector parameters = Vector::Zero(dimension());
  if (layers() == 1) return parameters;
  for (std::size_t k = 0; k < layers(); ++k)
    draw_weights(seed, first_layer + k, (k + 1 < layers() ? 2.0 : 1.0) / static_cast<double>(widths_[k]),
                 parameters.segment(offset(k), widths_[k] * widths_[k + 1]));
  return parameters;
}

template class DenseNetwork<float>;
template class DenseNetwork<double>;

}  // namespace dpbudget::fl
