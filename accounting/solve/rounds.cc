#include "dpbudget/accounting/solve/rounds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/solve/alone.h"
#include "dpbudget/accounting/solve/stepped.h"

namespace dpbudget::solve {

using numeric::largest_that_fits;
namespace {

// The logarithm of epsilon grows smoothly with that of the count, with slope 1/2 to 1, so a few secant steps find the
// answer.
// @param spare  log of the budget's part that is left
std::uint64_t refined_start(const std::function<double(std::uint64_t)>& spare_at, std::uint64_t start) {
  const auto count_at = [](double log_count) { return to_integer<std::uint64_t>(std::exp(log_count), "count"); };
  const double guess = std::log(static_cast<double>(std::max<std::uint64_t>(start, 1)));
  const double most = std::log(static_cast<double>(ranges::max_count - 1));
  const auto spare = [&](double log_count) { return spare_at(count_at(log_count)); };
  // A bit beyond where it is at slope 1/2.
  const double first = std::clamp(2.1 * std::abs(spare(guess)), 0.1, 3.0);
  const auto range = numeric::range_around(spare, guess, {first}, {0, most});
  const auto is_close = [&](double a, double b) { return count_at(b) - count_at(a) <= 1; };
  return count_at(numeric::certified_root(spare, range, is_close, 40).lower);
}

// The next number to look at for one that does not fit, after one of which so much is known from below: lower ends grow
// with some power of the count.
std::optional<std::uint64_t> farther(std::uint64_t count, double lower, double epsilon, double power) {
  constexpr double beyond = 1.02;
  const double more = std::ceil(static_cast<double>(count) * beyond * std::pow(epsilon / lower, 1 / power)) + 1;
  if (!(more < static_cast<double>(ranges::max_count))) return std::nullopt;
  return to_integer<std::uint64_t>(more, "count");
}

// A number that is proven not to fit: what is released together with more costs no less. A few steps come near the
// least such number, or give up.
// @param count  to begin with, beyond one that fits
template <class Spent>
std::optional<std::uint64_t> none_from(const Spent& spent, std::optional<std::uint64_t> count, double epsilon,
                                       double power) {
  constexpr int most_steps = 4;
  constexpr double least_power = 0.5;
  for (int step = 0; count && step < most_steps; ++step) {
    const Answer<Bound>& bound = spent(*count);
    if (!bound || !(bound->lower > 0)) return std::nullopt;
    if (bound->lower > epsilon) return count;
    count = farther(*count, bound->lower, epsilon, power);
    if (step > 0) power = least_power;
  }
  return std::nullopt;
}

// What an accountant says of so many repetitions, each asked for once.
class Counted {
 public:
  // @param tolerance  of the accountant's brackets
  Counted(Accountant& accountant, double epsilon, double delta, double tolerance = default_tolerance)
      : accountant_(accountant), epsilon_(epsilon), delta_(delta), far_(1 + 10 * tolerance) {}

  const Answer<Bound>& spent(std::uint64_t count) {
    return asked(known_, count, [&] { return accountant_.epsilon(count, delta_); });
  }
  // Counts are searched for by upper ends alone, in brackets that need not be narrow where they are far from the
  // budget.
  const Answer<Bound>& at_most(std::uint64_t count) {
    return asked(known_from_above_, count, [&] { return accountant_.epsilon_beside(count, delta_, epsilon_); });
  }
  // The upper end of `spent`.
  const Answer<Bound>& upper(std::uint64_t count) {
    const auto known = known_.find(count);
    if (known != known_.end()) return known->second;
    return asked(known_uppers_, count, [&] { return accountant_.epsilon_from_above(count, delta_); });
  }

  // Whether it fits by all that is known. Who is asked for both ends may prove less than by upper ends alone, but no
  // less than brackets that are resolved may be off by, and then some.
  bool fits(std::uint64_t count) {
    const Answer<Bound>& alone_from_above = upper(count);
    if (alone_from_above && alone_from_above->upper > far_ * epsilon_) return false;
    const Answer<Bound>& bound = spent(count);
    return bound && bound->upper <= epsilon_;
  }

