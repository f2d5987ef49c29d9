#include "dpbudget/fl/audit/estimate.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

using Binomial = boost::math::binomial_distribution<double>;

void check_level(double delta, double confidence) {
  require(0 <= delta && delta < 1, "delta", delta, "in [0, 1)");
  require(0 < confidence && confidence < 1, "confidence", confidence, "in (0, 1)");
}

// log(above / below), where below may be 0.
double log_ratio(double above, double below) { return above <= 0 ? 0 : std::max(0.0, std::log(above / below)); }

void check_counts(const GuessCounts& counts) {
  require(counts.guesses <= counts.canaries, "guesses", counts.guesses, "at most the canaries");
  require(counts.correct <= counts.guesses, "correct", counts.correct, "at most the guesses");
}

}  // namespace

RateInterval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error) {
  require(1 <= trials, "trials", trials, "at least 1");
  require(successes <= trials, "successes", successes, "at most the trials");
  require(0 < error && error < 1, "error", error, "in (0, 1)");
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(successes);
  return {Binomial::find_lower_bound_on_p(n, k, error), Binomial::find_upper_bound_on_p(n, k, error)};
}

double epsilon_of_test(const TestCounts& counts, double delta, double confidence) {
  check_level(delta, confidence);
  const double error = (1 - confidence) / 2;
  const double in = clopper_pearson(counts.in_called_in, counts.in, error).lower;
  const double out = clopper_pearson(counts.out_called_in, counts.out, error).upper;
  return std::max(log_ratio(in - delta, out), log_ratio(1 - out - delta, 1 - in));
}

double guesses_p_value(const GuessCounts& counts, double epsilon, double delta) {
  check_counts(counts);
  require(0 <= epsilon && std::isfinite(epsilon), "epsilon", epsilon, "finite and at least 0");
  require(0 <= delta && delta <= 1, "delta", delta, "in [0, 1]");
  if (counts.correct == 0) return 1;
  const auto guesses = static_cast<double>(counts.guesses);
  const auto correct = static_cast<double>(counts.correct);
  const double odds = std::exp(-epsilon);  // of a wrong guess
  const Binomial law(guesses, 1 / (1 + odds));
  const double beta = boost::math::cdf(boost::math::complement(law, correct - 1));
  // Above this lies a share of e^-72 at most (Hoeffding), which changes no digit.
  const double bulk = std::floor(guesses / (1 + odds) + 6 * std::sqrt(guesses));
  double place = std::min(correct - 1, bulk);
  double mass = boost::math::pdf(law, place);
  double alpha = 0;
  double sum = 0;  // P(correct > W >= correct - i), which is at most 1: later i cannot give more than 1 / i
  for (double i = correct - place; place >= 0 && delta > 0 && alpha * i < 1; ++i) {
    sum += mass;
    alpha = std::max(alpha, sum / i);
    mass *= place / (guesses - place + 1) * odds;
    --place;
  }
  return std::min(1.0, beta + 2 * static_cast<double>(counts.canaries) * delta * alpha);
}

double epsilon_of_guesses(const GuessCounts& counts, double delta, double confidence) {
  check_level(delta, confidence);
  check_counts(counts);
  // Who is (epsilon, delta)-DP is so for every larger epsilon as well, so that one which is refuted refutes all below
  // it, whether or not the p-value grows with epsilon: fl/audit/proofs.md, 1.2.
  const auto is_refuted = [&](double epsilon) { return guesses_p_value(counts, epsilon, delta) < 1 - confidence; };
  if (!is_refuted(0)) return 0;
  double low = 0;
  double high = 1;
  while (high < 700 && is_refuted(high)) {
    low = high;
    high *= 2;
  }
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (is_refuted(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace dpbudget::fl
