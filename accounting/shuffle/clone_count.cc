#include "dpbudget/accounting/shuffle/clone_count.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/renyi/rounding.h"

namespace dpbudget::shuffle {
namespace {

using renyi::unit;

constexpr double infinity = std::numeric_limits<double>::infinity();

// log of a sum of positive terms that are given by their logarithms.
class LogSum {
 public:
  void add(double log_term) {
    if (log_term == -infinity) return;
    if (log_term > largest_ + 600) {
      sum_ = largest_ == -infinity ? 0 : sum_ * std::exp(largest_ - log_term);
      largest_ = log_term;
    }
    sum_ += std::exp(log_term - largest_);
    ++terms_;
  }
  double value() const { return sum_ == 0 ? -infinity : largest_ + std::log(sum_); }
  // Each term is off by the rounding of its exponent, each addition by one unit.
  double error() const { return unit * (terms_ / 16 + 600 + std::abs(value())); }

 private:
  double largest_ = -infinity;
  double sum_ = 0;
  double terms_ = 0;
};

constexpr double least_positive = std::numeric_limits<double>::min();
constexpr long double least_mass = std::numeric_limits<long double>::min();

double log_of(long double value) { return value > 0 ? static_cast<double>(std::log(value)) : -infinity; }

// Blocks wider than a deviation would run far beyond what is needed.
double block_size(const CloneCount& count, const Stride& stride, double at) {
  return std::max(1.0, std::floor(std::min(stride(at + 1), count.deviation())));
}

// The masses from the mode outwards, relative to the mode's, until the last number or the first below `least_mass`.
class Walk {
 public:
  Walk(const CloneCount& count, bool is_up) : count_(count), is_up_(is_up), at_(count.mode()) {}

  double at() const { return at_; }
  long double mass() const { return mass_; }
  bool is_over() const { return mass_ == 0; }
  long double step() const {
    if (is_up_) return at_ == count_.others() ? 0 : count_.ratio(at_);
    return at_ == 0 ? 0 : 1 / count_.ratio(at_ - 1);
  }
  void advance() {
    const long double ratio = step();
    mass_ *= ratio;
    at_ += is_up_ ? 1 : -1;
    if (mass_ >= least_mass) return;
    mass_ = 0;
    beyond_ = ratio > 0 ? least_mass / (1 - ratio) : 0;
  }
  // The mass of this value and of all further ones, at most: their ratios decrease.
  long double rest() const {
    if (is_over()) return beyond_;
    const long double ratio = step();
    return ratio < 1 ? mass_ / (1 - ratio) : static_cast<long double>(infinity);
  }

 private:
  const CloneCount& count_;
  bool is_up_;
  double at_;
  long double mass_ = 1;
  long double beyond_ = 0;  // bounds all masses from the first below `least_mass` on
};

// One side of the law of C, from the mode outwards.
std::vector<CloneBlock> one_side(const CloneCount& count, Walk& walk, const Stride& stride, double at_mode,
                                 double negligible, double& rest) {
  // What is beyond the range of a double is not nothing.
  const auto rest_of = [&](const Walk& from) {
    const long double left = from.rest();
    return left == 0 ? 0 : std::max(least_positive, static_cast<double>(left) * at_mode);
  };
  std::vector<CloneBlock> blocks;
  while (!walk.is_over()) {
    const double size = block_size(count, stride, walk.at());
    const double from = walk.at();
    double to = from;
    long double mass = 0;
    long double next = 0;
    for (double i = 0; i < size && !walk.is_over(); ++i, walk.advance()) {
      to = walk.at();
      mass += walk.mass();
      next += walk.mass() * count.ratio(to);
    }
    blocks.push_back({std::min(from, to), std::max(from, to), static_cast<double>(mass) * at_mode,
                      static_cast<double>(next) * at_mode});
    rest = rest_of(walk);
    if (rest <= negligible) return blocks;
  }
  rest = rest_of(walk);
  return blocks;
}

class Mean {
 public:
  Mean(const CloneCount& count, const OfReports& f, const Stride& stride, double negligible)
      : count_(count), f_(f), stride_(stride), negligible_(negligible) {}

  LogBracket operator()() {
    const LogBracket at_mode = count_.log_mass(count_.mode());
    Walk up(count_, true);
    add_upward(up);
    Walk down(count_, false);
    if (down.at() > 0) {
      down.advance();
      add_downward(down);
    }
    // What the odds are off by is multiplied by each step from the mode.
    const double drift = count_.odds_error() * farthest_;
    const double lower = at_mode.lower + lower_.value() - lower_.error() - drift;
    return {lower, at_mode.upper + upper_.value() + upper_.error() + drift};
  }