  // With which power of the count upper ends grow near there, as far as other ones were asked for.
  double power_at(std::uint64_t count) const {
    constexpr double apart = 0.05;
    constexpr double least_power = 0.5;
    const auto here = known_from_above_.find(count);
    if (here == known_from_above_.end() || !here->second) return 1;
    double nearest = infinity;
    double power = 1;
    for (const auto& [other, bound] : known_from_above_) {
      if (other == 0 || !bound) continue;
      const double distance = std::log(static_cast<double>(other)) - std::log(static_cast<double>(count));
      if (std::abs(distance) < apart || std::abs(distance) > nearest) continue;
      const double found = std::log(bound->upper / here->second->upper) / distance;
      if (!(found > 0)) continue;
      nearest = std::abs(distance);
      power = std::clamp(found, least_power, 1.0);
    }
    return power;
  }

 private:
  using Answers = std::map<std::uint64_t, Answer<Bound>>;

  template <class Ask>
  static const Answer<Bound>& asked(Answers& answers, std::uint64_t count, const Ask& ask) {
    const auto found = answers.find(count);
    return found != answers.end() ? found->second : answers.emplace(count, ask()).first->second;
  }

  Accountant& accountant_;
  double epsilon_;
  double delta_;
  double far_;
  Answers known_;
  Answers known_uppers_;
  Answers known_from_above_;
};

// The largest count that fits by upper ends.
std::uint64_t most_by_upper_ends(Counted& counted, std::uint64_t start, double epsilon) {
  const auto fits = [&](std::uint64_t count) {
    const Answer<Bound>& bound = counted.at_most(count);
    return bound && bound->upper <= epsilon;
  };
  const auto spare = [&](std::uint64_t count) {
    const Answer<Bound>& bound = counted.at_most(count);
    if (!bound) return -infinity;
    if (bound->upper == 0 || epsilon == 0) return bound->upper <= epsilon ? 1.0 : -1.0;
    return std::log(epsilon / bound->upper);
  };
  // A theorem may hold from some count on only: then the search begins where there is an answer.
  std::uint64_t answered_start = std::max<std::uint64_t>(start, 1);
  while (!counted.at_most(answered_start) && answered_start < ranges::max_count / 2) answered_start *= 2;
  const std::uint64_t near = refined_start(spare, counted.at_most(answered_start) ? answered_start : start);
  return largest_that_fits(near, ranges::max_count, fits);
}

// A count and what it spends, by questions of their own.
class Alone {
 public:
  Alone(const Plan& plan, const Budget& budget) : plan_(plan), budget_(budget) {}

  // That count, or one below it that is inside; 0 where none was found.
  std::uint64_t inside(std::uint64_t count) {
    const auto found = stepped(UnknownKind::count, static_cast<double>(count), [&](double fewer) {
      if (fewer == 0) return 0.0;
      const auto number = to_integer<std::uint64_t>(fewer, "count");
      const Budget::Asked asked = budget_.asked(so_many(number));
      // What is beyond by its delta was not asked for its epsilon.
      if (asked.spent) known_.insert_or_assign(number, asked.spent);
      return asked.beyond;
    });
    return to_integer<std::uint64_t>(found.value_or(0), "count");
  }

  Answer<Bound> spent(std::uint64_t count) const {
    const auto known = known_.find(count);
    if (known != known_.end()) return known->second;
    const auto accountant = make_accountant(budget_.name, so_many(count), budget_.tolerance);
    return accountant ? (*accountant)->epsilon(1, budget_.delta) : accountant.error();
  }

 private:
  Plan so_many(std::uint64_t count) const { return {repeat(count, plan_.event), plan_.adjacency}; }

