/// @file
/// Products of matrices for the models, with the same bits on every machine: fl/arithmetic/kernels.h says how.
#pragma once

#include <Eigen/Core>

namespace dpbudget::fl {

/// One record or position a row.
template <class Scalar>
using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Leaves left * right in out, which is neither of them. Shapes: n x k, k x m, n x m.
template <class Scalar>
void multiply(const Eigen::Ref<const RowMajor<Scalar>>& left, const Eigen::Ref<const RowMajor<Scalar>>& right,
              Eigen::Ref<RowMajor<Scalar>> out);

/// Leaves left * transposed(right) in out, which is neither of them. Shapes: n x k, m x k, n x m.
template <class Scalar>
void multiply_by_transposed(const Eigen::Ref<const RowMajor<Scalar>>& left,
                            const Eigen::Ref<const RowMajor<Scalar>>& right, Eigen::Ref<RowMajor<Scalar>> out);

/// Leaves transposed(left) * right in out, which is neither of them. Shapes: k x n, k x m, n x m.
template <class Scalar>
void multiply_transposed(const Eigen::Ref<const RowMajor<Scalar>>& left,
                         const Eigen::Ref<const RowMajor<Scalar>>& right, Eigen::Ref<RowMajor<Scalar>> out);

}  // namespace dpbudget::fl
