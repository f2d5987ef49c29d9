#include "dpbudget/accounting/shuffle/clones/excess_moment.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/excess.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tanh_half.h"

namespace dpbudget::shuffle {

using numeric::Extended;
namespace extended = numeric::extended;
using numeric::geometric_sum;
using numeric::one_less_tanh_half;
using numeric::tanh_half;
namespace {

using numeric::log_add;
using numeric::unit;

// Outcomes this many to a standard deviation are as good as all.
constexpr double per_deviation = 4;

// So few outcomes are added up one by one.
constexpr double few_outcomes = 32;

double log_of_excess(Extended value) { return static_cast<double>(extended::log(value)); }

// By what e^log_sum may grow while log(1 + e^log_sum) grows by a share, in logarithms.
double log_allowed_of(double log_sum, double share) {
  if (log_sum < -40) return log_sum + std::log(share);
  const double log_moment = log_add(log_sum, 0);
  const double growth = share * log_moment;
  return log_moment + (growth > 600 ? growth : std::log(std::expm1(growth)));
}

}  // namespace

// The outcomes of m signs in blocks, each between two bounds; those that matter are halved until they are narrow.
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
      double log_lower = -infinity;
      double log_gap = -infinity;
      for (const Block& block : blocks_) {
        log_lower = log_add(log_lower, block.log_lower);
        log_gap = log_add(log_gap, block.log_gap);
      }
      const double log_allowed = log_lower == -infinity ? -infinity : log_allowed_of(log_lower, accuracy);
      if (log_gap <= log_allowed) return rounded();
      halve(log_allowed - std::log(2 * static_cast<double>(blocks_.size())));
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
    const double error = unit * (static_cast<double>(blocks_.size()) + 2 * few_outcomes + 64 + std::abs(sum.lower) +
                                 moment_.order_ * moment_.local_epsilon_);
    return {sum.lower - error, sum.upper + error};
  }

  void halve(double log_allowed) {
    const std::size_t before = blocks_.size();
    for (std::size_t i = 0; i < before; ++i) {
      const Block whole = blocks_[i];
      if (whole.log_gap <= log_allowed) continue;
      const double half = std::floor(whole.numbers / 2);
      blocks_[i] = bounded(whole.first, half, whole.step);
      blocks_.push_back(bounded(whole.first + whole.step * half, whole.numbers - half, whole.step));
    }
  }

  // 1 less the ratio of the next mass outwards to that of b: at least 0, and without cancellation.
  Extended fall(double b, double step) const {
    const Extended inside = step > 0 ? m_ - b : b;
    const Extended outside = Extended(step > 0 ? b : m_ - b) + 1;
    return (outside - inside) / outside;
  }

  Block bounded(double first, double numbers, double step) {
    const double log_mass = fair_.log_mass(first);
    return numbers <= few_outcomes ? one_by_one(first, numbers, step, log_mass)
                                   : together(first, numbers, step, log_mass);
  }

  Block one_by_one(double first, double numbers, double step, double log_mass) const {
    // Terms grow outwards.
    const double log_most = moment_.fits_a_double() ? 0 : moment_.log_term(m_, first + step * (numbers - 1));
    if (log_most == -infinity) return {first, numbers, step, log_mass, -infinity, -infinity};
    Extended mass = 1;
    Extended sum = 0;
    for (double i = 0; i < numbers; ++i) {
      const double b = first + step * i;
      sum += mass * (moment_.fits_a_double() ? Extended(moment_.term(m_, b))
                                             : extended::exp(Extended(moment_.log_term(m_, b) - log_most)));
      mass *= 1 - fall(b, step);
    }
    return {first, numbers, step, log_mass, log_mass + log_most + log_of_excess(sum), -infinity};
  }

  // Masses fall outwards ever faster, and the terms, convex in X, grow.
  Block together(double first, double numbers, double step, double log_mass) const {
    const double last = first + step * (numbers - 1);
    const double log_first = moment_.log_term(m_, first);
    const double log_last = moment_.log_term(m_, last);
    const double log_middle = moment_.log_term(m_, first + (last - first) / 2);
    if (log_last == -infinity) return {first, numbers, step, log_mass, -infinity, -infinity};
    const Extended fall_at_last = fall(last, step);
    const Extended least = geometric_sum(fall_at_last, numbers);
    const Extended most = geometric_sum(fall(first, step), numbers);
    // By Jensen and Gruess, in units of the last term; and with the first in place of all.
    const auto range = static_cast<double>(-extended::expm1((numbers - 1) * extended::log1p(-fall_at_last)));
    const double spread = numbers * range * -std::expm1(log_first - log_last) / 4;
    const double by_middle = static_cast<double>(least) * std::exp(log_middle - log_last) - spread;
    double log_lower = log_of_excess(least) + log_first;
    if (by_middle > 0) log_lower = std::max(log_lower, std::log(by_middle) + log_last);
    // By Chebyshev, and the chord.
    const double log_upper = log_of_excess(most) + log_add(log_first, log_last) - std::numbers::ln2;
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
