#include "dpbudget/accounting/loss_distribution/releases/selected.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "accounting/loss_distribution/finite_pair.h"
#include "accounting/random_event.h"
#include "accounting/trials_law.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/accounting/solve/rounds.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::FinitePair;
using dpbudget::testing::generating;
using dpbudget::testing::log_uniform;
using dpbudget::testing::Outcome;

// The best of the runs where outcomes are ranked as they stand.
FinitePair best_of(const FinitePair& ranked, const std::function<long double(long double)>& g) {
  FinitePair best{{g(0), g(0)}};
  long double p = 0;
  long double q = 0;
  for (const Outcome& outcome : ranked) {
    best.push_back({g(p + outcome.p) - g(p), g(q + outcome.q) - g(q)});
    p += outcome.p;
    q += outcome.q;
  }
  return best;
}

// The largest delta over all rankings of the outcomes, each divided in `parts` of which any order may be preferred.
long double worst_delta(const FinitePair& once, const Trials& trials, double epsilon, std::size_t parts) {
  const auto g = generating(trials);
  FinitePair divided;
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < once.size() * parts; ++i) ranks.push_back(i / parts);
  long double worst = 0;
  do {
    FinitePair ranked;
    for (const std::size_t i : ranks)
      ranked.push_back({once[i].p / static_cast<long double>(parts), once[i].q / static_cast<long double>(parts)});
    worst = std::max(worst, dpbudget::testing::delta_of(best_of(ranked, g), epsilon));
  } while (std::next_permutation(ranks.begin(), ranks.end()));
  return worst;
}

Trials random_trials() {
  if (*rc::gen::arbitrary<bool>()) return {Trials::Poisson{log_uniform(0.05, 30)}};
  const double eta = *rc::gen::element(1.0, 0.0, -0.5, 2.0, -0.9);
  return {Trials::NegativeBinomial{eta, log_uniform(0.01, 0.9)}};
}

// accounting/loss_distribution/proofs.md, 4i.1, 4i.2, 4i.4, 4i.5 and 4i.6
RC_GTEST_PROP(Selected, HoldsForEveryScore, ()) {
  Event once = ApproximateDp{log_uniform(1e-2, 3), log_uniform(1e-6, 0.1)};
  if (*rc::gen::arbitrary<bool>())
    once = RandomizedResponse{log_uniform(1e-2, 3), static_cast<std::uint64_t>(*rc::gen::inRange(2, 5))};
  if (*rc::gen::inRange(0, 3) == 0) once = PoissonSampled{log_uniform(1e-2, 1), once};
  const Trials trials = random_trials();
  const Event event = Selected{trials, once};
  const double epsilon = log_uniform(1e-2, 8);
  RC_LOG() << to_text(event) << " at " << epsilon;
  const FinitePair pair = dpbudget::testing::pair_of(once);
  const auto truth = static_cast<double>(worst_delta(pair, trials, epsilon, pair.size() == 2 ? 4 : 1));
  Accountant accountant(Plan{event, Adjacency::add_or_remove_one}, 1e-2);
  const Bound bound = accountant.delta(1, epsilon).bound;
  RC_LOG() << ": " << truth << " in [" << bound.lower << ", " << bound.upper << "]";
  RC_ASSERT(bound.upper >= truth * (1 - 1e-9) - 1e-15);
  RC_ASSERT(bound.lower <= bound.upper);
  RC_ASSERT(accountant.epsilon(1, 1e-6).lower <= pure_epsilon(event, Adjacency::add_or_remove_one) * (1 + 1e-9));
}

// Composed by its definition, each of two selections by the same score.
RC_GTEST_PROP(Selected, Composes, ()) {
  const Event once = RandomizedResponse{log_uniform(0.1, 2), 2};
  const Trials trials = random_trials();
  const auto g = generating(trials);
  const double epsilon = log_uniform(1e-2, 4);
  FinitePair pair = dpbudget::testing::pair_of(once);
  const FinitePair rising = best_of({pair[1], pair[0]}, g);
  const FinitePair falling = best_of(pair, g);
  const Event event = repeat(2, Selected{trials, once});
  RC_LOG() << to_text(event) << " at " << epsilon;
  const Bound bound = Accountant(Plan{event, Adjacency::add_or_remove_one}, 1e-2).delta(1, epsilon).bound;
  for (const auto& [a, b] : {std::pair{rising, rising}, std::pair{rising, falling}, std::pair{falling, falling}}) {
    const auto truth = static_cast<double>(dpbudget::testing::delta_of(dpbudget::testing::composed(a, b), epsilon));
    RC_ASSERT(bound.upper >= truth * (1 - 1e-9) - 1e-15);
  }
}

struct WorstDelta {
  const char* plan;
  double epsilon;
  double worst;
};

