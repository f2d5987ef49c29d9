#include "dpbudget/fl/data/preprocess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "dpbudget/fl/data/synthetic.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

FederatedData with(Matrix train, Matrix test) {
  FederatedData data;
  data.train.labels.resize(static_cast<std::size_t>(train.rows()));
  data.test.labels.resize(static_cast<std::size_t>(test.rows()));
  data.train.features = std::move(train);
  data.test.features = std::move(test);
  return data;
}

TEST(Standardise, UsesTheTrainingRecordsForBoth) {
  FederatedData data = with(Matrix{{1, 10}, {3, 10}, {5, 40}}, Matrix{{3, 20}, {-1, 50}});
  standardise(data);
  const double first = std::sqrt(8.0 / 3), second = std::sqrt(200.0);
  EXPECT_TRUE(data.train.features.isApprox(
      Matrix{{-2 / first, -10 / second}, {0, -10 / second}, {2 / first, 20 / second}}, 1e-14));
  EXPECT_TRUE(data.test.features.isApprox(Matrix{{0, 0}, {-4 / first, 30 / second}}, 1e-14));
}

TEST(Standardise, LeavesColumnsThatAreNotChosen) {
  const Matrix train{{1, 10, 0.1}, {3, 10, -0.1}, {5, 40, 7}};
  const Matrix test{{3, 20, 1e-3}, {-1, 50, 0}};
  FederatedData all = with(train, test);
  standardise(all);
  FederatedData some = with(train, test);
  const std::vector<Eigen::Index> columns{1};
  standardise(some, columns);
  for (const auto& [whole, part, before] :
       {std::tuple(&all.train, &some.train, &train), std::tuple(&all.test, &some.test, &test)}) {
    EXPECT_EQ(part->features.col(1), whole->features.col(1));
    EXPECT_EQ(part->features.col(0), before->col(0));
    EXPECT_EQ(part->features.col(2), before->col(2));
  }
  EXPECT_EQ(some.description, ", 1 of 3 columns standardised");
}

TEST(Standardise, RefusesColumnsByName) {
  FederatedData data = with(Matrix{{1, 2}, {3, 4}}, Matrix{{1, 1}});
  EXPECT_REFUSED("columns", standardise(data, std::vector<Eigen::Index>{}));
  EXPECT_REFUSED("columns", standardise(data, std::vector<Eigen::Index>{0, 2}));
  EXPECT_REFUSED("columns", standardise(data, std::vector<Eigen::Index>{-1}));
  EXPECT_EQ(data.train.features, (Matrix{{1, 2}, {3, 4}}));
}

TEST(Standardise, LeavesMeanZeroAndVarianceOne) {
  FederatedData data = synthetic({.alpha = 1, .beta = 5, .users = 10, .records_per_user = 100, .seed = 1});
  standardise(data);
  const auto records = static_cast<double>(data.train.records());
  EXPECT_LT(data.train.features.colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((data.train.features.colwise().squaredNorm().array() / records - 1).abs().maxCoeff(), 1e-12);
}

// 0.1 is not a double: the mean of many is not equal to it, and what is left would be scaled up to 1.
TEST(Standardise, MakesConstantColumnsZero) {
  Matrix train = Matrix::Constant(1000, 2, 0.1);
  train.col(1).setLinSpaced(0, 1);
  FederatedData data = with(train, Matrix{{0.1, 0}, {7, 1}});
  standardise(data);
  EXPECT_EQ(data.train.features.col(0).cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(data.test.features.col(0).cwiseAbs().maxCoeff(), 0);
  EXPECT_NE(data.test.features(0, 1), 0);
}

TEST(Standardise, RefusesBeforeAnythingChanges) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const Matrix good{{1, 2}, {2, 5}, {4, 4}};
  for (const double bad : {nan, infinity, -infinity, 1e300})
    for (Eigen::Index column : {0, 1})
      for (Eigen::Index row : {0, 1, 2}) {
        Matrix train = good;
        train(row, column) = bad;
        FederatedData data = with(train, good);
        EXPECT_REFUSED("features", standardise(data));
        EXPECT_EQ(data.test.features, good);
        if (bad == 1e300) continue;  // finite, and within range when scaled
        data = with(good, train);
        EXPECT_REFUSED("features", standardise(data));
        EXPECT_EQ(data.train.features, good);
      }
  FederatedData data = with(Matrix(0, 2), good);
  EXPECT_REFUSED("features", standardise(data));
  data = with(good, Matrix{{1, 2, 3}});
  EXPECT_REFUSED("features", standardise(data));
  data = with(Matrix{{0.0}, {1e-200}}, Matrix{{1.0}});
  EXPECT_REFUSED("features", standardise(data));
}

TEST(NormaliseRecords, GivesEveryRecordNormOneAndLeavesZeros) {
  FederatedData data = with(Matrix{{3, 4}, {0, 0}, {3e200, 4e200}, {3e-320, 0}}, Matrix{{0, -2}});
  normalise_records(data);
  EXPECT_TRUE(data.train.features.isApprox(Matrix{{0.6, 0.8}, {0, 0}, {0.6, 0.8}, {1, 0}}, 1e-14));
  EXPECT_EQ(data.test.features(0, 1), -1);
}

// fl/account/proofs.md, 10.1: unlike principal components.
TEST(NormaliseRecords, LooksAtNoOtherRecord) {
  FederatedData before = with(Matrix{{3, 4}, {1, 2}, {-5, 1}}, Matrix{{0, -2}});
  FederatedData after = with(Matrix{{1e9, -7}, {1, 2}, {-5, 1}}, Matrix{{0, -2}});
  normalise_records(before);
  normalise_records(after);
  EXPECT_TRUE(after.train.features.bottomRows(2) == before.train.features.bottomRows(2));
  EXPECT_TRUE(after.test.features == before.test.features);
}

TEST(NormaliseRecords, RefusesBeforeAnythingChanges) {
  const Matrix good{{3, 4}};
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1.7e308}) {
    FederatedData data = with(good, Matrix{{bad, bad}});
    EXPECT_REFUSED("features", normalise_records(data));
    EXPECT_EQ(data.train.features, good);
  }
}

TEST(Preprocessing, IsWrittenDown) {
  FederatedData data = with(Matrix{{3, 4}, {4, 3}}, Matrix{{1, 1}});
  data.description = "two records";
  standardise(data);
  normalise_records(data);
  EXPECT_EQ(data.description, "two records, standardised, records of norm 1");
}

}  // namespace
}  // namespace dpbudget::fl
