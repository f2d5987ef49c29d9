#include "dpbudget/accounting/shuffle/clones/closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"

namespace dpbudget::shuffle {
namespace {

// @param copied  what the other reports differ by at most: e^-copied of each is a clone
double closed_form(double local_epsilon, double copied, double reports, double delta) {
  const double deviation = std::sqrt(8 * std::log(4 / delta)) * std::sqrt(8 / reports) * std::exp(copied / 2);
  return std::log1p(std::tanh(local_epsilon / 2) * (deviation + 8 * std::exp(copied) / reports));
}

void require_enough(std::string_view name, double copied, double reports, double delta) {
  const double most = std::log(reports / (16 * std::log(2 / delta)));
  if (copied <= most) return;
  throw Unsupported(fmt::format(
      "{} is {}, but the closed form needs at most log(n / (16 log(2 / delta))) = {:.6g}; the numerical clones bound "
      "has no such precondition",
      name, copied, most));
}

}  // namespace

double clones_epsilon_closed_form(double local_epsilon, double reports, double delta) {
  clone_ranges::local_epsilon(local_epsilon);
  clone_ranges::reports(reports);
  dpbudget::ranges::delta(delta);
  require_enough("local_epsilon", local_epsilon, reports, delta);
  return closed_form(local_epsilon, local_epsilon, reports, delta);
}

EpsilonDelta clones_closed_form_approximate(double local_epsilon, double local_delta, double reports, double delta) {
  require(0 <= local_delta && local_delta <= 1, "local_delta", local_delta, "in [0, 1]");
  const double epsilon = clones_epsilon_closed_form(local_epsilon, reports, delta);
  const double failures = (std::exp(epsilon) + 1) * (1 + std::exp(-local_epsilon) / 2) * reports * local_delta;
  return {epsilon, std::min(1.0, delta + failures)};
}

double silo_clones_epsilon_closed_form(double local_epsilon, double records, double silos, double delta) {
  clone_ranges::local_epsilon(local_epsilon);
  clone_ranges::records(records);
  clone_ranges::silos(silos);
  dpbudget::ranges::delta(delta);
  require_enough("records * local_epsilon", records * local_epsilon, silos, delta);
  return closed_form(local_epsilon, records * local_epsilon, silos, delta);
}

}  // namespace dpbudget::shuffle
