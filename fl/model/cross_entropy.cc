#include "dpbudget/fl/model/cross_entropy.h"

#include <cmath>

#include "dpbudget/accounting/base/require.h"
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
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto logits = outputs.row(static_cast<Index>(i)).array();
    // In place: a copy for each record takes longer than its few exponentials.
    const Scalar largest = logits.maxCoeff();
    logits = (logits - largest).exp();
    logits /= logits.sum();
    logits(label_at(dataset, rows[i])) -= 1;
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
