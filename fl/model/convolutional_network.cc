#include "dpbudget/fl/model/convolutional_network.h"

#include <span>

#include "dpbudget/fl/arithmetic/products.h"
#include "dpbudget/fl/model/initial_weights.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

template <class Values>
auto row_of(Values& values, Index row) {
  return std::span(&values(row, 0), static_cast<std::size_t>(values.cols()));
}

// Record i's part of what is stored record after record.
auto part_of(std::vector<std::int32_t>& values, Index record, Index size) {
  return std::span(values).subspan(static_cast<std::size_t>(record * size), static_cast<std::size_t>(size));
}

}  // namespace

template <class Scalar>
ConvolutionalNetwork<Scalar>::ConvolutionalNetwork(const ImageShape& shape, const Widths& widths, Index outputs)
    : first_(shape, ChannelOrder::by_channel, widths.first_filters),
      second_(first_.output(), ChannelOrder::by_pixel, widths.second_filters),
      dense_({second_.output().size(), widths.hidden_units, outputs}) {}

template <class Scalar>
std::vector<Index> ConvolutionalNetwork<Scalar>::tensors() const {
  std::vector<Index> lengths;
  for (const Convolution<Scalar>* layer : {&first_, &second_}) {
    const Index biases = layer->output().channels;
    lengths.push_back(layer->patch() * biases);
    lengths.push_back(biases);
  }
  const std::vector<Index> dense = dense_.tensors();
  lengths.insert(lengths.end(), dense.begin(), dense.end());
  return lengths;
}

template <class Scalar>
typename ConvolutionalNetwork<Scalar>::Memory ConvolutionalNetwork<Scalar>::memory() const {
  const Index middle = first_.output().size();
  const Index end = second_.output().size();
  return {Activations(block, features()),
          Activations(block, middle),
          {std::vector<std::int32_t>(static_cast<std::size_t>(block * middle)),
           std::vector<std::int32_t>(static_cast<std::size_t>(block * end))},
          {first_.memory(), second_.memory()},
          dense_.memory(),
          Activations(block, end),
          Parameters(middle),
          Activations(block, convolved())};
}

template <class Scalar>
void ConvolutionalNetwork<Scalar>::forward(Eigen::Ref<const Parameters> parameters, Index count, Memory& memory) const {
  const auto first = parameters.head(first_.dimension());
  const auto second = parameters.segment(first_.dimension(), second_.dimension());
  const Index middle = first_.output().size();
  const Index end = second_.output().size();
  auto pooled = dense_.inputs(count, memory.dense);
  for (Index i = 0; i < count; ++i) {
    first_.forward(first, row_of(memory.images, i), memory.convolutions[0], row_of(memory.middle, i),
                   part_of(memory.winners[0], i, middle));
    second_.forward(second, row_of(memory.middle, i), memory.convolutions[1],
                    std::span(&pooled(i, 0), static_cast<std::size_t>(end)), part_of(memory.winners[1], i, end));
  }
  dense_.forward(parameters.tail(dense_.dimension()), count, memory.dense);
}

template <class Scalar>
void ConvolutionalNetwork<Scalar>::backward(Eigen::Ref<const Parameters> parameters, Index count, Memory& memory,
                                            Eigen::Ref<Eigen::VectorXd> squared_norms) const {
  const auto first = parameters.head(first_.dimension());
  const auto second = parameters.segment(first_.dimension(), second_.dimension());
  const auto dense = parameters.tail(dense_.dimension());
  const Index middle = first_.output().size();
  const Index end = second_.output().size();
  dense_.backward(dense, count, memory.dense, squared_norms);
  dense_.differentiate_inputs(dense, count, memory.dense, memory.derivatives.topRows(count));
  const std::span<Scalar> by_middle(memory.middle_derivatives.data(), static_cast<std::size_t>(middle));
  for (Index i = 0; i < count; ++i) {
    auto gradient = memory.gradients.row(i).transpose();
    second_.backward(second, row_of(memory.middle, i), row_of(memory.derivatives, i),
                     part_of(memory.winners[1], i, end), memory.convolutions[1], gradient.tail(second_.dimension()),
                     by_middle);
    first_.backward(first, row_of(memory.images, i), by_middle, part_of(memory.winners[0], i, middle),
                    memory.convolutions[0], gradient.head(first_.dimension()), {});
    squared_norms(i) += gradient.template cast<double>().squaredNorm();
  }
}

template <class Scalar>
void ConvolutionalNetwork<Scalar>::sum_gradients(Index count, Eigen::Ref<const Parameters> factors, Memory& memory,
                                                 Eigen::Ref<Parameters> out) const {
  multiply_transposed<Scalar>(memory.gradients.topRows(count), Eigen::Map<const Activations>(factors.data(), count, 1),
                              Eigen::Map<Activations>(out.data(), convolved(), 1));
  dense_.sum_gradients(count, factors, memory.dense, out.tail(dense_.dimension()));
}

template <class Scalar>
Vector ConvolutionalNetwork<Scalar>::initial(std::uint64_t seed) const {
  Vector parameters = Vector::Zero(dimension());
  Index offset = 0;
  std::uint64_t layer = 0;
  for (const auto* convolution : {&first_, &second_}) {
    const Index weights = convolution->dimension() - convolution->output().channels;  // all but the biases
    draw_weights(seed, layer++, 2 / static_cast<double>(convolution->patch()), parameters.segment(offset, weights));
    offset += convolution->dimension();
  }
  parameters.tail(dense_.dimension()) = dense_.initial(seed, layer);
  return parameters;
}

template class ConvolutionalNetwork<float>;
template class ConvolutionalNetwork<double>;

}  // namespace dpbudget::fl
