#include "dpbudget/fl/tuning/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "fl/small.h"

namespace dpbudget::fl {
namespace {

TEST(Selection, TakesTheFirstOfTheBestMeans) {
  const std::vector<FoldScores> scores = {{0.5, 0.7}, {0.6, 0.6}, {0.9, std::nullopt}, {0.1, 0.2}};
  EXPECT_EQ(best_of(scores, true), 0U);
  EXPECT_EQ(best_of(scores, false), 3U);
  EXPECT_EQ(best_of({{std::nullopt, 0.3}}, true), std::nullopt);
  EXPECT_NEAR(*score_deviation(scores[0]), std::sqrt(0.02), 1e-15);
  EXPECT_EQ(mean_score(scores[2]), std::nullopt);
}

// fl/tuning/proofs.md, 2.1: every way in which a record's, or a client's, records may come out right or wrong.
TEST(Selection, KnowsWhatMeansMoveBy) {
  const FederatedData data = small_data({5, 3});
  const Folds folds(data, 2, 1);
  for (const bool is_personal : {false, true}) {
    const auto mean_of = [&](const std::array<std::array<double, 2>, 2>& right) {
      FoldScores scores;
      for (std::uint64_t fold = 0; fold < 2; ++fold) {
        const auto held_out = [&](std::size_t client) { return static_cast<double>(folds.held_out(client, fold)); };
        scores.push_back(is_personal ? (right[0][fold] / held_out(0) + right[1][fold] / held_out(1)) / 2
                                     : (right[0][fold] + right[1][fold]) / static_cast<double>(folds.held_out(fold)));
      }
      return *mean_score(scores);
    };
    double record = 0;
    std::array<double, 2> user{};
    for (std::size_t client = 0; client < 2; ++client) {
      std::array<std::array<double, 2>, 2> none{};
      std::array<std::array<double, 2>, 2> all{};
      for (std::uint64_t fold = 0; fold < 2; ++fold) {
        std::array<std::array<double, 2>, 2> one{};
        one[client][fold] = 1;
        record = std::max(record, mean_of(one) - mean_of(none));
        all[client][fold] = static_cast<double>(folds.held_out(client, fold));
      }
      user[client] = mean_of(all) - mean_of(none);
    }
    const SelectionSensitivity found = selection_sensitivity(folds, is_personal);
    EXPECT_GE(found.record, record);
    EXPECT_NEAR(found.record, record, 1e-13);
    for (std::size_t client = 0; client < 2; ++client) {
      EXPECT_GE(found.user[client], user[client]);
      EXPECT_NEAR(found.user[client], user[client], 1e-13);
      EXPECT_NEAR(range_for_user(0.5, found, client), 0.5 * user[client] / record, 1e-12);
    }
  }
}

// fl/tuning/proofs.md, 2.2
TEST(Selection, IsTheExponentialMechanism) {
  const std::vector<FoldScores> scores = {{0.5, 0.7}, {0.4, 0.4}, {std::nullopt, 0.9}};
  const std::array<double, 3> means = {0.6, 0.4, 0.45};
  constexpr double sensitivity = 0.05;
  constexpr double epsilon = 0.8;
  std::array<double, 3> law{};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += law[i] = std::exp(epsilon * means[i] / (2 * sensitivity));
  constexpr int draws = 40000;
  std::array<int, 3> counts{};
  mechanisms::Stream stream({7, mechanisms::Purpose::selection, 0, 0, 0});
  for (int i = 0; i < draws; ++i) ++counts[choose_privately(scores, sensitivity, epsilon, stream)];
  for (std::size_t i = 0; i < 3; ++i) {
    const double p = law[i] / sum;
    EXPECT_NEAR(counts[i], draws * p, 5 * std::sqrt(draws * p * (1 - p))) << i;
  }
}

TEST(Selection, RefusesWhatHasNoGuarantee) {
  mechanisms::Stream stream({7, mechanisms::Purpose::selection, 0, 0, 0});
  const auto choose = [&](double score, double epsilon) { return choose_privately({{score}}, 0.1, epsilon, stream); };
  EXPECT_THROW(static_cast<void>(choose(1.5, 1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(choose(0.5, 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(choose(0.5, std::nan(""))), InvalidArgument);
  EXPECT_EQ(choose(0.5, 1), 0U);
}

}  // namespace
}  // namespace dpbudget::fl
