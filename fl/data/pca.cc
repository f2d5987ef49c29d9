#include "dpbudget/fl/data/pca.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/finite.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;
using Row = Eigen::RowVectorXd;

// Rows that a product takes at once: a centred copy of all might not fit.
constexpr Index block = 512;

// Calls visit(first, rows) for consecutive blocks of the records less the mean.
template <class Visit>
void for_each_centred_block(const Matrix& features, const Row& mean, Visit&& visit) {
  Matrix centred;
  for (Index first = 0; first < features.rows(); first += block) {
    centred = features.middleRows(first, std::min(block, features.rows() - first)).rowwise() - mean;
    visit(first, centred);
  }
}

// One component a column, that of the largest variance first.
Eigen::MatrixXd principal_components(const Matrix& features, const Row& mean, Index components) {
  const Index columns = features.cols();
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(columns, columns);
  for_each_centred_block(features, mean, [&](Index /*first*/, const Matrix& centred) {
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose(),
                                                          1 / static_cast<double>(features.rows()));
  });
  require_finite(covariance);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);  // reads the lower half
  require(solver.info() == Eigen::Success, "features", "without a covariance whose eigenvectors are found",
          "of a range that double resolves");
  Eigen::MatrixXd vectors = solver.eigenvectors().rightCols(components).rowwise().reverse();
  for (auto vector : vectors.colwise()) {
    Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    if (vector(largest) < 0) vector = -vector;
  }
  return vectors;
}

Matrix projected(const Matrix& features, const Row& mean, const Eigen::MatrixXd& vectors) {
  Matrix out(features.rows(), vectors.cols());
  for_each_centred_block(features, mean, [&](Index first, const Matrix& centred) {
    out.middleRows(first, centred.rows()).noalias() = centred * vectors;
  });
  require_finite(out);
  return out;
}

}  // namespace

void project_on_components(FederatedData& data, int components) {
  const Index columns = data.train.features.cols();
  require(1 <= components && components <= columns, "components", components, "in [1, features]");
  require(data.train.features.rows() > 0, "features", "without a training record", "those of at least one");
  require(data.test.features.cols() == columns, "features", data.test.features.cols(), "as wide in test as in train");
  require_finite(data.train.features);
  require_finite(data.test.features);

  const Row mean = data.train.features.colwise().mean();
  require_finite(mean);
  const Eigen::MatrixXd vectors = principal_components(data.train.features, mean, components);
  Matrix train = projected(data.train.features, mean, vectors);
  Matrix test = projected(data.test.features, mean, vectors);
  data.train.features.swap(train);
  data.test.features.swap(test);
  data.description += ", " + std::to_string(components) + " principal components (found without privacy)";
}

}  // namespace dpbudget::fl
