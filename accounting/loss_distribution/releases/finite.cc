#include "dpbudget/accounting/loss_distribution/releases/finite.h"

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/pieces/join.h"
#include "dpbudget/accounting/loss_distribution/pieces/whole_tails.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::Binomial;
using numeric::unit;

// Sorted lists that are merged; more are sorted together.
constexpr std::size_t most_merged = 64;

// Sorted lists of that length, one after the other. (Not in place: the standard libraries allocate for that by what is
// deprecated.)
std::vector<Piece> merged(std::vector<Piece> lists, std::size_t length) {
  std::vector<Piece> pairs(lists.size());
  for (; length < lists.size(); length *= 2) {
    const auto at = [&](std::size_t place) {
      return lists.begin() + static_cast<std::ptrdiff_t>(std::min(place, lists.size()));
    };
    auto end = pairs.begin();
    for (std::size_t first = 0; first < lists.size(); first += 2 * length)
      end = std::merge(at(first), at(first + length), at(first + length), at(first + 2 * length), end, has_less_loss);
    lists.swap(pairs);
  }
  return lists;
}

double farthest(const Pieces& pieces) {
  double most = 0;
  for (const Piece& piece : pieces.pieces) most = std::max({most, std::abs(piece.low), std::abs(piece.high)});
  return most;
}

// Tails as a whole are so many times what counts of them for a mixture, at most: more where losses are near each other.
constexpr double most_raised = 0x1p20;

bool are_atoms(const Pieces& pieces) {
  return std::ranges::all_of(pieces.pieces,
                             [&](const Piece& piece) { return piece.high - piece.low <= pieces.errors.barycentre; });
}

bool is_infinite(const Pieces& pieces) { return pieces.p_at_infinity != 0 || pieces.q_at_infinity != 0; }

// How many sums `count` losses of so many different ones have where no two are equal; right to the last while few
// enough to be added up.
double sums_of_different(double losses, double count) {
  return std::round(std::exp(std::lgamma(count + losses) - std::lgamma(count + 1) - std::lgamma(losses)));
}

bool are_accurate(const Pieces& base) {
  return std::ranges::all_of(base.pieces,
                             [](const Piece& piece) { return piece.p >= least_mass && piece.q >= least_mass; });
}

// Two outcomes: how often the second is seen is binomial.
bool are_binomial(const Pieces& base) { return base.pieces.size() == 2 && are_accurate(base); }

// The masses of a power under P or under Q, and their relative error.
class PowerMasses {
 public:
  // @param error  relative, of the two masses
  PowerMasses(double first, double second, double error, double count)
      : is_second_rarer_(second <= first),
        binomial_(Binomial::of_odds(count, std::abs(std::log(second / first)))),
        log_total_(count * std::log(first + second)),
        // The odds are off by twice that, and count for each outcome; the total by once.
        error_(count * (3 * error + unit * (4 + std::abs(std::log(second / first)))) + unit * std::abs(log_total_)) {}

  double operator()(double seconds) const {
    const double log_mass = binomial_.log_mass(is_second_rarer_ ? binomial_.count() - seconds : seconds);
    return std::exp(log_total_ + log_mass);
  }

  double error() const {
    const double log_least = std::log(least_mass);
    return error_ + binomial_.log_mass_error(log_least - std::abs(log_total_)) + 4 * unit * std::abs(log_least);
  }

 private:
  bool is_second_rarer_;
  Binomial binomial_;  // of the likelier one
  double log_total_;
  double error_;
};