 private:
  void add_block(long double mass, double log_least, double log_most) {
    const double log_mass = log_of(mass);
    lower_.add(log_mass + log_least);
    upper_.add(log_mass + log_most);
  }

  bool is_negligible(double log_rest) const { return log_rest < lower_.value() + std::log(negligible_); }

  // A block counts as its last number below and as its first above, so that errors of the first order cancel in the
  // middle of both.
  void add_upward(Walk& walk) {
    while (true) {
      const double first = walk.at();
      const double stride = block_size(count_, stride_, first);
      long double mass = 0;
      double last = first;
      for (double i = 0; i < stride && !walk.is_over(); ++i, walk.advance()) {
        mass += walk.mass();
        last = walk.at();
      }
      farthest_ = std::max(farthest_, last - count_.mode());
      const LogBracket at_first = f_(first + 1);
      const LogBracket at_last = last == first ? at_first : f_(last + 1);
      add_block(mass, at_last.lower, at_first.upper);
      const double log_rest = log_of(walk.rest()) + at_last.upper;
      if (walk.is_over() || is_negligible(log_rest)) {
        upper_.add(log_rest);
        return;
      }
    }
  }

  // Blocks end where the walk has come from, so that their ends are the larger numbers.
  void add_downward(Walk& walk) {
    const double log_largest = f_(1).upper;
    double from = walk.at();
    LogBracket at_from = f_(from + 1);
    while (true) {
      const double stride = block_size(count_, stride_, walk.at());
      long double mass = 0;
      double last = from;
      for (double i = 0; i < stride && !walk.is_over(); ++i, walk.advance()) {
        mass += walk.mass();
        last = walk.at();
      }
      farthest_ = std::max(farthest_, count_.mode() - last);
      const LogBracket at_last = last == from ? at_from : f_(last + 1);
      add_block(mass, at_from.lower, at_last.upper);
      if (last == 0) return;
      const double log_rest = log_of(walk.rest()) + log_largest;
      if (is_negligible(log_rest) || walk.is_over()) {
        upper_.add(log_rest);
        return;
      }
      from = walk.at();
      at_from = f_(from + 1);
    }
  }

  const CloneCount& count_;
  const OfReports& f_;
  const Stride& stride_;
  double negligible_;
  double farthest_ = 0;
  LogSum lower_;
  LogSum upper_;
};

}  // namespace

CloneCount::CloneCount(double others, double log_odds)
    : others_(others),
      odds_(std::exp(static_cast<long double>(log_odds))),
      // `unit` is 8 of the last places: so much is one elementary function, and a quarter of it a logarithm's place.
      odds_error_(unit * (std::isinf(log_odds) ? 1 : 1 + std::abs(log_odds) / 4)) {
  if (others == 0 || log_odds == infinity) return;
  binomial_ = approximate::Binomial::of_odds(others, std::abs(log_odds));
  if (log_odds < 0) binomial_ = binomial_->reversed();
}

LogBracket CloneCount::log_mass(double at) const {
  if (!binomial_) return at == others_ ? LogBracket{0, 0} : LogBracket{-infinity, -infinity};
  const double value = binomial_->log_mass(at);
  const double error = binomial_->log_mass_error(value);
  return {value - error, value + error};
}

CloneBlocks clone_blocks(const CloneCount& count, const Stride& stride, double negligible) {
  const LogBracket log_mode = count.log_mass(count.mode());
  const double at_mode = std::exp(log_mode.middle());
  CloneBlocks found{};
  Walk down(count, false);
  if (down.at() > 0) {
    down.advance();
    found.blocks = one_side(count, down, stride, at_mode, negligible, found.below);
    std::ranges::reverse(found.blocks);
  }
  Walk up(count, true);
  const std::vector<CloneBlock> upper = one_side(count, up, stride, at_mode, negligible, found.above);
  found.blocks.insert(found.blocks.end(), upper.begin(), upper.end());
  const double farthest = std::max(count.mode() - found.blocks.front().first, found.blocks.back().last - count.mode());
  found.error = log_mode.upper - log_mode.lower + 8 * unit + count.odds_error() * farthest;
  return found;
}

LogBracket log_mean(const CloneCount& count, const OfReports& f, const Stride& stride, double negligible) {
  return Mean(count, f, stride, negligible)();
}

}  // namespace dpbudget::shuffle
