/// @file
/// The kernels for one instruction set, written once for its vectors. To be included by the one file that is compiled
/// for these: nothing here is seen outside it, and nothing of the standard library is instantiated, so that no other
/// file can be handed code that its machine does not know.
#pragma once

#include "dpbudget/fl/arithmetic/kernels.h"

namespace dpbudget::fl {
namespace {

// Rows x vectors entries of out, at its row and column 0; the last vector has `last` columns. Where `is_begun` the sums
// go on from what out holds.
template <class Vector, int rows, int vectors, class Scalar = typename Vector::Scalar>
void tile(const ProductTask<Scalar>& task, const Scalar* left, const Scalar* right, std::ptrdiff_t last, bool is_begun,
          Scalar* out) {
  typename Vector::Type sums[rows][vectors];
  const auto mask = Vector::mask(last);
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    const Scalar* row = out + r * task.out_row;
#pragma GCC unroll 16
    for (int v = 0; v + 1 < vectors; ++v)
      sums[r][v] = is_begun ? Vector::load(row + v * Vector::lanes) : Vector::zero();
    sums[r][vectors - 1] = is_begun ? Vector::load(row + (vectors - 1) * Vector::lanes, mask) : Vector::zero();
  }
  for (std::ptrdiff_t k = 0; k < task.depth; ++k) {
    typename Vector::Type of_right[vectors];
#pragma GCC unroll 16
    for (int v = 0; v + 1 < vectors; ++v) of_right[v] = Vector::load(right + v * task.right_vector);
    of_right[vectors - 1] = Vector::load(right + (vectors - 1) * task.right_vector, mask);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const auto of_left = Vector::spread(left[r * task.left_row]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sums[r][v] = Vector::multiply_add(of_left, of_right[v], sums[r][v]);
    }
    left += task.left_depth;
    right += task.right_depth;
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    Scalar* row = out + r * task.out_row;
#pragma GCC unroll 16
    for (int v = 0; v + 1 < vectors; ++v) Vector::store(row + v * Vector::lanes, sums[r][v]);
    Vector::store(row + (vectors - 1) * Vector::lanes, sums[r][vectors - 1], mask);
  }
}

// `vectors` vectors of columns, all rows: as many at once as there are registers for, then by halves.
template <class Vector, int rows, int vectors, class Scalar = typename Vector::Scalar>
void columns(const ProductTask<Scalar>& task, const Scalar* left, const Scalar* right, std::ptrdiff_t last,
             bool is_begun, Scalar* out, std::ptrdiff_t left_to_do) {
  for (; left_to_do >= rows; left_to_do -= rows) {
    tile<Vector, rows, vectors>(task, left, right, last, is_begun, out);
    left += rows * task.left_row;
    out += rows * task.out_row;
  }
  if constexpr (rows > 1) {
    if (left_to_do > 0) columns<Vector, rows / 2, vectors>(task, left, right, last, is_begun, out, left_to_do);
  }
}

template <class Vector, int rows, int vectors, class Scalar = typename Vector::Scalar>
void all_columns(const ProductTask<Scalar>& task, const Scalar* right, bool is_begun, Scalar* out,
                 std::ptrdiff_t left_to_do) {
  constexpr std::ptrdiff_t width = vectors * Vector::lanes;
  for (; left_to_do > width - Vector::lanes; left_to_do -= width) {
    const std::ptrdiff_t last = left_to_do < width ? left_to_do - (width - Vector::lanes) : Vector::lanes;
    columns<Vector, rows, vectors>(task, task.left, right, last, is_begun, out, task.rows);
    right += vectors * task.right_vector;
    out += width;
  }
  if constexpr (vectors > 1) {
    if (left_to_do > 0) all_columns<Vector, rows, vectors - 1>(task, right, is_begun, out, left_to_do);
  }
}

// So many of right's rows at once that the columns of one tile stay in the first cache while all of left's rows pass.
constexpr std::ptrdiff_t depth_at_once = 160;

template <class Vector, class Scalar = typename Vector::Scalar>
void multiply_tiles(const ProductTask<Scalar>& whole) {
  ProductTask<Scalar> task = whole;
  std::ptrdiff_t done = 0;
  do {
    const std::ptrdiff_t left = whole.depth - done;
    task.depth = whole.rows > 1 && left > depth_at_once ? depth_at_once : left;
    // A single row has its registers for columns.
    if (whole.rows == 1)
      all_columns<Vector, 1, 8>(task, task.right, done > 0, task.out, task.columns);
    else
      all_columns<Vector, Vector::rows, Vector::vectors>(task, task.right, done > 0, task.out, task.columns);
    done += task.depth;
    task.left += task.depth * task.left_depth;
    task.right += task.depth * task.right_depth;
  } while (done < whole.depth);
}

template <class Vector, int rows, class Scalar = typename Vector::Scalar>
void dot_rows(const Scalar* left, std::ptrdiff_t stride, std::ptrdiff_t depth, const Scalar* right, Scalar* out) {
  constexpr int vectors = dot_sums / Vector::lanes;
  typename Vector::Type sums[rows][vectors];
#pragma GCC unroll 16
  for (auto& row : sums)
#pragma GCC unroll 16
    for (auto& sum : row) sum = Vector::zero();
  std::ptrdiff_t k = 0;
  for (; k + dot_sums <= depth; k += dot_sums)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      const auto of_right = Vector::load(right + k + v * Vector::lanes);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r)
        sums[r][v] =
            Vector::multiply_add(Vector::load(left + r * stride + k + v * Vector::lanes), of_right, sums[r][v]);
    }
