#include "dpbudget/accounting/exact/shuffled.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "dpbudget/accounting/approximate/accountant.h"
#include "dpbudget/accounting/approximate/leaves.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"
#include "dpbudget/accounting/shuffle/local.h"
#include "dpbudget/accounting/shuffle/responses/few_reports.h"
#include "dpbudget/accounting/shuffle/responses/randomized_response.h"
#include "dpbudget/accounting/shuffle/responses/repeated_reports.h"
#include "dpbudget/accounting/shuffle/responses/worst_responses.h"

namespace dpbudget::exact {
namespace {

using numeric::Bracket;
using numeric::unit;
using shuffle::is_binary_response;

constexpr shuffle::Width width{8e-5};

// The lower end of log delta of neighbours that are known, at any epsilon.
class Attained {
 public:
  explicit Attained(const Shuffled& event)
      : reports_(event.reports.value()),
        responses_(shuffle::attained_responses(event)),
        witnesses_(shuffle::is_oracle(event) ? shuffle::blanket_of(event)
                                             : shuffle::laplace_blanket_of(event, Rounding::down)) {
    std::erase_if(responses_, [](const auto& response) { return response.epsilon == 0; });
    if (const auto pair = shuffle::attained_third_value_pair(event)) hidden_.emplace(*pair);
  }

  bool is_known() const { return !responses_.empty(); }

  double log_delta(double epsilon) const {
    double largest = log_delta_of_responses(epsilon);
    if (witnesses_) largest = std::max(largest, shuffle::shuffled_log_delta_floor(*witnesses_, reports_, epsilon));
    return largest;
  }

  // An epsilon at which they certainly show at least delta; nearly the largest.
  double epsilon(double delta, double upper) const {
    const double wanted = std::log(delta) * (1 - unit);
    const auto excess = [&](double epsilon) { return log_delta_of_responses(epsilon) - wanted; };
    double largest = 0;
    if (excess(0) > 0)
      largest = numeric::certified_root(excess, 0.0, upper, numeric::RootPrecision{.relative = 1e-4}, 40).lower;
    if (witnesses_) largest = std::max(largest, shuffle::blanket_epsilon_floor(*witnesses_, reports_, delta));
    return largest;
  }

 private:
  double log_delta_of_responses(double epsilon) const {
    double largest = -infinity;
    for (const auto& [local_epsilon, categories] : responses_)
      if (categories == 2)
        largest =
            std::max(largest, shuffle::randomized_response_log_delta_lower(local_epsilon.value(), reports_, epsilon));
    if (hidden_) largest = std::max(largest, hidden_->log_delta(epsilon));
    return largest;
  }

