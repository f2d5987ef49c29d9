#include "dpbudget/accounting/approximate/optimal_composition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/approximate/reference.h"
#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;
using testing::Precise;

double random_delta() { return *rc::gen::arbitrary<bool>() ? 0.0 : log_uniform(1e-30, 0.5); }

// accounting/approximate/proofs.md, 1.2
TEST(OptimalComposition, IsTheSumOverAllOutcomes) {
  for (int count = 1; count <= 10; ++count)
    for (const double total_epsilon : {0.0, 0.05, 0.3, 2.9})
      for (const double epsilon : {0.1, 1.0}) {
        const std::vector<double> epsilons(count, epsilon);
        const std::vector<double> deltas(count, 1e-4);
        EXPECT_LT(testing::log_error(optimal_composition_log_delta(epsilon, 1e-4, count, total_epsilon),
                                     testing::by_all_outcomes(epsilons, deltas, total_epsilon)),
                  1e-13)
            << count << " " << epsilon << " " << total_epsilon;
      }
}

// accounting/approximate/proofs.md, 1.1
RC_GTEST_PROP(OptimalComposition, IsTheBinomialSumWithinItsBracket, ()) {
  const int count = *rc::gen::inRange(1, 800);
  const double epsilon = log_uniform(1e-6, 20);
  const double delta = random_delta();
  const double total_epsilon = count * epsilon * *rc::gen::inRange(0, 1000) / 1e3;
  const Precise truth = testing::by_binomial(epsilon, delta, count, total_epsilon);
  RC_PRE(truth > 1e-30);  // of the 50 digits
  const double value = optimal_composition_log_delta(epsilon, delta, count, total_epsilon);
  RC_ASSERT(testing::log_error(value, truth) < 1e-11 + 1e-14 * std::abs(value));
  const auto [lower, upper] = optimal_composition_log_delta_bracket(epsilon, delta, count, total_epsilon);
  RC_ASSERT(lower <= log(truth));
  RC_ASSERT(upper == 0 || log(truth) <= upper);
  RC_ASSERT(upper - lower < 1e-9);
}

// Values by mpmath with 60 digits: binomial masses by loggamma, then term by term over 14 standard deviations.
TEST(OptimalComposition, KeepsItsDigitsAtLargeCounts) {
  const auto holds = [](double epsilon, double count, double total_epsilon, double log_delta) {
    const double value = optimal_composition_log_delta(epsilon, 0, count, total_epsilon);
    EXPECT_NEAR(value, log_delta, 1e-11 + 1e-14 * std::abs(log_delta)) << count << " " << total_epsilon;
    const auto [lower, upper] = optimal_composition_log_delta_bracket(epsilon, 0, count, total_epsilon);
    EXPECT_LE(lower, log_delta);
    EXPECT_GE(upper, log_delta);
    EXPECT_LT(upper - lower, 1e-2);
  };
  holds(0.5, 4e+06, 1000000.0, -146975.07496145947039);
  holds(0.001, 4e+06, 5, -3.4332476655180326788);
  holds(0.001, 4e+06, 0, -0.38171520537503497136);
  holds(0.001, 4e+06, 12.3, -17.170256617680879255);
  holds(0.0001, 1e+08, 8, -33.243827869596964187);
  holds(0.0001, 1e+08, 1.5, -2.8700474704261811752);
  holds(0.01, 1e+08, 12000, -2455.8660700731190012);
  holds(0.01, 1e+08, 5500, -15.118164138821311581);
  holds(0.05, 3e+07, 40000.0, -45.133530754772877971);
  holds(1e-06, 1e+06, 1e-05, -7.8392508182772518052);
  holds(1e-06, 1e+06, 0, -7.8266941038534758113);
  holds(5, 1e+06, 4933000, -0.62868406043033944948);
  holds(0.001, 123457, 17, -1175.415054787484619);
  holds(1e-05, 1e+06, 9.99999, -693153.69350291023153);
  holds(0.001, 1e+07, 100, -457.93428882638722071);
}

// A tie adds a term of 0: next to it delta is the same but for the slope.
TEST(OptimalComposition, IsContinuousAtItsLatticePoints) {
  for (const double epsilon : {0.1, 0.3, 1.0})
    for (const double count : {7.0, 20.0})
      for (int index = 0; 2 * index <= count; ++index) {
        const double tie = (count - 2 * index) * epsilon;
        const double at = optimal_composition_log_delta(epsilon, 1e-9, count, tie);
        EXPECT_NEAR(at, optimal_composition_log_delta(epsilon, 1e-9, count, std::nextafter(tie, infinity)), 1e-6);
        EXPECT_NEAR(at, optimal_composition_at(epsilon, 1e-9, count, index).log_delta, 1e-6);
      }
}

