#include "dpbudget/tools/cli/sweep/cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/refused.h"

namespace dpbudget::tools {
namespace {

struct Point {
  double epsilon;
  std::vector<double> scores;
};

// A cell for each point, a run for each of its scores.
std::vector<CellResult> results_for(const std::vector<Point>& points, const std::string& model) {
  std::vector<SweepCell> cells;
  std::vector<SweepRun> runs;
  std::map<std::string, nlohmann::json> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    cells.push_back({{std::to_string(i)}, {}, {}});
    cells.back().request.model = model;
    for (const double score : points[i].scores) {
      const std::string name = std::to_string(runs.size());
      runs.push_back({i, cells.back().request, name});
      rows[name] = {{"run", name},
                    {"epsilon_server", points[i].epsilon},
                    {"test_score", score},
                    {"verified", true},
                    {"diverged", false}};
    }
  }
  return results_of(cells, runs, rows, metric_of("test_score", cells));
}

std::vector<bool> efficient(const std::vector<CellResult>& cells) {
  std::vector<bool> marks;
  for (const CellResult& cell : cells) marks.push_back(cell.is_efficient);
  return marks;
}

TEST(SweepCells, HaveMeansAndDeviationsOverSeeds) {
  const auto cells = results_for({{1, {0.5, 0.7, 0.9}}}, "softmax");
  EXPECT_EQ(cells[0].done, 3U);
  EXPECT_NEAR(cells[0].metrics.at("test_score").mean, 0.7, 1e-15);
  EXPECT_NEAR(cells[0].metrics.at("test_score").deviation, 0.2, 1e-15);
  EXPECT_EQ(cells[0].epsilon, 1);
}

TEST(SweepCells, OnTheFrontAreThoseThatNoOtherBeats) {
  // The third costs more than the second for less; the last two are equal.
  const std::vector<Point> points = {{1, {0.5}}, {2, {0.8}}, {3, {0.7}}, {4, {0.9}}, {4, {0.9}}};
  EXPECT_EQ(efficient(results_for(points, "softmax")), (std::vector{true, true, false, true, true}));
  // Of squared errors less is better.
  EXPECT_EQ(efficient(results_for(points, "linear")), (std::vector{true, false, false, false, false}));
}

TEST(SweepCells, CountWhatDivergedAndWhatDidNotVerify) {
  std::vector<SweepCell> cells{{{"1"}, {}, {}}};
  std::vector<SweepRun> runs{{0, {}, "a"}, {0, {}, "b"}, {0, {}, "c"}, {0, {}, "d"}};
  const std::map<std::string, nlohmann::json> rows = {
      {"a", {{"diverged", true}}},
      {"b", {{"diverged", false}, {"verified", false}, {"test_score", 0.5}, {"noise", 3}, {"epsilon_server", 1}}},
      {"c", {{"diverged", false}, {"verified", true}, {"test_score", 0.7}, {"noise", 4}, {"epsilon_server", nullptr}}}};
  const CellResult cell = results_of(cells, runs, rows, metric_of("test_score", cells)).front();
  EXPECT_EQ(cell.done, 3U);
  EXPECT_EQ(cell.diverged, 1U);
  EXPECT_EQ(cell.unverified, 1U);
  EXPECT_EQ(cell.noise, 4);
  EXPECT_EQ(cell.epsilon, 1);
  EXPECT_NEAR(cell.metrics.at("test_score").mean, 0.6, 1e-15);
  EXPECT_FALSE(cell.is_efficient);  // one seed of it has no score
}

TEST(SweepCells, AreComparedByMetricsThatThereAre) {
  std::vector<SweepCell> cells(2);
  EXPECT_TRUE(metric_of("test_score", cells).is_better_high);
  EXPECT_FALSE(metric_of("train_loss", cells).is_better_high);
  EXPECT_REFUSED("--metric is score, but must be one of test_score", metric_of("score", cells));
  cells[1].request.model = "linear";
  EXPECT_REFUSED("--grid is linear, but must be of models whose scores compare", metric_of("test_score", cells));
}

TEST(SweepShards, DivideTheRunsAmongThem) {
  for (std::size_t run = 0; run < 20; ++run) {
    int having = 0;
    for (std::uint64_t index = 1; index <= 3; ++index)
      if (Shard{index, 3}.has(run)) ++having;
    EXPECT_EQ(having, 1);
  }
  EXPECT_EQ(read_shard("3/16").index, 3U);
  EXPECT_EQ(read_shard("3/16").count, 16U);
  for (const char* bad : {"3", "0/4", "5/4", "a/4", "1/0", "1/", "-1/4", "1.5/4"})
    EXPECT_REFUSED("--shard", read_shard(bad));
}

}  // namespace
}  // namespace dpbudget::tools
