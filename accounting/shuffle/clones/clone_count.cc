#include "dpbudget/accounting/shuffle/clones/clone_count.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::Extended;
namespace extended = numeric::extended;
using numeric::geometric_sum;
using numeric::jump_share;
using numeric::least_smooth_deviation;
namespace {

using numeric::unit;

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

constexpr double negligible_above = 1e-25;
constexpr double stretch_below = 0.9;  // of the number that one begins with
constexpr double least_positive = std::numeric_limits<double>::min();
const Extended least_mass = std::numeric_limits<Extended>::min();
const Extended least_unrebased = extended::ldexp(Extended(1), -3322);  // 1e-1000

double log_of(Extended value) { return value > 0 ? static_cast<double>(extended::log(value)) : -infinity; }

// Blocks wider than a deviation would run far beyond what is needed.
double block_size(const CloneCount& count, const Stride& stride, double at) {
  return std::max(1.0, std::floor(std::min(stride(at + 1), count.deviation())));
}

// CloneMasses added up, and those of the numbers one above theirs, between two bounds.
struct CloneMasses {
  Extended lower = 0;
  Extended upper = 0;
  Extended next_lower = 0;
  Extended next_upper = 0;
};

// The masses from the mode outwards, until the last number or the first below `least_mass`; relative to the mode's, or
// to where the walk was rebased last.
// accounting/shuffle/proofs.md, 1.4 and 5.3
class Walk {
 public:
  Walk(const CloneCount& count, bool is_up, double accuracy)
      : count_(count),
        is_up_(is_up),
        jump_(count.deviation() < least_smooth_deviation ? 1 : std::floor(count.deviation() * jump_share(accuracy))),
        log_mode_(count.log_mass(count.mode()).middle()),
        at_(count.mode()) {}

  double at() const { return at_; }
  bool is_over() const { return mass_ == 0; }
  Extended step() const {
    if (is_up_) return at_ == count_.others() ? 0 : count_.ratio(at_);
    return at_ == 0 ? 0 : 1 / count_.ratio(at_ - 1);
  }
  void advance() { jump_ == 1 ? step_on() : jump_by(1); }
  // CloneMasses may fall as far as they like between two of these.
  void rebase() {
    if (mass_ >= least_unrebased) return;
    log_unit_ += extended::log(mass_);
    mass_ = 1;
  }
  double log_unit() const { return static_cast<double>(log_unit_); }
  // Goes on by so many numbers, or as many as there are.
  CloneMasses take(double numbers) {
    CloneMasses taken;
    for (double left = numbers; left > 0 && !is_over();) {
      const double size = std::min({jump_, left, (is_up_ ? count_.others() - at_ : at_) + 1});
      if (size == 1) {
        const Extended next = mass_ * count_.ratio(at_);
        taken.lower += mass_;
        taken.upper += mass_;
        taken.next_lower += next;
        taken.next_upper += next;
        advance();
      } else {
        take_smooth(size, taken);
      }
      left -= size;
    }
    return taken;
  }
  // The mass of this value and of all further ones, at most: their ratios decrease.
  Extended rest() const {
    if (is_over()) return beyond_;
    const Extended ratio = step();
    return ratio < 1 ? mass_ / (1 - ratio) : Extended(infinity);
  }
  // By what any of the masses visited so far may be off, relatively, and so their weighted sum: a product of ratios by
  // the odds' error a step, a mass computed afresh by that of two logarithms (accounting/shuffle/proofs.md, 5.3).
  double error() const { return error_ - unit * log_unit(); }

 private:
  void step_on() {
    const Extended ratio = step();
    mass_ *= ratio;
    at_ += is_up_ ? 1 : -1;
    // What the odds are off by is multiplied by each step from the mode.
    error_ = count_.odds_error() * std::abs(at_ - count_.mode());
    if (mass_ >= least_mass) return;
    mass_ = 0;
    beyond_ = ratio > 0 ? least_mass / (1 - ratio) : 0;
  }

  // Ratios fall outwards: these masses are between two geometric series that begin with the first.
  void take_smooth(double size, CloneMasses& taken) {
    const double first = at_;
    const Extended mass = mass_;
    const Extended fall_at_first = 1 - step();
    at_ += (is_up_ ? 1 : -1) * (size - 1);
    const double last = at_;
    const Extended lower = mass * geometric_sum(1 - step(), size);
    const Extended upper = mass * geometric_sum(fall_at_first, size);
    const auto [least, most] = std::minmax({count_.ratio(first), count_.ratio(last)});
    taken.lower += lower;
    taken.upper += upper;
    taken.next_lower += lower * least;
    taken.next_upper += upper * most;
    jump_by(1);
  }

  // CloneMasses are computed afresh, so that errors do not build up.
  void jump_by(double numbers) {
    at_ += (is_up_ ? 1 : -1) * numbers;
    if (at_ < 0 || at_ > count_.others()) {
      mass_ = 0;
      return;
    }
    const numeric::Bracket log_mass = count_.log_mass(at_);
    mass_ = extended::exp(Extended(log_mass.middle()) - log_mode_ - log_unit_);
    error_ = std::max(error_, log_mass.upper - log_mass.lower + count_.odds_error() * jump_ + 8 * unit);
    if (mass_ >= least_mass) return;
    beyond_ = 2 * least_mass / (1 - step());
    mass_ = 0;
  }

