#include "dpbudget/fl/arithmetic/rows.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/arithmetic/kernels.h"

namespace dpbudget::fl {

template <class Scalar>
void squared_norms_of_view(const MatrixView<const Scalar>& matrix, std::span<double> out) {
  require(static_cast<std::ptrdiff_t>(out.size()) == matrix.rows, "out", out.size(), "as many as there are rows");
  fastest_kernels<Scalar>().squared_norms(matrix.data, matrix.stride, matrix.rows, matrix.columns, out.data());
}

template <class Scalar>
void convert(std::span<const double> from, std::span<Scalar> to) {
  require(to.size() == from.size(), "to", to.size(), "as long as from");
  fastest_kernels<Scalar>().convert(from.data(), static_cast<std::ptrdiff_t>(from.size()), to.data());
}

// Asked of the exponents, which integers can be asked all at once.
template <class Scalar>
bool all_finite(std::span<const Scalar> values) {
  using Bits = std::conditional_t<sizeof(Scalar) == sizeof(double), std::uint64_t, std::uint32_t>;
  constexpr auto exponent = std::bit_cast<Bits>(std::numeric_limits<Scalar>::infinity());
  Bits found = 0;
  for (const Scalar value : values) found |= static_cast<Bits>((std::bit_cast<Bits>(value) & exponent) == exponent);
  return found == 0;
}

template void squared_norms_of_view(const MatrixView<const float>&, std::span<double>);
template void squared_norms_of_view(const MatrixView<const double>&, std::span<double>);
template void convert(std::span<const double>, std::span<float>);
template void convert(std::span<const double>, std::span<double>);
template bool all_finite(std::span<const float>);
template bool all_finite(std::span<const double>);

}  // namespace dpbudget::fl
