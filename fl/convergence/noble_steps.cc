#include "dpbudget/fl/convergence/noble_steps.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

// The step below `most` whose total is least, sought on logarithmic scales of both; `total` refuses steps that are too
// large, and those alone. It falls from there to its least, and then rises.
template <class Total>
double least(const Total& total, double most) {
  // A bound that underflows to 0 is as small as any.
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  const auto at = [&](double log_step) {
    try {
      const double value = total(std::exp(log_step));
      return std::isfinite(value) ? std::log(std::max(value, smallest)) : std::numeric_limits<double>::infinity();
    } catch (const InvalidArgument&) {
      return std::numeric_limits<double>::infinity();
    }
  };
  const auto edge = [&](double finite, double infinite) {
    const auto side = [&](double log_step) { return std::isfinite(at(log_step)) ? -1.0 : 1.0; };
    const auto ends = boost::math::tools::bisect(side, std::min(finite, infinite), std::max(finite, infinite),
                                                 boost::math::tools::eps_tolerance<double>(40));
    return finite < infinite ? ends.first : ends.second;
  };
  const double end = std::log(smallest);
  const double most_log = std::log(most);
  double top = std::isfinite(most_log) ? most_log : std::log(std::numeric_limits<double>::max());
  while (top >= end && !std::isfinite(at(top))) --top;
  if (top < end) throw InvalidArgument("run and losses are numbers of such size that no local step has a finite bound");
  double bottom = top - 1;
  while (std::isfinite(at(bottom)) && at(bottom) < at(bottom + 1)) --bottom;
  if (!std::isfinite(at(bottom))) bottom = edge(bottom + 1, bottom);
  if (top < most_log) top = edge(top, top + 1);
  return std::exp(boost::math::tools::brent_find_minima(at, bottom, top, 26).first);
}

// gain <= 0 from nu eta = 1/2 on.
double too_large(const NobleRun& run, double server_step) {
  require(1 <= server_step && std::isfinite(server_step), "server_step", server_step, "finite and at least 1");
  return 1 / (2 * run.smoothness * run.local_steps * server_step);
}

}  // namespace

double noble_fedavg_best_step(const NobleRun& run, const NobleLosses& losses, const Dissimilarity& dissimilarity,
                              double server_step, std::uint64_t rounds) {
  check(run, losses, rounds);
  check(dissimilarity);
  return least(
      [&](double step) {
        return noble_fedavg_bound(run, losses, dissimilarity, {.local = step, .server = server_step}, rounds).total;
      },
      too_large(run, server_step));
}

double noble_scaffold_best_step(const NobleRun& run, const NobleLosses& losses, double server_step,
                                std::uint64_t rounds) {
  check(run, losses, rounds);
  return least(
      [&](double step) {
        return noble_scaffold_bound(run, losses, {.local = step, .server = server_step}, rounds).total;
      },
      too_large(run, server_step));
}

}  // namespace dpbudget::fl
