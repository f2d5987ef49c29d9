#include "dpbudget/mechanisms/sums.h"

#include <cstddef>

namespace dpbudget::mechanisms {
namespace {

constexpr std::size_t lanes = 8;

// A plain loop, of which compilers make vectors: of two sums in one loop they do not.
template <class Term>
double added(std::span<const double> draws, const Term& term) {
  double sums[lanes] = {};
  const std::size_t whole = draws.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += term(draws[i + lane]);
  for (std::size_t lane = 0; whole + lane < draws.size(); ++lane) sums[lane] += term(draws[whole + lane]);
  double sum = 0;
  for (const double one : sums) sum += one;
  return sum;
}

}  // namespace

Sums sums_of(std::span<const double> draws) {
  return {added(draws, [](double draw) { return draw; }), sum_of_squares(draws)};
}

double sum_of_squares(std::span<const double> draws) {
  return added(draws, [](double draw) { return draw * draw; });
}

}  // namespace dpbudget::mechanisms
