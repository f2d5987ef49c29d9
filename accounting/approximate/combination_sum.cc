#include "dpbudget/accounting/approximate/combination_sum.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::approximate {

using numeric::Binomial;
namespace {

using numeric::unit;

// A number of twice the digits: total_epsilon less losses, which may cancel but for the last digits.
struct Difference {
  double high;
  double low;

  // Less count * epsilon, with an error of a relative 2^-104 of the largest number that came up.
  Difference less(double count, double epsilon) const {
    const double product = count * epsilon;
    const double rest = std::fma(count, epsilon, -product);
    const double sum = high - product;
    const double part = sum - high;
    const double error = (high - (sum - part)) - (product + part);
    const double tail = low - rest + error;
    const double top = sum + tail;
    return {top, tail - (top - sum)};
  }
};

}  // namespace

// Goes through the combinations, group by group.
class Combinations::Sum {
 public:
  explicit Sum(const Combinations& of) : of_(of) {}

  // `rest` is total_epsilon less the losses of the groups before `level`.
  // accounting/approximate/proofs.md, 2.2
  void add(std::size_t level, const Difference& rest, double log_mass) {
    if (level == of_.groups_.size()) {
      if (rest.high < 0) add_term(log_mass, -std::expm1(rest.high + rest.low));
      return;
    }
    const Group& group = of_.groups_[level];
    const double after = level + 1 < of_.groups_.size() ? of_.reach_[level + 1] : 0;
    // From the largest loss down, until the groups after it can no longer make up for the rest; a margin for rounding
    // only admits terms that then turn out to be 0.
    for (std::size_t j = group.log_mass.size(); j-- > 0;) {
      const Difference next = rest.less(2 * static_cast<double>(j) - group.count, group.epsilon);
      if (next.high - after > 1e-12 * of_.reach_.front()) break;
      add(level + 1, next, log_mass + group.log_mass[j]);
    }
  }

  double log_value() const { return log_scale_ + std::log(sum_ + compensation_); }
  double terms() const { return terms_; }

 private:
  void add_term(double log_mass, double weight) {
    ++terms_;
    if (log_mass > log_scale_) {
      const double shrink = std::exp(log_scale_ - log_mass);
      sum_ *= shrink;
      compensation_ *= shrink;
      log_scale_ = log_mass;
    }
    const double term = std::exp(log_mass - log_scale_) * weight;
    const double sum = sum_ + term;
    compensation_ += std::abs(sum_) >= term ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }

  const Combinations& of_;
  double log_scale_ = -infinity;  // of the most likely term so far
  double sum_ = 0;                // in its units
  double compensation_ = 0;       // what the additions rounded away
  double terms_ = 0;
};

Combinations::Combinations(std::span<const double> epsilons) {
  std::vector<double> sorted(epsilons.begin(), epsilons.end());
  std::ranges::sort(sorted, std::greater());
  for (const double epsilon : sorted) {
    if (epsilon == 0) break;
    if (groups_.empty() || groups_.back().epsilon != epsilon) groups_.push_back({epsilon, 0, {}});
    ++groups_.back().count;
  }
  reach_.resize(groups_.size());
  double reach = 0;
  for (std::size_t i = groups_.size(); i-- > 0;) {
    reach += groups_[i].count * groups_[i].epsilon;
    reach_[i] = reach;
    const Binomial binomial = Binomial::of_odds(groups_[i].count, groups_[i].epsilon);
    const auto outcomes = to_integer<std::size_t>(groups_[i].count, "count") + 1;
    groups_[i].log_mass.reserve(outcomes);
    for (std::size_t j = 0; j < outcomes; ++j) groups_[i].log_mass.push_back(binomial.log_mass(static_cast<double>(j)));
  }
}

double Combinations::number() const {
  double number = 1;
  for (const Group& group : groups_) number *= group.count + 1;
  return number;
}

double Combinations::log_delta(double total_epsilon) const {
  Sum sum(*this);
  sum.add(0, {total_epsilon, 0}, 0);
  return sum.log_value();
}

// accounting/approximate/proofs.md, 2.1
numeric::Bracket Combinations::log_delta_bracket(double total_epsilon) const {
  // More than what the differences may be off by.
  const double shift = 0x1p-98 * (largest_loss() + total_epsilon);
  const auto shifted = [&](double direction) {
    Sum sum(*this);
    sum.add(0, {total_epsilon, -direction * shift}, 0);
    const double value = sum.log_value();
    if (std::isinf(value)) return value;
    double logs = 128 + std::abs(value) + std::log(sum.terms());
    for (const Group& group : groups_) logs += 4 + std::log(group.count);
    return value + direction * 64 * unit * logs;
  };
  return {shifted(-1), shifted(1)};
}

double Combinations::largest_loss() const { return groups_.empty() ? 0 : reach_.front(); }

double Combinations::log_mass_at_top() const {
  double log_mass = 0;
  for (const Group& group : groups_) log_mass += group.log_mass.back();
  return log_mass;
}

double Combinations::second_loss() const { return groups_.empty() ? 0 : reach_.front() - 2 * groups_.back().epsilon; }

}  // namespace dpbudget::approximate
