#include "dpbudget/fl/model/single_output.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "dpbudget/mechanisms/random.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;

Vector normal_vector(mechanisms::Stream& stream, Index size, double scale) {
  Vector out(size);
  for (double& value : out) value = scale * stream.normal();
  return out;
}

double hinge(const Vector& parameters, const Vector& record, double sign) {
  return std::max(0.0, 1 - sign * parameters.dot(record));
}

// What Lemma D.9 minimises over v.
double envelope_at(const Vector& v, const Vector& w, const Vector& record, double sign, double smoothing) {
  return hinge(v, record, sign) + smoothing / 2 * (v - w).squaredNorm();
}

struct Envelope {
  explicit Envelope(std::uint64_t seed, Index size = 4)
      : stream({seed, mechanisms::Purpose::data_generation, 0, 0, 0}),
        smoothing(std::exp(2 * stream.normal())),
        sign(stream.uniform() < 0.5 ? -1 : 1),
        record(normal_vector(stream, size, 1)) {
    record(size - 1) = 1;
  }
  double value(const Vector& w) const {
    return SmoothedHingeLoss{smoothing}.value(sign * w.dot(record), record.squaredNorm());
  }
  Vector gradient(const Vector& w) const {
    return sign * SmoothedHingeLoss{smoothing}.slope(sign * w.dot(record), record.squaredNorm()) * record;
  }
  mechanisms::Stream stream;
  double smoothing;
  double sign;
  Vector record;
};

RC_GTEST_PROP(SmoothedHingeLoss, IsTheMinimumAlongTheRecord, ()) {
  Envelope envelope(*rc::gen::arbitrary<std::uint64_t>());
  const Vector w = normal_vector(envelope.stream, 4, 1);
  const auto along = [&](double t) {
    return envelope_at(w + t * envelope.record, w, envelope.record, envelope.sign, envelope.smoothing);
  };
  // The minimum moves by at most 1 / smoothing times the record.
  const double reach = 1.1 / envelope.smoothing;
  const double found = boost::math::tools::brent_find_minima(along, -reach, reach, 50).second;
  RC_ASSERT(envelope.value(w) <= found + 1e-12 * (1 + found));
  RC_ASSERT(found <= envelope.value(w) + 1e-6 * (1 + found));  // at a kink the search ends half the digits away
}

RC_GTEST_PROP(SmoothedHingeLoss, IsBelowEveryOtherPoint, ()) {
  Envelope envelope(*rc::gen::arbitrary<std::uint64_t>());
  const Vector w = normal_vector(envelope.stream, 4, 1);
  const Vector prox = w - envelope.gradient(w) / envelope.smoothing;
  RC_ASSERT(std::abs(envelope_at(prox, w, envelope.record, envelope.sign, envelope.smoothing) - envelope.value(w)) <=
            1e-12 * (1 + envelope.value(w)));
  for (const double distance : {1e-3, 0.1, 1.0, 10.0}) {
    const Vector v = prox + normal_vector(envelope.stream, 4, distance);
    RC_ASSERT(envelope_at(v, w, envelope.record, envelope.sign, envelope.smoothing) >=
              envelope.value(w) - 1e-12 * (1 + envelope.value(w)));
  }
}

RC_GTEST_PROP(SmoothedHingeLoss, IsLipschitzAndSmoothAndCloseToTheHinge, ()) {
  Envelope envelope(*rc::gen::arbitrary<std::uint64_t>());
  const double lipschitz = envelope.record.norm();
  const Vector w = normal_vector(envelope.stream, 4, 1);
  RC_ASSERT(envelope.gradient(w).norm() <= lipschitz * (1 + 1e-15));
  const double f = hinge(w, envelope.record, envelope.sign);
  RC_ASSERT(envelope.value(w) <= f * (1 + 1e-14));
  RC_ASSERT(f <= envelope.value(w) + lipschitz * lipschitz / (2 * envelope.smoothing) * (1 + 1e-14) + 1e-14 * f);
  for (const double distance : {1e-2, 1.0, 10.0}) {
    const Vector v = w + normal_vector(envelope.stream, 4, distance);
    const double apart = (v - w).norm();
    RC_ASSERT((envelope.gradient(v) - envelope.gradient(w)).norm() <=
              envelope.smoothing * apart * (1 + 1e-12) + 1e-13 * lipschitz);
    RC_ASSERT(std::abs(envelope.value(v) - envelope.value(w)) <= lipschitz * apart * (1 + 1e-12) + 1e-13 * (1 + f));
    const Vector middle = (v + w) / 2;
    RC_ASSERT(envelope.value(middle) <=
              (envelope.value(v) + envelope.value(w)) / 2 + 1e-12 * (1 + f + lipschitz * apart));
  }
}

