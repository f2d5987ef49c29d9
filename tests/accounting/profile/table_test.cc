#include "dpbudget/accounting/profile/table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::profile {
namespace {

using testing::log_uniform;

// delta of the pair, in one direction and in the other.
double delta_of(const TableProfile& profile, double epsilon, bool is_reversed) {
  double delta = profile.at_infinity();
  const double g = std::exp(epsilon);
  for (const auto& [loss, p, q] : profile.atoms()) {
    delta += std::max(0.0, is_reversed ? q - g * p : p - g * q);
    if (loss > 0) delta += std::max(0.0, is_reversed ? p - g * q : q - g * p);
  }
  return delta;
}

// What a table says at epsilon by all chords of its points and their mirror images, in e^epsilon, and by what lies
// before.
double least_chord(const Table& table, double epsilon) {
  struct Point {
    double g;
    double delta;
  };
  std::vector<Point> points{{0, 1}};
  for (const auto& [e, delta] : table) {
    points.push_back({std::exp(e), delta});
    points.push_back({std::exp(-e), 1 - (1 - delta) * std::exp(-e)});
  }
  const double g = std::exp(epsilon);
  double least = 1;
  for (const Point& a : points) {
    if (a.g <= g) least = std::min(least, a.delta);
    for (const Point& b : points)
      if (a.g < g && g < b.g) least = std::min(least, a.delta + (b.delta - a.delta) * (g - a.g) / (b.g - a.g));
  }
  return least;
}

Table random_table() {
  Table table;
  double epsilon = *rc::gen::arbitrary<bool>() ? 0 : log_uniform(1e-3, 1);
  double delta = log_uniform(1e-3, 1);
  for (int rows = *rc::gen::inRange(1, 8); rows > 0; --rows) {
    table.push_back({epsilon, delta});
    epsilon += log_uniform(1e-2, 2);
    delta *= log_uniform(1e-3, 1.2);
    delta = std::min(delta, 1.0);
  }
  if (*rc::gen::inRange(0, 3) == 0) table.push_back({epsilon, 0});
  return table;
}

// accounting/profile/proofs.md, 1.1
RC_GTEST_PROP(TableProfile, IsTheLeastOfAllChords, ()) {
  const Table table = random_table();
  RC_LOG() << to_text(PrivacyProfile{table});
  const TableProfile profile(table);
  double p = profile.at_infinity();
  double q = profile.at_infinity();
  for (const auto& atom : profile.atoms()) {
    RC_ASSERT(std::abs(std::log(atom.p / atom.q) - atom.loss) < 1e-9 * (1 + atom.loss));
    p += atom.loss > 0 ? atom.p + atom.q : atom.p;
    q += atom.loss > 0 ? atom.p + atom.q : atom.q;
  }
  RC_ASSERT(std::abs(p - 1) < 1e-9);
  RC_ASSERT(std::abs(q - 1) < 1e-9);
  for (int i = 0; i < 20; ++i) {
    const double epsilon = log_uniform(1e-3, 10);
    const double chord = least_chord(table, epsilon);
    for (const bool is_reversed : {false, true}) {
      const double delta = delta_of(profile, epsilon, is_reversed);
      RC_ASSERT(delta >= chord * (1 - 1e-9) - 1e-13);
      RC_ASSERT(delta <= chord * (1 + 1e-4) + 1e-9);
    }
    const double back = profile.epsilon(std::min(chord * (1 + 1e-9), 0.999999));
    RC_ASSERT(back <= epsilon * (1 + 1e-3) + 1e-3);
  }
}

TEST(TableProfile, OfOneRowIsApproximateDp) {
  for (const AccountantName name :
       {AccountantName::best, AccountantName::loss_distribution, AccountantName::approximate}) {
    const auto of = [&](const char* plan) {
      return make_accountant(name, parse_plan(plan), 1e-3).value()->epsilon(1, 1e-3).value().upper;
    };
    EXPECT_EQ(of("3 x profile(0.5:1e-6)"), of("3 x approximate(0.5, 1e-6)"));
    EXPECT_EQ(of("3 x profile(0.5:0)"), of("3 x pure(0.5)"));
  }
}

// A table of what is known is what is known where it is fine, and never less.
TEST(TableProfile, OfAGaussianComposesLikeIt) {
  std::string rows;
  for (int i = 0; i <= 200; ++i) {
    const double epsilon = i / 20.0;
    const double delta = std::min(1.0, std::exp(gaussian_log_delta(epsilon, 1.0)) * (1 + 1e-9));
    if (!rows.empty()) rows += ", ";
    rows += std::to_string(epsilon) + ":" + nlohmann::json(delta).dump();
  }
  const auto upper = [](const std::string& plan) {
    return make_accountant(AccountantName::loss_distribution, parse_plan(plan), 1e-3).value()->epsilon(1, 1e-5)->upper;
  };
  for (const char* times : {"1 x ", "10 x "}) {
    const double exact = upper(std::string(times) + "gaussian(1)");
    const double table = upper(times + ("profile(" + rows + ")"));
    EXPECT_GE(table, exact * (1 - 2e-3));
    EXPECT_LE(table, exact * 1.01);
  }
  EXPECT_LE(upper("poisson(0.01, profile(" + rows + "))"), upper("poisson(0.01, gaussian(1))") * 1.02);
}

TEST(TableProfile, IsBracketed) {
  const auto bound = make_accountant(AccountantName::best, parse_plan("20 x profile(0.1:0.05, 0.5:0.001, 1:0)"), 1e-3)
                         .value()
                         ->epsilon(1, 1e-5);
  ASSERT_TRUE(bound);
  EXPECT_GT(bound->lower, 0.9 * bound->upper);
  EXPECT_LT(bound->upper, 20);
}

TEST(TableProfile, RowsThatSayNothingMore) {
  const TableProfile profile({{0, 1}, {1, 0.1}, {2, 0.2}, {3, 0.1}});
  EXPECT_EQ(profile.at_infinity(), 0.1);
  EXPECT_EQ(profile.epsilon(0.1), 1);
  EXPECT_EQ(profile.epsilon(0.05), std::numeric_limits<double>::infinity());
  EXPECT_EQ(profile.epsilon(0.9), 0);
  ASSERT_EQ(profile.atoms().size(), 1U);
}

TEST(TableProfile, ReadsAndWrites) {
  const Plan plan = parse_plan("profile(0:0.5, 1:0.01)");
  EXPECT_EQ(to_text(plan.event), "profile(0:0.5, 1:0.01)");
  EXPECT_EQ(plan_from_json(nlohmann::json::parse(to_json(plan).dump())), plan);
}

TEST(TableProfile, RefusesBadNumbersByName) {
  for (const auto& [text, name] :
       {std::pair{"profile(-1:0.5)", "epsilon"}, std::pair{"profile(1:0.5, 1:0.1)", "epsilon"},
        std::pair{"profile(701:0.5)", "epsilon"}, std::pair{"profile(1:1.5)", "delta"},
        std::pair{"profile(nan:0.5)", "epsilon"}, std::pair{"profile(1:nan)", "delta"}}) {
    try {
      parse_plan(text);
      FAIL() << "accepted " << text;
    } catch (const InvalidArgument& refused) {
      EXPECT_NE(std::string(refused.what()).find(name), std::string::npos) << refused.what();
    }
  }
  for (const AccountantName name : {AccountantName::renyi, AccountantName::concentrated}) {
    const auto accountant = make_accountant(name, parse_plan("2 x profile(0.1:0.1, 1:0.01)"), 1e-3);
    const auto bound = accountant ? (*accountant)->epsilon(1, 1e-3) : Answer<Bound>(accountant.error());
    EXPECT_FALSE(bound);
  }
}

}  // namespace
}  // namespace dpbudget::profile
