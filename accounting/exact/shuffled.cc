#include "dpbudget/accounting/exact/shuffled.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "dpbudget/accounting/approximate/leaves.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"
#include "dpbudget/accounting/shuffle/local.h"
#include "dpbudget/accounting/shuffle/responses/worst_responses.h"

namespace dpbudget::exact {
namespace {

using numeric::Bracket;
using numeric::unit;
using shuffle::is_binary_response;

constexpr shuffle::Width width{8e-5};

// Of neighbours whose reports hide among those of a third value.
std::optional<shuffle::HiddenPairFloor> attained(const Shuffled& event) {
  const auto response = shuffle::attained_response(event, false);
  if (!response) return std::nullopt;
  return shuffle::HiddenPairFloor(shuffle::third_value_pair(response->epsilon.value(), response->categories,
                                                            static_cast<double>(event.reports.value())));
}

// An epsilon at which the pair certainly shows at least delta; nearly the largest.
double attained_epsilon(const shuffle::HiddenPairFloor& pair, double log_delta, double upper) {
  const auto excess = [&](double epsilon) { return pair.log_delta(epsilon) - log_delta; };
  return numeric::certified_root(excess, 0.0, upper, numeric::RootPrecision{.relative = 1e-4}, 40).lower;
}

numeric::Bracket epsilon_bracket(const Shuffled& event, double delta) {
  const double local_epsilon = shuffle::randomizer_epsilon(*event.inner);
  if (local_epsilon == 0) return {0, 0};
  if (shuffle::hides_nothing(local_epsilon))
    return {0, approximate::approximate_dp_curve(local_epsilon, 0)->epsilon(delta)};
  const auto reports = static_cast<double>(event.reports.value());
  if (is_binary_response(event)) return shuffle::randomized_response_epsilon_bracket(local_epsilon, reports, delta);
  const double log_delta = std::log(delta);
  const double rounding = unit * std::abs(log_delta);
  double upper = shuffle::epsilon_bracket(shuffle::clone_pair(event), log_delta - rounding, width).upper;
  if (const auto blanket = shuffle::blanket_of(event))
    upper = std::min(upper, shuffle::blanket_epsilon(*blanket, event.reports.value(), delta).upper);
  const auto pair = attained(event);
  return {pair ? attained_epsilon(*pair, log_delta + rounding, upper) : 0, upper};
}

numeric::Bracket log_delta_bracket(const Shuffled& event, double epsilon) {
  const double local_epsilon = shuffle::randomizer_epsilon(*event.inner);
  if (local_epsilon <= epsilon) return {-infinity, -infinity};
  // (e^epsilon_0 - e^epsilon) / (e^epsilon_0 + 1) is less than this.
  if (shuffle::hides_nothing(local_epsilon))
    return {-infinity, std::log(-std::expm1(epsilon - local_epsilon)) * (1 - unit)};
  const auto reports = static_cast<double>(event.reports.value());
  if (is_binary_response(event)) return shuffle::randomized_response_log_delta_bracket(local_epsilon, reports, epsilon);
  double upper = shuffle::log_delta(shuffle::clone_pair(event), epsilon, width).upper;
  if (const auto blanket = shuffle::blanket_of(event))
    upper = std::min(upper, shuffle::blanket_log_delta(*blanket, event.reports.value(), epsilon).upper);
  const auto pair = attained(event);
  return {pair ? pair->log_delta(epsilon) : -infinity, upper};
}

Bound bound(const Shuffled& event, double lower, double upper) {
  Bound found{.lower = lower,
              .upper = upper,
              .guarantee = Guarantee::proven,
              .theorems = shuffle::dominating_theorems(event),
              .notes = {},
              .accountant = {}};
  if (!is_binary_response(event))
    found.notes.emplace_back(
        "the upper end is that of shuffling's dominating pair; the lower end is that of data sets which are "
        "neighbours, where such are known");
  return found;
}

}  // namespace

void require_shuffled_theorem(const Shuffled& event, Adjacency adjacency) {
  if (adjacency != Adjacency::replace_one)
    refuse("exact", event, adjacency, "shuffling is analysed under replace_one, where the number of reports is public");
  if (!std::isfinite(shuffle::randomizer_epsilon(*event.inner)))
    refuse("exact", event, adjacency, "its local randomiser is not known to be epsilon-DP for any epsilon");
}

Bound shuffled_epsilon(const Shuffled& event, Adjacency adjacency, double delta) {
  ranges::delta(delta);
  require_shuffled_theorem(event, adjacency);
  const numeric::Bracket found = epsilon_bracket(event, delta);
  return bound(event, found.lower, found.upper);
}

DeltaBound shuffled_delta(const Shuffled& event, Adjacency adjacency, double epsilon) {
  ranges::epsilon(epsilon);
  require_shuffled_theorem(event, adjacency);
  const numeric::Bracket found = log_delta_bracket(event, epsilon);
  const auto rounding = [](double log_value) { return std::isinf(log_value) ? 0 : 4 * unit * (1 - log_value); };
  // Never 0 for a delta that is only beyond a double.
  const double upper = found.upper == -infinity
                           ? 0
                           : std::min(1.0, std::max(std::exp(found.upper) * (1 + rounding(found.upper)), 0x1p-1074));
  return {bound(event, std::exp(found.lower) * (1 - rounding(found.lower)), upper), found.lower, found.upper};
}

}  // namespace dpbudget::exact
