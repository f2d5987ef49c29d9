#include "dpbudget/accounting/shuffle/clones/excess_moment.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/excess.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tanh_half.h"

namespace dpbudget::shuffle {

using numeric::Extended;
namespace extended = numeric::extended;
using numeric::one_less_tanh_half;
using numeric::tanh_half;
namespace {

using numeric::log_add;
using numeric::unit;

// Outcomes this many to a standard deviation are as good as all.
constexpr double per_deviation = 4;

// So few outcomes are added up one by one.
constexpr double few_outcomes = 32;

// 1 + r + ... + r^(numbers - 1) for r = 1 - fall, which is in [0, 1).
double series(double fall, double numbers) {
  return fall == 0 ? numbers : -std::expm1(numbers * std::log1p(-fall)) / fall;
}

// Extended functions take several times as long.
Extended exp_of(double log_value) {
  return log_value > -600 ? Extended(std::exp(log_value)) : extended::exp(Extended(log_value));
}

// log of a sum of positive terms, by their logarithms: what is less than a rounding of the largest is left out, which
// is a matter of where to stop.
template <class Terms, class LogTerm>
double log_sum_of(const Terms& terms, const LogTerm& log_term) {
  double largest = -infinity;
  for (const auto& term : terms) largest = std::max(largest, log_term(term));
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (const auto& term : terms)
    if (log_term(term) > largest - 40) sum += std::exp(log_term(term) - largest);
  return largest + std::log(sum);
}

// By what e^log_sum may grow while log(1 + e^log_sum) grows by a share, in logarithms.
double log_allowed_of(double log_sum, double share) {
  if (log_sum < -40) return log_sum + std::log(share);
  const double log_moment = log_add(log_sum, 0);
  const double growth = share * log_moment;
  return log_moment + (growth > 600 ? growth : std::log(std::expm1(growth)));
}

}  // namespace

// The outcomes of m signs in blocks, each between two bounds; those that matter are divided until they are narrow.
// accounting/shuffle/proofs.md, 5.1 and 5.2
class ExcessMoment::Outcomes {
 public:
  Outcomes(const ExcessMoment& moment, double m) : moment_(moment), m_(m), fair_(numeric::Binomial::of_odds(m, 0)) {
    const double centre = std::floor(m / 2);
    blocks_.push_back(bounded(centre, m - centre + 1, 1));
    if (centre > 0) blocks_.push_back(bounded(centre - 1, centre, -1));
  }

  numeric::Bracket refined(double accuracy) {
    while (true) {
      const double log_lower = log_sum_of(blocks_, [](const Block& block) { return block.log_lower; });
      const double log_gap = log_sum_of(blocks_, [](const Block& block) { return block.log_gap; });
      const double log_allowed = log_lower == -infinity ? -infinity : log_allowed_of(log_lower, accuracy);
      if (log_gap <= log_allowed) return rounded();
      divide(log_allowed - std::log(2 * static_cast<double>(blocks_.size())));
    }
  }

 private:
  // Numbers of ones from `first` outwards. What is left out of `log_lower` is at most `log_gap`, rounding aside.
  struct Block {
    double first;
    double numbers;
    double step;
    double log_mass;
    double log_lower;
    double log_gap;
  };

  numeric::Bracket rounded() const {
    numeric::Bracket sum{-infinity, -infinity};
    for (const Block& block : blocks_) {
      const double error = fair_.log_mass_error(block.log_mass);
      sum.lower = log_add(sum.lower, block.log_lower - error);
      sum.upper = log_add(sum.upper, log_add(block.log_lower, block.log_gap) + error);
    }
    const double error = unit * (static_cast<double>(blocks_.size()) + 2 * few_outcomes + 80 + std::abs(sum.lower) +
                                 moment_.order_ * moment_.local_epsilon_);
    return {sum.lower - error, sum.upper + error};
  }

  // Gaps fall about with the square of a block's numbers, and are far from that where these are many.
  void divide(double log_allowed) {
    constexpr double far = 3;  // in logarithms: more than what halves would leave
    const std::size_t before = blocks_.size();
    for (std::size_t i = 0; i < before; ++i) {
      const Block whole = blocks_[i];
      if (whole.log_gap <= log_allowed) continue;
      const double parts = whole.log_gap > log_allowed + far ? 4 : 2;
      for (double part = 0; part < parts; ++part) {
        const double from = std::floor(whole.numbers * part / parts);
        const double to = std::floor(whole.numbers * (part + 1) / parts);
        const Block found = bounded(whole.first + whole.step * from, to - from, whole.step);
        if (part == 0)
          blocks_[i] = found;
        else
          blocks_.push_back(found);
      }
    }
  }

  // The ratio of the next mass outwards to that of b.
  double ratio(double b, double step) const { return inside(b, step) / outside(b, step); }
  // 1 less that: at least 0, and without cancellation.
  double fall(double b, double step) const { return (outside(b, step) - inside(b, step)) / outside(b, step); }
  double inside(double b, double step) const { return step > 0 ? m_ - b : b; }
  double outside(double b, double step) const { return (step > 0 ? b : m_ - b) + 1; }