// accounting/loss_distribution/proofs.md, 4b.2
Pieces power_of_pair(const Pieces& base, std::uint64_t count) {
  const Piece& a = base.pieces[0];
  const Piece& b = base.pieces[1];
  const auto n = static_cast<double>(count);
  const PowerMasses p(a.p, b.p, base.errors.mass, n);
  const PowerMasses q(a.q, b.q, base.errors.mass, n);
  const auto sum_of = [](double times_a, double in_a, double times_b, double in_b) {
    return times_a * in_a + times_b * in_b;
  };
  Pieces result{.pieces = {}, .errors = {}};
  result.pieces.reserve(to_integer<std::size_t>(n + 1, "outcomes"));
  for (double i = 0; i <= n; ++i)
    result.pieces.push_back({sum_of(n - i, a.low, i, b.low), sum_of(n - i, a.high, i, b.high), p(i), q(i),
                             sum_of(n - i, a.barycentre, i, b.barycentre)});
  const double rounding = unit * n * farthest(base);
  const auto any_of_them = [n](double probability) { return -std::expm1(n * std::log1p(-probability)); };
  result.p_at_infinity = any_of_them(base.p_at_infinity);
  result.q_at_infinity = any_of_them(base.q_at_infinity);
  result.errors = {.mass = std::max(p.error(), q.error()),
                   .infinity = is_infinite(base) ? base.errors.infinity + 4 * unit : 0,
                   .barycentre = n * base.errors.barycentre + rounding,
                   .loss = n * base.errors.loss + rounding};
  result.p_above = n * base.p_above * (1 + 4 * unit);
  result.q_below = n * base.q_below * (1 + 4 * unit);
  return result;
}

// log k! for k up to `largest`, off by less than a unit of themselves.
std::vector<double> log_factorials(std::size_t largest) {
  std::vector<double> logs{0};
  numeric::Extended sum = 0;
  for (std::size_t k = 1; k <= largest; ++k)
    logs.push_back(static_cast<double>(sum += std::log(static_cast<double>(k))));
  return logs;
}

// The masses, under P or under Q, of `count` releases whose outcomes are counted: multinomial, as logarithms.
class LogMasses {
 public:
  // @param error  relative, of the masses
  LogMasses(const std::vector<double>& masses, double error, const std::vector<double>& log_factorials)
      : total_(log_factorials.back()) {
    const auto n = static_cast<double>(log_factorials.size() - 1);
    double farthest = 0;
    const auto add = [&](std::vector<std::vector<double>>& found, double mass) {
      const double log_mass = std::log(mass);
      farthest = std::max(farthest, std::abs(log_mass));
      std::vector<double>& parts = found.emplace_back();
      for (std::size_t k = 0; k < log_factorials.size(); ++k)
        parts.push_back(static_cast<double>(k) * log_mass - log_factorials[k]);
    };
    for (const double mass : masses) add(parts_, mass);
    for (std::size_t outcome = 0; outcome < masses.size(); ++outcome)
      add(rest_, std::accumulate(masses.begin() + static_cast<std::ptrdiff_t>(outcome), masses.end(), 0.0));
    error_ = 2 * n * error + 2 * unit * (1 + 2 * total_ + n * farthest);
    error_of_rest_ = error_ + 16 * n * unit;
  }

  double total() const { return total_; }
  // What k of an outcome add to that.
  double part(std::size_t outcome, std::size_t k) const { return parts_[outcome][k]; }
  // What `left` of that outcome and those after it, whichever they are, add.
  double rest(std::size_t outcome, std::size_t left) const { return rest_[outcome][left]; }
  double with_any_rest(std::size_t outcome, std::size_t k, std::size_t left) const {
    return part(outcome, k) + rest(outcome + 1, left - k);
  }
  // Of the sum, for up to eight outcomes.
  double error() const { return error_; }
  // Of one that ends with a rest.
  double error_of_rest() const { return error_of_rest_; }

 private:
  double total_;
  std::vector<std::vector<double>> parts_;
  std::vector<std::vector<double>> rest_;
  double error_;
  double error_of_rest_;
};

// Counts of outcomes one after the other, but for those that are rare under P and under Q.
// accounting/loss_distribution/proofs.md, 4b.2
class PowerOfSeveral {
 public:
  PowerOfSeveral(const Pieces& base, const std::vector<double>& log_factorials, const FiniteLimits& limits)
      : base_(base),
        limits_(limits),
        log_rare_(std::log(limits.rare)),
        p_(masses_of(base, &Piece::p), base.errors.mass, log_factorials),
        q_(masses_of(base, &Piece::q), base.errors.mass, log_factorials) {
    add(0, log_factorials.size() - 1, {0, 0, p_.total(), q_.total(), 0});
  }

