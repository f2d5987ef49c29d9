#include "dpbudget/accounting/plan/truncated.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tail_sum.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/theorems.h"

namespace dpbudget {

using numeric::Binomial;
using numeric::Bracket;
using numeric::unit;
namespace {

constexpr double no_chance = -std::numeric_limits<double>::infinity();

// What e^log may be off by, relative.
double error_of_exp(double log) { return 4 * unit * (1 + std::abs(log)); }
double exp_up(double log) {
  return log == no_chance ? 0 : std::max(std::numeric_limits<double>::min(), std::exp(log) * (1 + error_of_exp(log)));
}
double exp_down(double log) { return log == no_chance ? 0 : std::exp(log) * (1 - error_of_exp(log)); }

// The record's rate, known between two doubles, and how many are drawn of so many at that rate.
class Drawn {
 public:
  explicit Drawn(const Rate& rate)
      : low_(rounded_rate(rate, Rounding::down)),
        high_(std::max(rounded_rate(rate, Rounding::up), std::numeric_limits<double>::min())) {}

  double rate(Rounding rounding) const { return rounding == Rounding::up ? high_ : low_; }

  // log P(at least `least` of `records`), which grows with the rate.
  Bracket log_at_least(double records, double least) const {
    return {log_tail(records, least, low_).lower, log_tail(records, least, high_).upper};
  }

  // log P(fewer than `least` of `records`), which falls with the rate.
  Bracket log_fewer(double records, double least) const {
    return {log_head(records, least, high_).lower, log_head(records, least, low_).upper};
  }

 private:
  static Bracket log_tail(double records, double least, double rate) {
    if (least > records || !std::isnormal(rate)) return {no_chance, least > records ? no_chance : 0};
    if (rate == 1) return {0, 0};
    return numeric::log_tail_sum_bracket(Binomial::of_rate(records, rate), least, {no_chance, 0});
  }

  static Bracket log_head(double records, double least, double rate) {
    if (least > records) return {0, 0};
    if (rate == 1) return {no_chance, no_chance};
    if (!std::isnormal(rate)) return {no_chance, 0};
    const double missed = records - least + 1;  // at least so many are not drawn
    return numeric::log_tail_sum_bracket(Binomial::of_rate(records, rate).reversed(), missed, {no_chance, 0});
  }

  double low_;
  double high_;
};

struct Sizes {
  double places;
  double records;
};

Sizes sizes_of(const TruncatedPoisson& event) {
  return {static_cast<double>(event.batch.number.value()), static_cast<double>(event.batch.population)};
}

double relative_width(const Bracket& log) { return log.lower == no_chance ? 1 : std::expm1(log.upper - log.lower); }

}  // namespace

// accounting/plan/proofs.md, 5.1 and 5.4
TruncatedSample truncated_sample(const TruncatedPoisson& event) {
  const auto [places, records] = sizes_of(event);
  const Drawn drawn(event.rate);
  const Bracket log_filled = drawn.log_at_least(records - 1, places);
  const Bracket log_unfilled = drawn.log_fewer(records - 1, places);
  const Bracket log_more = drawn.log_at_least(records, places + 1);
  const double rate = drawn.rate(Rounding::up);
  const double most = rate * (places / (places + 1)) * (1 + 4 * unit);
  const double log_ratio = log_more.upper - log_filled.lower;
  const double rate_filled = std::isfinite(log_ratio) ? places / records * exp_up(log_ratio) * (1 + 4 * unit) : most;
  const double farthest = std::max(std::abs(log_filled.upper), std::abs(log_unfilled.upper));
  const double width = std::max(log_filled.upper == no_chance ? 0 : relative_width(log_filled),
                                log_unfilled.upper == no_chance ? 0 : relative_width(log_unfilled));
  return {exp_up(log_filled.upper), exp_up(log_unfilled.upper),
          width + (std::isfinite(farthest) ? 2 * error_of_exp(farthest) : 0), rate, std::min(most, rate_filled)};
}

// accounting/plan/proofs.md, 5.3
double rate_of_record(const TruncatedPoisson& event, Rounding rounding) {
  const auto [places, records] = sizes_of(event);
  const Drawn drawn(event.rate);
  const double rate = drawn.rate(rounding);
  const Bracket log_unfilled = drawn.log_fewer(records - 1, places);
  const Bracket log_more = drawn.log_at_least(records, places + 1);
  if (rounding == Rounding::down)
    return (rate * exp_down(log_unfilled.lower) + places / records * exp_down(log_more.lower)) * (1 - 8 * unit);
  return std::min(rate,
                  (rate * exp_up(log_unfilled.upper) + places / records * exp_up(log_more.upper)) * (1 + 8 * unit));
}

void require_truncation_theorem(const TruncatedPoisson& event, Adjacency adjacency, std::string_view accountant) {
  if (adjacency != Adjacency::add_or_remove_one)
    refuse(accountant, event, adjacency, "Poisson samples of limited size are analysed under add_or_remove_one");
  static_cast<void>(for_replaced(event, adjacency, accountant));
}

Event for_replaced(const TruncatedPoisson& event, Adjacency adjacency, std::string_view accountant) {
  std::optional<Event> found = for_copies(*event.inner, 2);
  if (!found)
    refuse(accountant, event, adjacency,
           "the record may take the place of another, and what that tells is known of leaves, their repetition and "
           "their composition, as far as a double holds it");
  return *std::move(found);
}

}  // namespace dpbudget