  Block bounded(double first, double numbers, double step) {
    const double log_mass = fair_.log_mass(first);
    return numbers <= few_outcomes ? one_by_one(first, numbers, step, log_mass)
                                   : together(first, numbers, step, log_mass);
  }

  Block one_by_one(double first, double numbers, double step, double log_mass) const {
    // Terms grow outwards.
    const double log_most = moment_.fits_a_double() ? 0 : moment_.log_term(m_, first + step * (numbers - 1));
    if (log_most == -infinity) return {first, numbers, step, log_mass, -infinity, -infinity};
    // Of many signs masses at the far end are less than a double holds.
    Extended mass = 1;
    Extended sum = 0;
    for (double i = 0; i < numbers; ++i) {
      const double b = first + step * i;
      sum += mass * (moment_.fits_a_double() ? moment_.term(m_, b) : exp_of(moment_.log_term(m_, b) - log_most));
      mass *= ratio(b, step);
    }
    return {first, numbers, step, log_mass, log_mass + log_most + static_cast<double>(extended::log(sum)), -infinity};
  }

  // Masses fall outwards ever faster, and the terms, convex in X, grow.
  Block together(double first, double numbers, double step, double log_mass) const {
    const double last = first + step * (numbers - 1);
    const double log_first = moment_.log_term(m_, first);
    const double log_last = moment_.log_term(m_, last);
    const double log_middle = moment_.log_term(m_, first + (last - first) / 2);
    if (log_last == -infinity) return {first, numbers, step, log_mass, -infinity, -infinity};
    const double fall_at_last = fall(last, step);
    const double least = series(fall_at_last, numbers);
    const double most = series(fall(first, step), numbers);
    // By Jensen and Gruess, in units of the last term; and with the first in place of all.
    const double range = -std::expm1((numbers - 1) * std::log1p(-fall_at_last));
    const double spread = numbers * range * -std::expm1(log_first - log_last) / 4;
    const double by_middle = least * std::exp(log_middle - log_last) - spread;
    double log_lower = std::log(least) + log_first;
    if (by_middle > 0) log_lower = std::max(log_lower, std::log(by_middle) + log_last);
    // By Chebyshev, and the chord.
    const double log_upper = std::log(most) + log_add(log_first, log_last) - std::numbers::ln2;
    const double log_gap = log_upper > log_lower ? log_upper + std::log(-std::expm1(log_lower - log_upper)) : -infinity;
    return {first, numbers, step, log_mass, log_mass + log_lower, log_mass + log_gap};
  }

  const ExcessMoment& moment_;
  double m_;
  numeric::Binomial fair_;
  std::vector<Block> blocks_;
};

ExcessMoment::ExcessMoment(double local_epsilon, double order)
    : order_(order),
      local_epsilon_(local_epsilon),
      tau_(tanh_half(local_epsilon)),
      one_less_tau_(one_less_tanh_half(local_epsilon)) {}

numeric::Bracket ExcessMoment::operator()(double m, double accuracy) const {
  return Outcomes(*this, m).refined(accuracy);
}

double ExcessMoment::reference(double m) const {
  const auto fair = numeric::Binomial::of_odds(m, 0);
  const double step = std::floor(fair.deviation() / per_deviation);
  if (step < 16) return (*this)(m, unit).middle();
  double log_sum = -infinity;
  const auto add = [&](double from, double by) {
    for (double b = from; 0 <= b && b <= m; b += by) {
      const double term = fair.log_mass(b) + log_term(m, b);
      log_sum = log_add(log_sum, term);
      if (b != from && term < log_sum - 40) return;
    }
  };
  const double centre = std::floor(m / 2);
  add(centre, step);
  add(centre - step, -step);
  return log_sum + std::log(step);
}

bool ExcessMoment::fits_a_double() const { return order_ * local_epsilon_ < 500 && local_epsilon_ > 1e-100; }

ExcessMoment::Outcome ExcessMoment::outcome(double m, double b) const {
  // P/Q - 1 = 2 tau X / (1 - tau X), with 1 - tau X = (m (1 - tau) + 2 tau (m - b)) / m.
  const double q = (m * one_less_tau_ + 2 * tau_ * (m - b)) / m;
  const double p = (m * one_less_tau_ + 2 * tau_ * b) / m;
  const double x = 2 * tau_ * ((2 * b - m) / m) / q;
  return {q, x, std::abs(x) < 0.5 ? std::log1p(x) : std::log(p / q)};
}

double ExcessMoment::term(double m, double b) const {
  const auto [q, x, log_ratio] = outcome(m, b);
  return q * numeric::excess(order_, x, log_ratio);
}

double ExcessMoment::log_term(double m, double b) const {
  const auto [q, x, log_ratio] = outcome(m, b);
  return x == 0 ? -infinity : std::log(q) + numeric::log_excess(order_, x, log_ratio);
}

}  // namespace dpbudget::shuffle