  bool are_too_many() const { return are_too_many_; }
  std::vector<Piece> take() { return std::move(pieces_); }
  double mass_error() const { return std::max(p_.error(), q_.error()); }
  // Under P, and under Q.
  double left_out() const {
    return left_out_ * limits_.rare * std::exp(std::max(p_.error_of_rest(), q_.error_of_rest())) * (1 + 8 * unit);
  }

 private:
  static constexpr double halving = 0.7;  // a bit more than the logarithm of 2

  static std::vector<double> masses_of(const Pieces& base, double Piece::* mass) {
    std::vector<double> masses;
    for (const Piece& piece : base.pieces) masses.push_back(piece.*mass);
    return masses;
  }

  // @param sum  of the outcomes before, with the logarithms of its masses
  void add(std::size_t outcome, std::size_t left, const Piece& sum) {
    const Piece& one = base_.pieces[outcome];
    const auto with = [&](std::size_t k) {
      const auto times = static_cast<double>(k);
      return Piece{sum.low + times * one.low, sum.high + times * one.high, sum.p + p_.part(outcome, k),
                   sum.q + q_.part(outcome, k), sum.barycentre + times * one.barycentre};
    };
    if (outcome + 1 < base_.pieces.size()) {
      const auto log_p = [&](std::size_t k) { return sum.p + p_.with_any_rest(outcome, k, left); };
      const auto log_q = [&](std::size_t k) { return sum.q + q_.with_any_rest(outcome, k, left); };
      for (std::size_t k = 0; k <= left && !are_too_many_; ++k) {
        if (std::max(log_p(k), log_q(k)) >= log_rare_) {
          add(outcome + 1, left - k, with(k));
        } else if (k < left && log_p(k + 1) < log_p(k) - halving && log_q(k + 1) < log_q(k) - halving) {
          left_out_ += 2;  // with all that follow
          break;
        } else {
          ++left_out_;
        }
        are_too_many_ = are_too_many_ || left_out_ + static_cast<double>(pieces_.size()) > limits_.work;
      }
      return;
    }
    are_too_many_ = pieces_.size() == limits_.outcomes;
    if (are_too_many_) return;
    Piece& all = pieces_.emplace_back(with(left));
    all.p = std::exp(all.p);
    all.q = std::exp(all.q);
  }

  const Pieces& base_;
  const FiniteLimits& limits_;
  double log_rare_;
  LogMasses p_;
  LogMasses q_;
  std::vector<Piece> pieces_;
  double left_out_ = 0;  // in sets of outcomes, each of which is rare
  bool are_too_many_ = false;
};

// accounting/loss_distribution/proofs.md, 4b.2
std::optional<Pieces> power_of_several(const Pieces& base, std::uint64_t count, const FiniteLimits& limits) {
  const auto n = static_cast<double>(count);
  PowerOfSeveral all(base, log_factorials(to_integer<std::size_t>(n, "releases")), limits);
  if (all.are_too_many()) return std::nullopt;
  std::vector<Piece> sums = all.take();
  boost::sort::pdqsort_branchless(sums.begin(), sums.end(), has_less_loss);
  const double rounding = unit * n * farthest(base);
  auto [pieces, widest, most] = join(std::move(sums), rounding, limits.width);
  Pieces result{.pieces = std::move(pieces), .errors = {}};
  const auto any_of_them = [n](double probability) { return -std::expm1(n * std::log1p(-probability)); };
  result.p_at_infinity = any_of_them(base.p_at_infinity);
  result.q_at_infinity = any_of_them(base.q_at_infinity);
  result.errors = {.mass = all.mass_error() + unit * (1 + static_cast<double>(most) / 16),
                   .infinity = is_infinite(base) ? base.errors.infinity + 4 * unit : 0,
                   .barycentre = n * base.errors.barycentre + rounding + widest,
                   .loss = n * base.errors.loss + rounding};
  if (limits.width > 0) make_atoms(result, n * base.errors.barycentre + rounding);
  result.p_above = (all.left_out() + n * base.p_above) * (1 + 4 * unit);
  result.q_below = (all.left_out() + n * base.q_below) * (1 + 4 * unit);
  return result;
}