TEST(SmoothedHingeLoss, IsTheHingeWhereItIsFlatAndTheBoundWhereItIsSteep) {
  const SmoothedHingeLoss loss{4};
  EXPECT_EQ(loss.value(1, 2), 0);
  EXPECT_EQ(loss.slope(1, 2), 0);
  EXPECT_EQ(loss.value(5, 2), 0);
  EXPECT_DOUBLE_EQ(loss.value(-3, 2), 4 - 2.0 / 8);
  EXPECT_EQ(loss.slope(-3, 2), -1);
  EXPECT_DOUBLE_EQ(loss.value(0.75, 2), 4 * 0.25 * 0.25 / 2 / 2);
  EXPECT_DOUBLE_EQ(loss.slope(0.75, 2), -0.25 * 4 / 2);
}

TEST(LogisticLoss, AgreesWithItsDefinitionAndKeepsItsDigits) {
  for (double margin = -30; margin <= 30; margin += 0.37) {
    const long double exact = std::log1p(std::exp(-static_cast<long double>(margin)));
    EXPECT_NEAR(LogisticLoss::value(margin, 1) / static_cast<double>(exact), 1, 1e-15);
    EXPECT_NEAR(LogisticLoss::slope(margin, 1) * static_cast<double>(1 + std::exp(static_cast<long double>(margin))),
                -1, 1e-15);
  }
  EXPECT_EQ(LogisticLoss::value(-1000, 1), 1000);
  EXPECT_EQ(LogisticLoss::slope(-1000, 1), -1);
  EXPECT_NEAR(LogisticLoss::value(700, 1) / std::exp(-700.0), 1, 1e-12);
  EXPECT_EQ(LogisticLoss::slope(1000, 1), 0);
}

TEST(Slopes, LetNaNThrough) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(LogisticLoss::value(nan, 1)));
  EXPECT_TRUE(std::isnan(LogisticLoss::slope(nan, 1)));
  EXPECT_TRUE(std::isnan(SmoothedHingeLoss{1}.value(nan, 1)));
  EXPECT_TRUE(std::isnan(SmoothedHingeLoss{1}.slope(nan, 1)));
}

TEST(MarginHead, ReadsLabelsAsSignsAndZeroAsTheFirstClass) {
  const Dataset dataset{Matrix{{2.0}, {2.0}, {2.0}}, {0, 1, 1}, 2};
  const std::vector<std::uint32_t> rows{0, 1, 2};
  const MarginHead<LogisticLoss, double> head(LogisticLoss{});
  Matrix outputs{{3.0}, {-3.0}, {0.0}};
  EXPECT_DOUBLE_EQ(head.losses(dataset, rows, dataset.features, outputs),
                   2 * std::log1p(std::exp(3.0)) + std::log(2.0));
  EXPECT_EQ(head.scores(dataset, rows, outputs), 0);
  EXPECT_EQ(head.scores(dataset, rows, Matrix{{0.0}, {1e-9}, {-1.0}}), 2);
  head.differentiate(dataset, rows, dataset.features, outputs);
  EXPECT_DOUBLE_EQ(outputs(0), 1 / (1 + std::exp(-3.0)));
  EXPECT_DOUBLE_EQ(outputs(1), -1 / (1 + std::exp(-3.0)));
  EXPECT_DOUBLE_EQ(outputs(2), -0.5);
  EXPECT_REFUSED("dataset", head.check(dataset, 2));
  EXPECT_REFUSED("dataset", head.check({dataset.features, {0, 1, 2}, 3}, 1));
}

TEST(SquaredErrorHead, HalvesTheLossButNotTheScore) {
  const Dataset dataset{Matrix{{2.0}, {2.0}}, {}, 0, {1, -2}};
  const std::vector<std::uint32_t> rows{0, 1};
  Matrix outputs{{4.0}, {-1.0}};
  EXPECT_EQ(SquaredErrorHead<double>::losses(dataset, rows, dataset.features, outputs), 5);
  EXPECT_EQ(SquaredErrorHead<double>::scores(dataset, rows, outputs), 10);
  SquaredErrorHead<double>::differentiate(dataset, rows, dataset.features, outputs);
  EXPECT_EQ(outputs, (Matrix{{3.0}, {1.0}}));
  EXPECT_REFUSED("dataset", SquaredErrorHead<double>::check(dataset, 2));
  EXPECT_REFUSED("dataset", SquaredErrorHead<double>::check({dataset.features, {0, 1}, 2}, 1));
}

}  // namespace
}  // namespace dpbudget::fl
