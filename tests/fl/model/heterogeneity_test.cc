#include "dpbudget/fl/model/heterogeneity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Loss (1/2) sum_j a_j (w_j - x_j)^2 of a record x with curvatures a = 1, 2, ...: F_i has its minimum at the mean of
// client i's records, and gradient a (w - mean).
class Quadratic : public Model {
 public:
  explicit Quadratic(Eigen::Index dimension) : curvature_(Vector::LinSpaced(dimension, 1, double(dimension))) {}
  std::string name() const override { return "quadratic"; }
  Eigen::Index dimension() const override { return curvature_.size(); }
  Score score_kind() const override { return Score::mean_squared_error; }
  Vector initial(std::uint64_t) const override { return Vector::Zero(dimension()); }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Workspace>(); }
  const Vector& curvature() const { return curvature_; }

  Norms clipped_gradient_sum(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                             double clip_norm, Workspace&, Vector& out) const override {
    EXPECT_TRUE(std::isinf(clip_norm));
    out.setZero(dimension());
    for (const std::uint32_t row : rows)
      out.array() += curvature_.array() * (parameters - dataset.features.row(row).transpose()).array();
    return {};
  }
  void gradient_norms(const Vector&, const Dataset&, std::span<const std::uint32_t>, Workspace&,
                      std::span<double>) const override {
    ADD_FAILURE() << "not needed";
  }
  double loss(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
              Workspace&) const override {
    double sum = 0;
    for (const std::uint32_t row : rows)
      sum += curvature_.dot((parameters - dataset.features.row(row).transpose()).cwiseAbs2()) / 2;
    return sum / static_cast<double>(rows.size());
  }
  double score(const Vector&, const Dataset&, std::span<const std::uint32_t>, Workspace&) const override {
    ADD_FAILURE() << "not needed";
    return 0;
  }

 private:
  Vector curvature_;
};

// Client 0 holds the records (0, 0), (2, 0) with mean (1, 0), client 1 the record (5, 4).
FederatedData two_clients() {
  FederatedData data;
  data.train = {Matrix{{0, 0}, {5, 4}, {2, 0}}, {}, 0, {0, 0, 0}};
  data.test = {Matrix{{0, 0}}, {}, 0, {0}};
  data.clients = {{0, 2}, {1}};
  return data;
}

const Quadratic& model() {
  static const Quadratic quadratic(2);
  return quadratic;
}

// The gradients differ by a (m_0 - m_1) = (-4, -8) at every w: 80 p_0 p_1 around their mean.
TEST(GradientDissimilarity, OfQuadraticsIsTheSpreadOfTheirMeans) {
  for (const Vector& w : {Vector{{0, 0}}, Vector{{-3, 100}}}) {
    EXPECT_NEAR(gradient_dissimilarity(model(), two_clients(), w, ClientWeights::equal), 80.0 / 4, 1e-10);
    EXPECT_NEAR(gradient_dissimilarity(model(), two_clients(), w, ClientWeights::by_records), 80.0 * 2 / 9, 1e-10);
  }
}

// A model that is not quadratic: the same gradients cubed.
class Cubed : public Quadratic {
 public:
  using Quadratic::Quadratic;
  Norms clipped_gradient_sum(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                             double clip_norm, Workspace& workspace, Vector& out) const override {
    Quadratic::clipped_gradient_sum(parameters, dataset, rows, clip_norm, workspace, out);
    out = out.array().cube();
    return {};
  }
};

TEST(LargestGradientDissimilarity, IsThatOfTheWorstPoint) {
  const Cubed cubed(2);
  const std::vector<Vector> points{Vector{{0, 0}}, Vector{{9, -9}}, Vector{{1, 1}}};
  double largest = 0;
  for (const Vector& point : points) {
    const double at_point = gradient_dissimilarity(cubed, two_clients(), point, ClientWeights::equal);
    EXPECT_LE(at_point, largest_gradient_dissimilarity(cubed, two_clients(), points, ClientWeights::equal));
    largest = std::max(largest, at_point);
  }
  EXPECT_EQ(largest_gradient_dissimilarity(cubed, two_clients(), points, ClientWeights::equal), largest);
  EXPECT_GT(largest, 2 * gradient_dissimilarity(cubed, two_clients(), points[2], ClientWeights::equal));
  EXPECT_REFUSED("points", largest_gradient_dissimilarity(cubed, two_clients(), {}, ClientWeights::equal));
}

// With regularisation r the minimiser of F, clients alike, is a m / (a + r) for the mean m = (3, 2) of the means.
TEST(DissimilarityAtOptimum, IsTheMeanSquaredGradientThere) {
  for (const double r : {0.0, 0.5}) {
    const Vector optimum{{3 / (1 + r), 4 / (2 + r)}};
    double expected = 0;
    for (const Vector& mean : {Vector{{1, 0}}, Vector{{5, 4}}})
      expected += (model().curvature().cwiseProduct(optimum - mean) + r * optimum).squaredNorm() / 2;
    const AtOptimum at = dissimilarity_at_optimum(model(), two_clients(), optimum, r);
    EXPECT_NEAR(at.dissimilarity, expected, 1e-12);
    EXPECT_NEAR(at.gradient_norm, 0, 1e-12);
    // At the minimiser the gradients have mean 0, so this is their dissimilarity.
    EXPECT_NEAR(at.dissimilarity, gradient_dissimilarity(model(), two_clients(), optimum, ClientWeights::equal), 1e-12);
  }
  EXPECT_NEAR(dissimilarity_at_optimum(model(), two_clients(), Vector{{4, 2}}, 0).gradient_norm, 1, 1e-12);
}

