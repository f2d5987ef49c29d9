#include "dpbudget/fl/convergence/noble_steps.h"

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/require.h"

namespace dpbudget::fl {
namespace {

// The step, sought on a logarithmic scale below `most`; `total` refuses those that are too large, and those alone.
template <class Total>
double least(const Total& total, double most, double rate) {
  const auto at = [&](double log_step) {
    try {
      return total(std::exp(log_step));
    } catch (const InvalidArgument&) {
      return std::numeric_limits<double>::infinity();
    }
  };
  const double top = std::log(most);
  // Far below what any term asks for: the steps that are small enough fall with the rate l at most as l itself.
  const double bottom = top - 60 + 2 * std::log(rate);
  const auto refused = [&](double log_step) { return std::isfinite(at(log_step)) ? -1.0 : 1.0; };
  const auto ends = boost::math::tools::bisect(refused, bottom, top, boost::math::tools::eps_tolerance<double>(40));
  return std::exp(boost::math::tools::brent_find_minima(at, bottom, ends.first, 26).first);
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
      too_large(run, server_step), run.participants / run.users);
}

double noble_scaffold_best_step(const NobleRun& run, const NobleLosses& losses, double server_step,
                                std::uint64_t rounds) {
  check(run, losses, rounds);
  return least(
      [&](double step) {
        return noble_scaffold_bound(run, losses, {.local = step, .server = server_step}, rounds).total;
      },
      too_large(run, server_step), run.participants / run.users);
}

}  // namespace dpbudget::fl