// The integral of accounting/loss_distribution/proofs.md, 4i.2, by a program of its own, on two meshes and
// extrapolated.
constexpr WorstDelta worst_deltas[] = {
    {"select(poisson(10), gaussian(1))", 0.5, 0.68217228},
    {"select(poisson(10), gaussian(1))", 4, 0.14564648},
    {"select(poisson(1), gaussian(1))", 2, 0.0324989767},
    {"select(geometric(0.1), gaussian(1))", 2, 0.31567486},
    {"select(geometric(0.01), gaussian(1))", 4, 0.3363998},
    {"select(poisson(10), gaussian(4))", 0.5, 7.74468721e-02},
    {"select(poisson(10), gaussian(4))", 2, 5.89289459e-07},
    {"select(negative_binomial(0, 0.05), gaussian(4))", 1, 5.83305020e-04},
    {"select(negative_binomial(-0.5, 0.02), gaussian(4))", 0.5, 1.56989258e-02},
    {"select(negative_binomial(3, 0.3), gaussian(2))", 1, 0.11979921},
    {"select(poisson(0.3), gaussian(4))", 0.5, 9.65261417e-04},
};

// accounting/loss_distribution/proofs.md, 4i.2 and 4i.3
TEST(Selected, IsAsTightAsItsTheorem) {
  for (const WorstDelta& each : worst_deltas) {
    SCOPED_TRACE(each.plan);
    const Bound bound = Accountant(parse_plan(each.plan), 1e-3).delta(1, each.epsilon).bound;
    EXPECT_GE(bound.upper, each.worst * (1 - 2e-5));
    EXPECT_LE(bound.upper, each.worst * (1 + 5e-3));
    EXPECT_GT(bound.lower, 0);
    EXPECT_LE(bound.lower, each.worst * (1 + 2e-5));
    EXPECT_EQ(bound.guarantee, Guarantee::proven);
  }
}

double spent(AccountantName name, const std::string& plan, double delta) {
  return make_accountant(name, parse_plan(plan), 1e-3).value()->epsilon(1, delta).value().upper;
}

TEST(Selected, CostsLessThanByRenyi) {
  for (const char* plan : {"select(poisson(10), gaussian(4))", "select(geometric(0.1), gaussian(4))",
                           "select(negative_binomial(0, 0.01), 5 x poisson(0.1, gaussian(2)))"})
    EXPECT_LT(spent(AccountantName::loss_distribution, plan, 1e-6), spent(AccountantName::renyi, plan, 1e-6)) << plan;
}

TEST(Selected, OfMoreRunsCostsMore) {
  double before = 0;
  for (const char* mean : {"0.01", "0.3", "1", "4", "50"}) {
    const double epsilon =
        spent(AccountantName::loss_distribution, std::string("select(poisson(") + mean + "), gaussian(3))", 1e-5);
    EXPECT_GT(epsilon, before);
    before = epsilon;
  }
  before = spent(AccountantName::loss_distribution, "gaussian(3)", 1e-5);
  for (const char* gamma : {"0.99", "0.5", "0.1", "0.01"}) {
    const double epsilon =
        spent(AccountantName::loss_distribution, std::string("select(geometric(") + gamma + "), gaussian(3))", 1e-5);
    EXPECT_GT(epsilon, before * (1 - 1e-3));
    before = epsilon;
  }
}

TEST(Selected, OfOneRunNearlyAlwaysIsThatRun) {
  EXPECT_NEAR(spent(AccountantName::loss_distribution, "select(geometric(0.9999999), gaussian(3))", 1e-5),
              spent(AccountantName::loss_distribution, "gaussian(3)", 1e-5), 5e-3);
  EXPECT_EQ(spent(AccountantName::best, "select(poisson(0), gaussian(3))", 1e-5), 0);
  EXPECT_EQ(spent(AccountantName::best, "select(geometric(0.5), nothing)", 1e-5), 0);
}

// accounting/plan/proofs.md, 6.1
TEST(Selected, PureDpIsAttainedInTheLimit) {
  // Outcomes of randomised response, the worst ones ranked last: the loss of a part of the top one's lowest end.
  for (const Trials& trials :
       {geometric(0.1), Trials{Trials::NegativeBinomial{0, 0.3}}, Trials{Trials::Poisson{4.0}}}) {
    const double epsilon = 0.7;
    const auto g = generating(trials);
    const long double truth = std::exp(0.7L) / (1 + std::exp(0.7L));
    // What is preferred to it has truth of Q and 1 - truth of P.
    const long double p = truth;
    const long double q = 1 - truth;
    const long double part = 1e-6L;
    const long double loss = std::log((g(p) - g(p - part * truth)) / (g(q) - g(q - part * (1 - truth))));
    const double bound = pure_epsilon(Selected{trials, Event(PureDp{epsilon})}, Adjacency::replace_one);
    EXPECT_NEAR(bound, static_cast<double>(loss), 1e-4);
    EXPECT_GE(bound, static_cast<double>(loss) - 1e-9);
  }
  EXPECT_EQ(selected_pure_epsilon(geometric(0.5), 0), 0);
}

