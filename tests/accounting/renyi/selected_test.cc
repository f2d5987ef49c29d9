#include "dpbudget/accounting/renyi/selected.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "accounting/loss_distribution/finite_pair.h"
#include "accounting/random_event.h"
#include "accounting/trials_law.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/curve_of.h"
#include "dpbudget/accounting/renyi/gaussian.h"

namespace dpbudget::renyi {
namespace {

using dpbudget::testing::FinitePair;
using dpbudget::testing::generating;
using dpbudget::testing::log_uniform;
using dpbudget::testing::Outcome;

double divergence_by(const std::string& plan, double order) {
  const Plan parsed = parse_plan(plan);
  return (*curve_of(NormalPlan(parsed.event, parsed.adjacency)).curve)(order);
}

// The divergence of the best of the runs, for the worst ranking of the outcomes.
double worst_divergence(const FinitePair& once, const Trials& trials, double order) {
  const auto g = generating(trials);
  std::vector<std::size_t> ranks(once.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  long double worst = 0;
  do {
    long double moment = g(0);
    long double p = 0;
    long double q = 0;
    for (const std::size_t i : ranks) {
      const long double of_p = g(p + once[i].p) - g(p);
      const long double of_q = g(q + once[i].q) - g(q);
      moment += std::exp(order * std::log(of_p) - (order - 1) * std::log(of_q));
      p += once[i].p;
      q += once[i].q;
    }
    worst = std::max(worst, std::log(moment) / (order - 1));
  } while (std::next_permutation(ranks.begin(), ranks.end()));
  return static_cast<double>(worst);
}

// accounting/renyi/proofs.md, 11.1, 11.2 and 11.3
RC_GTEST_PROP(SelectedCurve, HoldsForEveryScore, ()) {
  const Event once = RandomizedResponse{log_uniform(1e-2, 3), static_cast<std::uint64_t>(*rc::gen::inRange(2, 5))};
  const Trials trials =
      *rc::gen::arbitrary<bool>()
          ? Trials{Trials::Poisson{log_uniform(0.02, 20)}}
          : Trials{Trials::NegativeBinomial{*rc::gen::element(1.0, 0.0, -0.5, 2.0), log_uniform(0.01, 0.9)}};
  const double order = 1 + log_uniform(0.01, 100);
  const Event event = Selected{trials, once};
  const double truth = worst_divergence(dpbudget::testing::pair_of(once), trials, order);
  const double bound = (*curve_of(NormalPlan(event, Adjacency::replace_one)).curve)(order);
  RC_LOG() << to_text(event) << " at " << order << ": " << truth << " " << bound;
  RC_ASSERT(bound >= truth * (1 - 1e-9) - 1e-14);
}

// Below a mean of 1 the formula of Theorem 6 would be negative here, where the truth is not.
TEST(SelectedCurve, TakesFewerThanOneRun) {
  const double truth = worst_divergence(dpbudget::testing::response_pair(0.1, 2), {Trials::Poisson{0.9}}, 2);
  EXPECT_NEAR(truth, 0.00596, 1e-5);
  EXPECT_GE(divergence_by("select(poisson(0.9), rr(0.1))", 2), truth);
}

// The formulas themselves, with the profile of a Gaussian by quadrature of its density.
TEST(SelectedCurve, IsTheTheorem) {
  const double noise = 4;
  const double order = 16;
  const double epsilon = std::log1p(1 / (order - 1));
  double delta = 0;
  constexpr double step = 1e-4;
  for (double x = -12; x < 12; x += step) {
    const double p = std::exp(-(x - 1 / noise) * (x - 1 / noise) / 2);
    const double q = std::exp(-x * x / 2);
    delta += step / std::sqrt(2 * M_PI) * std::max(0.0, p - std::exp(epsilon) * q);
  }
  const double once = order / (2 * noise * noise);
  EXPECT_NEAR(divergence_by("select(poisson(10), gaussian(4))", order),
              once + 10 * delta + std::log(10.0) / (order - 1), 1e-7);
  // Of the second order: (1 - 1/b) b / (2 s^2) + log(1/gamma) / b is the least at b = s sqrt(2 log(1/gamma)).
  const double second = noise * std::sqrt(2 * std::log(10.0));
  const double more = 2 * ((second - 1) / (2 * noise * noise) + std::log(10.0) / second);
  EXPECT_NEAR(divergence_by("select(geometric(0.1), gaussian(4))", order), once + more + std::log(10.0) / (order - 1),
              1e-7);
}

TEST(SelectedCurve, NeedsNoProfile) {
  // What is known of the delta by the divergences alone is more, and the bound larger.
  const double known = divergence_by("select(poisson(5), gaussian(4))", 8);
  const double unknown = divergence_by("select(poisson(5), zcdp(0.03125))", 8);
  EXPECT_GT(unknown, known);
  EXPECT_LT(unknown, 3 * known);
}

}  // namespace
}  // namespace dpbudget::renyi
