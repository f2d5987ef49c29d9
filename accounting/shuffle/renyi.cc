#include "dpbudget/accounting/shuffle/renyi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>

#include "dpbudget/accounting/approximate/guarantee.h"
#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/renyi/excess.h"
#include "dpbudget/accounting/renyi/moment.h"
#include "dpbudget/accounting/renyi/rounding.h"
#include "dpbudget/accounting/shuffle/geometric_sum.h"
#include "dpbudget/accounting/shuffle/ranges.h"
#include "dpbudget/accounting/shuffle/tanh_half.h"

namespace dpbudget::shuffle {
namespace {

using approximate::log_add;
using renyi::unit;

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr long double least_mass = 1e-4900L;

// Terms this many to a standard deviation are as good as all.
constexpr double per_deviation = 4;

// Outcomes are added up in jumps of this share of a deviation where that is large, which costs some 1e-3 of a moment.
constexpr double moment_jump = 0x1p-4;

double log_of(long double value) { return static_cast<double>(std::log(value)); }

// log E[(P/Q)^order - 1 - order (P/Q - 1)] under Q, given m signs: the divergence's moment less 1. Its terms are
// positive, and it is the mean of a convex function of X.
class ExcessMoment {
 public:
  ExcessMoment(double local_epsilon, double order)
      : order_(order),
        local_epsilon_(local_epsilon),
        tau_(tanh_half(local_epsilon)),
        one_less_tau_(one_less_tanh_half(local_epsilon)) {}

  LogBracket operator()(double m) const {
    const auto fair = approximate::Binomial::of_odds(m, 0);
    return fair.deviation() < least_smooth_deviation / 8 ? one_by_one(m, fair) : in_jumps(m, fair);
  }

