#include "dpbudget/fl/arithmetic/rows.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

// Plain loops, of which compilers make vectors.
template <std::ptrdiff_t lanes, class Scalar>
double squared_norm(const Scalar* row, std::ptrdiff_t columns) {
  double sums[lanes] = {};
  std::ptrdiff_t k = 0;
  for (; k + lanes <= columns; k += lanes)
    for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
      const double entry = row[k + lane];
      sums[lane] += entry * entry;
    }
  for (std::ptrdiff_t lane = 0; k + lane < columns; ++lane) {
    const double entry = row[k + lane];
    sums[lane] += entry * entry;
  }
  for (std::ptrdiff_t half = lanes / 2; half > 0; half /= 2)
    for (std::ptrdiff_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

}  // namespace

template <class Scalar>
void squared_norms_of_view(const MatrixView<const Scalar>& matrix, std::span<double> out) {
  require(static_cast<std::ptrdiff_t>(out.size()) == matrix.rows, "out", out.size(), "as many as there are rows");
  constexpr std::ptrdiff_t few = 64;  // columns, of which adding up the sums would take longer than they
  const Scalar* row = matrix.data;
  for (double& norm : out) {
    norm = matrix.columns < few ? squared_norm<4>(row, matrix.columns) : squared_norm<16>(row, matrix.columns);
    row += matrix.stride;
  }
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
template bool all_finite(std::span<const float>);
template bool all_finite(std::span<const double>);

}  // namespace dpbudget::fl