// accounting/loss_distribution/proofs.md, 4b.1
Pieces product_joined(const Pieces& a, const Pieces& b, double width) {
  const Pieces& longer = a.pieces.size() < b.pieces.size() ? b : a;
  const Pieces& shorter = a.pieces.size() < b.pieces.size() ? a : b;
  const double rounding = unit * (farthest(a) + farthest(b));
  // One shifted copy of the longer list for each piece of the shorter.
  std::vector<Piece> sums;
  sums.reserve(longer.pieces.size() * shorter.pieces.size());
  for (const Piece& shift : shorter.pieces)
    for (const Piece& piece : longer.pieces)
      sums.push_back({piece.low + shift.low, piece.high + shift.high, piece.p * shift.p, piece.q * shift.q,
                      piece.barycentre + shift.barycentre});
  if (shorter.pieces.size() <= most_merged)
    sums = merged(std::move(sums), longer.pieces.size());
  else
    boost::sort::pdqsort_branchless(sums.begin(), sums.end(), has_less_loss);
  auto [pieces, widest, most] = join(std::move(sums), rounding, width);
  Pieces result{.pieces = std::move(pieces), .errors = {}};
  // A sum of positive terms is off by less than 2^-53 for each; the barycentre of joined pieces is one of theirs.
  result.errors = {
      .mass = a.errors.mass + b.errors.mass + unit * (1 + static_cast<double>(most) / 16),
      .infinity = a.errors.infinity + b.errors.infinity + (is_infinite(a) && is_infinite(b) ? 2 * unit : 0),
      .barycentre = a.errors.barycentre + b.errors.barycentre + rounding + widest,
      .loss = a.errors.loss + b.errors.loss + rounding};
  if (width > 0) make_atoms(result, a.errors.barycentre + b.errors.barycentre + rounding);
  const auto together = [](double x, double y) { return x + (1 - x) * y; };
  result.p_at_infinity = together(a.p_at_infinity, b.p_at_infinity);
  result.q_at_infinity = together(a.q_at_infinity, b.q_at_infinity);
  result.p_above = (a.p_above + b.p_above) * (1 + 4 * unit);
  result.q_below = (a.q_below + b.q_below) * (1 + 4 * unit);
  return result;
}

bool are_countable(const Pieces& base) {
  constexpr std::size_t several = 8;
  return 2 < base.pieces.size() && base.pieces.size() <= several && are_accurate(base);
}

bool are_few(const Pieces& base, std::uint64_t count, const FiniteLimits& limits) {
  const double sums = sums_of_different(static_cast<double>(base.pieces.size()), static_cast<double>(count));
  return sums <= static_cast<double>(limits.outcomes);
}

std::optional<Pieces> power_by_counts(const Pieces& base, std::uint64_t count, FiniteLimits limits) {
  // Of how many are left is known when they have been counted: in vain only where that takes little.
  constexpr std::size_t unseen = 4;
  if (!are_few(base, count, limits)) limits.outcomes /= unseen;
  return power_of_several(base, count, limits);
}

}  // namespace

bool is_finite(const Pieces& pieces) { return pieces.p_above == 0 && pieces.q_below == 0 && are_atoms(pieces); }

// accounting/loss_distribution/proofs.md, 4b.5
std::optional<Pieces> with_whole_tails(Pieces pieces) {
  if (!are_atoms(pieces) || pieces.pieces.empty()) return std::nullopt;
  const CutOff cut_off = whole_tails(pieces);
  const double most = most_raised * std::max(pieces.p_above, pieces.q_below);
  if (cut_off.p > most || cut_off.q > most) return std::nullopt;
  pieces.p_above = cut_off.p;
  pieces.q_below = cut_off.q;
  return pieces;
}