  std::uint64_t reports_;
  std::vector<RandomizedResponse> responses_;
  std::optional<shuffle::HiddenPairFloor> hidden_;
  std::optional<shuffle::Randomizer> witnesses_;
};

numeric::Bracket epsilon_bracket(const Shuffled& event, double delta) {
  const double local_epsilon = shuffle::randomizer_epsilon(*event.inner);
  if (local_epsilon == 0) return {0, 0};
  if (shuffle::hides_nothing(local_epsilon))
    return {0, approximate::approximate_dp_curve(local_epsilon, 0)->epsilon(delta)};
  const auto reports = static_cast<double>(event.reports.value());
  const double log_delta = std::log(delta);
  const double rounding = unit * std::abs(log_delta);
  const Attained attained(event);
  if (is_binary_response(event)) {
    const auto found = shuffle::randomized_response_epsilon_bracket(local_epsilon, reports, delta);
    if (std::holds_alternative<RandomizedResponse>(*event.inner)) return found;
    return {attained.epsilon(delta, found.upper), found.upper};
  }
  double upper = shuffle::epsilon_bracket(shuffle::clone_pair(event), log_delta - rounding, width).upper;
  if (const auto blanket = shuffle::blanket_of(event))
    upper = std::min(upper, shuffle::blanket_epsilon(*blanket, event.reports.value(), delta).upper);
  if (auto noise = shuffle::laplace_blanket_of(event, Rounding::up)) {
    noise->witnesses.clear();  // of its own epsilon, which is rounded up
    upper = std::min(upper, shuffle::blanket_epsilon(*noise, event.reports.value(), delta).upper);
  }
  return {attained.is_known() ? attained.epsilon(delta, upper) : 0, upper};
}

numeric::Bracket log_delta_bracket(const Shuffled& event, double epsilon) {
  const double local_epsilon = shuffle::randomizer_epsilon(*event.inner);
  if (local_epsilon <= epsilon) return {-infinity, -infinity};
  // (e^epsilon_0 - e^epsilon) / (e^epsilon_0 + 1) is less than this.
  if (shuffle::hides_nothing(local_epsilon))
    return {-infinity, std::log(-std::expm1(epsilon - local_epsilon)) * (1 - unit)};
  const auto reports = static_cast<double>(event.reports.value());
  if (is_binary_response(event)) {
    const auto found = shuffle::randomized_response_log_delta_bracket(local_epsilon, reports, epsilon);
    if (std::holds_alternative<RandomizedResponse>(*event.inner)) return found;
    return {Attained(event).log_delta(epsilon), found.upper};
  }
  double upper = shuffle::log_delta(shuffle::clone_pair(event), epsilon, width).upper;
  if (const auto blanket = shuffle::blanket_of(event))
    upper = std::min(upper, shuffle::blanket_log_delta(*blanket, event.reports.value(), epsilon).upper);
  if (const auto noise = shuffle::laplace_blanket_of(event, Rounding::up))
    upper = std::min(upper, shuffle::shuffled_log_delta_bound(*noise, event.reports.value(), epsilon));
  return {std::min(upper, Attained(event).log_delta(epsilon)), upper};
}

bool is_few(const RandomizedResponse& response, std::uint64_t reports, std::uint64_t rounds) {
  const double largest = response.epsilon.value() * static_cast<double>(rounds);
  return rounds <= shuffle::RepeatedReports::most_rounds && 0 < largest && largest <= 600 &&
         shuffle::are_few(response.epsilon.value(), response.categories, reports);
}

// All data sets of few reports of any of these randomisers; nothing where they are too many.
std::optional<shuffle::RepeatedReports> gone_through(std::span<const RandomizedResponse> responses,
                                                     std::uint64_t reports, std::uint64_t rounds) {
  shuffle::FewReports all{{}, 0};
  for (const RandomizedResponse& response : responses) {
    if (!is_few(response, reports, rounds)) continue;
    auto few = shuffle::few_reports(response.epsilon.value(), response.categories, reports).value();
    std::ranges::move(few.laws, std::back_inserter(all.laws));
    all.error = std::max(all.error, few.error);
  }
  if (all.laws.empty()) return std::nullopt;
  return shuffle::RepeatedReports(all, rounds);
}

// What is shown of few reports.
struct Counted {
  std::optional<shuffle::RepeatedReports> above;  // where the randomiser is a response itself
  std::optional<shuffle::RepeatedReports> below;  // where what is attained is not just that
};

Counted counted(const Shuffled& event, std::uint64_t rounds) {
  const std::vector<RandomizedResponse> attained = shuffle::attained_responses(event);
  const auto response = shuffle::response_of(event);
  Counted found;
  if (response) found.above = gone_through(std::span(&*response, 1), event.reports.value(), rounds);
  if (!response || attained != std::vector{*response})
    found.below = gone_through(attained, event.reports.value(), rounds);
  return found;
}

// What the local guarantee says of several rounds.
approximate::Accountant local_guarantee(const Shuffled& event) {
  return approximate::Accountant({event, Adjacency::replace_one});
}

Bound bound(const Shuffled& event, std::uint64_t rounds, const Counted& counted, double lower, double upper) {
  Bound found{.lower = lower,
              .upper = upper,
              .guarantee = Guarantee::proven,
              .theorems = shuffle::dominating_theorems(event),
              .notes = {},
              .accountant = {}};
  if (counted.above)
    found.theorems = {rounds == 1 ? "shuffled randomised response, all data sets: accounting/shuffle/proofs.md, 7.1"
                                  : "rounds of shuffled randomised response, all data sets, chosen adaptively: "
                                    "accounting/shuffle/proofs.md, 7.1 to 7.3"};
  else if (rounds > 1)
    found.theorems = local_guarantee(event).epsilon(rounds, 0.5).theorems;
  if (counted.above && rounds > 1)
    found.notes.emplace_back(
        "the upper end is attained where the others' values, and what the record stands for, are chosen after having "
        "seen the rounds before; the lower end is that of the same data in every round");
  if (counted.above || is_binary_response(event)) {
    const witness::Outcomes sum{event.reports.value() + 1};
    found.witnesses = {sum, sum};
  }
  if (!counted.above && !is_binary_response(event))
    found.notes.emplace_back(
        "the upper end is that of shuffling's dominating pair; the lower end is that of data sets which are "
        "neighbours, where such are known");
  return found;
}

double log_raised(double value) {
  return value > 0 ? std::log(value) + unit * (1 + std::abs(std::log(value))) : -infinity;
}
double log_lowered(double value) {
  return value > 0 ? std::log(value) - unit * (1 + std::abs(std::log(value))) : -infinity;
}

}  // namespace

void require_shuffled_theorem(const Shuffled& event, Adjacency adjacency, std::uint64_t rounds) {
  if (adjacency != Adjacency::replace_one)
    refuse("exact", event, adjacency, "shuffling is analysed under replace_one, where the number of reports is public");
  if (!shuffle::has_pure_reports(event))
    refuse("exact", event, adjacency,
           "its local randomiser is not known to be epsilon-DP for any epsilon; use another");
  if (rounds == 1) return;
  const auto attained = shuffle::attained_responses(event);
  if (std::ranges::none_of(attained, [&](const auto& r) { return is_few(r, event.reports.value(), rounds); }))
    throw Unsupported("there is no closed form for reports that are shuffled more than once, unless both are few");
}

Bound shuffled_epsilon(const Shuffled& event, Adjacency adjacency, std::uint64_t rounds, double delta) {
  ranges::delta(delta);
  require_shuffled_theorem(event, adjacency, rounds);
  const Counted found = counted(event, rounds);
  numeric::Bracket ends = found.above   ? found.above->epsilon(delta)
                          : rounds == 1 ? epsilon_bracket(event, delta)
                                        : numeric::Bracket{0, local_guarantee(event).epsilon(rounds, delta).upper};
  if (found.below) ends.lower = std::max(found.above ? 0 : ends.lower, found.below->epsilon(delta).lower);
  return bound(event, rounds, found, std::min(ends.lower, ends.upper), ends.upper);
}

DeltaBound shuffled_delta(const Shuffled& event, Adjacency adjacency, std::uint64_t rounds, double epsilon) {
  ranges::epsilon(epsilon);
  require_shuffled_theorem(event, adjacency, rounds);
  const Counted few = counted(event, rounds);
  numeric::Bracket found = few.above ? numeric::Bracket{-infinity, log_raised(few.above->delta(epsilon).upper)}
                           : rounds == 1
                               ? log_delta_bracket(event, epsilon)
                               : numeric::Bracket{-infinity, local_guarantee(event).delta(rounds, epsilon).log_upper};
  if (const auto& attained = few.below ? few.below : few.above)
    found.lower = std::max(found.lower, log_lowered(attained->delta(epsilon).lower));
  found.lower = std::min(found.lower, found.upper);
  const auto rounding = [](double log_value) { return std::isinf(log_value) ? 0 : 4 * unit * (1 - log_value); };
  const double lower = numeric::exp_down(found.lower, rounding(found.lower));
  const double upper = std::min(1.0, numeric::exp_up(found.upper, rounding(found.upper)));
  return {bound(event, rounds, few, lower, upper), found.lower, std::min(0.0, found.upper)};
}

}  // namespace dpbudget::exact
