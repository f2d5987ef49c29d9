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

// Near the answer already: epsilon grows smoothly with the logarithm of the count, so a few secant steps find it.
std::uint64_t refined_start(const std::function<double(std::uint64_t)>& excess, std::uint64_t start) {
  const auto count_at = [](double log_count) { return to_integer<std::uint64_t>(std::exp(log_count), "count"); };
  const double guess = std::log(static_cast<double>(std::max<std::uint64_t>(start, 1)));
  const double most = std::log(static_cast<double>(ranges::max_count - 1));
  const auto spare = [&](double log_count) { return -excess(count_at(log_count)); };
  const auto range = numeric::range_around(spare, guess, {0.1}, {0, most});
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

// Steps down to a count that is inside by questions of its own.
Rounds checked(Rounds found, const Plan& plan, const Budget& budget) {
  const auto so_many = [&](double count) {
    return Plan{repeat(to_integer<std::uint64_t>(count, "count"), plan.event), plan.adjacency};
  };
  Bound spent;
  const auto count = stepped(UnknownKind::count, static_cast<double>(found.rounds), [&](double fewer) {
    spent = Bound{};
    if (fewer == 0) return 0.0;
    const Budget::Asked asked = budget.asked(so_many(fewer));
    if (asked.beyond <= 0) spent = *asked.spent;
    return asked.beyond;
  });
  const auto rounds = to_integer<std::uint64_t>(count.value_or(0), "count");
  if (rounds < found.rounds) {
    const auto accountant = make_accountant(budget.name, so_many(static_cast<double>(rounds + 1)), budget.tolerance);
    const Answer<Bound> next = accountant ? (*accountant)->epsilon(1, budget.delta) : accountant.error();
    found.at_next = next ? *next : no_bound(next.error());
    found.unbounded = false;
  }
  found.rounds = rounds;
  found.at_rounds = std::move(spent);
  return found;
}

}  // namespace

Answer<Rounds> rounds(Accountant& accountant, std::uint64_t start, double epsilon, double delta, Beyond beyond) {
  ranges::epsilon(epsilon);
  ranges::delta_from_zero(delta);
  using Ask = Answer<Bound> (Accountant::*)(std::uint64_t, double);
  std::map<std::uint64_t, Answer<Bound>> known;
  std::map<std::uint64_t, Answer<Bound>> known_from_above;
  const auto asked = [&](std::map<std::uint64_t, Answer<Bound>>& answers, Ask ask,
                         std::uint64_t count) -> const Answer<Bound>& {
    const auto found = answers.find(count);
    return found != answers.end() ? found->second
                                  : answers.emplace(count, (accountant.*ask)(count, delta)).first->second;
  };
  const auto spent = [&](std::uint64_t count) -> const Answer<Bound>& {
    return asked(known, &Accountant::epsilon, count);
  };
  // Counts are searched for by upper ends alone at first.
  const auto at_most = [&](std::uint64_t count) -> const Answer<Bound>& {
    return accountant.tells_ends_apart() ? asked(known_from_above, &Accountant::epsilon_from_above, count)
                                         : spent(count);
  };
  const auto fits_by = [&](const auto& bound_of) {
    return [&](std::uint64_t count) {
      const Answer<Bound>& bound = bound_of(count);
      return bound && bound->upper <= epsilon;
    };
  };
  const auto excess = [&](std::uint64_t count) {
    const Answer<Bound>& bound = at_most(count);
    return bound ? bound->upper - epsilon : std::numeric_limits<double>::infinity();
  };
  // A theorem may hold from some count on only: then the search begins where there is an answer.
  std::uint64_t answered_start = std::max<std::uint64_t>(start, 1);
  while (!at_most(answered_start) && answered_start < ranges::max_count / 2) answered_start *= 2;
  const std::uint64_t near = refined_start(excess, at_most(answered_start) ? answered_start : start);
  const std::uint64_t by_upper_ends = largest_that_fits(near, ranges::max_count, fits_by(at_most));
  const std::uint64_t count = largest_that_fits(by_upper_ends, ranges::max_count, fits_by(spent));
  if (!spent(count)) return spent(count).error();
  if (count + 1 == ranges::max_count) return Rounds{ranges::max_count, true, *spent(count), {}};
  const Answer<Bound>& next = spent(count + 1);
  if (count == 0 && !next) return next.error();
  Rounds found{count, false, *spent(count), next ? *next : no_bound(next.error())};
  if (beyond == Beyond::asked) found.none_from = none_from(spent, count + 1, epsilon);
  return found;
}

Answer<Rounds> rounds(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta,
                      Beyond beyond) {
  ranges::epsilon(epsilon);
  ranges::delta_from_zero(delta);
  const auto accountant = make_accountant(name, plan, tolerance);
  if (!accountant) return accountant.error();
  const Answer<renyi::Rounds> start = answered([&] { return renyi::rounds(plan, epsilon, delta); });
  const Budget budget{name, tolerance, epsilon, delta};
  if (start && start->unbounded) return Rounds{start->rounds, true, start->at_rounds, start->at_next};
  if (start && name == AccountantName::renyi)
    return checked({start->rounds, false, start->at_rounds, start->at_next}, plan, budget);
  Answer<Rounds> found = rounds(**accountant, start ? start->rounds : 1, epsilon, delta, beyond);
  if (!found) return found;
  return checked(*std::move(found), plan, budget);
}

}  // namespace dpbudget::solve
