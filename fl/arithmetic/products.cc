#include "dpbudget/fl/arithmetic/products.h"

#include <algorithm>
#include <vector>

#include "dpbudget/fl/arithmetic/kernels.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

// Fewer rows are done before the other matrix has been copied, and so few vectors of columns are next to each other as
// it lies.
constexpr Index least_rows_to_pack = 32;
constexpr Index vectors_not_to_pack = 2;

enum class Use { packed, result };  // of memory: a product may need both at a time

// Memory of this thread's that begins with a line of the cache: half of all loads would read two otherwise.
template <class Scalar, Use>
Scalar* buffer(Index size) {
  struct alignas(64) Line {
    Scalar values[64 / sizeof(Scalar)];
  };
  thread_local std::vector<Line> lines;
  const auto needed = static_cast<std::size_t>(size) * sizeof(Scalar) / sizeof(Line) + 1;
  if (lines.size() < needed) lines.resize(needed);
  return lines.front().values;
}

// Copies right(k, j), at k by_depth + j by_column, so that a kernel reads it from one end to the other: `lanes` columns
// after the other, zeros behind the last one.
template <class Scalar>
void pack(ProductTask<Scalar>& task, Index by_column) {
  const Index lanes = fastest_kernels<Scalar>().lanes;
  const Index vectors = (task.columns + lanes - 1) / lanes;
  Scalar* const packed = buffer<Scalar, Use::packed>(vectors * lanes * task.depth);
  Scalar* to = packed;
  for (Index first = 0; first < task.columns; first += lanes) {
    const Index width = std::min(lanes, task.columns - first);
    const Scalar* const from = task.right + first * by_column;
    if (by_column == 1) {
      // Loops, for calls would take longer than such short copies.
      for (Index k = 0; k < task.depth; ++k) {
        for (Index j = 0; j < width; ++j) to[k * lanes + j] = from[k * task.right_depth + j];
        for (Index j = width; j < lanes; ++j) to[k * lanes + j] = 0;
      }
    } else {
      for (Index j = 0; j < lanes; ++j)
        for (Index k = 0; k < task.depth; ++k)
          to[k * lanes + j] = j < width ? from[k * task.right_depth + j * by_column] : Scalar{0};
    }
    to += lanes * task.depth;
  }
  task.right = packed;
  task.right_depth = lanes;
  task.right_vector = lanes * task.depth;
}

// Vectors of the kernel's that a product takes, rows times columns.
template <class Scalar>
Index vectors_of(Index rows, Index columns) {
  const Index lanes = fastest_kernels<Scalar>().lanes;
  return rows * ((columns + lanes - 1) / lanes);
}

template <class Scalar>
void run(ProductTask<Scalar> task, Index by_column) {
  if (task.depth == 0) {  // of matrices that may lie nowhere
    for (Index i = 0; i < task.rows; ++i) std::fill_n(task.out + i * task.out_row, task.columns, Scalar{0});
    return;
  }
  const Index lanes = fastest_kernels<Scalar>().lanes;
  task.right_vector = lanes;
  const bool is_worth_it = task.rows >= least_rows_to_pack && task.columns > vectors_not_to_pack * lanes;
  if (by_column != 1 || is_worth_it) pack(task, by_column);
  fastest_kernels<Scalar>().multiply(task);
}

}  // namespace

template <class Scalar>
void multiply_views(const MatrixView<const Scalar>& left, const MatrixView<const Scalar>& right,
                    const MatrixView<Scalar>& out) {
  if (right.columns == 1 && right.stride == 1 && out.stride == 1 && left.columns > 0) {
    fastest_kernels<Scalar>().dot(left.data, left.stride, left.rows, left.columns, right.data, out.data);
    return;
  }
  run<Scalar>({left.data, left.stride, 1, right.data, right.stride, 0, left.rows, left.columns, right.columns, out.data,
               out.stride},
              1);
}

template <class Scalar>
void multiply_by_transposed_views(const MatrixView<const Scalar>& left, const MatrixView<const Scalar>& right,
                                  const MatrixView<Scalar>& out) {
  run<Scalar>({left.data, left.stride, 1, right.data, 1, 0, left.rows, left.columns, right.rows, out.data, out.stride},
              right.stride);
}

template <class Scalar>
void multiply_transposed_views(const MatrixView<const Scalar>& left, const MatrixView<const Scalar>& right,
                               const MatrixView<Scalar>& out) {
  // A single column is computed as a row: the sums are the same ones.
  if (right.columns == 1 && out.stride == 1) {
    run<Scalar>({right.data, 0, right.stride, left.data, left.stride, 0, 1, left.rows, left.columns, out.data, 0}, 1);
    return;
  }
  // Few columns leave most of a vector empty; the transposed product is made of the same sums, but has to be turned
  // again, which takes as long as some three multiply-adds an entry.
  const Index saved = vectors_of<Scalar>(left.columns, right.columns) - vectors_of<Scalar>(right.columns, left.columns);
  if (saved * left.rows <= 3 * left.columns * right.columns) {
    run<Scalar>({left.data, 1, left.stride, right.data, right.stride, 0, left.columns, left.rows, right.columns,
                 out.data, out.stride},
                1);
    return;
  }
  Scalar* const transposed = buffer<Scalar, Use::result>(left.columns * right.columns);
  run<Scalar>({right.data, 1, right.stride, left.data, left.stride, 0, right.columns, left.rows, left.columns,
               transposed, left.columns},
              1);
  for (Index i = 0; i < left.columns; ++i)
    for (Index j = 0; j < right.columns; ++j) out.data[i * out.stride + j] = transposed[j * left.columns + i];
}

template void multiply_views<float>(const MatrixView<const float>&, const MatrixView<const float>&,
                                    const MatrixView<float>&);
template void multiply_views<double>(const MatrixView<const double>&, const MatrixView<const double>&,
                                     const MatrixView<double>&);
template void multiply_by_transposed_views<float>(const MatrixView<const float>&, const MatrixView<const float>&,
                                                  const MatrixView<float>&);
template void multiply_by_transposed_views<double>(const MatrixView<const double>&, const MatrixView<const double>&,
                                                   const MatrixView<double>&);
template void multiply_transposed_views<float>(const MatrixView<const float>&, const MatrixView<const float>&,
                                               const MatrixView<float>&);
template void multiply_transposed_views<double>(const MatrixView<const double>&, const MatrixView<const double>&,
                                                const MatrixView<double>&);

}  // namespace dpbudget::fl
