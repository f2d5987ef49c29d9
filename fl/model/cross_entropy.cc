#include "dpbudget/fl/model/cross_entropy.h"

#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/arithmetic/exponential.h"
#include "dpbudget/fl/model/records.h"

namespace dpbudget::fl {

using Eigen::Index;

template <class Scalar>
CrossEntropy<Scalar>::CrossEntropy(int classes) : classes_(classes) {
  require(2 <= classes, "classes", classes, "at least 2");
}

template <class Scalar>
void CrossEntropy<Scalar>::check(const Dataset& dataset, Index features) const {
  require_labelled(dataset, features, classes_);
}

template <class Scalar>
double CrossEntropy<Scalar>::losses(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                    Eigen::Ref<const Values> /*inputs*/, Eigen::Ref<Values> outputs) const {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto logits = outputs.row(static_cast<Index>(i)).array();
    // Less the largest, they are what exp takes without overflow.
    logits -= logits.maxCoeff();
    const auto at_label = static_cast<double>(logits(label_at(dataset, rows[i])));
    sum += static_cast<double>(std::log(logits.exp().sum())) - at_label;
  }
  return sum;
}

template <class Scalar>
void CrossEntropy<Scalar>::differentiate(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                         Eigen::Ref<const Values> /*inputs*/, Eigen::Ref<Values> outputs) const {
  require(outputs.cols() == outputs.outerStride() || outputs.rows() < 2, "outputs", "part of wider rows", "whole rows");
  // A loop over the few numbers of a row is faster than an expression, whose ends are those of vectors.
  const Index width = outputs.cols();
  for (Index i = 0; i < outputs.rows(); ++i) {
    Scalar* const logits = &outputs(i, 0);
    Scalar largest = logits[0];
    for (Index j = 1; j < width; ++j) largest = largest < logits[j] ? logits[j] : largest;
    for (Index j = 0; j < width; ++j) logits[j] -= largest;
  }
  exponentials(std::span(outputs.data(), static_cast<std::size_t>(outputs.size())));
  for (Index i = 0; i < outputs.rows(); ++i) {
    Scalar* const probabilities = &outputs(i, 0);
    Scalar sum = 0;
    for (Index j = 0; j < width; ++j) sum += probabilities[j];
    const Scalar scale = 1 / sum;
    for (Index j = 0; j < width; ++j) probabilities[j] *= scale;
    probabilities[label_at(dataset, rows[static_cast<std::size_t>(i)])] -= 1;
  }
}

template <class Scalar>
double CrossEntropy<Scalar>::scores(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                    Eigen::Ref<const Values> outputs) const {
  double right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Index likeliest = 0;
    outputs.row(static_cast<Index>(i)).maxCoeff(&likeliest);
    if (likeliest == label_at(dataset, rows[i])) ++right;
  }
  return right;
}

template class CrossEntropy<float>;
template class CrossEntropy<double>;

}  // namespace dpbudget::fl
