#include "dpbudget/fl/schedule/solve.h"

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/sequence/accountant.h"
#include "dpbudget/accounting/solve/by_accountant.h"

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

// Of a decay that leaves the last round a third of the noise: steeper ones soon leave next to none, which takes
// accountants long.
std::optional<double> guess_of(OpenNumber open, std::uint64_t rounds) {
  if (open != OpenNumber::decay) return std::nullopt;
  return 1 / static_cast<double>(rounds);
}

}  // namespace

void require_solvable(OpenNumber open, const NoiseShape& shape) {
  const auto* stairs = std::get_if<Staircase>(&shape);
  require(open != OpenNumber::hold || stairs == nullptr || stairs->factor < 1, "factor",
          stairs == nullptr ? 0 : stairs->factor,
          "below 1 when `every` is to be found: the shortest stairs are the least noise only where they lead down");
}

OpenSolution solve_schedule(OpenNumber open, const SequenceAt& sequence_at, std::uint64_t rounds, AccountantName name,
                            double tolerance, double epsilon, double delta) {
  require(1 <= rounds && rounds <= ranges::max_count, "rounds", rounds, "an integer in [1, 2^53]");
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  const auto bound_by = [&](AccountantName accountant, double searched) -> Answer<Bound> {
    const double value = value_of(open, rounds, searched);
    const bool is_softest = searched == 0;  // no decay at all: what is refused here is refused for good
    if (value < 0) return Refusal{"", "a hold is at least 0"};
    try {
      const auto made = sequence::make_accountant(accountant, sequence_at(value), delta, tolerance);
      if (!made) return made.error();
      return (*made)->epsilon(rounds);
    } catch (const InvalidArgument& outside) {
      if (open == OpenNumber::base_noise || is_softest) throw;
      // So steep that the noise leaves the range of a double.
      return Refusal{"", outside.what()};
    }
  };
  const solve::Solution found =
      solve::by_accountant(kind_of(open), name, tolerance, epsilon, bound_by, guess_of(open, rounds)).value();
  OpenSolution solution{std::nullopt, found.every_value, found.at_value};
  if (found.value) solution.value = value_of(open, rounds, *found.value);
  return solution;
}

}  // namespace dpbudget::fl
