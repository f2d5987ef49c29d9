#include "dpbudget/accounting/shuffle/responses/worst_responses.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"
#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"
#include "dpbudget/accounting/shuffle/responses/randomized_response.h"
#include "dpbudget/accounting/shuffle/responses/response_sum.h"

namespace dpbudget::shuffle {
namespace {

using numeric::unit;

// Numbers of ones to look at for one answer, in all: about a second's work.
constexpr double most_steps = 6e7;

constexpr Width clone_width{8e-5};
constexpr numeric::RootPrecision root_precision{.relative = 1e-9};

// accounting/shuffle/proofs.md, 6.3
class WorstResponses {
 public:
  WorstResponses(double local_epsilon, double reports) : local_epsilon_(local_epsilon), others_(reports - 1) {}

  // Whether delta at `epsilon` is certainly at most e^log_delta, whatever the others hold.
  bool meets(double epsilon, double log_delta) { return meets(epsilon, log_delta, 0, others_); }

  bool is_exhausted() const { return steps_ > most_steps; }

  // The relative distance in epsilon from which to try: so much is lost by blocks of that share of the users, which a
  // quarter of all steps are enough for.
  double first_distance(double log_delta) const {
    const double half = std::floor(others_ / 2);
    return std::max(1e-5, 4 * response_sum_steps(local_epsilon_, {others_ - half, half}, log_delta) / most_steps);
  }

 private:
  // Where from `fewest` to `most` of them hold a one. Leaving out those who may hold either shows more.
  bool meets(double epsilon, double log_delta, double fewest, double most) {
    const OtherBits certain{others_ - most, fewest};
    steps_ += response_sum_steps(local_epsilon_, certain, log_delta);
    if (is_exhausted()) return false;
    if (response_sum_log_delta(local_epsilon_, certain, epsilon, log_delta) <= log_delta) return true;
    if (fewest == most) return false;
    const double middle = std::floor(std::midpoint(fewest, most));
    return meets(epsilon, log_delta, fewest, middle) && meets(epsilon, log_delta, middle + 1, most);
  }

  double local_epsilon_;
  double others_;
  double steps_ = 0;
};

bool is_in_reach(double local_epsilon, double reports, double log_delta) {
  using Reach = ResponseSumReach;
  return local_epsilon <= Reach::most_local_epsilon && reports <= Reach::most_reports &&
         log_delta >= Reach::least_log_delta;
}

// An epsilon at which the others' equal bits show at least delta; nearly the largest. Searched by reference values,
// which are close, and then proven, from there downwards.
double lower_epsilon(double local_epsilon, std::uint64_t reports, double log_delta) {
  const auto excess = [&](double epsilon) {
    return randomized_response_log_delta(local_epsilon, reports, epsilon) - log_delta;
  };
  const double at_zero = excess(0);
  if (at_zero <= 0) return 0;
  const double near =
      numeric::certified_root(excess, {0, at_zero}, {local_epsilon, -infinity}, root_precision, 100).lower;
  double step = root_precision.relative * near;
  for (double epsilon = near; epsilon > 0; epsilon -= step, step *= 2)
    if (randomized_response_log_delta_lower(local_epsilon, reports, epsilon) >= log_delta) return epsilon;
  return 0;
}

}  // namespace

numeric::Bracket randomized_response_log_delta_bracket(double local_epsilon, double reports, double epsilon) {
  const ClonePair pair = StrongerClones::of_randomized_response(local_epsilon).pair(reports);
  dpbudget::ranges::epsilon(epsilon);
  if (epsilon >= local_epsilon) return {-infinity, -infinity};
  const double equal_bits =
      randomized_response_log_delta_lower(local_epsilon, to_integer<std::uint64_t>(reports, "reports"), epsilon);
  numeric::Bracket found{equal_bits, log_delta(pair, epsilon, clone_width).upper};
  if (!is_in_reach(local_epsilon, reports, found.lower)) return found;
  WorstResponses worst(local_epsilon, reports);
  // While reports grow in number by a share, log delta falls by up to about its own size times that.
  double distance = worst.first_distance(found.lower) * (2 + std::abs(found.lower));
  for (; found.lower + distance < found.upper && !worst.is_exhausted(); distance *= 2)
    if (worst.meets(epsilon, found.lower + distance)) return {found.lower, found.lower + distance};
  return found;
}

numeric::Bracket randomized_response_epsilon_bracket(double local_epsilon, double reports, double delta) {
  const ClonePair pair = StrongerClones::of_randomized_response(local_epsilon).pair(reports);
  dpbudget::ranges::delta(delta);
  const double log_delta = std::log(delta) - unit * std::abs(std::log(delta));
  const double lower =
      lower_epsilon(local_epsilon, to_integer<std::uint64_t>(reports, "reports"), std::log(delta) * (1 - unit));
  const auto by_clones = [&] { return numeric::Bracket{lower, epsilon_bracket(pair, log_delta, clone_width).upper}; };
  if (!is_in_reach(local_epsilon, reports, log_delta)) return by_clones();
  WorstResponses worst(local_epsilon, reports);
  if (lower == 0 && worst.meets(0, log_delta)) return {0, 0};
  double distance = worst.first_distance(log_delta) * std::max(lower, 1e-6 * local_epsilon);
  for (; lower + distance < local_epsilon && !worst.is_exhausted(); distance *= 2) {
    if (!worst.meets(lower + distance, log_delta)) continue;
    // The clones of many reports take long, and are far less close.
    const bool is_settled = distance <= 1e-3 * lower || reports > 1e7;
    return {lower, is_settled ? lower + distance : std::min(lower + distance, by_clones().upper)};
  }
  return by_clones();
}

}  // namespace dpbudget::shuffle
