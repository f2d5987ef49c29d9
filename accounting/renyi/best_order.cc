#include "dpbudget/accounting/renyi/best_order.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "dpbudget/accounting/base/interruption.h"

namespace dpbudget::renyi {
namespace {

// Beyond these values of log(order - 1), order is 1 or infinity in double precision.
constexpr double least = -35;
constexpr double greatest = 700;
constexpr double spacing = 0.5;  // of the orders first looked at, in log(order - 1)
constexpr int rises_until_over = 6;
constexpr int parts = 4;  // of a spacing, around the valleys seen

// The smallest value of `objective` that was met, and where: accounting/renyi/proofs.md, 6.3.
class OrderSearch {
 public:
  explicit OrderSearch(const std::function<AtOrder(double)>& objective) : objective_(objective) {}

  BestOrder found() {
    walked_.emplace(0, attempt(0).value);
    walk(spacing);
    walk(-spacing);
    if (!std::isfinite(best_.value)) return best_;
    look_into_valleys();
    try_integers_near(best_.order);
    return best_;
  }

 private:
  // Between the positions `from` and `to` the objective falls to `lowest` and rises again, by what was walked.
  struct Valley {
    double from;
    double lowest;
    double to;
  };

  AtOrder at(double order) {
    heed_interruption();
    AtOrder here = objective_(order);
    if (std::isnan(here.value)) here.value = std::numeric_limits<double>::infinity();
    if (here.value < best_.value) best_ = {order, here.value};
    return here;
  }

  AtOrder attempt(double position) { return at(1 + std::exp(position)); }

  void walk(double step) {
    double previous = std::numeric_limits<double>::infinity();
    int rises = 0;
    for (double position = step; least <= position && position <= greatest; position += step) {
      const auto [value, least_beyond] = attempt(position);
      walked_.emplace(position, value);
      if (step > 0 && least_beyond >= best_.value) return;
      // A plateau at infinity, before any bound was found, is walked through.
      rises = value >= previous && std::isfinite(best_.value) ? rises + 1 : 0;
      if (rises >= rises_until_over) return;
      previous = value;
    }
  }

  std::vector<Valley> valleys() const {
    std::vector<Valley> seen;
    for (auto at = walked_.begin(); at != walked_.end(); ++at) {
      const auto [centre, value] = *at;
      const bool is_first = at == walked_.begin();
      const bool is_last = std::next(at) == walked_.end();
      const bool descends = is_first || value < std::prev(at)->second;
      const bool ascends = is_last || value <= std::next(at)->second;
      if (!std::isfinite(value) || !descends || !ascends) continue;
      seen.push_back({is_first ? std::max(least, centre - spacing) : std::prev(at)->first, centre,
                      is_last ? std::min(greatest, centre + spacing) : std::next(at)->first});
    }
    return seen;
  }

  // A curve that is the smaller of two bounds may have a valley in each, and both between neighbours of what was
  // walked: the deepest is known when all are measured.
  void look_into_valleys() {
    for (const Valley& valley : valleys())
      for (int part = 1; part < parts; ++part)
        for (const double end : {valley.from, valley.to}) {
          const double position = std::lerp(valley.lowest, end, part / double{parts});
          walked_.emplace(position, attempt(position).value);
        }
    for (const Valley& valley : valleys()) {
      std::uintmax_t evaluations = 60;
      constexpr int bits = 26;  // half of double's: the objective is flat around its minimum
      boost::math::tools::brent_find_minima([&](double position) { return attempt(position).value; }, valley.from,
                                            valley.to, bits, evaluations);
    }
  }

  void try_integers_near(double order) {
    if (order >= 0x1p50) return;
    for (const double integer : {std::floor(order), std::ceil(order)})
      if (integer > 1) at(integer);
  }

  const std::function<AtOrder(double)>& objective_;
  std::map<double, double> walked_;
  BestOrder best_{2, std::numeric_limits<double>::infinity()};
};

}  // namespace

BestOrder best_order(const std::function<AtOrder(double)>& objective) { return OrderSearch(objective).found(); }

}  // namespace dpbudget::renyi