TEST(OptimalComposition, AtTheLatticePointsIsTheTheoremsOwnSum) {
  // sum over l < i of C(k, l) (e^((k-l) e) - e^((k-2i+l) e)) / (1 + e^e)^k, in 50 digits.
  for (const int count : {1, 2, 9, 40})
    for (int index = 0; 2 * index <= count; ++index) {
      const Precise odds = exp(Precise(0.2));
      Precise choose = 1;
      Precise s = 0;
      for (int l = 0; l < index; ++l) {
        s += choose * (pow(odds, count - l) - pow(odds, count - 2 * index + l)) / pow(1 + odds, count);
        choose *= Precise(count - l) / (l + 1);
      }
      const EpsilonLogDelta at = optimal_composition_at(0.2, 1e-6, count, index);
      EXPECT_DOUBLE_EQ(at.epsilon, (count - 2 * index) * 0.2);
      EXPECT_LT(testing::log_error(at.log_delta, testing::with_failures(std::vector<double>(count, 1e-6), s)), 1e-12);
    }
}

RC_GTEST_PROP(OptimalComposition, EpsilonAndDeltaAreInverse, ()) {
  const auto count = static_cast<double>(*rc::gen::inRange(1, 3000));
  const double epsilon = log_uniform(1e-5, 5);
  const double delta = random_delta() / (10 * count);
  const double failing = -std::expm1(count * std::log1p(-delta));
  const double total_delta = failing + (1 - failing) * log_uniform(1e-12, 0.9);
  const double found = optimal_composition_epsilon(epsilon, delta, count, total_delta);
  if (found == 0) {
    RC_ASSERT(optimal_composition_log_delta(epsilon, delta, count, 0) <= std::log(total_delta) + 1e-12);
    return;
  }
  RC_ASSERT(found <= count * epsilon * (1 + 1e-14));
  // Next to the largest loss a double's own spacing shows.
  const double top = count * epsilon;
  const double spacing = 1e-13 * top / std::max(top - found, 1e-13 * top);
  RC_ASSERT(std::abs(optimal_composition_log_delta(epsilon, delta, count, found) - std::log(total_delta)) <
            1e-9 + spacing);
  const double bound = optimal_composition_epsilon_bound(epsilon, delta, count, total_delta);
  RC_ASSERT(bound >= found * (1 - 1e-13));
  RC_ASSERT(optimal_composition_log_delta_bracket(epsilon, delta, count, bound).upper <= std::log(total_delta));
  if (total_delta < 0.5 && failing < total_delta / 2) RC_ASSERT(bound <= found * (1 + 1e-6) + 1e-9 * epsilon);
}

// By mpmath: the cell between two lattice points by bisection, inside it delta is affine in e^epsilon.
TEST(OptimalComposition, EpsilonHasItsDigits) {
  const auto holds = [](double epsilon, double delta, double count, double total_delta, double truth) {
    EXPECT_NEAR(optimal_composition_epsilon(epsilon, delta, count, total_delta), truth, 1e-11 * truth);
  };
  holds(0.1, 1e-08, 100, 1e-05, 4.3296367140166061857);
  holds(0.01, 0, 1000, 1e-06, 1.3654467099937559947);
  holds(0.5, 0, 30, 1e-12, 14.999998497996748019);
  holds(2, 0, 1, 0.3, 1.5835741645289493952);
  holds(30, 0, 1, 0.999999999, 9.2766405541608868652);
  holds(2, 0, 1, 0.7, 0.41654801826155492192);
  holds(1, 0.001, 50, 0.06, 35.751169938469561223);
  holds(1, 1e-06, 10, 9.99995500012e-06, 10.0);
  holds(0.01, 0, 1000, 1e-200, 8.7226072726398233151);
  holds(3, 0, 200, 1e-300, 600.0);
  holds(3, 0, 200, 0.5, 544.20825893269274763);
  holds(1e-05, 0, 1000, 0.0001, 0.000056322246758551683777);
  holds(1e-05, 0, 1000, 1e-10, 0.0014707237768266093688);
  holds(0.5, 0.1, 4, 0.35, 1.9360670457651928636);
  holds(0.5, 0.5, 2, 0.75, 1.0);
  holds(10, 0, 20, 0.99, 195.30059534944677766);
  holds(0.001, 0, 20000, 1e-08, 0.70894887390840043877);
  holds(0.001, 1e-10, 20000, 1e-05, 0.50495116807902152601);
  holds(1e-300, 0, 4, 1e-301, 2.3999999999999999938e-300);
  holds(20, 0, 10, 1e-08, 199.99999998999999974);
  holds(100, 0, 3, 1e-50, 300.0);
}

