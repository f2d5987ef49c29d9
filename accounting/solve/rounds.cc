#include "dpbudget/accounting/solve/rounds.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <map>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/renyi/accountant.h"

namespace dpbudget::solve {

using numeric::largest_that_fits;
namespace {

// Near the answer already: epsilon grows smoothly with the logarithm of the count, so a few secant steps find it.
std::uint64_t refined_start(const std::function<double(std::uint64_t)>& excess, std::uint64_t start) {
  const auto count_at = [](double log_count) { return to_integer<std::uint64_t>(std::exp(log_count), "count"); };
  double low = std::log(static_cast<double>(std::max<std::uint64_t>(start, 1)));
  double high = low;
  const double most = std::log(static_cast<double>(ranges::max_count - 1));
  if (excess(count_at(low)) > 0) {
    for (double step = 0.1; low > 0 && excess(count_at(low)) > 0; step *= 2) {
      high = low;
      low = std::max(0.0, low - step);
    }
  } else {
    for (double step = 0.1; high < most && excess(count_at(high)) <= 0; step *= 2) {
      low = high;
      high = std::min(most, high + step);
    }
  }
  if (!(excess(count_at(low)) < 0) || !(excess(count_at(high)) > 0)) return count_at(low);
  std::uintmax_t evaluations = 40;
  const auto bracket = boost::math::tools::toms748_solve(
      [&](double log_count) { return excess(count_at(log_count)); }, low, high,
      [&](double a, double b) { return count_at(b) - count_at(a) <= 1; }, evaluations);
  return count_at(bracket.first);
}

}  // namespace

Rounds rounds(Accountant& accountant, std::uint64_t start, double epsilon, double delta) {
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  std::map<std::uint64_t, Bound> known;
  const auto spent = [&](std::uint64_t count) -> const Bound& {
    const auto found = known.find(count);
    return found != known.end() ? found->second : known.emplace(count, accountant.epsilon(count, delta)).first->second;
  };
  const auto fits = [&](std::uint64_t count) { return spent(count).upper <= epsilon; };
  const auto excess = [&](std::uint64_t count) { return std::min(spent(count).upper - epsilon, 1e300); };
  const std::uint64_t near = refined_start(excess, start);
  const std::uint64_t count = largest_that_fits(near, ranges::max_count, fits);
  if (count + 1 == ranges::max_count) return {ranges::max_count, true, spent(count), {}};
  return {count, false, spent(count), spent(count + 1)};
}

Rounds rounds(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta) {
  const auto accountant = make_accountant(name, plan, tolerance);
  const renyi::Rounds start = [&] {
    try {
      return renyi::rounds(plan, epsilon, delta);
    } catch (const Unsupported&) {
      return renyi::Rounds{1, false, {}, {}};  // then the search starts from one round
    }
  }();
  if (name == AccountantName::renyi || start.unbounded)
    return {start.rounds, start.unbounded, start.at_rounds, start.at_next};
  return rounds(*accountant, start.rounds, epsilon, delta);
}

}  // namespace dpbudget::solve
