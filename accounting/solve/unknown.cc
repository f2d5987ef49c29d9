#include "dpbudget/accounting/solve/unknown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/plan/trials.h"
#include "dpbudget/accounting/plan/unknown_kind.h"
#include "dpbudget/accounting/solve/most_reports.h"

namespace dpbudget::solve {

using numeric::largest_that_fits;
namespace {

// Natural logarithms of the smallest and largest value that a search visits: double's own range.
constexpr double least = -700;
constexpr double greatest = 700;

// The bounds at the values that were looked at, each asked for once.
class Search {
 public:
  // On a logarithmic scale, from the budget.
  static constexpr double farthest = 50;

  // @param tolerance  of brackets of which nothing is known from below
  Search(const BoundAt& bound_at, double epsilon, double tolerance)
      : bound_at_(bound_at), epsilon_(epsilon), tolerance_(tolerance) {}

  const Answer<Bound>& at(double value) {
    const auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    const Answer<Bound>& found = known_.emplace(value, bound_at_(value)).first->second;
    if (!found && !refusal_) refusal_ = found.error();
    if (found && value != 0) has_answer_ = true;
    return found;
  }
  bool fits(double value) {
    const Answer<Bound>& spent = at(value);
    return spent && spent->upper <= epsilon_;
  }

  // How far above the budget, on a logarithmic scale kept finite; at most 0 exactly when the value fits.
  double excess(double log_value) { return excess_at(std::exp(log_value)); }
  double excess_at(double value) {
    const Answer<Bound>& spent = at(value);
    if (!spent) return farthest;
    if (epsilon_ == 0) return spent->upper <= 0 ? -1 : 1;
    const double excess = std::clamp(std::log(spent->upper / epsilon_), -farthest, farthest);
    return spent->upper <= epsilon_ ? std::min(excess, 0.0) : std::max(excess, std::numeric_limits<double>::min());
  }

  // The same, 0 where it is inside by so little that a value nearer to the budget is not worth another question.
  // @param is_near  whether a value that is not inside is known to be near, for where little changes little says
  //                 nothing; or enough was asked
  double excess_beyond(double log_value, double slack, bool is_near) {
    const double above = excess(log_value);
    // Ends of brackets are no smoother than a part of what lies between them.
    slack = std::max(slack, std::min(most_slack, share_of_width * roughness(log_value)));
    if (above > 0 || above < -slack) return above + slack / 2;
    return is_near ? 0 : std::min(above, -std::numeric_limits<double>::min());
  }

  // Whether it is so far as both sides of a jump are. Of a budget of 0 nothing is known but the side.
  bool is_far(double log_value) {
    constexpr double far = 0.5;
    return epsilon_ > 0 && std::abs(excess(log_value)) > far;
  }

  // Whether ends are no smoother there: upper ones differ far more than the values do, and less than brackets are wide.
  bool is_noise(double log_value, double other) {
    constexpr double steep = 100;
    const double jump = std::abs(excess(log_value) - excess(other));
    return steep * std::abs(log_value - other) <= jump && jump <= std::min(width(log_value), width(other));
  }

  // What was refused first, and whether anything but a trivial 0 was answered.
  const std::optional<Refusal>& refusal() const { return refusal_; }
  bool has_answer() const { return has_answer_; }

  Solution found(UnknownKind kind, double value) {
    return {kind, value, false, at(value).value(), fmt::format("{} {} meets the budget", to_string(kind), value)};
  }

  // @param at_best  the value at which the plan costs least
  Solution none(UnknownKind kind, double at_best) {
    const std::string name(to_string(kind));
    if (refusal_) return none_for(kind, fmt::format("no {} meets the budget: elsewhere {}", name, refusal_->text()));
    const Bound& rest = at(at_best).value();
    if (rest.lower > epsilon_)
      return none_for(kind, fmt::format("no {} meets the budget: the rest of the plan exceeds it", name));
    return none_for(kind, fmt::format("no {} is proven to meet the budget: the rest of the plan spends between {:.6g} "
                                      "and {:.6g}",
                                      name, rest.lower, rest.upper));
  }

  // Of reports, or steps: larger numbers cost less.
  Solution none_up_to(UnknownKind kind, double most, std::string_view why) {
    const Answer<Bound>& last = at(most);
    const bool exceeds = !last || last->lower > epsilon_;
    return none_for(
        kind, fmt::format("no number of {} up to {:.0f} {}{}{}", to_string(kind), most,
                          exceeds ? "meets the budget" : "is proven to meet the budget", why.empty() ? "" : ": ", why));
  }