RC_GTEST_PROP(OptimalComposition, FallsInEpsilonAndRisesWithCountAndGuarantee, ()) {
  const auto count = static_cast<double>(*rc::gen::inRange(1, 100000));
  const double epsilon = log_uniform(1e-5, 1);
  const double delta = random_delta() / count;
  const double total_epsilon = log_uniform(1e-3, 3) * epsilon * std::sqrt(count);
  const double at = optimal_composition_log_delta(epsilon, delta, count, total_epsilon);
  const double slack = 1e-11 * (1 + std::abs(at));
  RC_ASSERT(optimal_composition_log_delta(epsilon, delta, count, 1.1 * total_epsilon) <= at + slack);
  RC_ASSERT(optimal_composition_log_delta(epsilon, delta, count + 1, total_epsilon) >= at - slack);
  RC_ASSERT(optimal_composition_log_delta(1.1 * epsilon, delta, count, total_epsilon) >= at - slack);
  RC_ASSERT(optimal_composition_log_delta(epsilon, 1.1 * delta, count, total_epsilon) >= at - slack);
}

TEST(OptimalComposition, AnswersAtTheExtremes) {
  EXPECT_EQ(optimal_composition_log_delta(0, 0, 10, 0), -infinity);
  EXPECT_EQ(optimal_composition_log_delta(1, 1, 10, 3), 0);
  EXPECT_EQ(optimal_composition_log_delta(1, 0, 10, 10), -infinity);
  EXPECT_NEAR(optimal_composition_log_delta(0, 0.1, 2, 5), std::log(0.19), 1e-15);
  EXPECT_EQ(optimal_composition_log_delta(1e300, 0, 10, 5), 0);
  // s = P(all up) (1 - e^-1).
  EXPECT_NEAR(optimal_composition_log_delta(700, 0, 10, 6999), std::log(-std::expm1(-1)), 1e-14);
  // At 0 it is the total variation distance, tanh(epsilon / 2) of one mechanism.
  EXPECT_NEAR(optimal_composition_log_delta(1e-310, 0, 1, 0), std::log(0.5e-310), 1e-12);
  EXPECT_NEAR(optimal_composition_log_delta(1e-5, 0, 1, 0), std::log(std::tanh(0.5e-5)), 1e-13);
  EXPECT_EQ(optimal_composition_epsilon(1, 0.1, 10, 0.5), infinity);
  EXPECT_EQ(optimal_composition_epsilon_bound(1, 0.1, 10, 0.5), infinity);
  EXPECT_EQ(optimal_composition_epsilon(1, 0.5, 2, 0.75), 2);
  EXPECT_EQ(optimal_composition_epsilon(1, 0.1, 1, 0.1), 1);
  EXPECT_EQ(optimal_composition_epsilon(0.1, 0, 10, 0), 1);
  EXPECT_GE(optimal_composition_epsilon_bound(0.1, 0, 10, 0), 1);
  EXPECT_EQ(optimal_composition_epsilon(0.1, 0, 10, 1), 0);
  EXPECT_EQ(optimal_composition_epsilon(0, 1e-6, 10, 1e-4), 0);
  EXPECT_EQ(optimal_composition_epsilon_bound(0, 1e-6, 10, 1e-4), 0);
  EXPECT_EQ(optimal_composition_epsilon(0.1, 0, 10, 0.9), 0);
  EXPECT_EQ(optimal_composition_at(1, 0, 5, 0).log_delta, -infinity);
}

TEST(OptimalComposition, RefusesWhatIsOutOfRange) {
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(optimal_composition_log_delta(bad, 0, 1, 1), InvalidArgument);
    EXPECT_THROW(optimal_composition_log_delta(1, 0, 1, bad), InvalidArgument);
    EXPECT_THROW(optimal_composition_log_delta_bracket(1, 0, 1, bad), InvalidArgument);
    EXPECT_THROW(optimal_composition_epsilon(bad, 0, 1, 0.1), InvalidArgument);
    EXPECT_THROW(optimal_composition_epsilon_bound(bad, 0, 1, 0.1), InvalidArgument);
    EXPECT_THROW(optimal_composition_at(bad, 0, 1, 0), InvalidArgument);
  }
  for (const double bad : {-0.1, 1.1, nan}) {
    EXPECT_THROW(optimal_composition_log_delta(1, bad, 1, 1), InvalidArgument);
    EXPECT_THROW(optimal_composition_epsilon(1, 0, 1, bad), InvalidArgument);
    EXPECT_THROW(optimal_composition_epsilon_bound(1, 0, 1, bad), InvalidArgument);
  }
  for (const double bad : {0.0, -1.0, 1.5, 0x1p54, infinity, nan})
    EXPECT_THROW(optimal_composition_log_delta(1, 0, bad, 1), InvalidArgument);
  for (const double bad : {-1.0, 3.0, 0.5, nan}) EXPECT_THROW(optimal_composition_at(1, 0, 5, bad), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::approximate
