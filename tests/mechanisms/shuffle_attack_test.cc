/// @file
/// An attack on simulated reports: the certified bound must never be below what the attack proves to leak, and the
/// attack must come near the exact value, so that a wrong simulation or a wrong bound cannot hide.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/mechanisms/bernoulli.h"
#include "dpbudget/mechanisms/randomized_response.h"
#include "dpbudget/mechanisms/shuffler.h"
#include "mechanisms/goodness_of_fit.h"

namespace dpbudget::mechanisms {
namespace {

constexpr std::uint64_t users = 200;
constexpr double local_epsilon = 1;
// All other users hold 0; the ones among shuffled bits are all that a report tells.
const double truth = 1 / (1 + std::exp(-local_epsilon));

double binomial_mass(double trials, double probability, double k) {
  return k < 0 || k > trials ? 0 : pdf(boost::math::binomial(trials, probability), k);
}

// P(ones) when the first user holds `bit`.
std::vector<double> exact_law(int bit) {
  const double one = bit == 1 ? truth : 1 - truth;
  std::vector<double> law;
  law.reserve(users + 1);
  for (std::uint64_t k = 0; k <= users; ++k) {
    const auto ones = static_cast<double>(k);
    law.push_back((1 - one) * binomial_mass(users - 1, 1 - truth, ones) +
                  one * binomial_mass(users - 1, 1 - truth, ones - 1));
  }
  return law;
}

double hockey_stick(const std::vector<double>& p, const std::vector<double>& q, double epsilon) {
  double delta = 0;
  for (std::size_t k = 0; k < p.size(); ++k) delta += std::max(0.0, p[k] - std::exp(epsilon) * q[k]);
  return delta;
}

std::uint64_t ones_after_shuffling(std::uint64_t bit, Stream& local, Stream& order) {
  std::vector<std::uint64_t> reports;
  reports.reserve(users);
  for (std::uint64_t user = 0; user < users; ++user)
    reports.push_back(randomized_response(user == 0 ? bit : 0, 2, local_epsilon, local));
  shuffle(reports, order);
  std::uint64_t ones = 0;
  for (const std::uint64_t report : reports) ones += report;
  return ones;
}

// The likelihood-ratio attack: it guesses "1" where the ones are e^epsilon times as likely under 1, or the other way
// round. What it proves, at confidence 1 - 1e-6, of epsilon's delta.
class Attack {
 public:
  Attack(const std::vector<std::uint64_t>& counts, const std::vector<std::uint64_t>& counts_otherwise,
         const std::vector<double>& law, const std::vector<double>& law_otherwise, double epsilon) {
    double runs = 0, runs_otherwise = 0, guesses = 0, guesses_otherwise = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      runs += static_cast<double>(counts[k]);
      runs_otherwise += static_cast<double>(counts_otherwise[k]);
      if (law[k] <= std::exp(epsilon) * law_otherwise[k]) continue;
      guesses += static_cast<double>(counts[k]);
      guesses_otherwise += static_cast<double>(counts_otherwise[k]);
    }
    // Clopper and Pearson, half of the error for each side.
    using boost::math::binomial;
    hits_ = binomial::find_lower_bound_on_p(runs, guesses, 0.5e-6);
    false_alarms_ = binomial::find_upper_bound_on_p(runs_otherwise, guesses_otherwise, 0.5e-6);
  }

  double proven_delta(double epsilon) const { return hits_ - std::exp(epsilon) * false_alarms_; }
  double proven_epsilon(double delta) const { return std::log((hits_ - delta) / false_alarms_); }

 private:
  double hits_, false_alarms_;
};

TEST(ShuffleAttack, LawsAreTheReferences) {
  // shared/reference/vectors.jsonl: shuffle.randomized_response_delta/000, the larger of the two directions, and
  // shuffle.clones_delta/004.
  EXPECT_NEAR(hockey_stick(exact_law(0), exact_law(1), 0.1) / 0.003553779266888930689, 1, 1e-11);
  EXPECT_NEAR(std::exp(shuffle::clones_log_delta(local_epsilon, 100, 0.05)) / 0.04002611307658479337, 1, 1e-11);
}

TEST(ShuffleAttack, SimulationHasTheLaw) {
  for (const int bit : {0, 1}) {
    Stream local({31, Purpose::local_randomness, static_cast<std::uint64_t>(bit), 0, 0});
    Stream order({31, Purpose::shuffling, static_cast<std::uint64_t>(bit), 0, 0});
    std::vector<std::uint64_t> counts(users + 1);
    for (int run = 0; run < 10000; ++run) ++counts[ones_after_shuffling(static_cast<std::uint64_t>(bit), local, order)];
    EXPECT_GT(goodness_of_fit(counts, exact_law(bit)), 1e-6) << bit;
  }
}

TEST(ShuffleAttack, StaysBelowTheCertifiedBoundAndComesNearTheTruth) {
  const std::uint64_t runs = 2500000;
  std::vector<std::vector<std::uint64_t>> counts(2, std::vector<std::uint64_t>(users + 1));
  for (const std::size_t bit : {std::size_t{0}, std::size_t{1}}) {
    // The others' reports at once: their ones are binomial, as the test above shows of reports one by one.
    Stream local({32, Purpose::local_randomness, bit, 0, 0});
    for (std::uint64_t run = 0; run < runs; ++run)
      ++counts[bit][binomial(users - 1, 1 - truth, local) + randomized_response(bit, 2, local_epsilon, local)];
  }
  const std::vector<double> law_of_0 = exact_law(0), law_of_1 = exact_law(1);
  for (const double epsilon : {0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3}) {
    const double certified = std::exp(shuffle::clones_log_delta(local_epsilon, users, epsilon));
    EXPECT_LE(Attack(counts[1], counts[0], law_of_1, law_of_0, epsilon).proven_delta(epsilon), certified) << epsilon;
    EXPECT_LE(Attack(counts[0], counts[1], law_of_0, law_of_1, epsilon).proven_delta(epsilon), certified) << epsilon;
  }
  const double epsilon = 0.1;
  const double delta = hockey_stick(law_of_0, law_of_1, epsilon);
  const double proven = Attack(counts[0], counts[1], law_of_0, law_of_1, epsilon).proven_epsilon(delta);
  EXPECT_GE(proven, 0.8 * epsilon);
  EXPECT_LE(proven, epsilon);
}

}  // namespace
}  // namespace dpbudget::mechanisms