 private:
  // Of a bracket that is known from both sides, relatively.
  double width(double log_value) {
    const Answer<Bound>& spent = at(std::exp(log_value));
    return spent && spent->lower > 0 ? 1 - spent->lower / spent->upper : 0;
  }

  // What upper ends may be off by.
  double roughness(double log_value) {
    const Answer<Bound>& spent = at(std::exp(log_value));
    return spent && spent->lower == 0 && spent->is_resolved ? tolerance_ : width(log_value);
  }

  static Solution none_for(UnknownKind kind, std::string why) {
    return {kind, std::nullopt, false, {}, std::move(why)};
  }

  static constexpr double share_of_width = 1e-2;
  static constexpr double most_slack = 1e-6;

  const BoundAt& bound_at_;
  double epsilon_;
  double tolerance_;
  std::map<double, Answer<Bound>> known_;
  std::optional<Refusal> refusal_;
  bool has_answer_ = false;
};

Solution every(UnknownKind kind) {
  return {kind, std::nullopt, true, {}, fmt::format("every {} meets the budget", to_string(kind))};
}

Solution largest_count(Search& search, std::optional<double> guess) {
  const auto fits = [&](std::uint64_t count) { return search.fits(static_cast<double>(count)); };
  if (!fits(0)) return search.none(UnknownKind::count, 0);
  // So far beyond any guess an answer may take long.
  if (!guess && fits(ranges::max_count)) return every(UnknownKind::count);
  const double start = std::min(guess.value_or(1), static_cast<double>(ranges::max_count - 1));
  const std::uint64_t count = largest_that_fits(to_integer<std::uint64_t>(start, "count"), ranges::max_count, fits);
  if (count + 1 == ranges::max_count && fits(ranges::max_count)) return every(UnknownKind::count);
  return search.found(UnknownKind::count, static_cast<double>(count));
}

// A larger batch holds each record more often, and a larger group is told more of. Large ones are asked about only
// where small ones fit.
Solution most(Search& search, UnknownKind kind) {
  const auto fits = [&](std::uint64_t number) { return search.fits(static_cast<double>(number)); };
  if (!fits(1)) return search.none(kind, 1);
  std::uint64_t start = 1;
  while (start <= ranges::max_draws / 2 && fits(2 * start)) start *= 2;
  if (start > ranges::max_draws / 2 && fits(ranges::max_draws)) return every(kind);
  const std::uint64_t end = std::min(2 * start, ranges::max_draws);
  return search.found(kind, static_cast<double>(largest_that_fits(start, end, fits)));
}

// More reports hide each other better, and more steps a record: epsilon falls about with the root of their number.
Solution fewest(Search& search, UnknownKind kind, std::uint64_t most_allowed, std::optional<double> guess) {
  const auto most = static_cast<double>(most_allowed);
  if (guess && *guess > 1 && search.fits(*guess) && !search.fits(*guess - 1)) return search.found(kind, *guess);
  if (search.fits(1)) return every(kind);
  double too_few = 1;
  double enough = std::min(2.0, most);
  // An accountant may have no answer for more reports than this: then those below are all there are to find.
  double refused = std::numeric_limits<double>::infinity();
  std::string refusal;
  const auto before_refused = [&] { return std::floor(std::sqrt(too_few * refused)); };
  while (true) {
    const Answer<Bound>& spent = search.at(enough);
    if (!spent && !search.has_answer()) {
      // Or no answer for so few.
      if (enough == most) return search.none_up_to(kind, most, spent.error().text());
      too_few = enough;
      enough = std::min(most, 2 * enough);
    } else if (!spent) {
      refused = enough;
      refusal = spent.error().text();
      enough = before_refused();
    } else {
      const double above = search.excess_at(enough);
      if (above <= 0) break;
      if (enough == most)
        return search.none_up_to(kind, most,
                                 most_allowed < ranges::max_count ? "the sample has records for no more" : "");
      too_few = enough;
      enough = std::min({most, std::ceil(enough * std::max(2.0, std::exp(2 * above))), before_refused()});
    }
    const bool is_exhausted = std::isfinite(refused) && refused <= too_few * 1.001;
    if (is_exhausted || !(enough > too_few)) return search.none_up_to(kind, too_few, refusal);
  }
  const auto excess = [&](double log_number) { return search.excess_at(std::floor(std::exp(log_number))); };
  const double low = std::log(too_few + 0.5);
  const double high = std::log(enough + 0.5);
  // Up to about a million every number is one to look at; beyond, so many multiples of a power of two.
  const double unit = std::max(1.0, std::exp2(std::floor(std::log2(enough)) - 20));
  const double end = std::ceil(enough / unit);
  const auto is_close = [&](double a, double b) { return std::exp(b) - std::exp(a) < unit; };
  const double near = numeric::certified_root(excess, low, high, is_close, 30).lower;
  const auto start =
      to_integer<std::uint64_t>(std::clamp(std::floor(std::exp(near) / unit), 0.0, end - 1), to_string(kind));
  const auto exceeds = [&](std::uint64_t units) { return !search.fits(static_cast<double>(units) * unit); };
  const std::uint64_t last = largest_that_fits(start, to_integer<std::uint64_t>(end, to_string(kind)), exceeds);
  return search.found(kind, std::min(static_cast<double>(last + 1) * unit, enough));
}

// How precisely a jump is known.
constexpr double precision_of_jumps = 1e-7;

// What is searched by between two values, where the bound falls from one to the other. On logarithmic scales bounds are
// straight lines, but where the rest of the plan spends most of the budget: what they are above what is left in the
// limit is, which falls with the square of a small share.
class Straightened {
 public:
  Straightened(double least, double most, double distance) {
    constexpr double straight = 0.5;
    constexpr double power = 2;
    constexpr double resolved = 1e-12;  // less would not be told from the limit itself
    if (!(least < 0 && most - least < straight * distance)) return;
    least_ = least;
    below_limit_ = -least + std::max((most - least) / std::expm1(power * distance), -least * resolved);
  }

