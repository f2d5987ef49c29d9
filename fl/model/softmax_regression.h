/// @file
/// Multinomial logistic regression with per-record clipping that never forms a record's gradient.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/norms.h"

namespace dpbudget::fl {

/// Softmax regression under cross-entropy. The bias is the weight of one more feature, of value 1, the last.
///
/// Parameters are one flat vector: the weight of feature f for class c is at f * classes + c. Regularisation is not
/// part of the model: its gradient does not depend on data, so it is added after clipping, by whoever steps.
///
/// Sums are taken in the order of the rows given, so results do not depend on threads. Scalar: float or double;
/// losses are summed in double.
template <class Scalar>
class SoftmaxRegression {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Memory that calls reuse, so that a step allocates nothing (but for what Eigen's products take for inputs hundreds
  /// wide). One per thread; contents mean nothing between calls.
  struct Workspace {
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> inputs;
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> outputs;
    Vector per_record;
  };

  /// @param features  at least 1
  /// @param classes   at least 2
  /// @throws InvalidArgument naming features or classes
  SoftmaxRegression(Eigen::Index features, int classes);

  /// @return the number of parameters, (features + 1) * classes
  Eigen::Index dimension() const { return (features_ + 1) * classes_; }

  /// Sum over the rows of the records' cross-entropy gradients, each scaled to L2 norm at most `clip_norm` (all of
  /// it, bias included): the norm of an outer product is the product of the norms.
  ///
  /// @param rows       of the data set; a row given twice counts twice; no rows give 0
  /// @param clip_norm  positive; +infinity clips nothing
  /// @param out        of length dimension(); overwritten
  /// @return the largest norms, of which the second is measured on what was summed; 0 without rows
  /// @throws InvalidArgument naming parameters, out, dataset, rows, label or clip_norm; or norm, when a gradient is not
  /// finite
  /// @source Goodfellow 2015, "Efficient per-example gradient computations"
  Norms clipped_gradient_sum(Eigen::Ref<const Vector> parameters, const Dataset& dataset,
                             std::span<const std::uint32_t> rows, double clip_norm, Workspace& workspace,
                             Eigen::Ref<Vector> out) const;

  /// The norms of the records' gradients before clipping, in the order of the rows.
  /// @param out  of the length of rows; overwritten
  /// @throws InvalidArgument naming parameters, out, dataset, rows, label, or norm when one is not finite
  void gradient_norms(Eigen::Ref<const Vector> parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                      Workspace& workspace, std::span<double> out) const;

  /// @return the mean cross-entropy over the rows, in nats; NaN or infinite when the parameters are
  /// @throws InvalidArgument naming parameters, dataset, label or rows (also when there are none)
  double loss(Eigen::Ref<const Vector> parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
              Workspace& workspace) const;

  /// @return the mean cross-entropy over the whole data set
  /// @throws InvalidArgument naming parameters, label or dataset (also when it is empty)
  double loss(Eigen::Ref<const Vector> parameters, const Dataset& dataset, Workspace& workspace) const;

  /// @return the share of the rows' records whose label has the largest probability (the first such class on a tie)
  /// @throws InvalidArgument naming parameters, dataset, label or rows (also when there are none)
  double accuracy(Eigen::Ref<const Vector> parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                  Workspace& workspace) const;

  /// @return the same over the whole data set
  /// @throws InvalidArgument naming parameters, label or dataset (also when it is empty)
  double accuracy(Eigen::Ref<const Vector> parameters, const Dataset& dataset, Workspace& workspace) const;

 private:
  Eigen::Index features_;
  int classes_;
};

extern template class SoftmaxRegression<float>;
extern template class SoftmaxRegression<double>;

}  // namespace dpbudget::fl