Pieces product(const Pieces& a, const Pieces& b) { return product_joined(a, b, 0); }

std::optional<Pieces> product(const Pieces& a, const Pieces& b, const FiniteLimits& limits) {
  if (static_cast<double>(a.pieces.size()) * static_cast<double>(b.pieces.size()) > limits.work) return std::nullopt;
  Pieces both = product_joined(a, b, limits.width);
  if (both.pieces.size() > limits.outcomes) return std::nullopt;
  return both;
}

std::optional<Pieces> power(const Pieces& base, std::uint64_t count, const FiniteLimits& limits) {
  // Factors one by one are the more accurate way.
  constexpr std::uint64_t most_factors = 256;
  // Where no two sums of so many are equal, none of more are taken to be.
  constexpr std::uint64_t seen = 8;
  // So many are counted where most are rare.
  constexpr std::size_t most_counted = std::size_t{1} << 17;
  const bool is_cut = limits.rare > 0;
  // Different losses have no fewer different sums; rounding may join some, which is not worth waiting for.
  const double outcomes = 1 + static_cast<double>(count) * (static_cast<double>(base.pieces.size()) - 1);
  if (outcomes > static_cast<double>(is_cut ? std::max(most_counted, limits.outcomes) : limits.outcomes))
    return std::nullopt;
  if (base.pieces.size() == 1 && static_cast<double>(count) > limits.work) return std::nullopt;
  if (count > most_factors && are_binomial(base)) return power_of_pair(base, count);
  const auto losses = static_cast<double>(base.pieces.size());
  FiniteLimits left = limits;
  std::optional<Pieces> result = one_atom();
  for (std::uint64_t done = 0; done < count && result; ++done) {
    if (done == seen) {
      const bool are_different = static_cast<double>(result->pieces.size()) > 0.99 * sums_of_different(losses, seen);
      // Where some are equal all lie on a lattice, and are added one after the other if that takes no longer.
      const double of_lattice = (losses - 1) * losses / 2 * static_cast<double>(count) * static_cast<double>(count);
      if (are_different && !are_few(base, count, limits) && !(is_cut && are_countable(base))) return std::nullopt;
      if (are_countable(base) && (are_different || (is_cut && of_lattice > left.work)))
        return power_by_counts(base, count, limits);
    }
    const double sums = static_cast<double>(result->pieces.size()) * losses;
    // Once they are so many they do not become few: no more are formed.
    if (is_cut && done > 1 && sums * static_cast<double>(count - done) > 2 * left.work) left.work = 0;
    result = product(*result, base, left);
    if (result && is_cut) result = without_rare(*std::move(result), limits.rare);
    left.work -= sums;
  }
  return result || !(is_cut && are_countable(base)) ? result : power_by_counts(base, count, limits);
}

// accounting/loss_distribution/proofs.md, 4b.2
Pieces without_rare(Pieces pieces, double rare) {
  const std::size_t before = pieces.pieces.size();
  std::erase_if(pieces.pieces, [&](const Piece& piece) { return std::max(piece.p, piece.q) < rare; });
  const double outcomes = static_cast<double>(before - pieces.pieces.size());
  const double left_out = outcomes * rare * (1 + pieces.errors.mass) * (1 + 4 * unit);
  pieces.p_above += left_out * (1 + unit);
  pieces.q_below += left_out * (1 + unit);
  return pieces;
}

// accounting/loss_distribution/proofs.md, 4b.3
Pieces participating(const Pieces& inner, double rate) {
  Pieces round = inner;
  for (Piece& piece : round.pieces) {
    piece.p *= rate;
    piece.q *= rate;
  }
  const double absent = 1 - rate;
  const auto place = std::ranges::upper_bound(round.pieces, 0.0, {}, &Piece::low);
  round.pieces.insert(place, {0, 0, absent, absent, 0});
  round.errors.mass += 2 * unit;
  if (is_infinite(round)) round.errors.infinity += unit;
  round.p_at_infinity *= rate;
  round.q_at_infinity *= rate;
  return round;
}

}  // namespace dpbudget::loss_distribution
