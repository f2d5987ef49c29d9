#include "dpbudget/accounting/renyi/best_order.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

namespace dpbudget::renyi {
namespace {

// Beyond these values of log(order - 1), order is 1 or infinity in double precision.
constexpr double least = -35;
constexpr double greatest = 700;
constexpr double spacing = 0.5;  // of the orders first looked at, in log(order - 1)
constexpr int rises_until_over = 6;
constexpr int parts = 4;  // of a spacing, around the valleys seen

}  // namespace

// accounting/renyi/proofs.md, 6.3
BestOrder best_order(const std::function<AtOrder(double)>& objective) {
  BestOrder best{2, std::numeric_limits<double>::infinity()};
  std::map<double, double> walked;
  const auto attempt = [&](double position) {
    const double order = 1 + std::exp(position);
    AtOrder found = objective(order);
    if (std::isnan(found.value)) found.value = std::numeric_limits<double>::infinity();
    if (found.value < best.value) best = {order, found.value};
    return found;
  };
  const auto walk = [&](double step) {
    double previous = std::numeric_limits<double>::infinity();
    int rises = 0;
    for (double position = step; least <= position && position <= greatest; position += step) {
      const auto [value, least_beyond] = attempt(position);
      walked.emplace(position, value);
      if (step > 0 && least_beyond >= best.value) return;
      // A plateau at infinity, before any bound was found, is walked through.
      rises = value >= previous && std::isfinite(best.value) ? rises + 1 : 0;
      if (rises >= rises_until_over) return;
      previous = value;
    }
  };
  walked.emplace(0, attempt(0).value);
  walk(spacing);
  walk(-spacing);
  if (!std::isfinite(best.value)) return best;

  // A curve that is the smaller of two bounds may have a valley in each, and both between neighbours of what was looked
  // at: the deepest is known when all are measured.
  struct Valley {
    double from;
    double lowest;
    double to;
  };
  const auto valleys = [&] {
    std::vector<Valley> seen;
    for (auto at = walked.begin(); at != walked.end(); ++at) {
      const auto [centre, value] = *at;
      const bool is_first = at == walked.begin();
      const bool is_last = std::next(at) == walked.end();
      const bool descends = is_first || value < std::prev(at)->second;
      const bool ascends = is_last || value <= std::next(at)->second;
      if (!std::isfinite(value) || !descends || !ascends) continue;
      seen.push_back({is_first ? std::max(least, centre - spacing) : std::prev(at)->first, centre,
                      is_last ? std::min(greatest, centre + spacing) : std::next(at)->first});
    }
    return seen;
  };
  for (const Valley& valley : valleys())
    for (int part = 1; part < parts; ++part)
      for (const double end : {valley.from, valley.to}) {
        const double position = std::lerp(valley.lowest, end, part / double{parts});
        walked.emplace(position, attempt(position).value);
      }
  for (const Valley& valley : valleys()) {
    std::uintmax_t evaluations = 60;
    constexpr int bits = 26;  // half of double's: the objective is flat around its minimum
    boost::math::tools::brent_find_minima([&](double position) { return attempt(position).value; }, valley.from,
                                          valley.to, bits, evaluations);
  }
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
