#include "dpbudget/accounting/risk/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/plan/unknown_kind.h"
#include "dpbudget/accounting/risk/risk.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/accounting/solve/stepped.h"

namespace dpbudget::risk {
namespace {

// Steps from one line to the next, which double the digits.
constexpr int most_steps = 20;
constexpr double precision = 1e-8;
// Shares of the steepest and the flattest line, whose deltas are 0, to try where the rest of a plan leaves nothing at
// the first.
constexpr std::array shares{0.0, 0.5, 0.75, 0.9, -0.5, -0.75, -0.9};
// Lines that are steeper, or flatter, leave next to no delta: a value that is far too safe has such.
constexpr double steepest = 0.99;

Bound bound_of(const numeric::Bracket& ends, const Bound& reason) {
  Bound bound = reason;
  bound.lower = ends.lower;
  bound.upper = ends.upper;
  return bound;
}

// Questions about one plan with an unknown.
class Calibration {
 public:
  Calibration(const Plan& plan, double tolerance, double tpr, double fpr)
      : plan_(plan), tolerance_(tolerance), tpr_(tpr), fpr_(fpr) {}

  // The value at which the line of that slope is at `goal` where the false-positive rate is.
  Answer<solve::Solution> by_line(AccountantName name, double log_slope, double goal) const {
    // accounting/risk/proofs.md, 1.1
    const double delta =
        log_slope >= 0 ? goal - std::exp(log_slope) * fpr_ : 1 - fpr_ - (1 - goal) * std::exp(-log_slope);
    return solve::unknown(plan_, name, tolerance_, std::abs(log_slope), std::max(delta, 0.0));
  }

  // The first value that some line gives: all that is known so far is that its line fits.
  Answer<solve::Solution> first(AccountantName name) const {
    std::optional<Refusal> refusal;
    std::optional<solve::Solution> none;
    std::vector<double> slopes{gaussian_slope()};
    for (const double share : shares) slopes.push_back(slope_at(share));
    for (const double log_slope : slopes) {
      Answer<solve::Solution> found = by_line(name, log_slope, tpr_);
      if (found && (found->value || found->every_value)) return found;
      if (!found && !refusal) refusal = found.error();
      if (found) none = *found;
    }
    if (!none) return *refusal;
    return none_of(none->kind);
  }

  // Who answers for `best` at a value: all but the first and last questions need no other.
  AccountantName deciding(AccountantName name, double value) const {
    if (name != AccountantName::best) return name;
    const Answer<Bound> found = answered([&] { return advantage(at(value), name, tolerance_); });
    return found ? accountant_named(found->accountant).value_or(name) : name;
  }

  // By better and better lines. Who decides may have no answer in a far tail, where `name` has.
  solve::Solution improved(AccountantName name, AccountantName deciding, const solve::Solution& first) const {
    solve::Solution best = first;
    std::optional<solve::Solution> candidate = first;
    double goal = tpr_;
    for (int step = 0; step < most_steps && candidate; ++step) {
      Answer<Attacker::Most> reached = most_at(deciding, *candidate->value);
      if (!reached) reached = most_at(name, *candidate->value);
      if (!reached) break;
      if (reached->rate <= tpr_) {
        const double gain = (*candidate->value - *best.value) * (is_cost(best.kind) ? 1 : -1);
        if (step > 0 && !(gain > precision * *candidate->value)) break;
        best = *candidate;
      } else {
        goal -= 2 * (reached->rate - tpr_);
        if (goal <= fpr_) break;
      }
      const double slope = std::clamp(reached->log_slope, slope_at(-steepest), slope_at(steepest));
      const Answer<solve::Solution> next = by_line(deciding, slope, goal);
      candidate = next && next->value ? std::optional(*next) : std::nullopt;
    }
    return best;
  }

  // With what is reached at the value, or at one near it, by a question of its own.
  solve::Solution certified(AccountantName name, solve::Solution found) const {
    return is_whole(found.kind) ? certified_whole(name, std::move(found)) : certified_real(name, std::move(found));
  }

 private:
  Plan at(double value) const { return {substitute(plan_.event, value), plan_.adjacency}; }

  double slope_at(double share) const {
    return share >= 0 ? share * (std::log(tpr_) - std::log(fpr_)) : share * (std::log1p(-fpr_) - std::log1p(-tpr_));
  }

  // Of the trade-off function of Gaussian noise through both rates, to which those of compositions tend.
  double gaussian_slope() const {
    const boost::math::normal normal;
    const double at_fpr = quantile(complement(normal, fpr_));
    const double at_tpr = quantile(complement(normal, tpr_));
    return (at_fpr * at_fpr - at_tpr * at_tpr) / 2;
  }

