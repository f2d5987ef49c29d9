/// @file
/// What is asked of many numbers that lie one after the other.
#pragma once

#include <Eigen/Core>
#include <span>

#include "dpbudget/fl/arithmetic/products.h"

namespace dpbudget::fl {

/// What squared_norms is made of.
template <class Scalar>
void squared_norms_of_view(const MatrixView<const Scalar>& matrix, std::span<double> out);

/// Leaves the squared norm of each row in out, of as many numbers as there are rows. Squares are added in double, where
/// those of floats are exact: entry k to partial sum k modulo 16, in rows of fewer than 64 modulo 4, and those by
/// halves.
template <class Scalar>
void squared_norms(const Eigen::Ref<const RowMajor<Scalar>>& matrix, std::span<double> out) {
  squared_norms_of_view<Scalar>(view_of(matrix), out);
}

/// Rounds each to the scalar.
/// @throws InvalidArgument naming to, unless it is as long as `from`
template <class Scalar>
void convert(std::span<const double> from, std::span<Scalar> to);

/// Whether none is infinite or NaN.
template <class Scalar>
bool all_finite(std::span<const Scalar> values);

extern template void squared_norms_of_view<float>(const MatrixView<const float>&, std::span<double>);
extern template void squared_norms_of_view<double>(const MatrixView<const double>&, std::span<double>);
extern template void convert<float>(std::span<const double>, std::span<float>);
extern template void convert<double>(std::span<const double>, std::span<double>);
extern template bool all_finite<float>(std::span<const float>);
extern template bool all_finite<double>(std::span<const double>);

}  // namespace dpbudget::fl