  // The value by equally distant outcomes where there are many: as good as every one.
  double reference(double m) const {
    const auto fair = approximate::Binomial::of_odds(m, 0);
    const double step = std::floor(fair.deviation() / per_deviation);
    if (step < 16) return one_by_one(m, fair).middle();
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

 private:
  // Above the centre (P/Q)^order Q is P (P/Q)^(order - 1); below it the excess is at most order - 1.
  double log_most_of(double step) const {
    return (step > 0 ? (order_ - 1) * local_epsilon_ : std::log(order_ - 1)) + std::log1p(tau_);
  }

  LogBracket one_by_one(double m, const approximate::Binomial& fair) const {
    const double centre = std::floor(m / 2);
    const double log_centre = fair.log_mass(centre);
    double log_sum = -infinity;
    double log_rest = -infinity;
    double terms = 0;
    const auto add_from = [&](double from, double step) {
      long double mass = from == centre ? 1 : centre / (m - centre + 1.0L);
      for (double b = from; 0 <= b && b <= m; b += step) {
        log_sum = log_add(log_sum, log_of(mass) + log_term(m, b));
        ++terms;
        const double ratio = step > 0 ? (m - b) / (b + 1) : b / (m - b + 1);
        if (ratio == 0) return;
        if (ratio < 1) {
          const double rest = log_of(mass) + std::log(ratio / (1 - ratio)) + log_most_of(step);
          if (rest < log_sum - 40) {
            log_rest = log_add(log_rest, rest);
            return;
          }
        }
        mass *= ratio;
        if (mass < least_mass) {
          log_rest = log_add(log_rest, log_of(least_mass) + std::log(m) + log_most_of(step));
          return;
        }
      }
    };
    add_from(centre, 1);
    add_from(centre - 1, -1);
    const double error =
        fair.log_mass_error(log_centre) + unit * (terms + 64 + std::abs(log_sum) + order_ * local_epsilon_);
    return {log_centre + log_sum - error, log_centre + log_add(log_sum, log_rest) + error};
  }

  // Outcomes next to each other, away from the centre: masses fall ever faster, and the excess, convex in X, grows.
  LogBracket in_jumps(double m, const approximate::Binomial& fair) const {
    const double centre = std::floor(m / 2);
    double log_lower = -infinity;
    double log_upper = -infinity;
    double log_rest = -infinity;
    double terms = 0;
    double error = 0;
    const auto add_from = [&](double from, double step) {
      for (double b = from; 0 <= b && b <= m;) {
        const auto ratio = [&](double at) { return step > 0 ? (m - at) / (at + 1) : at / (m - at + 1); };
        const double fall = 1 - ratio(b);
        const double scale =
            std::min({fair.deviation(), m / (4 * order_ * tau_), fall > 0 ? 1 / fall : fair.deviation()});
        const double size =
            b == from ? 1 : std::clamp(std::floor(moment_jump * scale), 1.0, (step > 0 ? m - b : b) + 1);
        const double last = b + step * (size - 1);
        const double log_mass = fair.log_mass(b);
        const double log_first = log_term(m, b);
        const double log_last = log_term(m, last);
        error = std::max(error, fair.log_mass_error(log_mass));
        ++terms;
        if (size == 1) {
          log_lower = log_add(log_lower, log_mass + log_first);
          log_upper = log_add(log_upper, log_mass + log_first);
        } else {
          // By Jensen, Chebyshev and Gruess, as in sign_tail.cc.
          const double last_fall = 1 - ratio(last);
          const double growth = std::exp(log_last - log_first);
          const double middle = std::exp(log_term(m, b + (last - b) / 2) - log_first);
          const auto least = static_cast<double>(geometric_sum(last_fall, size));
          const auto most = static_cast<double>(geometric_sum(fall, size));
          const double range = -std::expm1((size - 1) * std::log1p(-last_fall));
          const double lower = least * middle - size * range * std::max(0.0, growth - 1) / 4;
          if (lower > 0) log_lower = log_add(log_lower, log_mass + log_first + std::log(lower));
          log_upper = log_add(log_upper, log_mass + log_first + std::log(most * (1 + growth) / 2));
        }
        const double next = ratio(last);
        if (next == 0) return;
        if (next < 1) {
          const double log_mass_at_last = log_mass + (size - 1) * std::log1p(-fall);
          const double rest = log_mass_at_last + std::log(next / (1 - next)) + log_most_of(step);
          if (rest < log_lower - 40) {
            log_rest = log_add(log_rest, rest);
            return;
          }
        }
        b = last + step;
      }
    };
    add_from(centre, 1);
    add_from(centre - 1, -1);
    error += unit * (terms + 64 + std::abs(log_upper) + order_ * local_epsilon_);
    return {log_lower - error, log_add(log_upper, log_rest) + error};
  }

  double log_term(double m, double b) const {
    // P/Q - 1 = 2 tau X / (1 - tau X), with 1 - tau X = (m (1 - tau) + 2 tau (m - b)) / m.
    const double q = (m * one_less_tau_ + 2 * tau_ * (m - b)) / m;
    const double p = (m * one_less_tau_ + 2 * tau_ * b) / m;
    const double x = 2 * tau_ * ((2 * b - m) / m) / q;
    const double log_ratio = std::abs(x) < 0.5 ? std::log1p(x) : std::log(p / q);
    return x == 0 ? -infinity : std::log(q) + renyi::log_excess(order_, x, log_ratio);
  }

  double order_;
  double local_epsilon_;
  double tau_;
  double one_less_tau_;  // which cancels
};

double divergence(double log_excess, double order) {
  // log(1 + excess) / (order - 1).
  return (log_excess > 40 ? log_excess : std::log1p(std::exp(log_excess))) / (order - 1);
}

// Moments fall about with the number of signs, so that blocks this wide cost half as much at most.
constexpr Width curve_width{1e-2};

class ShuffledCurve final : public renyi::Curve {
 public:
  explicit ShuffledCurve(const ClonePair& pair) : pair_(pair) {}

  double operator()(double order) const override {
    const auto [known, is_new] = known_.try_emplace(order, 0);
    if (is_new) known->second = renyi_bracket(pair_, order, curve_width).upper;
    return known->second;
  }
  double at_infinity() const override { return pair_.local_epsilon; }

