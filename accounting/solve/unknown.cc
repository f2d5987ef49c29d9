#include "dpbudget/accounting/solve/unknown.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/solve/most_reports.h"

namespace dpbudget::solve {

using numeric::largest_that_fits;
namespace {

// Natural logarithms of the smallest and largest value that a search visits: double's own range.
constexpr double least = -700;
constexpr double greatest = 700;

std::string name(UnknownKind kind) {
  switch (kind) {
    case UnknownKind::count:
      return "count";
    case UnknownKind::noise:
      return "noise_multiplier";
    case UnknownKind::scale:
      return "scale";
    case UnknownKind::rate:
      return "rate";
    case UnknownKind::epsilon:
      return "epsilon";
    case UnknownKind::delta:
      return "delta";
    case UnknownKind::reports:
      return "number of reports";
  }
  return "";
}

class Search {
 public:
  Search(const BoundAt& bound_at, double epsilon) : bound_at_(bound_at), epsilon_(epsilon) {}

  Bound at(double value) const { return bound_at_(value); }
  bool fits(double value) const { return at(value).upper <= epsilon_; }

  // How far above the budget, on a logarithmic scale kept finite; at most 0 exactly when the value fits.
  double excess(double log_value) const { return excess_at(std::exp(log_value)); }
  double excess_at(double value) const {
    const double spent = at(value).upper;
    if (spent <= epsilon_) return epsilon_ == 0 ? -1 : std::max(-50.0, std::log(spent / epsilon_));
    return epsilon_ == 0 ? 1 : std::min(50.0, std::log(spent / epsilon_));
  }

  Solution found(UnknownKind kind, double value) const {
    return {kind, value, false, at(value), fmt::format("{} {} meets the budget", name(kind), value)};
  }

 private:
  const BoundAt& bound_at_;
  double epsilon_;
};

Solution none(UnknownKind kind) {
  return {kind,
          std::nullopt,
          false,
          {},
          fmt::format("no {} meets the budget: the rest of the plan exceeds it", name(kind))};
}
Solution every(UnknownKind kind) {
  return {kind, std::nullopt, true, {}, fmt::format("every {} meets the budget", name(kind))};
}

Solution largest_count(const Search& search, std::optional<double> guess) {
  // An accountant may have no answer for more repetitions than any budget takes.
  const auto fits = [&](std::uint64_t count) {
    try {
      return search.fits(static_cast<double>(count));
    } catch (const Unsupported&) {
      if (count <= 1) throw;
      return false;
    }
  };
  if (!fits(0)) return none(UnknownKind::count);
  if (fits(ranges::max_count)) return every(UnknownKind::count);
  const std::uint64_t count =
      largest_that_fits(to_integer<std::uint64_t>(guess.value_or(1), "count"), ranges::max_count, fits);
  return search.found(UnknownKind::count, static_cast<double>(count));
}

Solution no_reports(double most, std::string_view why) {
  return {UnknownKind::reports,
          std::nullopt,
          false,
          {},
          fmt::format("no number of reports up to {:.0f} meets the budget{}{}", most, why.empty() ? "" : ": ", why)};
}

// More reports hide each other better: epsilon falls about with the root of their number.
Solution fewest_reports(const Search& search, std::uint64_t most_allowed) {
  const auto most = static_cast<double>(most_allowed);
  if (search.fits(1)) return every(UnknownKind::reports);
  double too_few = 1;
  double enough = std::min(2.0, most);
  // An accountant may have no answer for more reports than this: then those below are all there are to find.
  double refused = std::numeric_limits<double>::infinity();
  std::string refusal;
  const auto before_refused = [&] { return std::floor(std::sqrt(too_few * refused)); };
  while (true) {
    try {
      const double above = search.excess_at(enough);
      if (above <= 0) break;
      if (enough == most)
        return no_reports(most, most_allowed < ranges::max_count ? "the sample has records for no more" : "");
      too_few = enough;
      enough = std::min({most, std::ceil(enough * std::max(2.0, std::exp(2 * above))), before_refused()});
    } catch (const Unsupported& unable) {
      refused = enough;
      refusal = unable.what();
      enough = before_refused();
    }
    const bool is_exhausted = std::isfinite(refused) && refused <= too_few * 1.001;
    if (is_exhausted || !(enough > too_few)) return no_reports(too_few, refusal);
  }
  const auto excess = [&](double log_reports) { return search.excess_at(std::floor(std::exp(log_reports))); };
  const double low = std::log(too_few + 0.5);
  const double high = std::log(enough + 0.5);
  // Up to about a million every number is one to look at; beyond, so many multiples of a power of two.
  const double unit = std::max(1.0, std::exp2(std::floor(std::log2(enough)) - 20));
  const double end = std::ceil(enough / unit);
  std::uintmax_t evaluations = 30;
  const auto is_close = [&](double a, double b) { return std::exp(b) - std::exp(a) < unit; };
  const double near = boost::math::tools::toms748_solve(excess, low, high, is_close, evaluations).first;
  const auto start = to_integer<std::uint64_t>(std::clamp(std::floor(std::exp(near) / unit), 0.0, end - 1), "reports");
  const auto exceeds = [&](std::uint64_t units) { return !search.fits(static_cast<double>(units) * unit); };
  const std::uint64_t last = largest_that_fits(start, to_integer<std::uint64_t>(end, "reports"), exceeds);
  return search.found(UnknownKind::reports, std::min(static_cast<double>(last + 1) * unit, enough));
}

// `safe` and `unsafe` are logarithms of values; the bound rises from one to the other.
Solution between(const Search& search, UnknownKind kind, double safe, double unsafe, double precision) {
  const auto excess = [&](double log_value) { return search.excess(log_value); };
  std::uintmax_t evaluations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, std::min(safe, unsafe), std::max(safe, unsafe),
      [precision](double a, double b) { return std::abs(a - b) <= precision * std::max(1.0, std::abs(a)); },
      evaluations);
  double value = std::exp(safe < unsafe ? bracket.first : bracket.second);
  // The bracket's end may be the root itself as the solver saw it: the accountant decides, a step further out if need
  // be.
  const double outwards = safe < unsafe ? -1 : 1;
  for (double step = 1e-15; !search.fits(value); step *= 2) value *= 1 + outwards * step;
  return search.found(kind, value);
}

// A search steps out from the guess by this much first, on a logarithmic scale; without a guess it starts from 1.
double first_step(std::optional<double> guess) { return guess ? 0.05 : 1; }

// Values above some threshold fit (noise, scale).
Solution smallest_real(const Search& search, UnknownKind kind, std::optional<double> guess, double precision) {
  double safe = std::log(guess.value_or(1));
  for (double step = first_step(guess); !search.fits(std::exp(safe)); step *= 2) {
    if (safe >= greatest) return none(kind);
    safe = std::min(greatest, safe + step);
  }
  double unsafe = safe;
  for (double step = first_step(guess);; step *= 2) {
    unsafe = std::max(least, unsafe - step);
    if (!search.fits(std::exp(unsafe))) return between(search, kind, safe, unsafe, precision);
    if (unsafe <= least) return every(kind);
    safe = unsafe;
  }
}

// Values from 0 to some threshold fit (rate, epsilon, delta), and none is above e^top.
Solution largest_real(const Search& search, UnknownKind kind, double top, std::optional<double> guess,
                      double precision) {
  if (!search.fits(0)) return none(kind);
  if (top == 0 && search.fits(1)) return every(kind);
  double safe = guess && *guess > 0 ? std::min(top, std::log(*guess)) : -1;
  for (double step = first_step(guess); !search.fits(std::exp(safe)); step *= 2) {
    if (safe <= least) return none(kind);
    safe = std::max(least, safe - step);
  }
  double unsafe = safe;
  for (double step = first_step(guess);; step *= 2) {
    if (unsafe >= top) return every(kind);
    unsafe = std::min(top, unsafe + step);
    if (!search.fits(std::exp(unsafe))) return between(search, kind, safe, unsafe, precision);
    safe = unsafe;
  }
}

}  // namespace

