// Shuffled reports that are not epsilon-DP: from above one of them, from below the data sets where all others are
// equal.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

Bound reports_epsilon(const std::string& plan, double delta, double tolerance = 1e-3) {
  return Accountant(parse_plan(plan), tolerance).epsilon(1, delta);
}
Bound reports_delta(const std::string& plan, double epsilon) {
  return Accountant(parse_plan(plan), 1e-3).delta(1, epsilon).bound;
}

double cumulative(double x) { return boost::math::cdf(boost::math::normal(), x); }
double density(double x) { return boost::math::pdf(boost::math::normal(), x); }

// Two reports of N(x, 1), x being 1/noise or 0, the other one's 0: the larger delta of both directions. Given the other
// report, that of the first has a closed form.
double delta_of_two(double noise, double epsilon) {
  const double shift = 1 / noise;
  const double level = 2 * std::exp(epsilon);
  const auto ratio = [&](double y) { return std::exp(shift * y - shift * shift / 2); };
  // E[(r - c)_+] and E[(c - r)_+] of r = ratio(Y), Y ~ N(0, 1), for c > 0.
  const auto excess = [&](double c) {
    const double from = std::log(c) / shift + shift / 2;
    return cumulative(shift - from) - c * cumulative(-from);
  };
  const auto lack = [&](double c) {
    const double to = std::log(c) / shift + shift / 2;
    return c * cumulative(to) - cumulative(to - shift);
  };
  const auto over = [](const std::function<double(double)>& f, double kink) {
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    double sum = 0;
    const double middle = std::clamp(kink, -12.0, 12.0);
    for (const auto& [low, high] : {std::array{-12.0, middle}, std::array{middle, 12.0}})
      for (int part = 0; part < 8; ++part)
        sum += Rule::integrate(f, low + (high - low) * part / 8, low + (high - low) * (part + 1) / 8, 10, 1e-13);
    return sum;
  };
  const auto forward = [&](double y) {
    const double c = level - ratio(y);
    return density(y) / 2 * (c > 0 ? excess(c) : 1 - c);
  };
  // Q - e^epsilon P: 1 - e^epsilon (r1 + r2) / 2 > 0 where r1 < 2 e^-epsilon - r2.
  const double least = 2 * std::exp(-epsilon);
  const auto backward = [&](double y) {
    const double c = least - ratio(y);
    return c > 0 ? density(y) * lack(c) * std::exp(epsilon) / 2 : 0;
  };
  const double kink = std::log(level) / shift + shift / 2;
  const double end = std::log(least) / shift + shift / 2;
  return std::max(over(forward, kink), over(backward, end));
}

// accounting/shuffle/proofs.md, 2c.2
TEST(ShuffledReports, OfTwoGaussiansTheLowerEndIsThatOfEqualOthers) {
  for (const double noise : {0.5, 1.0, 2.0, 5.0})
    for (const double epsilon : {0.05, 0.3, 1.0, 2.0}) {
      const double truth = delta_of_two(noise, epsilon);
      if (truth < 1e-12) continue;
      const Bound found = reports_delta(fmt::format("shuffle(2, gaussian({}))", noise), epsilon);
      EXPECT_LE(found.lower, truth * (1 + 1e-9)) << noise << ' ' << epsilon;
      EXPECT_GE(found.lower, truth * 0.98) << noise << ' ' << epsilon;
      EXPECT_GE(found.upper, truth) << noise << ' ' << epsilon;
    }
}

// The larger of both directions of the values in randomly_allocated_test.cc.
TEST(ShuffledReports, OfGaussiansTheLowerEndIsThatOfRandomAllocation) {
  struct Known {
    const char* plan;
    double delta;
    double epsilon;
  };
  for (const auto& [plan, delta, epsilon] : {Known{"shuffle(3, gaussian(1))", 1e-8, 4.683781853355601},
                                             Known{"shuffle(100, gaussian(1))", 1e-8, 1.4429717679917733},
                                             Known{"shuffle(100, gaussian(2))", 1e-5, 0.17319165525828642},
                                             Known{"2 x shuffle(3, gaussian(2))", 1e-5, 1.7144878715990817},
                                             Known{"60 x shuffle(234, gaussian(1.1))", 1e-5, 2.340520}}) {
    const Bound found = reports_epsilon(plan, delta);
    EXPECT_LE(found.lower, epsilon * (1 + 1e-8)) << plan;
    EXPECT_GE(found.lower, epsilon * 0.97) << plan;
  }
}

