#include "dpbudget/accounting/solve/by_accountant.h"

#include <algorithm>
#include <optional>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::solve {
namespace {

// Relative precisions of a real value: of a first guess, and of an answer by closed forms.
constexpr double rough = 1e-3;
constexpr double exact = 1e-13;

// The one that gives `best` its upper end.
AccountantName tightest(const BoundBy& bound_by, double value) {
  try {
    return accountant_named(bound_by(AccountantName::best, value).accountant).value_or(AccountantName::best);
  } catch (const Unsupported&) {
    return AccountantName::best;
  }
}

}  // namespace

Solution by_accountant(UnknownKind kind, AccountantName name, double tolerance, double epsilon,
                       const BoundBy& bound_by) {
  const auto search = [&](AccountantName accountant, std::optional<double> guess, double precision) {
    return unknown(kind, epsilon, [&](double value) { return bound_by(accountant, value); }, guess, precision);
  };
  std::optional<double> guess;
  if (name != AccountantName::renyi) {
    try {
      guess = search(AccountantName::renyi, std::nullopt, rough).value;
    } catch (const Unsupported&) {  // no theorem: then without
    }
  }
  const bool is_narrowed = name == AccountantName::best && guess;
  const AccountantName searching = is_narrowed ? tightest(bound_by, *guess) : name;
  const auto precision_of = [&](AccountantName accountant) {
    const bool is_smooth = accountant != AccountantName::best && accountant != AccountantName::loss_distribution;
    return is_smooth ? exact : std::max(tolerance / 100, exact);
  };
  Solution found = search(searching, guess, precision_of(searching));
  if (!is_narrowed || !found.value) return found;
  found.at_value = bound_by(name, *found.value);
  // `best` asks no further once a bracket is narrow, so that one of its members may be a little below it.
  if (found.at_value.upper > epsilon) found = search(name, found.value, precision_of(name));
  return found;
}

}  // namespace dpbudget::solve