  // Of the same sign as `excess`, and monotone in it.
  double operator()(double excess) const {
    return below_limit_ ? std::log1p(std::max(excess, least_) / *below_limit_) : excess;
  }

 private:
  double least_ = 0;
  std::optional<double> below_limit_;  // the budget less the limit, on a logarithmic scale
};

// `safe` and `unsafe` are logarithms of values; the bound rises from one to the other.
Solution between(Search& search, UnknownKind kind, double safe, double unsafe, double precision) {
  constexpr double near = 1e-2;
  constexpr int patience = 8;
  double nearest = unsafe;
  int asked = 0;
  const Straightened straightened(search.excess(safe), search.excess(unsafe), std::abs(safe - unsafe));
  const auto excess = [&](double log_value) {
    const bool is_near = std::abs(log_value - nearest) <= near || ++asked > patience;
    const double found = search.excess_beyond(log_value, precision, is_near);
    if (found > 0 && std::abs(log_value - safe) < std::abs(nearest - safe)) nearest = log_value;
    return straightened(found);
  };
  // A bound may jump: then nothing is near the budget on either side, and the value need not be as precise.
  const auto is_close = [&](double a, double b) {
    return b - a <= precision * std::max(1.0, std::abs(a)) ||
           (b - a <= precision_of_jumps && search.is_far(a) && search.is_far(b)) || search.is_noise(a, b);
  };
  const numeric::Bracket bracket =
      numeric::certified_root(excess, std::min(safe, unsafe), std::max(safe, unsafe), is_close);
  const double value = std::exp(safe < unsafe ? bracket.lower : bracket.upper);
  return search.found(kind, value);
}

// The steps by which a search goes out from where it began, on a logarithmic scale, to where a bound meets the budget.
class Strides {
 public:
  explicit Strides(std::optional<double> guess) : step_(guess ? first_from_guess : first_from_nowhere) {}

  // The next one is at least double, and goes a bit beyond where a bound in proportion to the value, or its inverse,
  // would meet the budget; where the last one had less to show than that, it goes as far as its slope says.
  // @param excess  Search::excess where the search is
  double next(double excess) {
    const double distance = std::abs(excess);
    // Of nothing spent no proportion leads anywhere.
    const bool is_known = distance < Search::farthest;
    if (before_) step_ *= is_known && *before_ < Search::farthest ? growth(*before_ - distance, distance) : 2;
    if (is_known) step_ = std::max(step_, std::min(longest, beyond * distance));
    before_ = distance;
    return step_;
  }

 private:
  static double growth(double gained, double distance) {
    return std::clamp(gained > 0 ? beyond * distance / gained : most_growth, 2.0, most_growth);
  }

  static constexpr double first_from_guess = 1e-3;
  static constexpr double first_from_nowhere = 1;
  static constexpr double beyond = 1.1;
  static constexpr double longest = 3;
  static constexpr double most_growth = 4;

