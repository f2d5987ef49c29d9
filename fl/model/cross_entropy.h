/// @file
/// Cross-entropy of softmax outputs.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// A head of BlockModel: outputs are logits, one column a class, and a record's loss is the cross-entropy of their
/// softmax with its label, in nats.
///
/// Each function reads row i of `inputs` and `outputs` as those of the record rows[i], which is one of the data set's.
template <class Scalar>
class CrossEntropy {
 public:
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static constexpr Score score_kind = Score::accuracy;

  /// @param classes  at least 2
  /// @throws InvalidArgument naming classes
  explicit CrossEntropy(int classes);

  /// @throws InvalidArgument naming dataset unless it has that many features and one label per record
  void check(const Dataset& dataset, Eigen::Index features) const;

  /// @return the sum of the losses; the outputs are overwritten
  /// @throws InvalidArgument naming label
  double losses(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> inputs,
                Eigen::Ref<Values> outputs) const;

  /// Turns outputs into the derivatives of the losses by them.
  /// @throws InvalidArgument naming label
  void differentiate(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> inputs,
                     Eigen::Ref<Values> outputs) const;

  /// @return how many labels have the largest output (the first such class on a tie)
  /// @throws InvalidArgument naming label
  double scores(const Dataset& dataset, std::span<const std::uint32_t> rows, Eigen::Ref<const Values> outputs) const;

 private:
  int classes_;
};

extern template class CrossEntropy<float>;
extern template class CrossEntropy<double>;

}  // namespace dpbudget::fl