// Where the ends are far apart, Chernoff's epsilon of the lower one is far above it, and what is transformed there says
// little. What is known of 2 x random_allocation(36, gaussian(0.76)) is from its upper end downwards.
TEST(ShuffledReports, LowerEndsAreFoundWithoutAnUpperOneNearThem) {
  const double delta = 8.7e-6;
  const double dealt = reports_epsilon("2 x random_allocation(36, gaussian(0.76))", delta).lower;
  EXPECT_GE(reports_epsilon("2 x shuffle(36, gaussian(0.76))", delta).lower, 0.98 * dealt);
  EXPECT_GE(reports_epsilon("2 x shuffled_batches(36, gaussian(0.76)) under replace_one", delta).lower, 0.98 * dealt);
  const double far = reports_delta("2 x random_allocation(36, gaussian(0.76))", 4).lower;
  EXPECT_GE(reports_delta("2 x shuffled_batches(36, gaussian(0.76)) under replace_one", 4).lower, 0.95 * far);
}

TEST(ShuffledReports, CostFromAboveWhatOneOfThemDoes) {
  for (const char* inner :
       {"gaussian(1)", "3 x gaussian(2) + laplace(1)", "wor(0.1, gaussian(1))", "gdp(0.7)", "poisson(0.3, gaussian(1))",
        "shuffle(3, gaussian(1))", "approximate(1, 1e-7)", "select(geometric(0.5), gaussian(2))"}) {
    const double one = reports_epsilon(fmt::format("{} under replace_one", inner), 1e-5).upper;
    for (const char* reports : {"20, {}", "20, {}, 7"}) {
      const Bound all = reports_epsilon(
          fmt::format("shuffle({}) under replace_one", fmt::format(fmt::runtime(reports), inner)), 1e-5);
      EXPECT_NEAR(all.upper, one, 1e-3 * one) << inner;
      EXPECT_LT(all.lower, all.upper) << inner;
    }
  }
}

// Whoever is delta apart is seen in any order; else it is randomised response.
double kept_apart(double epsilon, double delta, std::size_t reports, std::size_t others_of_first, double asked) {
  // Outcomes of a report: told 0, told 1, response 0, response 1.
  const double odds = std::exp(epsilon);
  const std::array law = {std::array{delta, 0.0, (1 - delta) * odds / (1 + odds), (1 - delta) / (1 + odds)},
                          std::array{0.0, delta, (1 - delta) / (1 + odds), (1 - delta) * odds / (1 + odds)}};
  using Counts = std::array<std::size_t, 4>;
  const auto distribution = [&](std::size_t first) {
    std::map<Counts, double> all{{Counts{}, 1.0}};
    for (std::size_t i = 0; i < reports; ++i) {
      const std::size_t value = i == 0 ? first : i <= others_of_first ? 0 : 1;
      std::map<Counts, double> next;
      for (const auto& [counts, mass] : all)
        for (std::size_t outcome = 0; outcome < 4; ++outcome) {
          Counts more = counts;
          ++more[outcome];
          next[more] += mass * law[value][outcome];
        }
      all = std::move(next);
    }
    return all;
  };
  auto p = distribution(0);
  auto q = distribution(1);
  for (const auto& [counts, mass] : p) q.try_emplace(counts, 0.0);
  double sum = 0;
  for (const auto& [counts, mass] : q) sum += std::max(0.0, p[counts] - std::exp(asked) * mass);
  return sum;
}

// A mechanism that a guarantee allows, on all data sets: what some show is never below the lower end, nor is what any
// shows above the upper one.
RC_GTEST_PROP(ShuffledReports, OfGuaranteesAreBracketedByEnumeration, ()) {
  const double epsilon = log_uniform(0.05, 3);
  const double delta = log_uniform(1e-4, 0.3);
  const auto reports = static_cast<std::size_t>(*rc::gen::inRange(1, 6));
  const double asked = log_uniform(0.01, 4);
  double most = 0;
  for (std::size_t others = 0; others < reports; ++others)
    most = std::max(most, kept_apart(epsilon, delta, reports, others, asked));
  const Bound found =
      reports_delta(fmt::format("shuffle({}, approximate({}, {})) under replace_one", reports, epsilon, delta), asked);
  RC_ASSERT(found.upper >= most * (1 - 1e-9));
  RC_ASSERT(found.lower <= most * (1 + 1e-9));
  const double equal = kept_apart(epsilon, delta, reports, 0, asked);
  RC_ASSERT(found.lower >= equal * 0.9 - 1e-12);
}

