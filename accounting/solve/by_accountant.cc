#include "dpbudget/accounting/solve/by_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/unknown_kind.h"
#include "dpbudget/accounting/solve/alone.h"
#include "dpbudget/accounting/solve/rest.h"
#include "dpbudget/accounting/solve/rounds.h"
#include "dpbudget/accounting/solve/stepped.h"

namespace dpbudget::solve {
namespace {

// Relative precisions of a real value: of a first guess, by one member or by all, of an answer by closed forms, and of
// one by meshes, whose ends are no smoother than that.
constexpr double rough = 1e-3;
constexpr double rough_by_all = 1e-2;
constexpr double exact = 1e-13;
constexpr double by_meshes = 1e-7;

// Of what meshes do not resolve, whose ends jump by percents.
constexpr double by_blurred_meshes = 1e-4;

// A tolerance of brackets that are near enough to begin a search by.
constexpr double rough_tolerance = 1e-2;

// So many members are searched by, one after the other, where what the last one found leaves more than this of the
// budget.
constexpr int most_members = 2;
constexpr double hardly = 1e-6;

// A member may be sharp about epsilon and blunt about delta: what it is inside by itself is near then, or not looked
// for.
constexpr double near_by_itself = 1e-2;

// The value, where all together find its delta inside, or else one on the safe side of it that a member other than
// meshes finds inside by itself.
// @param spent  by that member at the value
using InsideBy = std::function<std::optional<double>(AccountantName member, double value, const Bound& spent)>;

// So that who decides there need not be who decides at the answer.
bool is_far_from(double epsilon, const Answer<Bound>& spent) {
  constexpr double far = 2;
  return !spent || spent->upper > far * epsilon || far * spent->upper < epsilon;
}

// What meshes and contours can tell.
struct Resolution {
  double precision;  // of the values that a mesh decides
  double tolerance;  // of their brackets
};

// The search for one value, by accountants one after the other.
class Searches {
 public:
  Searches(UnknownKind kind, AccountantName name, Resolution resolution, double epsilon, const BoundBy& bound_by,
           std::optional<double> guess)
      : kind_(kind), name_(name), resolution_(resolution), epsilon_(epsilon), bound_by_(bound_by), guess_(guess) {}

  // @param has_help  a member that decides at one value may have no answer at another
  Answer<Solution> by(AccountantName accountant, double precision, bool has_help = false) const {
    const BoundAt bound_at = [&](double value) {
      // The upper end is that of the member that decides.
      if (at_guess_ && value == guess_) return *at_guess_;
      Answer<Bound> found = bound_by_(accountant, value);
      return found || !has_help ? found : bound_by_(name_, value);
    };
    return unknown(kind_, epsilon_, bound_at, guess_, precision, resolution_.tolerance);
  }
  Answer<Solution> by_name() const { return by(name_, precision_of(name_)); }

  void set_guess(std::optional<double> guess) { guess_ = guess; }
  // Asks for the bound at the guess, which must be there.
  void ask_at(double guess) {
    guess_ = is_whole(kind_) ? guess : std::exp(std::log(guess));  // as a search asks for it
    at_guess_ = bound_by_(name_, *guess_);
  }

  // Another member than the one that found the guess may decide nearer by, and yet another there.
  void come_nearer(double guess, AccountantName guide) {
    ask_at(guess);
    for (int turn = 1; turn <= most_members && is_far_from(epsilon_, *at_guess_); ++turn) {
      const AccountantName member = decides();
      if (member == name_ || member == guide) return;
      const Answer<Solution> near = by(member, rough_by_all, true);
      if (!near || !near->value) return;
      ask_at(*near->value);
      guide = member;
    }
  }

  // By the member that gives `best` its upper end at the guess, and another one where that one does at what was found;
  // nothing where `best` does not certify what they find.
  std::optional<Solution> by_members(const InsideBy& inside_by) {
    for (int turn = 1; turn <= most_members; ++turn) {
      const AccountantName member = decides();
      if (member == name_) return std::nullopt;
      Answer<Solution> found = by(member, precision_of(member), true);
      if (found && found->every_value) return *std::move(found);
      if (!found || !found->value) return std::nullopt;
      // What is inside by a member is inside by all together, which are asked once.
      const bool is_by_itself = accountant_named(found->at_value.accountant) == member;
      if (inside_by && is_by_itself && member != AccountantName::loss_distribution)
        found->value = inside_by(member, *found->value, found->at_value).value_or(*found->value);
      guess_ = found->value;
      at_guess_ = bound_by_(name_, *guess_);
      if (turn < most_members && is_off(member)) continue;
      // Steps are what is left of the search where it is nearly inside.
      if (!*at_guess_ || (*at_guess_)->upper > epsilon_ * (inside_by ? 1 + rough : 1)) return std::nullopt;
      found->at_value = **at_guess_;
      return *std::move(found);
    }
    return std::nullopt;
  }

