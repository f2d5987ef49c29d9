#include "dpbudget/accounting/solve/by_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/unknown_kind.h"
#include "dpbudget/accounting/solve/alone.h"
#include "dpbudget/accounting/solve/rounds.h"
#include "dpbudget/accounting/solve/safer.h"

namespace dpbudget::solve {
namespace {

// Relative precisions of a real value: of a first guess, and of an answer by closed forms.
constexpr double rough = 1e-3;
constexpr double exact = 1e-13;

// The one that gives `best` its upper end.
AccountantName tightest(const BoundBy& bound_by, double value) {
  const Answer<Bound> best = bound_by(AccountantName::best, value);
  return best ? accountant_named(best->accountant).value_or(AccountantName::best) : AccountantName::best;
}

// The value, or one on the safe side of it, that a member other than meshes finds inside by itself.
using InsideBy = std::function<std::optional<double>(AccountantName member, double value)>;

// @param dear       precision of the values that a mesh decides
// @param inside_by  where what is found has to be inside by more than its epsilon
Answer<Solution> searched(UnknownKind kind, AccountantName name, double dear, double epsilon, const BoundBy& bound_by,
                          std::optional<double> guess = std::nullopt, const InsideBy& inside_by = {}) {
  const auto search = [&](AccountantName accountant, std::optional<double> start, double precision) {
    return unknown(kind, epsilon, [&](double value) { return bound_by(accountant, value); }, start, precision);
  };
  if (name != AccountantName::renyi) {
    const Answer<Solution> start = search(AccountantName::renyi, guess, rough);
    // What one member proves, `best` does not undo.
    if (start && start->every_value && name == AccountantName::best) return start;
    guess = start ? start->value : std::nullopt;
  }
  const bool is_narrowed = name == AccountantName::best && guess;
  const AccountantName searching = is_narrowed ? tightest(bound_by, *guess) : name;
  const auto precision_of = [&](AccountantName accountant) {
    const bool is_smooth = accountant != AccountantName::best && accountant != AccountantName::loss_distribution;
    return is_smooth ? exact : dear;
  };
  Answer<Solution> found = search(searching, guess, precision_of(searching));
  if (!is_narrowed || searching == name || (found && found->every_value)) return found;
  // The member that is sharpest at the guess may have no answer elsewhere: what is exact for 0 repetitions, for 1.
  if (!found || !found->value) return search(name, guess, precision_of(name));
  // What is inside by a member is inside by all together, which are asked once.
  if (inside_by && searching != AccountantName::loss_distribution)
    found->value = inside_by(searching, *found->value).value_or(*found->value);
  const Answer<Bound> certified = bound_by(name, *found->value);
  // Another member may decide there, and the bound of `best` need not be that of the one that was asked.
  if (!certified || certified->upper > epsilon) return search(name, found->value, precision_of(name));
  found->at_value = *certified;
  return found;
}

// How often a plan can be repeated: the answer of `rounds`.
Answer<Solution> counted(const Plan& once, const Budget& budget) {
  constexpr UnknownKind kind = UnknownKind::count;
  const Answer<Rounds> found =
      rounds(once, budget.name, budget.tolerance, budget.epsilon, budget.delta, Beyond::unasked);
  if (!found) return found.error();
  if (found->unbounded) return Solution{kind, std::nullopt, true, {}, "every count meets the budget"};
  Bound spent = found->at_rounds;
  if (found->rounds == 0)
    if (const auto asked = make_accountant(budget.name, once, budget.tolerance))
      if (const Answer<Bound> nothing = (*asked)->epsilon(0, budget.delta)) spent = *nothing;
  return Solution{kind, static_cast<double>(found->rounds), false, std::move(spent),
                  fmt::format("{} {} meets the budget", to_string(kind), found->rounds)};
}

// Steps to the safe side, ever farther, until `is_inside` says so.
std::optional<double> stepped(UnknownKind kind, double value, const std::function<bool(double)>& is_inside) {
  constexpr double farthest = 0x1p40;
  for (double times = 1; times <= farthest; times *= 4) {
    if (is_inside(value)) return value;
    value = safer(kind, value, times);
  }
  return std::nullopt;
}

// What was found by such questions, or what is near it on the safe side, inside by questions of its own.
Solution checked(Solution found, const Plan& plan, const Budget& budget) {
  if (!found.value) return found;
  const auto with = [&](double value) { return Plan{substitute(plan.event, value), plan.adjacency}; };
  // Where nothing is known from below the search may not have asked.
  if (found.at_value.lower > 0) {
    if (budget.is_inside(with(*found.value), found.at_value)) return found;
  } else if (std::optional<Bound> spent = budget.spent_inside(with(*found.value))) {
    found.at_value = *std::move(spent);
    return found;
  }
  const auto value = stepped(found.kind, safer(found.kind, *found.value, 1), [&](double near) {
    const std::optional<Bound> spent = budget.spent_inside(with(near));
    if (spent) found.at_value = *spent;
    return spent.has_value();
  });
  if (!value)
    return {
        found.kind, std::nullopt, false, {}, fmt::format("no {} was found inside the budget", to_string(found.kind))};
  found.value = value;
  return found;
}

}  // namespace

Answer<Solution> by_accountant(UnknownKind kind, AccountantName name, double tolerance, double epsilon,
                               const BoundBy& bound_by, std::optional<double> guess) {
  return searched(kind, name, std::max(tolerance / 100, exact), epsilon, bound_by, guess);
}

Answer<Solution> unknown(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta) {
  ranges::delta_from_zero(delta);
  const UnknownKind kind = only_unknown(plan);
  const Budget budget{name, tolerance, epsilon, delta};
  if (const auto* repeated = std::get_if<Repeated>(&plan.event); repeated != nullptr && repeated->count.is_unknown())
    return counted({*repeated->inner, plan.adjacency}, budget);
  const auto with = [&](double value) { return Plan{substitute(plan.event, value), plan.adjacency}; };
  const auto bound_of = [&](AccountantName asked, const Plan& known) -> Answer<Bound> {
    const auto accountant = make_accountant(asked, known, tolerance);
    if (!accountant) return accountant.error();
    return (*accountant)->epsilon_from_above(1, delta);
  };
  const InsideBy inside_by = [&](AccountantName member, double value) {
    const Budget alone{member, tolerance, epsilon, delta};
    return stepped(kind, value, [&](double near) { return alone.spent_inside(with(near)).has_value(); });
  };
  const auto unguided = [&](AccountantName asked, std::optional<double> guess) {
    return unknown(plan, epsilon, delta, [&](const Plan& known, double) { return bound_of(asked, known); }, guess);
  };
  const auto guided = [&] {
    return searched(
        kind, name, exact, epsilon, [&](AccountantName asked, double value) { return bound_of(asked, with(value)); },
        std::nullopt, inside_by);
  };
  // Rényi's guess would know nothing of numbers of reports and steps, nor of what is drawn or grouped. Meshes by
  // themselves know of steps, and stop at the tolerance, which takes far less than what `best` asks of them.
  std::optional<double> guess;
  if (kind == UnknownKind::steps && name == AccountantName::best)
    if (const auto by_meshes = unguided(AccountantName::loss_distribution, std::nullopt)) guess = by_meshes->value;
  const bool is_unguided = kind == UnknownKind::reports || kind == UnknownKind::steps || is_size(kind);
  Answer<Solution> found = is_unguided ? unguided(name, guess) : guided();
  if (!found) return found;
  return checked(*std::move(found), plan, budget);
}

}  // namespace dpbudget::solve
