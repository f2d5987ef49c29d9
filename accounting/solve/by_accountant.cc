#include "dpbudget/accounting/solve/by_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/plan/unknown_kind.h"
#include "dpbudget/accounting/solve/alone.h"

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

// @param dear  precision of the values that a mesh decides
Answer<Solution> searched(UnknownKind kind, AccountantName name, double dear, double epsilon, const BoundBy& bound_by,
                          std::optional<double> guess = std::nullopt) {
  const auto search = [&](AccountantName accountant, std::optional<double> guess, double precision) {
    return unknown(kind, epsilon, [&](double value) { return bound_by(accountant, value); }, guess, precision);
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
  if (!is_narrowed || (found && found->every_value)) return found;
  // The member that is sharpest at the guess may have no answer elsewhere: what is exact for 0 repetitions, for 1.
  if (!found || !found->value) return search(name, guess, precision_of(name));
  const Answer<Bound> certified = bound_by(name, *found->value);
  // Another member may decide there, and the bound of `best` need not be that of the one that was asked.
  if (!certified || certified->upper > epsilon) return search(name, found->value, precision_of(name));
  found->at_value = *certified;
  return found;
}

// Epsilon of a plan with its unknown known. Where that is how often one and the same is repeated, its accountants are
// made once and kept.
class BoundsOf {
 public:
  BoundsOf(const Plan& plan, double tolerance, double delta) : plan_(plan), tolerance_(tolerance), delta_(delta) {
    const auto* repeated = std::get_if<Repeated>(&plan.event);
    if (repeated != nullptr && repeated->count.is_unknown()) once_ = Plan{*repeated->inner, plan.adjacency};
  }

  Answer<Bound> operator()(AccountantName name, double value) {
    if (!once_) return of(name, {substitute(plan_.event, value), plan_.adjacency});
    auto kept = kept_.find(name);
    if (kept == kept_.end()) kept = kept_.emplace(name, make_accountant(name, *once_, tolerance_)).first;
    if (!kept->second) return kept->second.error();
    return (*kept->second)->epsilon(to_integer<std::uint64_t>(value, "count"), delta_);
  }

  Answer<Bound> of(AccountantName name, const Plan& known) const {
    const auto accountant = make_accountant(name, known, tolerance_);
    if (!accountant) return accountant.error();
    return (*accountant)->epsilon(1, delta_);
  }

 private:
  const Plan& plan_;
  double tolerance_;
  double delta_;
  std::optional<Plan> once_;
  std::map<AccountantName, Answer<std::unique_ptr<Accountant>>> kept_;
};

bool is_whole(UnknownKind kind) {
  return kind == UnknownKind::count || kind == UnknownKind::reports || kind == UnknownKind::steps ||
         kind == UnknownKind::draws;
}

// Whether smaller values are safer.
bool is_cost(UnknownKind kind) {
  return kind != UnknownKind::noise && kind != UnknownKind::scale && kind != UnknownKind::reports &&
         kind != UnknownKind::steps;
}

// Where the value on the safe side of `value` is, so many times as far as the nearest.
double safer(UnknownKind kind, double value, double times) {
  constexpr double nearest = 1e-12;
  const bool is_less = is_cost(kind);
  const double least = kind == UnknownKind::draws ? 1 : 0;
  if (is_whole(kind)) return is_less ? std::max(least, value - times) : value + times;
  return is_less ? value * std::max(0.0, 1 - nearest * times) : value * (1 + nearest * times);
}

// Steps to the safe side, ever farther, until the value is inside by questions of its own.
Solution checked(Solution found, const Plan& plan, const Budget& budget) {
  constexpr double farthest = 0x1p40;
  if (!found.value) return found;
  for (double times = 1; times <= farthest; times *= 4) {
    if (auto spent = budget.spent_inside({substitute(plan.event, *found.value), plan.adjacency})) {
      found.at_value = *std::move(spent);
      return found;
    }
    found.value = safer(found.kind, *found.value, times);
  }
  return {found.kind, std::nullopt, false, {}, fmt::format("no {} was found inside the budget", to_string(found.kind))};
}

}  // namespace

Answer<Solution> by_accountant(UnknownKind kind, AccountantName name, double tolerance, double epsilon,
                               const BoundBy& bound_by, std::optional<double> guess) {
  return searched(kind, name, std::max(tolerance / 100, exact), epsilon, bound_by, guess);
}

Answer<Solution> unknown(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta) {
  ranges::delta_from_zero(delta);
  const UnknownKind kind = only_unknown(plan);
  BoundsOf bounds(plan, tolerance, delta);
  // Numbers of reports, steps and draws are searched without a guess, which would know nothing of them.
  const bool is_unguessed = kind == UnknownKind::reports || kind == UnknownKind::steps || kind == UnknownKind::draws;
  Answer<Solution> found =
      is_unguessed ? unknown(plan, epsilon, delta, [&](const Plan& known, double) { return bounds.of(name, known); })
                   : searched(kind, name, exact, epsilon, std::ref(bounds));
  if (!found) return found;
  return checked(*std::move(found), plan, {name, tolerance, epsilon, delta});
}

}  // namespace dpbudget::solve