#pragma GCC unroll 16
  for (int v = 0; k < depth && v < vectors; ++v, k += Vector::lanes) {
    const auto mask = Vector::mask(depth - k);
    const auto of_right = Vector::load(right + k, mask);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
      sums[r][v] = Vector::multiply_add(Vector::load(left + r * stride + k, mask), of_right, sums[r][v]);
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    Scalar sum[dot_sums];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) Vector::store(sum + v * Vector::lanes, sums[r][v]);
    for (std::ptrdiff_t half = dot_sums / 2; half > 0; half /= 2)
      for (std::ptrdiff_t i = 0; i < half; ++i) sum[i] += sum[i + half];
    out[r] = sum[0];
  }
}

template <class Vector, class Scalar = typename Vector::Scalar>
void dot_tiles(const Scalar* left, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t depth,
               const Scalar* right, Scalar* out) {
  constexpr int at_once = 4;
  for (; rows >= at_once; rows -= at_once) {
    dot_rows<Vector, at_once>(left, stride, depth, right, out);
    left += at_once * stride;
    out += at_once;
  }
  for (; rows > 0; --rows) {
    dot_rows<Vector, 1>(left, stride, depth, right, out++);
    left += stride;
  }
}

template <class Vector, class Scalar = typename Vector::Scalar>
void converted(const double* from, std::ptrdiff_t count, Scalar* to) {
  std::ptrdiff_t k = 0;
  for (; k + Vector::converted_at_once <= count; k += Vector::converted_at_once) Vector::convert(from + k, to + k);
  for (; k < count; ++k) to[k] = static_cast<Scalar>(from[k]);
}

// Squared norms of `rows` rows, each in 4 x quads sums: of one row there may be a single one that waits for itself.
template <class Vector, int rows, int quads, class Scalar = typename Vector::Scalar>
void norms_of_rows(const Scalar* left, std::ptrdiff_t stride, std::ptrdiff_t depth, double* out) {
  typename Vector::Doubles sums[rows][quads];
#pragma GCC unroll 16
  for (auto& row : sums)
#pragma GCC unroll 16
    for (auto& sum : row) sum = Vector::no_doubles();
  std::ptrdiff_t k = 0;
  for (; k + 4 * quads <= depth; k += 4 * quads)
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 16
      for (int q = 0; q < quads; ++q) {
        const auto entries = Vector::doubles(left + r * stride + k + 4 * q);
        sums[r][q] = Vector::add_squares(sums[r][q], entries);
      }
#pragma GCC unroll 16
  for (int q = 0; k < depth && q < quads; ++q, k += 4) {
    const auto mask = Vector::mask_of_doubles(depth - k);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const auto entries = Vector::doubles(left + r * stride + k, mask);
      sums[r][q] = Vector::add_squares(sums[r][q], entries);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int half = quads / 2; half > 0; half /= 2)
#pragma GCC unroll 16
      for (int q = 0; q < half; ++q) sums[r][q] = Vector::add_doubles(sums[r][q], sums[r][q + half]);
    out[r] = Vector::fold(sums[r][0]);
  }
}

template <class Vector, class Scalar = typename Vector::Scalar>
void norms_of_all_rows(const Scalar* left, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t depth,
                       double* out) {
  constexpr int at_once = 4;
  if (depth < few_columns)
    for (; rows >= at_once; rows -= at_once) {
      norms_of_rows<Vector, at_once, 1>(left, stride, depth, out);
      left += at_once * stride;
      out += at_once;
    }
  for (; rows > 0; --rows) {
    if (depth < few_columns)
      norms_of_rows<Vector, 1, 1>(left, stride, depth, out++);
    else
      norms_of_rows<Vector, 1, 4>(left, stride, depth, out++);
    left += stride;
  }
}

template <class Vector>
constexpr MatrixKernels<typename Vector::Scalar> kernels_of(std::string_view instructions) {
  return {instructions,      Vector::lanes,     multiply_tiles<Vector>,
          dot_tiles<Vector>, converted<Vector>, norms_of_all_rows<Vector>};
}

}  // namespace
}  // namespace dpbudget::fl
