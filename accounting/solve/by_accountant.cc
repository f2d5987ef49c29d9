#include "dpbudget/accounting/solve/by_accountant.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "dpbudget/accounting/require.h"

namespace dpbudget::solve {
namespace {

// Relative precisions of a real value: of a first guess, and of an answer by closed forms.
constexpr double rough = 1e-3;
constexpr double exact = 1e-13;

// Of those that `best` puts together, the one with the least upper end.
AccountantName tightest(const BoundBy& bound_by, double value) {
  AccountantName found = AccountantName::best;
  double least = std::numeric_limits<double>::infinity();
  for (const AccountantName name : {AccountantName::exact, AccountantName::contour, AccountantName::loss_distribution,
                                    AccountantName::renyi, AccountantName::concentrated}) {
    try {
      const double upper = bound_by(name, value).upper;
      if (!(upper < least)) continue;
      least = upper;
      found = name;
    } catch (const Unsupported&) {  // then not by this one
    }
    if (found == AccountantName::exact) break;  // nothing can be below it
  }
  return found;
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
