/// @file
/// What products of matrices and norms of their rows are made of, compiled for several instruction sets that all give
/// the same bits: each entry of a product is one sum, begun at 0, to which products are added one after the other with
/// one rounding each (fused multiply-add). How many entries are computed at once is all that the sets differ in.
/// Libraries of linear algebra add in an order that depends on the machine, so that no other could replay what they
/// have computed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dpbudget::fl {

/// One product for a kernel: out(i, j) = sum over k, in order, of left(i, k) right(k, j).
template <class Scalar>
struct ProductTask {
  const Scalar* left;
  std::ptrdiff_t left_row;     ///< from left(i, k) to left(i + 1, k)
  std::ptrdiff_t left_depth;   ///< from left(i, k) to left(i, k + 1)
  const Scalar* right;         ///< columns next to each other
  std::ptrdiff_t right_depth;  ///< from right(k, j) to right(k + 1, j)
  /// From a vector of right's columns to the next: the number of lanes, unless they were packed.
  std::ptrdiff_t right_vector;
  std::ptrdiff_t rows, depth, columns;
  Scalar* out;
  std::ptrdiff_t out_row;
};

/// How many sums dot products are added in before they are added to each other, by halves.
inline constexpr std::ptrdiff_t dot_sums = 16;

/// Columns of rows whose squares are added in few sums, four, for adding up sixteen would take longer than they.
inline constexpr std::ptrdiff_t few_columns = 64;

/// The kernels of one scalar, for one instruction set.
template <class Scalar>
struct MatrixKernels {
  std::string_view instructions;
  std::ptrdiff_t lanes;  ///< columns of a vector
  void (*multiply)(const ProductTask<Scalar>& task);
  /// out[i] = sum of left(i, k) right[k], k modulo dot_sums in sums of their own; rows of left are `stride` apart.
  void (*dot)(const Scalar* left, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t depth, const Scalar* right,
              Scalar* out);
  /// Rounds each to the scalar.
  void (*convert)(const double* from, std::ptrdiff_t count, Scalar* to);
  /// out[i] = sum of left(i, k)^2, as squared_norms (rows.h) says.
  void (*squared_norms)(const Scalar* left, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t depth,
                        double* out);
};

/// Those that this machine can run, the fastest last.
template <class Scalar>
std::span<const MatrixKernels<Scalar>> matrix_kernels();

/// Those that everything is computed by.
template <class Scalar>
const MatrixKernels<Scalar>& fastest_kernels() {
  static const MatrixKernels<Scalar>& kernels = matrix_kernels<Scalar>().back();
  return kernels;
}

}  // namespace dpbudget::fl
