#include "dpbudget/mechanisms/sums.h"

#include <array>
#include <cstddef>

namespace dpbudget::mechanisms {

Sums sums_of(std::span<const double> draws) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> values{};
  std::array<double, lanes> squares{};
  const auto add = [&](std::size_t lane, double draw) {
    values[lane] += draw;
    squares[lane] += draw * draw;
  };
  const std::size_t whole = draws.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, draws[i + lane]);
  for (std::size_t i = whole; i < draws.size(); ++i) add(i - whole, draws[i]);
  Sums sums;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    sums.values += values[lane];
    sums.squares += squares[lane];
  }
  return sums;
}

}  // namespace dpbudget::mechanisms