 private:
  ClonePair pair_;
  mutable std::map<double, double> known_;
};

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

void require_integer_order(double order, double most) {
  require(2 <= order && order <= most && order == std::floor(order), "order", order,
          fmt::format("an integer in [2, {:.0f}]", most));
}

}  // namespace

RenyiBracket renyi_bracket(const ClonePair& pair, double order, Width width) {
  dpbudget::ranges::order(order);
  const ExcessMoment moment(pair.local_epsilon, order);
  // A moment takes some deviations on either side, of several logarithms a term.
  const Stride stride = stride_of(pair, width, 1024);
  const LogBracket mean = log_mean(pair.count, moment, stride, std::max(0x1p-56, width.relative * 1e-3));
  const auto rounded = [&](double log_excess, double sign) {
    const double value = divergence(log_excess + pair.log_share, order);
    return value * (1 + sign * 8 * unit);
  };
  return {rounded(mean.lower, -1), std::min(rounded(mean.upper, 1), pair.local_epsilon)};
}

double renyi_divergence(const ClonePair& pair, double order) {
  dpbudget::ranges::order(order);
  const double deviation = pair.count.deviation();
  if (deviation < 16 * per_deviation) {
    const RenyiBracket found = renyi_bracket(pair, order, {0});
    return found.lower + (found.upper - found.lower) / 2;
  }
  const ExcessMoment moment(pair.local_epsilon, order);
  const double step = std::floor(deviation / per_deviation);
  double log_sum = -infinity;
  const auto add = [&](double from, double by) {
    for (double c = from; 0 <= c && c <= pair.count.others(); c += by) {
      const double term = pair.count.log_mass(c).middle() + moment.reference(c + 1);
      log_sum = log_add(log_sum, term);
      if (term < log_sum - 40) return;
    }
  };
  add(pair.count.mode(), step);
  add(pair.count.mode() - step, -step);
  return divergence(log_sum + std::log(step) + pair.log_share, order);
}

renyi::CurvePtr renyi_curve(const ClonePair& pair) { return std::make_shared<ShuffledCurve>(pair); }

double girgis_renyi(double local_epsilon, double reports, double order) {
  ranges::local_epsilon(local_epsilon);
  ranges::reports(reports);
  require_integer_order(order, 0x1p53);
  const double log_needed = 4 * std::log(order) + 5 * local_epsilon + std::log(9.0);
  if (!(log_needed <= std::log(reports)))
    throw Unsupported(fmt::format(
        "order^4 e^(5 local_epsilon) is {:.6g}, but the theorem needs at most reports / 9 = {:.6g}; the exact clone "
        "pair has no such precondition",
        std::exp(log_needed) / 9, reports / 9));
  const double growth = std::expm1(local_epsilon);
  return std::log1p(order / reports * (order - 1) * 2 * growth * growth) / (order - 1);
}

double girgis_renyi_general(double local_epsilon, double reports, double order) {
  ranges::local_epsilon(local_epsilon);
  ranges::reports(reports);
  require_integer_order(order, 0x1p16);
  const double log_copies = std::log(std::floor((reports - 1) / (2 * std::exp(local_epsilon))) + 1);
  double log_excess = log_choose(order, 2) + 2 * renyi::log_expm1(local_epsilon) - log_copies - local_epsilon;
  const double log_base = 2 * renyi::log_expm1(2 * local_epsilon) - std::numbers::ln2 - 2 * local_epsilon - log_copies;
  for (int power = 3; power <= static_cast<int>(order); ++power) {
    const double i = power;
    log_excess = log_add(log_excess, log_choose(order, i) + std::log(i) + std::lgamma(i / 2) + i / 2 * log_base);
  }
  log_excess = log_add(log_excess, local_epsilon * order - (reports - 1) / (8 * std::exp(local_epsilon)));
  return divergence(log_excess, order);
}

}  // namespace dpbudget::shuffle
