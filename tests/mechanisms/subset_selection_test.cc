#include "dpbudget/mechanisms/subset_selection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "dpbudget/mechanisms/randomized_response.h"
#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

using Set = std::vector<std::uint32_t>;

// Every set of the size, by brute force over bit patterns.
std::vector<Set> sets(std::uint32_t categories, std::size_t size) {
  std::vector<Set> all;
  for (std::uint32_t pattern = 0; pattern < (1u << categories); ++pattern) {
    Set set;
    for (std::uint32_t category = 0; category < categories; ++category)
      if ((pattern >> category & 1) == 1) set.push_back(category);
    if (set.size() == size) all.push_back(std::move(set));
  }
  return all;
}

std::vector<double> law_by_definition(const std::vector<Set>& all, std::uint32_t value, double epsilon) {
  std::vector<double> law;
  double total = 0;
  for (const Set& set : all) {
    law.push_back(std::ranges::count(set, value) == 1 ? std::exp(epsilon) : 1);
    total += law.back();
  }
  for (double& probability : law) probability /= total;
  return law;
}

TEST(SubsetSelection, HasItsLaw) {
  for (const std::uint32_t categories : {2u, 3u, 6u})
    for (std::uint32_t size = 1; size < categories; ++size)
      for (const double epsilon : {0.0, 1.0, 3.0}) {
        const std::vector<Set> all = sets(categories, size);
        std::map<Set, std::size_t> index;
        for (const Set& set : all) index.emplace(set, index.size());
        const std::uint32_t value = (size + categories / 2) % categories;
        Stream drawing = stream_of(24, size);
        std::vector<std::uint64_t> counts(all.size());
        for (int i = 0; i < 20000; ++i) ++counts[index.at(subset_selection(value, categories, size, epsilon, drawing))];
        EXPECT_GT(goodness_of_fit(counts, law_by_definition(all, value, epsilon)), 1e-6)
            << categories << ' ' << size << ' ' << epsilon;
      }
}

TEST(SubsetSelection, SupportIsThatOfTheLaw) {
  for (const std::uint32_t categories : {2u, 5u, 9u})
    for (std::uint32_t size = 1; size < categories; ++size)
      for (const double epsilon : {0.2, 1.0, 5.0}) {
        const std::vector<Set> all = sets(categories, size);
        const std::vector<double> law = law_by_definition(all, 0, epsilon);
        double own = 0, other = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          own += std::ranges::count(all[i], 0u) == 1 ? law[i] : 0;
          other += std::ranges::count(all[i], 1u) == 1 ? law[i] : 0;
        }
        const Support support = subset_selection_support(categories, size, epsilon);
        EXPECT_NEAR(support.base, other, 1e-14);
        EXPECT_NEAR(support.gain, own - other, 1e-14);
      }
}

TEST(SubsetSelection, SetsOfOneAreRandomizedResponse) {
  for (const double epsilon : {1e-12, 1.0, 700.0}) {
    const Support sets_of_one = subset_selection_support(1000, 1, epsilon);
    const Support response = randomized_response_support(1000, epsilon);
    EXPECT_NEAR(sets_of_one.base / response.base, 1, 1e-14);
    EXPECT_NEAR(sets_of_one.gain / response.gain, 1, 1e-14);
  }
}

TEST(SubsetSelection, SizeIsTheFormulas) {
  EXPECT_EQ(best_subset_size(100, 0), 50u);
  EXPECT_EQ(best_subset_size(100, std::log(3.0)), 25u);
  EXPECT_EQ(best_subset_size(2, 0), 1u);
  EXPECT_EQ(best_subset_size(3, 0), 2u);
  EXPECT_EQ(best_subset_size(100, 700), 1u);
}

TEST(SubsetSelection, EstimatesFrequenciesWithoutBias) {
  const std::uint64_t users = 40000, categories = 8, size = best_subset_size(categories, 1);
  const std::vector<double> shares = {0.5, 0.25, 0.125, 0.125, 0, 0, 0, 0};
  Stream drawing = stream_of(24, 99);
  std::vector<Set> reports;
  for (std::uint64_t user = 0; user < users; ++user) {
    const std::uint64_t eighth = user % 8;
    const std::uint64_t value = eighth < 4 ? 0 : eighth < 6 ? 1 : eighth == 6 ? 2 : 3;
    reports.push_back(subset_selection(value, categories, size, 1, drawing));
  }
  const Support support = subset_selection_support(categories, size, 1);
  const std::vector<double> estimates = frequencies(reports, categories, support);
  const double deviation = 0.5 / std::sqrt(users) / support.gain;  // at most
  for (std::size_t i = 0; i < categories; ++i) EXPECT_LT(std::abs(estimates[i] - shares[i]), 5 * deviation) << i;
}

RC_GTEST_PROP(SubsetSelection, IsAnAscendingSetAndAFunctionOfTheKey, (std::uint64_t step)) {
  const auto categories = *rc::gen::inRange<std::uint64_t>(2, 300);
  const auto size = *rc::gen::inRange<std::uint64_t>(1, categories);
  const auto value = *rc::gen::inRange<std::uint64_t>(0, categories);
  Stream first = stream_of(24, step), second = stream_of(24, step);
  const Set report = subset_selection(value, categories, size, 1.5, first);
  RC_ASSERT(report.size() == size);
  RC_ASSERT(std::ranges::is_sorted(report));
  RC_ASSERT(std::ranges::adjacent_find(report) == report.end());
  RC_ASSERT(report.back() < categories);
  RC_ASSERT(report == subset_selection(value, categories, size, 1.5, second));
}

TEST(SubsetSelection, SaysWhichEventItIs) {
  EXPECT_EQ(subset_selection_event(9, 2, 1.5), (SubsetSelection{1.5, 9, 2}));
}

TEST(SubsetSelection, RefusesBeforeItDraws) {
  Stream drawing = stream_of(24, 0), untouched = stream_of(24, 0);
  EXPECT_REFUSED("value", subset_selection(5, 5, 2, 1, drawing));
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    EXPECT_REFUSED("categories", subset_selection(0, bad, 1, 1, drawing));
    EXPECT_REFUSED("categories", subset_selection_support(bad, 1, 1));
    EXPECT_REFUSED("categories", best_subset_size(bad, 1));
  }
  for (const std::uint64_t bad : {0, 5, 6}) {
    EXPECT_REFUSED("subset_size", subset_selection(0, 5, bad, 1, drawing));
    EXPECT_REFUSED("subset_size", subset_selection_support(5, bad, 1));
  }
  for (const double bad : {-0.1, 701.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_REFUSED("epsilon", subset_selection(0, 5, 2, bad, drawing));
    EXPECT_REFUSED("epsilon", subset_selection_support(5, 2, bad));
    EXPECT_REFUSED("epsilon", subset_selection_event(5, 2, bad));
    EXPECT_REFUSED("epsilon", best_subset_size(5, bad));
  }
  EXPECT_EQ(drawing(), untouched());
}

}  // namespace
}  // namespace dpbudget::mechanisms