  Answer<Attacker::Most> most_at(AccountantName name, double value) const {
    return answered([&] { return Attacker(at(value), name, tolerance_).most_true_positive_rate(fpr_); });
  }

  // What is reached at a value by a question of its own, where that is inside.
  std::optional<Bound> inside(AccountantName name, double value) const {
    const Answer<Bound> reached = answered([&] { return true_positive_rate(at(value), name, tolerance_, fpr_); });
    return reached && reached->upper <= tpr_ ? std::optional(*reached) : std::nullopt;
  }

  solve::Solution none_of(UnknownKind kind) const {
    return {kind,
            std::nullopt,
            false,
            {},
            fmt::format("no {} was found at which the true-positive rate is proven to be at most {}", to_string(kind),
                        tpr_)};
  }

  solve::Solution given(solve::Solution found, double value, const std::optional<Bound>& reached) const {
    if (!reached) return none_of(found.kind);
    found.value = value;
    found.at_value = *reached;
    found.explanation = fmt::format("{} {} meets the limit", to_string(found.kind), value);
    return found;
  }

  solve::Solution certified_real(AccountantName name, solve::Solution found) const {
    std::optional<Bound> reached;
    const auto value = solve::stepped(found.kind, *found.value, [&](double near) {
      const Answer<Bound> asked = answered([&] { return true_positive_rate(at(near), name, tolerance_, fpr_); });
      if (asked && asked->upper <= tpr_) reached = *asked;
      return asked ? asked->upper / tpr_ - 1 : infinity;
    });
    return given(std::move(found), value.value_or(0), reached);
  }

  // The last whole number that fits, the next of which does not.
  solve::Solution certified_whole(AccountantName name, solve::Solution found) const {
    std::map<std::uint64_t, std::optional<Bound>> known;
    const auto at_number = [&](std::uint64_t number) -> const std::optional<Bound>& {
      const auto [entry, is_new] = known.try_emplace(number);
      if (is_new) entry->second = inside(name, static_cast<double>(number));
      return entry->second;
    };
    const auto start = to_integer<std::uint64_t>(*found.value, to_string(found.kind));
    const std::uint64_t end = is_size(found.kind) ? ranges::max_draws + 1 : ranges::max_count;
    const std::uint64_t last =
        is_cost(found.kind)
            ? numeric::largest_that_fits(start, end, [&](std::uint64_t n) { return at_number(n).has_value(); })
            : numeric::largest_that_fits(start - 1, end, [&](std::uint64_t n) { return !at_number(n); }) + 1;
    return given(std::move(found), static_cast<double>(last), at_number(last));
  }

  const Plan& plan_;
  double tolerance_;
  double tpr_;
  double fpr_;
};

}  // namespace

Bound advantage(const Plan& plan, AccountantName name, double tolerance) {
  Attacker attacker(plan, name, tolerance);
  return bound_of(attacker.advantage(), attacker.reason());
}

Bound true_positive_rate(const Plan& plan, AccountantName name, double tolerance, double false_positive_rate) {
  Attacker attacker(plan, name, tolerance);
  const numeric::Bracket ends = attacker.true_positive_rate(false_positive_rate);
  Bound bound = bound_of(ends, attacker.reason(attacker.most_true_positive_rate(false_positive_rate).log_slope));
  bound.theorems.emplace_back("trade-off function by lines of delta: accounting/risk/proofs.md, 1.1");
  return bound;
}

Answer<solve::Solution> for_advantage(const Plan& plan, AccountantName name, double tolerance, double most) {
  require(0 < most && most < 1, "advantage", most, "in (0, 1)");
  Answer<solve::Solution> found = solve::unknown(plan, name, tolerance, 0, most);
  if (found && found->value)
    found->at_value = advantage({substitute(plan.event, *found->value), plan.adjacency}, name, tolerance);
  return found;
}

Answer<solve::Solution> for_true_positive_rate(const Plan& plan, AccountantName name, double tolerance, double tpr,
                                               double fpr) {
  require(0 < fpr && fpr < 1, "fpr", fpr, "in (0, 1)");
  require(fpr < tpr && tpr < 1, "tpr", tpr, fmt::format("in ({}, 1): who guesses has {}", fpr, fpr));
  solve::only_unknown(plan);
  const Calibration calibration(plan, tolerance, tpr, fpr);
  Answer<solve::Solution> first = calibration.first(name);
  if (!first || !first->value) return first;
  return calibration.certified(name, calibration.improved(name, calibration.deciding(name, *first->value), *first));
}

}  // namespace dpbudget::risk