TEST(Selected, IsSolvedAndCounted) {
  const auto found =
      solve::unknown(parse_plan("select(poisson(?), gaussian(4))"), AccountantName::loss_distribution, 1e-2, 2, 1e-6);
  ASSERT_TRUE(found && found->value);
  EXPECT_EQ(found->kind, UnknownKind::trials);
  EXPECT_LE(found->at_value.upper, 2);
  EXPECT_NEAR(*found->value, 10.35, 0.2);
  const auto noise =
      solve::unknown(parse_plan("3 x select(geometric(0.2), gaussian(?))"), AccountantName::best, 1e-2, 2, 1e-5);
  ASSERT_TRUE(noise && noise->value);
  EXPECT_LE(noise->at_value.upper, 2);
  EXPECT_GE(noise->at_value.upper, 1.9);
}

TEST(Selected, RoundsFit) {
  const Plan once = parse_plan("select(geometric(0.1), gaussian(10))");
  const auto rounds = solve::rounds(once, AccountantName::best, 1e-2, 4, 1e-6);
  ASSERT_TRUE(rounds);
  EXPECT_GE(rounds->rounds, 15U);
  EXPECT_LE(rounds->at_rounds.upper, 4);
}

TEST(Selected, ReadsAndWrites) {
  for (const char* text : {"select(poisson(10), gaussian(4))", "select(geometric(0.1), 2 x laplace(3))",
                           "select(negative_binomial(-0.5, 0.02), rr(1))", "select(poisson(?), pure(1))"}) {
    const Plan plan = parse_plan(text);
    EXPECT_EQ(to_text(plan.event), text);
    EXPECT_EQ(plan_from_json(nlohmann::json::parse(to_json(plan).dump())), plan) << text;
  }
  EXPECT_EQ(parse_plan("select(negative_binomial(1, 0.1), pure(1))"), parse_plan("select(geometric(0.1), pure(1))"));
}

TEST(Selected, RefusesBadNumbersByName) {
  for (const auto& [text, name] :
       {std::pair{"select(poisson(-1), gaussian(1))", "mean"}, std::pair{"select(poisson(2e6), gaussian(1))", "mean"},
        std::pair{"select(geometric(0), gaussian(1))", "gamma"},
        std::pair{"select(geometric(1), gaussian(1))", "gamma"},
        std::pair{"select(geometric(?), gaussian(1))", "gamma"},
        std::pair{"select(negative_binomial(-1, 0.5), gaussian(1))", "eta"},
        std::pair{"select(negative_binomial(nan, 0.5), gaussian(1))", "eta"},
        std::pair{"select(uniform(3), gaussian(1))", "how many runs"}}) {
    try {
      parse_plan(text);
      FAIL() << "accepted " << text;
    } catch (const InvalidArgument& refused) {
      EXPECT_NE(std::string(refused.what()).find(name), std::string::npos) << refused.what();
    }
  }
  try {
    plan_from_json(nlohmann::json::parse(
        R"({"version":1,"adjacency":"replace_one","event":{"selected":{"trials":{"uniform":{}},"inner":{"pure_dp":{"epsilon":1}}}}})"));
    FAIL() << "accepted";
  } catch (const InvalidArgument& refused) {
    EXPECT_NE(std::string(refused.what()).find("negative_binomial"), std::string::npos) << refused.what();
  }
}

TEST(Selected, IsRefusedByNameWhereNothingIsKnown) {
  for (const AccountantName name : {AccountantName::concentrated, AccountantName::approximate}) {
    const auto accountant = make_accountant(name, parse_plan("select(geometric(0.1), gaussian(1))"), 1e-3);
    const auto bound = accountant ? (*accountant)->epsilon(1, 1e-6) : Answer<Bound>(accountant.error());
    ASSERT_FALSE(bound);
    EXPECT_NE(bound.error().text().find("select(geometric(0.1), gaussian(1))"), std::string::npos);
  }
}

// What the dominating pair took left nothing for the end that is attained, and a coarse mesh's was given.
TEST(Selected, AFinerToleranceLowersNoLowerEnd) {
  for (const double delta : {0.1, 1e-3}) {
    const auto lower = [&](double tolerance) {
      return Accountant(parse_plan("select(geometric(0.2), gaussian(1))"), tolerance).epsilon(1, delta).lower;
    };
    const double coarse = lower(1e-2);
    for (const double tolerance : {1e-3, 1e-4}) EXPECT_GE(lower(tolerance), coarse * 0.998) << tolerance;
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