 private:
  // Closed forms and contours are smooth, but for contours that hardly converge.
  double precision_of(AccountantName accountant) const {
    const bool is_unresolved = at_guess_ && *at_guess_ && !(*at_guess_)->is_resolved;
    if (accountant == AccountantName::contour && is_unresolved) return resolution_.precision;
    if (accountant != AccountantName::best && accountant != AccountantName::loss_distribution) return exact;
    const bool is_blurred = is_unresolved && (*at_guess_)->lower == 0 && decides() == AccountantName::loss_distribution;
    return is_blurred ? std::max(by_blurred_meshes, resolution_.precision) : resolution_.precision;
  }

  // Who gives `best` its upper end at the guess, where that is known.
  AccountantName decides() const {
    return *at_guess_ ? accountant_named((*at_guess_)->accountant).value_or(name_) : name_;
  }

  // Whether another member is sharper at the guess, or what this one says there is not what `best` has.
  bool is_off(AccountantName member) const {
    const Answer<Bound>& spent = *at_guess_;
    if (!spent || accountant_named(spent->accountant) == member) return false;
    return spent->upper > epsilon_ || spent->upper < epsilon_ * (1 - hardly);
  }

  UnknownKind kind_;
  AccountantName name_;
  Resolution resolution_;
  double epsilon_;
  const BoundBy& bound_by_;
  std::optional<double> guess_;
  std::optional<Answer<Bound>> at_guess_;  // by `best`
};

// @param guide      who takes little and is asked first
// @param roughly    as `bound_by`, by brackets that need not be narrow, where there is such a one
// @param inside_by  where what is found has to be inside by more than its epsilon
Answer<Solution> searched(UnknownKind kind, AccountantName name, AccountantName guide, Resolution resolution,
                          double epsilon, const BoundBy& bound_by, const BoundBy& roughly,
                          std::optional<double> guess = std::nullopt, const InsideBy& inside_by = {}) {
  Searches searches(kind, name, resolution, epsilon, bound_by, guess);
  if (name != guide) {
    const Answer<Solution> start = searches.by(guide, rough);
    // What one member proves, `best` does not undo.
    if (start && start->every_value && name == AccountantName::best) return start;
    guess = start ? start->value : std::nullopt;
    searches.set_guess(guess);
  }
  if (name != AccountantName::best || (!guess && is_whole(kind))) return searches.by_name();
  if (guess) {
    searches.come_nearer(*guess, guide);
  } else {
    const BoundBy& wide = roughly ? roughly : bound_by;
    const Answer<Solution> near =
        unknown(kind, epsilon, [&](double value) { return wide(name, value); }, std::nullopt, rough_by_all);
    if (near && near->every_value) return near;
    // What wide brackets do not find narrow ones may.
    if (!near || !near->value) return roughly ? searches.by_name() : near;
    searches.ask_at(*near->value);
  }
  if (auto found = searches.by_members(inside_by)) return *std::move(found);
  return searches.by_name();
}

// Of reports and steps, which are looked for from few to many: that none is enough beside the rest of the plan.
std::optional<Solution> none_beside_rest(const Plan& plan, UnknownKind kind, const Budget& budget) {
  const auto rest = rest_of(plan.event);
  if (!rest) return std::nullopt;
  const auto accountant = make_accountant(budget.name, {*rest, plan.adjacency}, budget.tolerance);
  if (!accountant) return std::nullopt;
  const Answer<Bound> spent = (*accountant)->epsilon_beside(1, budget.delta, budget.epsilon);
  if (!spent) return std::nullopt;
  const bool exceeds = spent->lower > budget.epsilon;
  if (!exceeds && spent->upper <= budget.epsilon * (1 + budget.tolerance)) return std::nullopt;
  const std::string why =
      exceeds ? "meets the budget: the rest of the plan exceeds it"
              : fmt::format("is proven to meet the budget: the rest of the plan spends between {:.6g} and {:.6g}",
                            spent->lower, spent->upper);
  return Solution{kind, std::nullopt, false, {}, fmt::format("no number of {} {}", to_string(kind), why)};
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

bool is_asked_in_full(const Bound& spent, double epsilon) {
  return spent.lower > 0 && !is_clear_of(epsilon, spent.lower, spent.upper);
}

// What was found by such questions, or what is near it on the safe side, inside by questions of its own.
// @param is_known  whether the value itself is inside
Solution checked(Solution found, bool is_known, const Plan& plan, const Budget& budget) {
  if (!found.value || is_known) return found;
  const auto with = [&](double value) { return Plan{substitute(plan.event, value), plan.adjacency}; };
  // Where nothing is known from below the search may not have asked, and where the bracket is far from the budget not
  // for a narrow one.
  bool is_asked = is_asked_in_full(found.at_value, budget.epsilon);
  const auto value = stepped(found.kind, *found.value, [&](double near) {
    if (std::exchange(is_asked, false)) return budget.beyond(with(near), found.at_value);
    const Budget::Asked asked = budget.asked(with(near));
    if (asked.beyond <= 0) found.at_value = *asked.spent;
    return asked.beyond;
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
  return searched(kind, name, AccountantName::renyi, {std::max(tolerance / 100, exact), tolerance}, epsilon, bound_by,
                  {}, guess);
}

Answer<Solution> unknown(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta) {
  ranges::delta_from_zero(delta);
  const UnknownKind kind = only_unknown(plan);
  const Budget budget{name, tolerance, epsilon, delta};
  if (const auto* repeated = std::get_if<Repeated>(&plan.event); repeated != nullptr && repeated->count.is_unknown())
    return counted({*repeated->inner, plan.adjacency}, budget);
  const auto with = [&](double value) { return Plan{substitute(plan.event, value), plan.adjacency}; };
  const auto bound_of = [&](AccountantName asked, const Plan& known, double to) -> Answer<Bound> {
    const auto accountant = make_accountant(asked, known, to);
    if (!accountant) return accountant.error();
    return (*accountant)->epsilon_beside(1, delta, epsilon);
  };
  std::optional<double> inside;  // where all together say that delta is
  const InsideBy inside_by = [&](AccountantName member, double value, const Bound& spent) {
    if (budget.beyond(with(value), spent) <= 0) return inside = value;
    const Budget alone{member, tolerance, epsilon, delta};
    return stepped(
        kind, value,
        [&](double near) { return near == value ? alone.beyond(with(near), spent) : alone.asked(with(near)).beyond; },
        near_by_itself);
  };
  const auto unguided = [&](AccountantName asked, std::optional<double> guess) {
    return unknown(
        plan, epsilon, delta, [&](const Plan& known, double) { return bound_of(asked, known, tolerance); }, guess);
  };
  // Sums over clones take long, and meshes of shuffled reports, at upper ends alone, do not.
  const AccountantName guide = has_shuffled(plan.event) ? name : AccountantName::renyi;
  const auto guided = [&] {
    return searched(
        kind, name, guide, {by_meshes, tolerance}, epsilon,
        [&](AccountantName asked, double value) { return bound_of(asked, with(value), tolerance); },
        [&](AccountantName asked, double value) {
          const double to = std::max(tolerance, rough_tolerance);
          // Meshes that are not needed for that take longest.
          Answer<Bound> found = bound_of(AccountantName::contour, with(value), to);
          return found ? found : bound_of(asked, with(value), to);
        },
        std::nullopt, inside_by);
  };
  // Rényi's guess would know nothing of numbers of reports and steps, nor of what is drawn or grouped. Meshes by
  // themselves know of steps, and stop at the tolerance, which takes far less than what `best` asks of them.
  if (kind == UnknownKind::reports || kind == UnknownKind::steps)
    if (auto none = none_beside_rest(plan, kind, budget)) return *std::move(none);
  std::optional<double> guess;
  if (kind == UnknownKind::steps && name == AccountantName::best)
    if (const auto meshes_alone = unguided(AccountantName::loss_distribution, std::nullopt))
      guess = meshes_alone->value;
  const bool is_unguided = kind == UnknownKind::reports || kind == UnknownKind::steps || is_size(kind);
  Answer<Solution> found = is_unguided ? unguided(name, guess) : guided();
  if (!found) return found;
  const bool is_known = found->value && inside == found->value && is_asked_in_full(found->at_value, epsilon) &&
                        found->at_value.upper <= epsilon;
  return checked(*std::move(found), is_known, plan, budget);
}

}  // namespace dpbudget::solve
