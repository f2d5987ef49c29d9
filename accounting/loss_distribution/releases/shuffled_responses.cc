#include "dpbudget/accounting/loss_distribution/releases/shuffled_responses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/blanket.h"
#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"
#include "dpbudget/accounting/shuffle/responses/response_sum.h"
#include "dpbudget/accounting/shuffle/responses/worst_profile.h"

namespace dpbudget::loss_distribution {
namespace {

using Reach = shuffle::ResponseSumReach;

// Enough to lose no more than the blocks of the profile do.
constexpr int intervals = 344;

// Of exp, with room to spare.
constexpr double profile_rounding = 0x1p-50;

double log_of(double tail) { return std::log(std::min(tail, 0.5)); }

// The profile's last epsilon: somewhat too far, but known at once.
double last_epsilon(double local_epsilon, double reports, double tail) {
  const auto clones = shuffle::StrongerClones::of_randomized_response(local_epsilon).pair(reports);
  return shuffle::epsilon_bracket(clones, log_of(tail), {1e-3}).upper;
}

}  // namespace

bool has_shuffled_response_pieces(double local_epsilon, double reports, double tail) {
  return shuffle::least_profile_epsilon <= local_epsilon && local_epsilon <= Reach::most_local_epsilon &&
         reports <= Reach::most_reports && log_of(tail) >= Reach::least_log_delta;
}

std::optional<double> shuffled_response_spacing(double local_epsilon, double reports, double tail) {
  const double last = last_epsilon(local_epsilon, reports, tail);
  return 0 < last && last < local_epsilon ? std::optional(last / intervals) : std::nullopt;
}

Pieces shuffled_response_pieces(double local_epsilon, double reports, double tail) {
  require(log_of(tail) >= Reach::least_log_delta, "tail", tail, "at least e^-250");
  const double last = last_epsilon(local_epsilon, reports, tail);
  std::vector<double> epsilons;
  for (int i = 0; i <= intervals; ++i)
    if (const double epsilon = i < intervals ? last * i / intervals : last;
        epsilon < local_epsilon && (epsilons.empty() || epsilon > epsilons.back()))
      epsilons.push_back(epsilon);
  const std::vector<double> log_deltas =
      shuffle::worst_response_log_deltas(local_epsilon, reports, epsilons, log_of(tail));
  std::vector<ProfilePoint> points;
  for (std::size_t i = 0; i < epsilons.size(); ++i)
    points.push_back(
        {epsilons[i], std::min(1.0, std::exp(log_deltas[i]) * (1 + profile_rounding * (1 - log_deltas[i])))});
  // The reports are never worse than the response itself.
  if (last >= local_epsilon || points.size() == 1) points.push_back({local_epsilon, 0});
  return dominating_pieces(points);
}

}  // namespace dpbudget::loss_distribution