TEST(ShuffledReports, MoreReportsShowNoMore) {
  for (const double noise : {0.5, 1.0, 4.0})
    for (const int times : {1, 3}) {
      Bound fewer = reports_epsilon(fmt::format("{} x shuffle(1, gaussian({}))", times, noise), 1e-6);
      for (const int reports : {2, 3, 10, 100, 1000}) {
        const Bound more = reports_epsilon(fmt::format("{} x shuffle({}, gaussian({}))", times, reports, noise), 1e-6);
        EXPECT_LE(more.lower, fewer.lower * 1.001) << noise << ' ' << times << ' ' << reports;
        EXPECT_NEAR(more.upper, fewer.upper, 2e-3 * fewer.upper) << noise << ' ' << times << ' ' << reports;
        fewer = more;
      }
    }
}

// On the first mesh the forward direction shows nothing, which says nothing of the next.
TEST(ShuffledReports, OfHugeLossesThatAreRareTheLowerEndIsFound) {
  const Bound found = reports_epsilon("10600 x wor(1 of 1000, gaussian(0.0300662))", 1e-6);
  EXPECT_GE(found.lower, 0.9 * found.upper);
}

// Of very little noise a report is seen for what it is; what is dealt holds losses of 250.
TEST(ShuffledReports, LossesBeyondWhatMayBeDealtCountAsThat) {
  for (const double noise : {0.07, 0.06, 0.05, 0.04}) {
    const Bound found = reports_epsilon(fmt::format("shuffle(50, gaussian({}))", noise), 1e-6);
    EXPECT_GE(found.lower, std::min(found.upper, 250.0) - std::log(50) - 2) << noise;
    EXPECT_LE(found.lower, found.upper - std::log(50) + 0.1) << noise;
  }
}

// The largest error that a test of one report makes is no larger for the list of all.
TEST(ShuffledReports, EveryAccountantThatKnowsOneReportBoundsAll) {
  struct Known {
    AccountantName name;
    const char* inner;
  };
  for (const auto& [name, inner] :
       {Known{AccountantName::renyi, "gaussian(1)"}, Known{AccountantName::renyi, "zcdp(0.1)"},
        Known{AccountantName::concentrated, "gaussian(1)"}, Known{AccountantName::approximate, "gaussian(1)"},
        Known{AccountantName::best, "gaussian(1)"}, Known{AccountantName::best, "zcdp(0.1)"},
        Known{AccountantName::best, "renyi(2:0.1, 8:0.5)"}}) {
    const auto upper = [&](const std::string& plan) {
      return make_accountant(name, parse_plan(plan)).value()->epsilon(1, 1e-5).value().upper;
    };
    const double one = upper(fmt::format("{} under replace_one", inner));
    EXPECT_NEAR(upper(fmt::format("shuffle(50, {})", inner)), one, 1e-3 * one) << inner;
  }
}

TEST(ShuffledReports, SayWhatTheirEndsAre) {
  const Bound found = reports_epsilon("5 x shuffle(30, gaussian(2))", 1e-5);
  const auto says = [](const std::vector<std::string>& all, const char* part) {
    return std::ranges::any_of(all, [&](const std::string& one) { return one.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(says(found.theorems, "accounting/shuffle/proofs.md, 2c.1"));
  EXPECT_TRUE(says(found.notes, "takes nothing for hidden by shuffling"));
  EXPECT_FALSE(says(found.notes, "shuffling's dominating pair"));
}

TEST(ShuffledReports, AreRefusedUnderOtherAdjacenciesAndByWhoKnowsNoClosedForm) {
  const auto refused = [](AccountantName name, const char* plan, const char* part) {
    const auto made = make_accountant(name, parse_plan(plan));
    ASSERT_FALSE(made) << plan;
    EXPECT_NE(made.error().text().find(part), std::string::npos) << made.error().text();
  };
  for (const AccountantName name : {AccountantName::best, AccountantName::loss_distribution, AccountantName::renyi,
                                    AccountantName::concentrated, AccountantName::approximate})
    refused(name, "shuffle(10, gaussian(1)) under zero_out_one", "replace_one");
  refused(AccountantName::exact, "shuffle(10, gaussian(1))", "use another");
  refused(AccountantName::concentrated, "shuffle(10, rr(1))", "known to loss_distribution");
  refused(AccountantName::loss_distribution, "shuffle(10, random_allocation(5, gaussian(1)))", "random_allocation");
}

}  // namespace
}  // namespace dpbudget::loss_distribution