  const CloneCount& count_;
  bool is_up_;
  double jump_;
  double log_mode_;
  double at_;
  Extended log_unit_ = 0;  // of what masses are relative to
  Extended mass_ = 1;
  Extended beyond_ = 0;  // bounds all masses from the first below `least_mass` on
  double error_ = 0;
};

// log P(C <= highest), below the mode: at most a geometric series.
double log_mass_at_most(const CloneCount& count, double highest) {
  const double log_mass = count.log_mass(highest).upper;
  if (highest == 0) return log_mass;
  const Extended fall = 1 - (1 + count.odds_error()) / count.ratio(highest - 1);
  return fall > 0 ? log_mass - log_of(fall) : infinity;
}

// One side of the law of C, from the mode outwards.
std::vector<CloneBlock> one_side(const CloneCount& count, Walk& walk, const Stride& stride, double at_mode,
                                 double negligible, double& rest, double& error) {
  // What is beyond the range of a double is not nothing.
  const auto rest_of = [&](const Walk& from) {
    const Extended left = from.rest();
    return left == 0 ? 0 : std::max(least_positive, static_cast<double>(left) * at_mode);
  };
  std::vector<CloneBlock> blocks;
  while (!walk.is_over()) {
    const double size = block_size(count, stride, walk.at());
    const double from = walk.at();
    const CloneMasses taken = walk.take(size);
    const double to = walk.at() + (walk.at() > from ? -1 : 1);
    const auto middle = [&](Extended lower, Extended upper) {
      if (upper > 0) error = std::max(error, static_cast<double>((upper - lower) / lower));
      return static_cast<double>(lower + (upper - lower) / 2) * at_mode;
    };
    blocks.push_back({std::min(from, to), std::max(from, to), middle(taken.lower, taken.upper),
                      middle(taken.next_lower, taken.next_upper)});
    rest = rest_of(walk);
    if (rest <= negligible) return blocks;
  }
  rest = rest_of(walk);
  return blocks;
}

// accounting/shuffle/proofs.md, 5.3
class Mean {
 public:
  Mean(const CloneCount& count, const OfReports& f, const Stride& stride, double negligible)
      : count_(count), f_(f), stride_(stride), negligible_(negligible), log_mode_(count.log_mass(count.mode())) {}

  numeric::Bracket operator()() {
    Walk up(count_, true, negligible_);
    add_upward(up);
    Walk down(count_, false, negligible_);
    if (down.at() > 0) {
      down.advance();
      add_downward(down);
    }
    const double error = std::max(up.error(), down.error());
    const double lower = log_mode_.lower + lower_.value() - lower_.error() - error;
    return {lower, log_mode_.upper + upper_.value() + upper_.error() + error};
  }

 private:
  // A block counts as its last number below and as its first above, so that errors of the first order cancel in the
  // middle of both.
  void add_block(double log_lower, double log_upper) {
    lower_.add(log_lower);
    upper_.add(log_upper);
  }

  bool is_negligible(double log_rest) const { return log_rest < lower_.value() + std::log(negligible_); }

  // The value of f at the end of a block bounds the next one too, on the same side as that one's own, if less closely:
  // a number more is a small share of a wide block. It says nothing of the next block's other side.
  static constexpr double wide = 32;

  void add_upward(Walk& walk) {
    numeric::Bracket at_first = f_(walk.at() + 1);
    bool is_own = true;
    while (true) {
      heed_interruption();
      walk.rebase();
      const double first = walk.at();
      const CloneMasses taken = walk.take(block_size(count_, stride_, first));
      const double last = walk.at() - 1;
      const numeric::Bracket at_last = last == first && is_own ? at_first : f_(last + 1);
      const double log_unit = walk.log_unit();
      add_block(log_unit + log_of(taken.lower) + at_last.lower, log_unit + log_of(taken.upper) + at_first.upper);
      const double log_rest = log_unit + log_of(walk.rest()) + at_last.upper;
      if (walk.is_over() || is_negligible(log_rest)) {
        upper_.add(log_rest);
        return;
      }
      is_own = last - first < wide;
      at_first = is_own ? f_(walk.at() + 1) : at_last;
    }
  }

  // Blocks end where the walk has come from, so that their ends are the larger numbers.
  void add_downward(Walk& walk) {
    double from = walk.at();
    numeric::Bracket at_from = f_(from + 1);
    bool is_own = true;
    while (true) {
      heed_interruption();
      walk.rebase();
      const CloneMasses taken = walk.take(block_size(count_, stride_, walk.at()));
      const double last = walk.at() + 1;
      const numeric::Bracket at_last = last == from && is_own ? at_from : f_(last + 1);
      const double log_taken = walk.log_unit() + log_of(taken.upper) + at_last.upper;
      add_block(walk.log_unit() + log_of(taken.lower) + at_from.lower, log_taken);
      if (last == 0) return;
      const double log_rest = log_rest_below(last - 1, log_taken, walk.is_over());
      if (is_negligible(log_rest) || walk.is_over()) {
        upper_.add(log_rest);
        return;
      }
      is_own = from - last < wide;
      from = walk.at();
      at_from = is_own ? f_(from + 1) : at_last;
    }
  }