  double step_;
  std::optional<double> before_;  // the distance before the last step
};

// Values above some threshold fit (noise, scale).
Solution smallest_real(Search& search, UnknownKind kind, std::optional<double> guess, double precision) {
  double safe = std::log(guess.value_or(1));
  // Nobody had a guess, so that perhaps the rest of the plan is too much already.
  if (!guess && !search.fits(std::exp(safe)) && !search.fits(std::exp(greatest)))
    return search.none(kind, std::exp(greatest));
  double unsafe = safe;
  for (Strides strides(guess); !search.fits(std::exp(safe));) {
    if (safe >= greatest) return search.none(kind, std::exp(safe));
    unsafe = safe;
    safe = std::min(greatest, safe + strides.next(search.excess(safe)));
  }
  if (unsafe < safe) return between(search, kind, safe, unsafe, precision);
  for (Strides strides(guess);;) {
    unsafe = std::max(least, unsafe - strides.next(search.excess(safe)));
    if (!search.fits(std::exp(unsafe))) return between(search, kind, safe, unsafe, precision);
    if (unsafe <= least) return every(kind);
    safe = unsafe;
  }
}

// Values from 0 to some threshold fit (rate, epsilon, delta, rho, mu), and none is above e^top.
Solution largest_real(Search& search, UnknownKind kind, double top, std::optional<double> guess, double precision) {
  if (!search.fits(0)) return search.none(kind, 0);
  if (top == 0 && search.fits(1)) return every(kind);
  double safe = guess && *guess > 0 ? std::min(top, std::log(*guess)) : -1;
  double unsafe = safe;
  for (Strides strides(guess); !search.fits(std::exp(safe));) {
    if (safe <= least) return search.none(kind, std::exp(safe));
    unsafe = safe;
    safe = std::max(least, safe - strides.next(search.excess(safe)));
  }
  if (unsafe > safe) return between(search, kind, safe, unsafe, precision);
  for (Strides strides(guess);;) {
    if (unsafe >= top) return every(kind);
    unsafe = std::min(top, unsafe + strides.next(search.excess(safe)));
    if (!search.fits(std::exp(unsafe))) return between(search, kind, safe, unsafe, precision);
    safe = unsafe;
  }
}

Solution solved(Search& search, UnknownKind kind, std::optional<double> guess, double precision) {
  switch (kind) {
    case UnknownKind::count:
      return largest_count(search, guess);
    case UnknownKind::draws:
    case UnknownKind::group:
      return most(search, kind);
    case UnknownKind::reports:
    case UnknownKind::steps:
      return fewest(search, kind, ranges::max_count, guess);
    case UnknownKind::noise:
    case UnknownKind::scale:
      return smallest_real(search, kind, guess, precision);
    case UnknownKind::rate:
    case UnknownKind::delta:
      return largest_real(search, kind, 0, guess, precision);
    case UnknownKind::trials:
      return largest_real(search, kind, std::log(ranges::max_mean_trials), guess, precision);
    case UnknownKind::epsilon:
    case UnknownKind::rho:
    case UnknownKind::mu:
      return largest_real(search, kind, greatest, guess, precision);
  }
  throw InvalidArgument("the unknown stands for nothing that can be solved");
}

Answer<Solution> unless_all_refused(const Search& search, Solution found) {
  if (!search.has_answer() && search.refusal()) return *search.refusal();
  return found;
}

}  // namespace

Answer<Solution> unknown(UnknownKind kind, double epsilon, const BoundAt& bound_at, std::optional<double> guess,
                         double precision, double tolerance) {
  ranges::epsilon(epsilon);
  Search search(bound_at, epsilon, tolerance);
  return unless_all_refused(search, solved(search, kind, guess, precision));
}

Answer<Solution> unknown(const Plan& plan, double epsilon, double delta, const EpsilonOf& accountant,
                         std::optional<double> guess) {
  ranges::epsilon(epsilon);
  ranges::delta_from_zero(delta);
  const UnknownKind kind = only_unknown(plan);
  const BoundAt bound_at = [&](double value) {
    const Plan known{substitute(plan.event, value), plan.adjacency};
    return answered([&] { return accountant(known, delta).value(); });
  };
  if (kind != UnknownKind::reports) return unknown(kind, epsilon, bound_at, guess);
  Search search(bound_at, epsilon, 0);
  return unless_all_refused(search, fewest(search, kind, most_reports(plan.event), guess));
}

UnknownKind only_unknown(const Plan& plan) {
  check(plan.event);
  const auto kind = unknown_kind(plan.event);
  if (!kind) throw InvalidArgument("the plan has no `?`, so there is nothing to solve for");
  require(unknowns(plan.event) == 1, "the number of `?` in the plan", unknowns(plan.event), "1");
  return *kind;
}

}  // namespace dpbudget::solve
