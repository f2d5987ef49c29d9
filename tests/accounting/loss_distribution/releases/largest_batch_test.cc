#include "dpbudget/accounting/loss_distribution/releases/largest_batch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "mechanisms/refused.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

double phi(double x) { return boost::math::cdf(boost::math::normal(), x); }

// The divergence of the largest outputs' laws, on a finer grid of them.
double delta_of_largest(double noise, int steps, double epsilon) {
  const auto at_most = [&](double mean, double x) {
    return phi((x - mean) / noise) * std::pow(phi(x / noise), steps - 1);
  };
  const int cells = 20000;
  const double low = -10 * noise;
  const double high = 2 + 12 * noise;
  double delta = 0;
  double p_before = 0;
  double q_before = 0;
  for (int i = 0; i < cells; ++i) {
    const double to = low + (high - low) * (i + 1) / cells;
    const double p = at_most(2, to);
    const double q = at_most(1, to);
    delta += std::max(0.0, p - p_before - std::exp(epsilon) * (q - q_before));
    p_before = p;
    q_before = q;
  }
  return delta;
}

// accounting/loss_distribution/proofs.md, 4j.1 and 4j.2
TEST(LargestBatch, ShowsItsLawButForTheCells) {
  for (const auto& [noise, steps] : {std::pair{0.4, 3}, std::pair{1.0, 2}, std::pair{1.0, 30}, std::pair{2.5, 8}})
    for (const double epsilon : {0.0, 0.3, 1.0}) {
      const Pieces pieces = largest_batch_pieces(noise, static_cast<std::uint64_t>(steps), {0.01, 1e-12}).value();
      double found = 0;
      double p = 0;
      double q = 0;
      for (const Piece& piece : pieces.pieces) {
        found += std::max(0.0, piece.p - std::exp(epsilon) * piece.q);
        p += piece.p;
        q += piece.q;
        EXPECT_NEAR(piece.barycentre, std::log(piece.p / piece.q), 1e-12);
      }
      EXPECT_NEAR(p, 1, 1e-7);
      EXPECT_NEAR(q, 1, 1e-7);
      const double truth = delta_of_largest(noise, steps, epsilon);
      EXPECT_LE(found, truth * (1 + 1e-5) + 1e-13) << noise << ' ' << steps << ' ' << epsilon;
      EXPECT_GE(found, truth * (1 - 2e-3)) << noise << ' ' << steps << ' ' << epsilon;
    }
}

// All outputs of two batches, by quadrature over the plane, in both directions.
TEST(LargestBatch, IsNoMoreThanAllOutputsShow) {
  for (const double noise : {0.5, 1.0, 2.0})
    for (const double epsilon : {0.0, 1.0}) {
      const auto density = [&](double x, double mean) {
        const double u = (x - mean) / noise;
        return std::exp(-u * u / 2) / noise / std::sqrt(2 * std::numbers::pi);
      };
      const double step = noise / 20;
      double forward = 0;
      double backward = 0;
      for (double x = -8 * noise; x < 2 + 8 * noise; x += step)
        for (double y = -8 * noise; y < 2 + 8 * noise; y += step) {
          const double p = (density(x, 2) * density(y, 0) + density(x, 0) * density(y, 2)) / 2;
          const double q = (density(x, 1) * density(y, 0) + density(x, 0) * density(y, 1)) / 2;
          forward += std::max(0.0, p - std::exp(epsilon) * q) * step * step;
          backward += std::max(0.0, q - std::exp(epsilon) * p) * step * step;
        }
      const Plan plan{ShuffledBatches{2, Inner(Gaussian{noise})}, Adjacency::zero_out_one};
      const DeltaBound found = Accountant(plan, 1e-3).delta(1, epsilon);
      EXPECT_LE(found.bound.lower, std::max(forward, backward) * (1 + 1e-3)) << noise << ' ' << epsilon;
      EXPECT_GE(found.bound.upper, std::max(forward, backward) * (1 - 1e-3)) << noise << ' ' << epsilon;
      EXPECT_GT(found.bound.lower, 0.5 * std::max(forward, backward)) << noise << ' ' << epsilon;
    }
}

