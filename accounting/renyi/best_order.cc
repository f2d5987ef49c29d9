#include "dpbudget/accounting/renyi/best_order.h"

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dpbudget::renyi {
namespace {

// Beyond these values of log(order - 1), order is 1 or infinity in double precision.
constexpr double least = -35;
constexpr double greatest = 700;
constexpr int rises_until_over = 3;

}  // namespace

BestOrder best_order(const std::function<AtOrder(double)>& objective) {
  BestOrder best{2, std::numeric_limits<double>::infinity()};
  double best_position = 0;
  const auto attempt = [&](double position) {
    const double order = 1 + std::exp(position);
    AtOrder found = objective(order);
    if (std::isnan(found.value)) found.value = std::numeric_limits<double>::infinity();
    if (found.value < best.value) {
      best = {order, found.value};
      best_position = position;
    }
    return found;
  };
  const auto walk = [&](double step) {
    double previous = std::numeric_limits<double>::infinity();
    int rises = 0;
    for (double position = step; least <= position && position <= greatest; position += step) {
      const auto [value, least_beyond] = attempt(position);
      if (step > 0 && least_beyond >= best.value) return;
      // A plateau at infinity, before any bound was found, is walked through.
      rises = value >= previous && std::isfinite(best.value) ? rises + 1 : 0;
      if (rises >= rises_until_over) return;
      previous = value;
    }
  };
  attempt(0);
  walk(1);
  walk(-1);
  if (!std::isfinite(best.value)) return best;

  const double centre = best_position;
  std::uintmax_t evaluations = 60;
  constexpr int bits = 26;  // half of double's: the objective is flat around its minimum
  boost::math::tools::brent_find_minima([&](double position) { return attempt(position).value; },
                                        std::max(least, centre - 1), std::min(greatest, centre + 1), bits, evaluations);
  const double found = best.order;
  if (found < 0x1p50)
    for (const double integer : {std::floor(found), std::ceil(found)})
      if (integer > 1) {
        const double value = objective(integer).value;
        if (value < best.value) best = {integer, value};
      }
  return best;
}

}  // namespace dpbudget::renyi
