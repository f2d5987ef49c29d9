#include "dpbudget/accounting/shuffle/responses/exact.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "accounting/base/nan.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/responses/randomized_response.h"

namespace dpbudget::shuffle {
namespace {

using Probabilities = std::vector<double>;

// All sequences of reports, one by one.
double by_sequences(const Probabilities& r0, const Probabilities& r1, const std::vector<Probabilities>& others,
                    double epsilon) {
  struct Pair {
    long double p;
    long double q;
  };
  std::map<std::vector<int>, Pair> histograms = {{std::vector<int>(r0.size(), 0), {1, 1}}};
  const auto report = [&](const Probabilities& p, const Probabilities& q) {
    std::map<std::vector<int>, Pair> next;
    for (const auto& [counts, pair] : histograms) {
      for (std::size_t y = 0; y < p.size(); ++y) {
        std::vector<int> more = counts;
        ++more[y];
        Pair& sum = next[more];
        sum.p += pair.p * p[y];
        sum.q += pair.q * q[y];
      }
    }
    histograms = std::move(next);
  };
  report(r0, r1);
  for (const Probabilities& other : others) report(other, other);
  const long double factor = std::exp(static_cast<long double>(epsilon));
  long double forward = 0;
  long double backward = 0;
  for (const auto& [counts, pair] : histograms) {
    forward += std::max(0.0L, pair.p - factor * pair.q);
    backward += std::max(0.0L, pair.q - factor * pair.p);
  }
  return static_cast<double>(std::max(forward, backward));
}

Probabilities random_probabilities(std::size_t outputs) {
  Probabilities result(outputs);
  double sum = 0;
  for (double& p : result) sum += p = *rc::gen::inRange(0, 1000) + 1e-3;
  for (double& p : result) p /= sum;
  return result;
}

// The counterexamples to the multinomial reduction, formulas.md 6.6; values in 28 digits from mpmath.
TEST(ExactDelta, HasTheReferenceValues) {
  struct Case {
    Probabilities r0, r1, others;
    std::uint64_t reports;
    double delta;
  };
  const std::vector<Case> cases = {{{0.14621171572600097, 0.05378828427399903, 0.5455244762557075, 0.25447552374429244},
                                    {0.05378828427399903, 0.14621171572600097, 0.5455244762557075, 0.25447552374429244},
                                    {0.05378828427399903, 0.05378828427399903, 0.20068723947029343, 0.6917361919817085},
                                    3,
                                    0.02763836593264319987887049948},
                                   {{0.36552928931500245, 0.13447071068499755, 0.2672233226942615, 0.23277667730573848},
                                    {0.13447071068499755, 0.36552928931500245, 0.2672233226942615, 0.23277667730573848},
                                    {0.13447071068499755, 0.13447071068499755, 0.09830596662074093, 0.6327526120092639},
                                    5,
                                    0.04096616956175711341771584762},
                                   {{0.4403985389889412, 0.05960146101105878, 0.387901746287188, 0.11209825371281204},
                                    {0.05960146101105878, 0.4403985389889412, 0.387901746287188, 0.11209825371281204},
                                    {0.05960146101105878, 0.05960146101105878, 0.05249679270175326, 0.8283002852761292},
                                    8,
                                    0.1774136479069588217481280189}};
  for (const Case& c : cases) EXPECT_NEAR(exact_delta(c.r0, c.r1, c.others, c.reports, 0.4), c.delta, 1e-14 * c.delta);
}

RC_GTEST_PROP(ExactDelta, IsThatOfAllSequences, ()) {
  const auto outputs = static_cast<std::size_t>(*rc::gen::inRange(1, 6));
  const Probabilities r0 = random_probabilities(outputs);
  const Probabilities r1 = random_probabilities(outputs);
  std::vector<Probabilities> others(static_cast<std::size_t>(*rc::gen::inRange(0, 6)));
  for (Probabilities& other : others) other = random_probabilities(outputs);
  const double epsilon = *rc::gen::inRange(0, 300) / 100.0;
  const double truth = by_sequences(r0, r1, others, epsilon);
  RC_ASSERT(std::abs(exact_delta(r0, r1, others, epsilon) - truth) <= 1e-13 * truth + 1e-18);
  if (others.empty()) return;
  const std::vector<Probabilities> equal(others.size(), others.front());
  const double of_equal = exact_delta(r0, r1, others.front(), others.size() + 1, epsilon);
  RC_ASSERT(std::abs(of_equal - exact_delta(r0, r1, equal, epsilon)) <= 1e-13 * of_equal + 1e-18);
}

TEST(ExactDelta, TakesOutputsThatNobodyElseReports) {
  const Probabilities r0 = {0.5, 0.5, 0};
  const Probabilities r1 = {0.25, 0.25, 0.5};
  const Probabilities others = {0.5, 0.5, 0};
  EXPECT_NEAR(exact_delta(r0, r1, others, 300, 1), 0.5, 1e-15);
  EXPECT_NEAR(exact_delta(r0, r1, others, 300, 20000), 0.5, 1e-15);
}

TEST(ExactDelta, HoldsForManyReportsOfTwoOutputs) {
  // By randomized_response.h, which is held against 50 digits.
  const double q = 1 / (1 + std::exp(6.0));
  const Probabilities zero = {1 - q, q};
  const Probabilities one = {q, 1 - q};
  EXPECT_NEAR(std::log(exact_delta(zero, one, zero, 100000, 0.3)), randomized_response_log_delta(6, 100000, 0.3),
              1e-10);
}

TEST(ExactDelta, IsNothingForEqualReports) {
  const Probabilities r = {0.2, 0.3, 0.5};
  EXPECT_EQ(exact_delta(r, r, Probabilities{0.1, 0.1, 0.8}, 50, 0), 0);
}

TEST(ExactDelta, RefusesWhatIsOutOfRange) {
  const Probabilities half = {0.5, 0.5};
  for (const Probabilities& bad : {Probabilities{0.5, 0.4}, {0.5}, {1.5, -0.5}, {nan, 0.5}, {0.3, 0.3, 0.4}, {}}) {
    EXPECT_THROW(exact_delta(bad, half, half, 3, 1), InvalidArgument);
    EXPECT_THROW(exact_delta(half, bad, half, 3, 1), InvalidArgument);
    EXPECT_THROW(exact_delta(half, half, bad, 3, 1), InvalidArgument);
    EXPECT_THROW(exact_delta(half, half, std::vector<Probabilities>{half, bad}, 1), InvalidArgument);
  }
  for (const double bad : {-1.0, nan}) {
    EXPECT_THROW(exact_delta(half, half, half, 3, bad), InvalidArgument);
    EXPECT_THROW(exact_delta(half, half, std::vector<Probabilities>{half}, bad), InvalidArgument);
  }
  EXPECT_THROW(exact_delta(half, half, half, 0, 1), InvalidArgument);
  const Probabilities many(2000, 1.0 / 2000);
  EXPECT_THROW(exact_delta(many, many, many, 2, 1), InvalidArgument);
}

TEST(ExactDelta, RefusesTooManyHistograms) {
  const Probabilities half = {0.5, 0.5};
  EXPECT_THROW(exact_delta(half, half, half, std::uint64_t{1} << 22, 1), Unsupported);
  EXPECT_THROW(exact_delta(half, half, half, std::uint64_t{1} << 53, 1), Unsupported);
  EXPECT_THROW(exact_delta(half, half, std::vector<Probabilities>(200000, half), 1), Unsupported);
}

}  // namespace
}  // namespace dpbudget::shuffle
