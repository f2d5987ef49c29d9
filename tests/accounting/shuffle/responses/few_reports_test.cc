#include "dpbudget/accounting/shuffle/responses/few_reports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/shuffle/responses/exact.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

double delta_of(const ReportLaw& law, double epsilon) {
  double delta = 0;
  for (const auto& [p, q] : law) delta += std::max(0.0, p - std::exp(epsilon) * q);
  return delta;
}

// accounting/shuffle/proofs.md, 7.1: the referee goes through the values of all others, one by one.
TEST(FewReports, AreThoseOfAllNeighbours) {
  for (const auto& [categories, reports] : {std::pair<std::size_t, std::size_t>{2, 6}, {3, 4}, {4, 3}, {5, 3}}) {
    const double local_epsilon = 1.3;
    const double weight = std::exp(local_epsilon);
    std::vector<std::vector<double>> channel(categories, std::vector<double>(categories, 1));
    for (std::size_t x = 0; x < categories; ++x) channel[x][x] = weight;
    for (auto& row : channel)
      for (double& p : row) p /= weight + static_cast<double>(categories - 1);
    const FewReports few = few_reports(local_epsilon, categories, reports).value();
    for (const double epsilon : {0.0, 0.3, 0.9}) {
      double truth = 0;
      const auto held = static_cast<std::size_t>(std::pow(categories, reports - 1));
      for (std::size_t code = 0; code < held; ++code) {
        std::vector<std::vector<double>> others;
        for (std::size_t user = 1, rest = code; user < reports; ++user, rest /= categories)
          others.push_back(channel[rest % categories]);
        truth = std::max(truth, exact_delta(channel[0], channel[1], others, epsilon));
      }
      double found = 0;
      for (const ReportLaw& law : few.laws) found = std::max(found, delta_of(law, epsilon));
      EXPECT_NEAR(found, truth, 1e-10 * truth) << categories << " " << reports << " " << epsilon;
    }
  }
}

TEST(FewReports, HaveMassesThatAddUpToOneAndTheirReverses) {
  const FewReports few = few_reports(2, 3, 5).value();
  for (const ReportLaw& law : few.laws) {
    double p = 0;
    double q = 0;
    for (const auto& counts : law) {
      p += counts.p;
      q += counts.q;
    }
    EXPECT_NEAR(p, 1, 10 * few.error);
    EXPECT_NEAR(q, 1, 10 * few.error);
    ReportLaw reversed;
    for (const auto& counts : law) reversed.push_back({counts.q, counts.p});
    const bool has_reverse = std::ranges::any_of(few.laws, [&](const ReportLaw& other) {
      return std::abs(delta_of(other, 0.4) - delta_of(reversed, 0.4)) < 1e-12 &&
             std::abs(delta_of(other, 1.1) - delta_of(reversed, 1.1)) < 1e-12;
    });
    EXPECT_TRUE(has_reverse);
  }
}

TEST(FewReports, EndWhereThereAreTooMany) {
  EXPECT_TRUE(few_reports(1, 2, 64));
  EXPECT_TRUE(few_reports(1, 4, 12));
  EXPECT_FALSE(few_reports(1, 2, 65));
  EXPECT_FALSE(few_reports(1, 5, 12));
  EXPECT_FALSE(few_reports(100, 2, 12));
  EXPECT_FALSE(few_reports(1, 1U << 30U, 2));
  EXPECT_REFUSED("local_epsilon is 0", few_reports(0, 2, 2));
  EXPECT_REFUSED("categories is 1", few_reports(1, 1, 2));
  EXPECT_REFUSED("reports is 0", few_reports(1, 2, 0));
}

}  // namespace
}  // namespace dpbudget::shuffle