// Any boolean query on batches of the records' values, answered as randomised response: all orders of the records.
// accounting/renyi/proofs.md, 7.3
RC_GTEST_PROP(ShuffledBatches, CostNoMoreThanTheirRelease, ()) {
  const double e = log_uniform(0.1, 3);
  const int steps = *rc::gen::inRange(2, 4);
  const int size = *rc::gen::inRange(1, 3);
  const int values = 3;
  std::map<std::vector<int>, bool> query;
  std::vector<int> first;
  for (int i = 0; i < steps * size; ++i) first.push_back(*rc::gen::inRange(0, values));
  std::vector<int> second = first;
  second.front() = *rc::gen::inRange(0, values);
  const auto answer = [&](std::vector<int> batch) {
    std::ranges::sort(batch);
    const auto known = query.find(batch);
    if (known != query.end()) return known->second;
    return query[batch] = *rc::gen::arbitrary<bool>();
  };
  const long double truth_probability = 1 / (1 + std::exp(-static_cast<long double>(e)));
  const auto law = [&](const std::vector<int>& records) {
    std::vector<long double> outcomes(std::size_t{1} << steps, 0);
    std::vector<int> order(records.size());
    std::iota(order.begin(), order.end(), 0);
    long double orders = 0;
    do {
      ++orders;
      std::vector<bool> told;
      for (int step = 0; step < steps; ++step) {
        std::vector<int> batch;
        for (int i = 0; i < size; ++i) batch.push_back(records[order[step * size + i]]);
        told.push_back(answer(batch));
      }
      for (std::size_t y = 0; y < outcomes.size(); ++y) {
        long double p = 1;
        for (int step = 0; step < steps; ++step)
          p *= ((y >> step & 1U) != 0) == told[step] ? truth_probability : 1 - truth_probability;
        outcomes[y] += p;
      }
    } while (std::ranges::next_permutation(order).found);
    for (long double& p : outcomes) p /= orders;
    return outcomes;
  };
  const auto one = law(first);
  const auto two = law(second);
  const double epsilon = *rc::gen::inRange(0, 10) * 0.1 * e;
  long double delta = 0;
  for (std::size_t y = 0; y < one.size(); ++y)
    delta += std::max(0.0L, one[y] - std::exp(static_cast<long double>(epsilon)) * two[y]);
  const Plan plan{ShuffledBatches{static_cast<std::uint64_t>(steps), Inner(PureDp{e})}, Adjacency::replace_one};
  for (const AccountantName name :
       {AccountantName::loss_distribution, AccountantName::renyi, AccountantName::approximate})
    RC_ASSERT(make_accountant(name, plan).value()->delta(1, epsilon)->bound.upper >= delta * (1 - 1e-12L));
}

// Where all others hold the replacement, they are what random allocation is.
TEST(ShuffledBatches, AreFromBelowWhatDealingIs) {
  const Bound batches =
      Accountant(parse_plan("shuffled_batches(20, gaussian(1)) under replace_one"), 1e-3).epsilon(1, 1e-5);
  const Bound dealt = Accountant(parse_plan("random_allocation(20, gaussian(1))"), 1e-3).epsilon(1, 1e-5);
  const Bound alone = Accountant(parse_plan("gaussian(1)"), 1e-3).epsilon(1, 1e-5);
  EXPECT_NEAR(batches.lower, dealt.lower, 2e-3 * dealt.lower);
  EXPECT_NEAR(batches.upper, alone.upper, 1e-3 * alone.upper);
}

// What Poisson samples are said to cost is less than what shuffled ones show.
TEST(ShuffledBatches, MayShowMoreThanPoissonSamplesOfTheirSize) {
  const Bound batches =
      Accountant(parse_plan("shuffled_batches(100, gaussian(0.5)) under zero_out_one"), 1e-3).epsilon(1, 1e-6);
  const Bound poisson =
      Accountant(parse_plan("100 x poisson(0.01, gaussian(0.5)) under zero_out_one"), 1e-3).epsilon(1, 1e-6);
  EXPECT_GT(batches.lower, poisson.upper);
}

