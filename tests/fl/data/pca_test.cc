#include "dpbudget/fl/data/pca.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <limits>

#include "dpbudget/mechanisms/random.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

// Normal records about a mean of their own, column j of standard deviation 1 / (1 + j), then mixed.
FederatedData random_data(Index records, Index features, std::uint64_t seed = 1) {
  mechanisms::Stream stream({seed, mechanisms::Purpose::data_generation, 0, 0, 0});
  const auto normal = [&](Index rows, Index columns) {
    Matrix values(rows, columns);
    for (double& value : values.reshaped()) value = stream.normal();
    return values;
  };
  const Matrix mix = normal(features, features);
  const Eigen::RowVectorXd mean = 5 * normal(1, features);
  const Eigen::RowVectorXd scale = Eigen::RowVectorXd::LinSpaced(features, 1, double(features)).cwiseInverse();
  const auto draw = [&](Index rows) -> Matrix {
    return (normal(rows, features).array().rowwise() * scale.array()).matrix() * mix + Vector::Ones(rows) * mean;
  };
  FederatedData data;
  data.train.features = draw(records);
  data.test.features = draw(7);
  data.description = "random";
  return data;
}

// The singular value decomposition of the centred records, which never forms a covariance.
TEST(PrincipalComponents, AgreeWithTheSingularVectors) {
  for (const Index records : {40, 1100}) {  // the second takes more than one block
    const FederatedData before = random_data(records, 8);
    FederatedData after = before;
    project_on_components(after, 5);
    const Eigen::RowVectorXd mean = before.train.features.colwise().mean();
    const Matrix centred = before.train.features.rowwise() - mean;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinV | Eigen::ComputeThinU);
    Eigen::MatrixXd vectors = svd.matrixV().leftCols(5);
    for (auto vector : vectors.colwise()) {
      Index largest = 0;
      vector.cwiseAbs().maxCoeff(&largest);
      if (vector(largest) < 0) vector = -vector;
    }
    EXPECT_LE((after.train.features - centred * vectors).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LE((after.test.features - (before.test.features.rowwise() - mean) * vectors).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(PrincipalComponents, HaveMeanZeroAreUncorrelatedAndFallInVariance) {
  FederatedData data = random_data(500, 10);
  project_on_components(data, 6);
  ASSERT_EQ(data.train.features.cols(), 6);
  ASSERT_EQ(data.test.features.cols(), 6);
  EXPECT_LE(data.train.features.colwise().mean().cwiseAbs().maxCoeff(), 1e-11);
  const Matrix covariance = data.train.features.transpose() * data.train.features / 500;
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < i; ++j) EXPECT_LE(std::abs(covariance(i, j)), 1e-11 * covariance(0, 0));
  for (Index i = 1; i < 6; ++i) EXPECT_LT(covariance(i, i), covariance(i - 1, i - 1));
}

TEST(PrincipalComponents, AllOfThemKeepDistances) {
  const FederatedData before = random_data(30, 6);
  FederatedData after = before;
  project_on_components(after, 6);
  for (Index i = 1; i < 30; ++i)
    EXPECT_NEAR((after.train.features.row(i) - after.train.features.row(0)).norm(),
                (before.train.features.row(i) - before.train.features.row(0)).norm(), 1e-10);
}

// fl/account/proofs.md, 10.1: whoever replaces a record replaces the coordinates of all.
TEST(PrincipalComponents, MoveEveryRecordWhereOneIsReplaced) {
  FederatedData before = random_data(30, 6);
  FederatedData after = before;
  after.train.features.row(0) *= -3;
  project_on_components(before, 3);
  project_on_components(after, 3);
  for (Index i = 1; i < 30; ++i)
    EXPECT_GT((after.train.features.row(i).cwiseAbs() - before.train.features.row(i).cwiseAbs()).norm(), 1e-6);
}

// Their signs do not follow the data's: mirrored records have mirrored coordinates.
TEST(PrincipalComponents, HaveASignOfTheirOwn) {
  const FederatedData data = random_data(60, 5);
  FederatedData once = data, mirrored = data;
  mirrored.train.features *= -1;
  mirrored.test.features *= -1;
  project_on_components(once, 3);
  project_on_components(mirrored, 3);
  EXPECT_LE((once.train.features + mirrored.train.features).norm(), 1e-9);
  EXPECT_LE((once.test.features + mirrored.test.features).norm(), 1e-9);
}

TEST(PrincipalComponents, TakeFewerRecordsThanComponents) {
  FederatedData data = random_data(3, 6);
  project_on_components(data, 5);
  EXPECT_LE(data.train.features.rightCols(3).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT(data.train.features.leftCols(2).cwiseAbs().minCoeff(), 0);
}

TEST(PrincipalComponents, AreSixtyUnlessSaidOtherwiseAndWrittenDown) {
  FederatedData data = random_data(20, 61);
  project_on_components(data);
  EXPECT_EQ(data.train.features.cols(), 60);
  EXPECT_EQ(data.description, "random, 60 principal components (found without privacy)");
}

TEST(PrincipalComponents, RefuseBeforeAnythingChanges) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const FederatedData good = random_data(10, 4);
  const auto expect_refused = [](const std::string& name, FederatedData data, int components) {
    const Matrix train = data.train.features, test = data.test.features;
    EXPECT_REFUSED(name, project_on_components(data, components));
    EXPECT_EQ(data.train.features.rows(), train.rows());
    EXPECT_EQ(data.train.features.cols(), train.cols());
    EXPECT_EQ(data.test.features.cols(), test.cols());
    EXPECT_EQ(data.description, "random");
  };
  for (const int components : {-1, 0, 5}) expect_refused("components", good, components);
  FederatedData data = good;
  data.train.features.resize(0, 4);
  expect_refused("features", data, 2);
  data = good;
  data.test.features.resize(3, 5);
  data.test.features.setZero();
  expect_refused("features", data, 2);
  for (const double bad : {nan, infinity, -infinity, 1e300}) {
    data = good;
    data.train.features(9, 3) = bad;
    expect_refused("features", data, 2);
  }
  for (const double bad : {nan, infinity, -infinity}) {
    data = good;
    data.test.features(6, 0) = bad;
    expect_refused("features", data, 2);
  }
}

}  // namespace
}  // namespace dpbudget::fl