Solution unknown(UnknownKind kind, double epsilon, const BoundAt& bound_at, std::optional<double> guess,
                 double precision) {
  ranges::epsilon(epsilon);
  const Search search(bound_at, epsilon);
  switch (kind) {
    case UnknownKind::count:
      return largest_count(search, guess);
    case UnknownKind::reports:
      return fewest_reports(search, ranges::max_count);
    case UnknownKind::noise:
    case UnknownKind::scale:
      return smallest_real(search, kind, guess, precision);
    case UnknownKind::rate:
    case UnknownKind::delta:
      return largest_real(search, kind, 0, guess, precision);
    case UnknownKind::epsilon:
      return largest_real(search, kind, greatest, guess, precision);
  }
  throw InvalidArgument("the unknown stands for nothing that can be solved");
}

Solution unknown(const Plan& plan, double epsilon, double delta, const EpsilonOf& accountant,
                 std::optional<double> guess) {
  ranges::delta(delta);
  check(plan.event);
  const auto kind = unknown_kind(plan.event);
  if (!kind) throw InvalidArgument("the plan has no `?`, so there is nothing to solve for");
  require(unknowns(plan.event) == 1, "the number of `?` in the plan", unknowns(plan.event), "1");
  const auto bound_at = [&](double value) {
    return accountant({substitute(plan.event, value), plan.adjacency}, delta);
  };
  if (*kind == UnknownKind::reports) {
    ranges::epsilon(epsilon);
    return fewest_reports(Search(bound_at, epsilon), most_reports(plan.event));
  }
  return unknown(*kind, epsilon, bound_at, guess);
}

Solution unknown(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta) {
  const auto bound = [&](const Plan& known, double at) {
    return make_accountant(name, known, tolerance)->epsilon(1, at);
  };
  // The number of reports is searched without a guess.
  if (unknown_kind(plan.event) == UnknownKind::reports) return unknown(plan, epsilon, delta, bound);
  std::optional<double> guess;
  try {
    const Solution start = unknown(plan, epsilon, delta, renyi::epsilon);
    if (name == AccountantName::renyi || start.every_value) return start;
    guess = start.value;
  } catch (const Unsupported&) {
    if (name == AccountantName::renyi) throw;
  }
  return unknown(plan, epsilon, delta, bound, guess);
}

}  // namespace dpbudget::solve