  // What the numbers from `highest` down add at most, or something that is not negligible. Beside the largest value of
  // f, that at one report, which may be far beyond all others, by its values where ever longer stretches end: one from
  // `from` down to `to` adds at most P(C <= from) f(to + 1), f falling.
  double log_rest_below(double highest, double log_taken, bool is_last) {
    if (!log_largest_) log_largest_ = f_(1).upper;
    const double log_most = log_mass_below(highest) + *log_largest_;
    if (is_negligible(log_most) || (!is_last && (!is_negligible(log_taken) || --blocks_to_wait_ > 0))) return log_most;
    double log_rest = -infinity;
    double from = highest;
    blocks_to_wait_ = 0;  // as many as the attempt takes values of f, lest attempts cost more than the walk
    for (double size = block_size(count_, stride_, highest); from >= 0; size *= 2) {
      const double to = std::max(0.0, from - size);
      log_rest = numeric::log_add(log_rest, log_mass_below(from) + (to == 0 ? *log_largest_ : f_(to + 1).upper));
      ++blocks_to_wait_;
      if (!is_last && !is_negligible(log_rest)) return log_most;
      from = to - 1;
    }
    return std::min(log_rest, log_most);
  }

  // Relative to the mode's mass.
  double log_mass_below(double highest) const { return log_mass_at_most(count_, highest) - log_mode_.lower; }

  const CloneCount& count_;
  const OfReports& f_;
  const Stride& stride_;
  double negligible_;
  numeric::Bracket log_mode_;
  std::optional<double> log_largest_;
  int blocks_to_wait_ = 0;
  LogSum lower_;
  LogSum upper_;
};

}  // namespace

CloneCount::CloneCount(double others, double log_odds)
    : others_(others),
      odds_(extended::exp(Extended(log_odds))),
      // `unit` is 8 of the last places: so much is one elementary function, and a quarter of it a logarithm's place.
      odds_error_(unit * (std::isinf(log_odds) ? 1 : 1 + std::abs(log_odds) / 4)) {
  if (others == 0 || log_odds == infinity) return;
  binomial_ = numeric::Binomial::of_odds(others, std::abs(log_odds));
  if (log_odds < 0) binomial_ = binomial_->reversed();
}

numeric::Bracket CloneCount::log_mass(double at) const {
  if (!binomial_) return at == others_ ? numeric::Bracket{0, 0} : numeric::Bracket{-infinity, -infinity};
  const double value = binomial_->log_mass(at);
  const double error = binomial_->log_mass_error(value);
  return {value - error, value + error};
}

CloneBlocks clone_blocks(const CloneCount& count, const Stride& stride, double negligible) {
  const numeric::Bracket log_mode = count.log_mass(count.mode());
  const double at_mode = std::exp(log_mode.middle());
  CloneBlocks found{};
  double spread = 0;
  Walk down(count, false, negligible);
  if (down.at() > 0) {
    down.advance();
    found.blocks = one_side(count, down, stride, at_mode, negligible, found.below, spread);
    std::ranges::reverse(found.blocks);
  }
  Walk up(count, true, negligible);
  const std::vector<CloneBlock> upper = one_side(count, up, stride, at_mode, negligible, found.above, spread);
  found.blocks.insert(found.blocks.end(), upper.begin(), upper.end());
  found.error = log_mode.upper - log_mode.lower + 8 * unit + spread + std::max(up.error(), down.error());
  return found;
}

UpperMasses upper_masses(const CloneCount& count, const Stride& stride) {
  const numeric::Bracket log_mode = count.log_mass(count.mode());
  const Extended at_mode = extended::exp(Extended(log_mode.upper));
  UpperMasses found{};
  const auto add = [&](double first, Extended mass) {
    if (mass > 0) found.blocks.push_back({first, mass * at_mode});
  };
  Walk up(count, true, 0);
  while (!up.is_over() && (up.at() == count.mode() || up.rest() > negligible_above)) {
    heed_interruption();
    const double first = up.at();
    add(first, up.take(block_size(count, stride, first)).upper);
  }
  add(up.at(), up.rest());
  Walk down(count, false, 0);
  if (down.at() > 0) {
    down.advance();
    while (!down.is_over()) {
      heed_interruption();
      const Extended mass = down.take(block_size(count, stride, down.at())).upper;
      add(down.at() + 1, mass);
    }
    for (double from = down.at() + 1; from > 0;) {
      const double log_mass = log_mass_at_most(count, from - 1);
      from = std::floor(from * stretch_below);
      found.below.push_back({from, log_mass});
    }
  }
  found.error = log_mode.upper - log_mode.lower + 8 * unit + std::max(up.error(), down.error());
  return found;
}

numeric::Bracket log_mean(const CloneCount& count, const OfReports& f, const Stride& stride, double negligible) {
  return Mean(count, f, stride, negligible)();
}

}  // namespace dpbudget::shuffle