// By records F has its minimum at the mean (7/3, 4/3) of all records: F_i(w*) - F_i(m_i) = a (w* - m_i)^2 / 2.
TEST(LocalGlobalGap, IsTheMeanOfTheClientsGaps) {
  const Vector optimum{{7.0 / 3, 4.0 / 3}};
  const std::vector<Vector> own{Vector{{1, 0}}, Vector{{5, 4}}};
  const double first = (16.0 / 9 + 2 * 16.0 / 9) / 2;
  const double second = (64.0 / 9 + 2 * 64.0 / 9) / 2;
  EXPECT_NEAR(local_global_gap(model(), two_clients(), optimum, own, 0), (2 * first + second) / 3, 1e-12);
}

TEST(LocalGlobalGap, CountsTheRegulariser) {
  const double r = 0.25;
  const auto minimiser = [&](double x, double y) { return Vector{{x / (1 + r), 2 * y / (2 + r)}}; };
  const std::vector<Vector> own{minimiser(1, 0), minimiser(5, 4)};
  const Vector optimum = minimiser(7.0 / 3, 4.0 / 3);
  const auto half = [&](const Vector& w, double x, double y) {
    return ((w(0) - x) * (w(0) - x) + 2 * (w(1) - y) * (w(1) - y) + r * w.squaredNorm()) / 2;
  };
  // The records' own spread cancels.
  const double expected =
      (2 * (half(optimum, 1, 0) - half(own[0], 1, 0)) + half(optimum, 5, 4) - half(own[1], 5, 4)) / 3;
  EXPECT_NEAR(local_global_gap(model(), two_clients(), optimum, own, r), expected, 1e-12);
  // Any other point of a client's makes the gap smaller.
  EXPECT_LT(local_global_gap(model(), two_clients(), optimum, std::vector<Vector>{own[0], Vector{{5, 4}}}, r),
            expected);
}

// Clients of the same records: nothing differs, and the quantities do not depend on the threads.
RC_GTEST_PROP(Heterogeneity, VanishesForEqualClients, ()) {
  const auto clients = *rc::gen::inRange<std::uint32_t>(1, 12);
  const auto each = *rc::gen::inRange<std::uint32_t>(1, 5);
  FederatedData data = two_clients();
  data.train = {Matrix(clients * each, 2), {}, 0, std::vector<double>(clients * each)};
  data.clients.assign(clients, {});
  for (std::uint32_t row = 0; row < clients * each; ++row) {
    data.train.features.row(row) = Eigen::RowVector2d(row / clients, 1);
    data.clients[row % clients].push_back(row);
  }
  const Vector optimum{{(each - 1) / 2.0, 1}};
  const std::vector<Vector> own(clients, optimum);
  RC_ASSERT(gradient_dissimilarity(model(), data, Vector{{4, -1}}, ClientWeights::equal) < 1e-20);
  RC_ASSERT(dissimilarity_at_optimum(model(), data, optimum, 0).dissimilarity < 1e-20);
  RC_ASSERT(local_global_gap(model(), data, optimum, own, 0) == 0);
  data.train.features(0, 1) = 3;
  RC_ASSERT(clients == 1 || gradient_dissimilarity(model(), data, Vector{{4, -1}}, ClientWeights::equal) > 1e-4);
}

TEST(Heterogeneity, RefusesByName) {
  const FederatedData data = two_clients();
  const Vector good{{1, 2}};
  const Vector bad{{1, 2, 3}};
  const std::vector<Vector> own{good, good};
  EXPECT_REFUSED("parameters", gradient_dissimilarity(model(), data, bad, ClientWeights::equal));
  EXPECT_REFUSED("optimum", dissimilarity_at_optimum(model(), data, bad, 0));
  EXPECT_REFUSED("optimum", local_global_gap(model(), data, bad, own, 0));
  EXPECT_REFUSED("client_optima", local_global_gap(model(), data, good, std::vector<Vector>{good}, 0));
  EXPECT_REFUSED("client_optima", local_global_gap(model(), data, good, std::vector<Vector>{good, bad}, 0));
  for (const double r : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_REFUSED("regularisation", dissimilarity_at_optimum(model(), data, good, r));
    EXPECT_REFUSED("regularisation", local_global_gap(model(), data, good, own, r));
  }
  EXPECT_REFUSED("losses", local_global_gap(model(), data, Vector{{1e300, 0}}, own, 0));
  FederatedData broken = data;
  broken.clients = {{0}, {}};
  EXPECT_REFUSED("clients", gradient_dissimilarity(model(), broken, good, ClientWeights::equal));
  EXPECT_REFUSED("clients", dissimilarity_at_optimum(model(), broken, good, 0));
  EXPECT_REFUSED("clients", local_global_gap(model(), broken, good, own, 0));
}

}  // namespace
}  // namespace dpbudget::fl