// Two batches of two reports each, the reports of a batch in random order: of all data sets of four records.
// accounting/loss_distribution/proofs.md, 4j.1
TEST(ShuffledBatches, OfShuffledReportsShowNoMoreThanSomeDataSet) {
  using Batch = std::pair<int, int>;
  const auto law = [](const std::array<int, 4>& records, double e, int values) {
    const double truth = std::exp(e) / (std::exp(e) + values - 1);
    std::map<std::pair<Batch, Batch>, double> found;
    std::array<int, 4> order = {0, 1, 2, 3};
    do {
      for (int y = 0; y < values * values * values * values; ++y) {
        const std::array<int, 4> report = {y % values, y / values % values, y / values / values % values,
                                           y / values / values / values};
        double p = 1.0 / 24;
        for (std::size_t i = 0; i < 4; ++i) p *= report[i] == records[order[i]] ? truth : (1 - truth) / (values - 1);
        found[{std::minmax(report[0], report[1]), std::minmax(report[2], report[3])}] += p;
      }
    } while (std::ranges::next_permutation(order).found);
    return found;
  };
  const auto shown = [&](double e, int values, double epsilon) {
    double most = 0;
    for (int others = 0; others < values * values * values; ++others) {
      std::array<int, 4> records = {0, others % values, others / values % values, others / values / values};
      const auto one = law(records, e, values);
      records[0] = 1;
      auto two = law(records, e, values);
      double delta = 0;
      for (const auto& [y, p] : one) delta += std::max(0.0, p - std::exp(epsilon) * two[y]);
      most = std::max(most, delta);
    }
    return most;
  };
  for (const int values : {2, 3})
    for (const double e : {1.0, 2.0})
      for (const double epsilon : {0.0, 0.1 * e, 0.3 * e}) {
        const Inner reports(RandomizedResponse{e, static_cast<std::uint64_t>(values)});
        const Plan plan{ShuffledBatches{2, Inner(Shuffled{2, reports})}, Adjacency::replace_one};
        const DeltaBound found = Accountant(plan, 1e-3).delta(1, epsilon);
        const double truth = shown(e, values, epsilon);
        EXPECT_LE(found.bound.lower, truth) << values << ' ' << e << ' ' << epsilon;
        EXPECT_GE(found.bound.upper, truth) << values << ' ' << e << ' ' << epsilon;
        if (values == 2) {
          EXPECT_GT(found.bound.lower, 0.5 * truth) << e << ' ' << epsilon;
        }
      }
}

// A sample that lacks the record is like one where it is blanked, if others add nothing: then batches are dealt ones.
// accounting/loss_distribution/proofs.md, 4j.1
TEST(ShuffledBatches, InASampleAreFromBelowWhatDealingIs) {
  for (const std::string around : {"poisson(0.5, ", "poisson(0.5, laplace(3) + "}) {
    const auto lower = [&](const std::string& inside) {
      return Accountant(parse_plan(around + inside + ") under zero_out_one"), 0.1).epsilon(1, 1e-3).lower;
    };
    const double dealt = lower("random_allocation(20, gaussian(0.5))");
    EXPECT_NEAR(lower("shuffled_batches(20, gaussian(0.5))"), dealt, 0.1 * dealt) << around;
  }
}

TEST(ShuffledBatches, ComposeAndStandInOtherPlans) {
  for (const char* text : {"10 x shuffled_batches(50, gaussian(2)) under zero_out_one",
                           "10 x shuffled_batches(50, gaussian(2)) + laplace(3) under replace_one",
                           "shuffled_batches(5, laplace(1) + 2 x gaussian(2)) under zero_out_one",
                           "shuffled_batches(5, gaussian(0.001)) under zero_out_one",
                           "shuffled_batches(5, gaussian(1e9)) under replace_one",
                           "participates(0.5, shuffled_batches(5, gaussian(1))) under replace_one"})
    for (const AccountantName name : {AccountantName::best, AccountantName::loss_distribution}) {
      const Bound found = make_accountant(name, parse_plan(text)).value()->epsilon(1, 1e-5).value();
      EXPECT_LE(found.lower, found.upper) << text;
      EXPECT_EQ(found.guarantee, Guarantee::proven) << text;
    }
}

TEST(ShuffledBatches, AreRefusedWhereRecordsAreAdded) {
  for (const AccountantName name : {AccountantName::loss_distribution, AccountantName::renyi,
                                    AccountantName::approximate, AccountantName::concentrated, AccountantName::contour})
    EXPECT_REFUSED(std::string(to_string(name)) + " has no theorem for `shuffled_batches(5, gaussian(1))` under add_or",
                   make_accountant(name, parse_plan("shuffled_batches(5, gaussian(1)) under add_or_remove_one"))
                       .value()
                       ->epsilon(1, 1e-5)
                       .value());
}

}  // namespace
}  // namespace dpbudget::loss_distribution
