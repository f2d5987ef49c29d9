#include "dpbudget/fl/schedule/solve.h"

#include <algorithm>
#include <limits>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/require.h"
#include "dpbudget/accounting/sequence/accountant.h"
#include "dpbudget/accounting/solve/unknown.h"

namespace dpbudget::fl {
namespace {

// The search knows noises (smallest), rates in [0, 1] and counts (largest): a decay is 1 minus a rate, a hold the
// rounds without a count.
UnknownKind kind_of(OpenNumber open) {
  switch (open) {
    case OpenNumber::base_noise:
      return UnknownKind::noise;
    case OpenNumber::decay:
      return UnknownKind::rate;
    case OpenNumber::hold:
      break;
  }
  return UnknownKind::count;
}

double value_of(OpenNumber open, std::uint64_t rounds, double searched) {
  switch (open) {
    case OpenNumber::base_noise:
      return searched;
    case OpenNumber::decay:
      return 1 - searched;
    case OpenNumber::hold:
      break;
  }
  return static_cast<double>(rounds) - searched;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

// Relative precisions of a real value: of a first guess, and of an answer by closed forms.
constexpr double rough = 1e-3;
constexpr double exact = 1e-13;

// Of those that `best` puts together, the one with the least upper end.
template <class UpperOf>
AccountantName tightest(const UpperOf& upper_of) {
  AccountantName found = AccountantName::best;
  double least = infinity;
  for (const AccountantName name : {AccountantName::exact, AccountantName::contour, AccountantName::loss_distribution,
                                    AccountantName::renyi, AccountantName::concentrated}) {
    try {
      const double upper = upper_of(name);
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

OpenSolution solve_schedule(OpenNumber open, const SequenceAt& sequence_at, std::uint64_t rounds, AccountantName name,
                            double tolerance, double epsilon, double delta) {
  require(1 <= rounds && rounds <= ranges::max_count, "rounds", rounds, "an integer in [1, 2^53]");
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  const auto bound_of = [&](AccountantName accountant, double searched) {
    const double value = value_of(open, rounds, searched);
    const bool is_softest = searched == 0;  // no decay at all: what is refused here is refused for good
    try {
      if (value < 0) throw Unsupported("a hold below 0");
      return sequence::make_accountant(accountant, sequence_at(value), delta, tolerance)->epsilon(rounds);
    } catch (const InvalidArgument&) {
      if (open == OpenNumber::base_noise || is_softest) throw;
      // So steep that the noise leaves the range of a double.
      return Bound{.lower = 0, .upper = infinity, .theorem = "", .notes = {}};
    }
  };
  const auto search = [&](AccountantName accountant, std::optional<double> guess, double precision) {
    const auto bound_at = [&](double searched) { return bound_of(accountant, searched); };
    return solve::unknown(kind_of(open), epsilon, bound_at, guess, precision);
  };
  std::optional<double> guess;
  if (name != AccountantName::renyi) {
    try {
      guess = search(AccountantName::renyi, std::nullopt, rough).value;
    } catch (const Unsupported&) {  // no theorem: then without
    }
  }
  // The tightest member of `best` is never below it: what it certifies `best` does too.
  const bool is_narrowed = name == AccountantName::best && guess;
  const AccountantName searching =
      is_narrowed ? tightest([&](AccountantName member) { return bound_of(member, *guess).upper; }) : name;
  const bool is_noisy = searching == AccountantName::best || searching == AccountantName::loss_distribution;
  solve::Solution found = search(searching, guess, is_noisy ? std::max(tolerance / 100, exact) : exact);
  if (is_narrowed && found.value) {
    const Bound all = bound_of(name, *found.value);
    if (all.upper <= epsilon) found.at_value = all;
  }
  OpenSolution solution{std::nullopt, found.every_value, found.at_value};
  if (found.value) solution.value = value_of(open, rounds, *found.value);
  return solution;
}

}  // namespace dpbudget::fl
