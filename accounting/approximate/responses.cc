#include "dpbudget/accounting/approximate/responses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/numeric/log_math.h"

namespace dpbudget::approximate {

using numeric::Binomial;
using numeric::log_add;
using numeric::log_tail_sum;
using numeric::log_tail_sum_bracket;
using numeric::TailWeight;

Responses::Responses(double epsilon, double count)
    : epsilon_(epsilon), count_(count), binomial_(Binomial::of_odds(count, epsilon)) {}

double Responses::log_delta(double total_epsilon) const {
  const double first = first_above(total_epsilon);
  return log_tail_sum(binomial_, first, weight(total_epsilon, first));
}

double Responses::log_complement(double total_epsilon) const {
  const double first = first_above(total_epsilon);
  const Binomial reversed = binomial_.reversed();
  const TailWeight one{-std::numeric_limits<double>::infinity(), 0};
  // e^-loss P(j) is the probability of j failures.
  return log_add(log_tail_sum(reversed, count_ - first + 1, one), total_epsilon + log_tail_sum(reversed, first, one));
}

numeric::Bracket Responses::log_delta_bracket(double total_epsilon) const {
  const double first = first_above(total_epsilon);
  return log_tail_sum_bracket(binomial_, first, weight(total_epsilon, first));
}

double Responses::log_delta_at(double index) const {
  return log_tail_sum(binomial_, count_ - index + 1, {-2 * epsilon_, 2 * epsilon_});
}

double Responses::log_mass_at_top() const { return binomial_.log_mass(count_); }
double Responses::mean_loss() const { return epsilon_ * count_ * std::tanh(epsilon_ / 2); }
double Responses::loss_deviation() const { return 2 * epsilon_ * binomial_.deviation(); }

// total_epsilon less the loss of j, rounded once: it is 0 at ties exactly, whatever the digits before it.
double Responses::below(double total_epsilon, double j) const {
  return std::fma(count_ - 2 * j, epsilon_, total_epsilon);
}

// The least j whose loss exceeds total_epsilon.
double Responses::first_above(double total_epsilon) const {
  if (below(total_epsilon, count_) >= 0) return count_ + 1;
  double j = std::clamp(std::floor((count_ + total_epsilon / epsilon_) / 2), 0.0, count_);
  while (j > 0 && below(total_epsilon, j - 1) < 0) --j;
  while (below(total_epsilon, j) >= 0) ++j;
  return j;
}

// accounting/approximate/proofs.md, 1.1
TailWeight Responses::weight(double total_epsilon, double first) const {
  return {below(total_epsilon, first), 2 * epsilon_};
}

}  // namespace dpbudget::approximate
