#include "dpbudget/accounting/solve/rounds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

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

// A number that is proven not to fit: what is released together with more costs no less. The lower end grows with some
// power of the count, at least about 1/2, so that a few steps come near the least such number, or give up.
template <class Spent>
std::optional<std::uint64_t> none_from(const Spent& spent, std::uint64_t next, double epsilon) {
  constexpr int most_steps = 4;
  constexpr double farther = 1.02;
  std::uint64_t count = next;
  for (int step = 0; step < most_steps; ++step) {
    const Answer<Bound>& bound = spent(count);
    if (!bound || !(bound->lower > 0)) return std::nullopt;
    if (bound->lower > epsilon) return count;
    const double factor = farther * std::pow(epsilon / bound->lower, step == 0 ? 1 : 2);
    const double more = std::ceil(static_cast<double>(count) * factor) + 1;
    if (!(more < static_cast<double>(ranges::max_count))) return std::nullopt;
    count = to_integer<std::uint64_t>(more, "count");
  }
  return std::nullopt;
}

// What an accountant says of so many repetitions, each asked for once.
class Counted {
 public:
  Counted(Accountant& accountant, double epsilon, double delta)
      : accountant_(accountant), epsilon_(epsilon), delta_(delta) {}

  const Answer<Bound>& spent(std::uint64_t count) {
    return asked(known_, count, [&] { return accountant_.epsilon(count, delta_); });
  }
  // Counts are searched for by upper ends alone, in brackets that need not be narrow where they are far from the
  // budget.
  const Answer<Bound>& at_most(std::uint64_t count) {
    return asked(known_from_above_, count, [&] { return accountant_.epsilon_beside(count, delta_, epsilon_); });
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
  Answers known_;
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
    if (!bound) return -std::numeric_limits<double>::infinity();
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

// @param alone  of the same plan, where what is found is to be inside by questions of its own
Answer<Rounds> searched(Counted& counted, std::uint64_t start, double epsilon, Beyond beyond, Alone* alone) {
  const auto fits = [&](std::uint64_t count) {
    const Answer<Bound>& bound = counted.spent(count);
    return bound && bound->upper <= epsilon;
  };
  std::uint64_t most = most_by_upper_ends(counted, start, epsilon);
  const auto inside = [&] { return alone != nullptr && most + 1 < ranges::max_count ? alone->inside(most) : most; };
  std::uint64_t count = inside();
  // An upper end that was asked for alone may be larger.
  if (count == most && most + 1 < ranges::max_count && fits(most + 1)) {
    most = largest_that_fits(most + 1, ranges::max_count, fits);
    count = inside();
  }
  const bool is_unbounded = count + 1 == ranges::max_count;
  const bool is_by_itself = alone != nullptr && count > 0 && !is_unbounded;
  Answer<Bound> spent = is_by_itself ? alone->spent(count) : counted.spent(count);
  if (!spent) return spent.error();
  if (is_unbounded) return Rounds{ranges::max_count, true, *std::move(spent), {}};
  const Answer<Bound> next = count < most ? alone->spent(count + 1) : counted.spent(count + 1);
  if (count == 0 && !next) return next.error();
  Rounds found{count, false, *std::move(spent), next ? *next : no_bound(next.error())};
  const auto spent_by = [&](std::uint64_t more) { return more == count + 1 ? next : counted.spent(more); };
  if (beyond == Beyond::asked) found.none_from = none_from(spent_by, count + 1, epsilon);
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
  Counted counted(**accountant, epsilon, delta);
  return searched(counted, start ? start->rounds : 1, epsilon, beyond, &alone);
}

}  // namespace dpbudget::solve
