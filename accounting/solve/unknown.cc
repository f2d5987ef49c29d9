#include "dpbudget/accounting/solve/unknown.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/solve/integer_search.h"

namespace dpbudget::solve {
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
  }
  return "";
}

class Search {
 public:
  Search(const Plan& plan, double epsilon, double delta, const Accountant& accountant)
      : plan_(plan), epsilon_(epsilon), delta_(delta), accountant_(accountant) {}

  Bound at(double value) const { return accountant_({substitute(plan_.event, value), plan_.adjacency}, delta_); }
  bool fits(double value) const { return at(value).upper <= epsilon_; }

  // How far above the budget, on a logarithmic scale kept finite; at most 0 exactly when the value fits.
  double excess(double log_value) const {
    const double spent = at(std::exp(log_value)).upper;
    if (spent <= epsilon_) return epsilon_ == 0 ? -1 : std::max(-50.0, std::log(spent / epsilon_));
    return epsilon_ == 0 ? 1 : std::min(50.0, std::log(spent / epsilon_));
  }

  Solution found(UnknownKind kind, double value) const {
    return {kind, value, false, at(value), fmt::format("{} {} meets the budget", name(kind), value)};
  }

 private:
  const Plan& plan_;
  double epsilon_;
  double delta_;
  const Accountant& accountant_;
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

Solution largest_count(const Search& search) {
  const auto fits = [&](std::uint64_t count) { return search.fits(static_cast<double>(count)); };
  if (!fits(0)) return none(UnknownKind::count);
  if (fits(ranges::max_count)) return every(UnknownKind::count);
  const std::uint64_t count = largest_that_fits(1, ranges::max_count, fits);
  return search.found(UnknownKind::count, static_cast<double>(count));
}

// `safe` and `unsafe` are logarithms of values; the bound rises from one to the other.
Solution between(const Search& search, UnknownKind kind, double safe, double unsafe) {
  const auto excess = [&](double log_value) { return search.excess(log_value); };
  std::uintmax_t evaluations = 200;
  const double tolerance = 1e-13;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, std::min(safe, unsafe), std::max(safe, unsafe),
      [tolerance](double a, double b) { return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a)); },
      evaluations);
  double value = std::exp(safe < unsafe ? bracket.first : bracket.second);
  // The bracket's end may be the root itself as the solver saw it: the accountant decides, a step further out if need
  // be.
  const double outwards = safe < unsafe ? -1 : 1;
  for (double step = 1e-15; !search.fits(value); step *= 2) value *= 1 + outwards * step;
  return search.found(kind, value);
}

// Values above some threshold fit (noise, scale).
Solution smallest_real(const Search& search, UnknownKind kind) {
  double safe = 0;
  while (!search.fits(std::exp(safe))) {
    if (safe >= greatest) return none(kind);
    safe = std::min(greatest, safe == 0 ? 1 : 2 * safe);
  }
  double unsafe = std::min(safe - 1, -1.0);
  while (search.fits(std::exp(unsafe))) {
    if (unsafe <= least) return every(kind);
    safe = unsafe;
    unsafe = std::max(least, 2 * unsafe);
  }
  return between(search, kind, safe, unsafe);
}

// Values from 0 to some threshold fit (rate, epsilon, delta), and none is above e^top.
Solution largest_real(const Search& search, UnknownKind kind, double top) {
  if (!search.fits(0)) return none(kind);
  if (top == 0 && search.fits(1)) return every(kind);
  double safe = -1;
  double unsafe = 0;
  while (!search.fits(std::exp(safe))) {
    if (safe <= least) return none(kind);
    unsafe = safe;
    safe = std::max(least, 2 * safe);
  }
  while (unsafe < top && search.fits(std::exp(unsafe))) {
    safe = unsafe;
    unsafe = std::min(top, unsafe == 0 ? 1 : 2 * unsafe);
    if (safe >= top) return every(kind);
  }
  return between(search, kind, safe, unsafe);
}

}  // namespace

Solution unknown(const Plan& plan, double epsilon, double delta, const Accountant& accountant) {
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  check(plan.event);
  const auto kind = unknown_kind(plan.event);
  if (!kind) throw InvalidArgument("the plan has no `?`, so there is nothing to solve for");
  require(unknowns(plan.event) == 1, "the number of `?` in the plan", unknowns(plan.event), "1");
  const Search search(plan, epsilon, delta, accountant);
  switch (*kind) {
    case UnknownKind::count:
      return largest_count(search);
    case UnknownKind::noise:
    case UnknownKind::scale:
      return smallest_real(search, *kind);
    case UnknownKind::rate:
    case UnknownKind::delta:
      return largest_real(search, *kind, 0);
    case UnknownKind::epsilon:
      return largest_real(search, *kind, greatest);
  }
  throw InvalidArgument("the unknown stands for nothing that can be solved");
}

}  // namespace dpbudget::solve