  const Plan& plan_;
  const Budget& budget_;
  std::map<std::uint64_t, Answer<Bound>> known_;
};

// Steps down to a count that is inside by questions of its own.
Rounds checked(Rounds found, Alone& alone) {
  const std::uint64_t rounds = alone.inside(found.rounds);
  found.at_rounds = rounds > 0 ? alone.spent(rounds).value() : Bound{};
  if (rounds < found.rounds) {
    const Answer<Bound> next = alone.spent(rounds + 1);
    found.at_next = next ? *next : no_bound(next.error());
    found.unbounded = false;
  }
  found.rounds = rounds;
  return found;
}

// The lower end of one more, if brackets stay as wide; infinite where nothing is known.
double expected_lower(const Bound& spent, const Answer<Bound>& one_more) {
  return one_more && spent.lower > 0 ? one_more->upper * (spent.lower / spent.upper) : infinity;
}

// What is expected below the budget by this factor is not asked for.
constexpr double far_below = 1.01;

// A bracket of what spends no less than another one.
Answer<Bound> raised(Answer<Bound> bound, const Bound& less) {
  if (!bound || bound->lower >= less.lower) return bound;
  bound->lower = less.lower;
  bound->lower_source = less.lower_source.value_or(Source{less.accountant, less.theorems});
  bound->witnesses.lower = {};
  return bound;
}

// @param alone  of the same plan, where what is found is to be inside by questions of its own
Answer<Rounds> searched(Counted& counted, std::uint64_t start, double epsilon, Beyond beyond, Alone* alone) {
  const auto fits = [&](std::uint64_t count) { return counted.fits(count); };
  const auto is_below = [&](double expected) { return far_below * expected <= epsilon; };
  std::uint64_t most = most_by_upper_ends(counted, start, epsilon);
  const auto inside = [&] { return alone != nullptr && most + 1 < ranges::max_count ? alone->inside(most) : most; };
  std::uint64_t count = inside();
  const auto is_unbounded = [&] { return count + 1 == ranges::max_count; };
  const auto spent_there = [&] {
    const bool is_by_itself = alone != nullptr && count > 0 && !is_unbounded();
    return is_by_itself ? alone->spent(count) : counted.spent(count);
  };
  if (count == most && most + 1 < ranges::max_count) {
    // Both ends of one more are asked for at once where they are wanted.
    const Answer<Bound> spent = spent_there();
    if (spent && !is_below(expected_lower(*spent, counted.at_most(count + 1)))) counted.spent(count + 1);
    // An upper end that was asked for alone may be larger.
    if (fits(most + 1)) {
      most = largest_that_fits(most + 1, ranges::max_count, fits);
      count = inside();
    }
  }
  Answer<Bound> spent = spent_there();
  if (!spent) return spent.error();
  if (is_unbounded()) return Rounds{ranges::max_count, true, *std::move(spent), {}};
  // One more spends no less, which is all that is known of it from below where that is not expected to exceed.
  const double expected = count < most ? infinity : expected_lower(*spent, counted.upper(count + 1));
  Answer<Bound> next = count < most         ? alone->spent(count + 1)
                       : is_below(expected) ? raised(counted.upper(count + 1), *spent)
                                            : counted.spent(count + 1);
  if (count == 0 && !next) return next.error();
  Rounds found{count, false, *std::move(spent), next ? *next : no_bound(next.error())};
  if (beyond == Beyond::unasked) return found;
  const auto spent_by = [&](std::uint64_t more) { return more == count + 1 ? next : counted.spent(more); };
  const double power = counted.power_at(count);
  const auto first = is_below(expected) ? farther(count + 1, expected, epsilon, power) : std::optional(count + 1);
  found.none_from = none_from(spent_by, first, epsilon, power);
  return found;
}

}  // namespace

Answer<Rounds> rounds(Accountant& accountant, std::uint64_t start, double epsilon, double delta, Beyond beyond) {
  ranges::epsilon(epsilon);
  ranges::delta_from_zero(delta);
  Counted counted(accountant, epsilon, delta);
  return searched(counted, start, epsilon, beyond, nullptr);
}

Answer<Rounds> rounds(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta,
                      Beyond beyond) {
  ranges::epsilon(epsilon);
  ranges::delta_from_zero(delta);
  const auto accountant = make_accountant(name, plan, tolerance);
  if (!accountant) return accountant.error();
  // Of shuffles Rényi divergences take longer than the steps that they save others.
  const Answer<renyi::Rounds> start = name != AccountantName::renyi && has_shuffled(plan.event)
                                          ? renyi::Rounds{1, false, {}, {}}
                                          : answered([&] { return renyi::rounds(plan, epsilon, delta); });
  const Budget budget{name, tolerance, epsilon, delta};
  if (start && start->unbounded) return Rounds{start->rounds, true, start->at_rounds, start->at_next};
  Alone alone(plan, budget);
  if (start && name == AccountantName::renyi)
    return checked({start->rounds, false, start->at_rounds, start->at_next}, alone);
  Counted counted(**accountant, epsilon, delta, tolerance);
  return searched(counted, start ? start->rounds : 1, epsilon, beyond, &alone);
}

}  // namespace dpbudget::solve
