/// @file
/// Products of matrices for the models, with the same bits on every machine: fl/arithmetic/kernels.h says how.
#pragma once

#include <Eigen/Core>
#include <type_traits>

namespace dpbudget::fl {

/// One record or position a row.
template <class Scalar>
using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A matrix where it lies: rows are `stride` apart. Unlike Eigen's, its name is the same to every compiler, so that
/// what one has compiled can call what another has.
template <class Scalar>
struct MatrixView {
  Scalar* data;
  Eigen::Index rows, columns, stride;
};

/// Of what has rows that lie in memory.
template <class Matrix>
auto view_of(Matrix& matrix) {
  return MatrixView<std::remove_pointer_t<decltype(matrix.data())>>{matrix.data(), matrix.rows(), matrix.cols(),
                                                                    matrix.outerStride()};
}

/// What multiply is made of.
template <class Scalar>
void multiply_views(const MatrixView<const Scalar>& left, const MatrixView<const Scalar>& right,
                    const MatrixView<Scalar>& out);
/// What multiply_by_transposed is made of.
template <class Scalar>
void multiply_by_transposed_views(const MatrixView<const Scalar>& left, const MatrixView<const Scalar>& right,
                                  const MatrixView<Scalar>& out);
/// What multiply_transposed is made of.
template <class Scalar>
void multiply_transposed_views(const MatrixView<const Scalar>& left, const MatrixView<const Scalar>& right,
                               const MatrixView<Scalar>& out);

/// Leaves left * right in out, which is neither of them. Shapes: n x k, k x m, n x m.
template <class Scalar>
void multiply(const Eigen::Ref<const RowMajor<Scalar>>& left, const Eigen::Ref<const RowMajor<Scalar>>& right,
              Eigen::Ref<RowMajor<Scalar>> out) {
  multiply_views<Scalar>(view_of(left), view_of(right), view_of(out));
}

/// Leaves left * transposed(right) in out, which is neither of them. Shapes: n x k, m x k, n x m.
template <class Scalar>
void multiply_by_transposed(const Eigen::Ref<const RowMajor<Scalar>>& left,
                            const Eigen::Ref<const RowMajor<Scalar>>& right, Eigen::Ref<RowMajor<Scalar>> out) {
  multiply_by_transposed_views<Scalar>(view_of(left), view_of(right), view_of(out));
}

/// Leaves transposed(left) * right in out, which is neither of them. Shapes: k x n, k x m, n x m.
template <class Scalar>
void multiply_transposed(const Eigen::Ref<const RowMajor<Scalar>>& left,
                         const Eigen::Ref<const RowMajor<Scalar>>& right, Eigen::Ref<RowMajor<Scalar>> out) {
  multiply_transposed_views<Scalar>(view_of(left), view_of(right), view_of(out));
}

}  // namespace dpbudget::fl
