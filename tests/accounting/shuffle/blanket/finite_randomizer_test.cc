#include "dpbudget/accounting/shuffle/blanket/finite_randomizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "accounting/random_event.h"
#include "accounting/shuffle/finite_blankets.h"
#include "accounting/shuffle/random_channel.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"
#include "dpbudget/accounting/shuffle/responses/exact.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using Matrix = std::vector<std::vector<double>>;
using testing::log_uniform;

Matrix matrix_of(const testing::Channel& channel) {
  Matrix matrix;
  for (const auto& row : channel) matrix.emplace_back(row.begin(), row.end());
  return matrix;
}

// The exact delta, over all inputs of all users.
double worst_delta(const Matrix& matrix, int reports, double epsilon) {
  double worst = 0;
  Matrix others;
  const std::function<void(std::size_t)> choose = [&](std::size_t least) {
    if (others.size() + 1 == static_cast<std::size_t>(reports)) {
      for (std::size_t x = 0; x < matrix.size(); ++x)
        for (std::size_t other = x + 1; other < matrix.size(); ++other)
          worst = std::max(worst, exact_delta(matrix[x], matrix[other], others, epsilon));
      return;
    }
    for (std::size_t z = least; z < matrix.size(); ++z) {
      others.push_back(matrix[z]);
      choose(z);
      others.pop_back();
    }
  };
  choose(0);
  return worst;
}

void expect_enclosed(const Randomizer& randomizer, const Matrix& matrix, int reports, double epsilon) {
  const numeric::Bracket found = shuffled_log_delta(randomizer, static_cast<std::uint64_t>(reports), epsilon);
  const double truth = worst_delta(matrix, reports, epsilon);
  RC_LOG() << reports << " reports, " << epsilon << ": " << found.lower << " " << std::log(truth) << " " << found.upper;
  RC_ASSERT(std::exp(found.lower) <= truth * (1 + 1e-9) + 1e-15);
  RC_ASSERT(std::exp(found.upper) >= truth * (1 - 1e-9) - 1e-15);
}

// accounting/shuffle/blanket/proofs.md, 1.4
RC_GTEST_PROP(FiniteRandomizer, EnclosesTheExactDelta, ()) {
  const Matrix matrix = testing::random_matrix(*rc::gen::arbitrary<bool>());
  expect_enclosed(finite(matrix), matrix, *rc::gen::inRange(1, 6), *rc::gen::inRange(0, 12) * 0.1);
}

// Every kind with at most 4 outputs, up to 8 reports.
// accounting/shuffle/blanket/proofs.md, 2.1
RC_GTEST_PROP(FiniteRandomizer, NamedOnesEncloseTheExactDelta, ()) {
  const double e0 = log_uniform(0.01, 5);
  const auto k = static_cast<std::size_t>(*rc::gen::inRange(2, 5));
  const int reports = *rc::gen::inRange(1, 9);
  const double epsilon = *rc::gen::inRange(0, 11) * 0.1 * e0;
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return expect_enclosed(randomized_response(e0, k), matrix_of(testing::response_channel(e0, k)), reports, epsilon);
    case 1:
      return expect_enclosed(subset_selection(e0, k, k - 1),
                             matrix_of(testing::subset_channel(e0, k, static_cast<int>(k) - 1)), reports, epsilon);
    default:
      return expect_enclosed(rappor(e0, 2), matrix_of(testing::rappor_channel(e0, 2)), reports, epsilon);
  }
}

// All of them, for few local epsilons: nothing here is left to chance.
TEST(FiniteRandomizer, EveryNamedOneWithFewOutputsEnclosesTheExactDelta) {
  const auto expect = [](const Randomizer& randomizer, const Matrix& matrix, double e0) {
    for (int reports = 1; reports <= 8; ++reports)
      for (const double epsilon : {0.1 * e0, 0.6 * e0}) {
        const numeric::Bracket found = shuffled_log_delta(randomizer, static_cast<std::uint64_t>(reports), epsilon);
        const double truth = worst_delta(matrix, reports, epsilon);
        EXPECT_LE(std::exp(found.lower), truth * (1 + 1e-9) + 1e-15) << reports << " reports, " << epsilon;
        EXPECT_GE(std::exp(found.upper), truth * (1 - 1e-9) - 1e-15) << reports << " reports, " << epsilon;
      }
  };
  for (const double e0 : {0.2, 1.0, 3.0}) {
    for (std::size_t k = 2; k <= 4; ++k) {
      expect(randomized_response(e0, k), matrix_of(testing::response_channel(e0, k)), e0);
      for (const std::size_t chosen : {std::size_t{1}, k - 1})
        expect(subset_selection(e0, k, chosen), matrix_of(testing::subset_channel(e0, k, static_cast<int>(chosen))),
               e0);
    }
    expect(rappor(e0, 2), matrix_of(testing::rappor_channel(e0, 2)), e0);
  }
}

// The witnesses that are given by hand are among those of the table, which has them all.
// accounting/shuffle/blanket/proofs.md, 2.1
RC_GTEST_PROP(FiniteRandomizer, AgreesWithTheNamedOnes, ()) {
  const double e0 = log_uniform(0.1, 4);
  const double epsilon = *rc::gen::inRange(1, 10) * 0.1 * e0;
  const auto reports = static_cast<std::uint64_t>(*rc::gen::inRange(1, 5));
  const auto agree = [&](const Randomizer& named, const testing::Channel& channel, bool has_all) {
    const numeric::Bracket a = shuffled_log_delta(named, reports, epsilon);
    const numeric::Bracket b = shuffled_log_delta(finite(matrix_of(channel)), reports, epsilon);
    RC_LOG() << a.lower << " " << b.lower << " " << a.upper << " " << b.upper;
    RC_ASSERT(std::abs(a.upper - b.upper) < 1e-3);
    RC_ASSERT(a.lower <= b.lower + 1e-3);
    if (has_all) RC_ASSERT(a.lower >= b.lower - 1e-3);
  };
  agree(randomized_response(e0, 3), testing::response_channel(e0, 3), false);
  agree(subset_selection(e0, 4, 2), testing::subset_channel(e0, 4, 2), false);
  agree(rappor(e0, 3), testing::rappor_channel(e0, 3), false);
  // With two inputs the first is the mirror image of the second.
  agree(randomized_response(e0, 2), testing::response_channel(e0, 2), reports == 1);
}

// Jensen: a decomposition with labels is no better than the infimum. Clones, for any matrix: b = e^-e0 (R_x + R_x')
// / 2.
// accounting/shuffle/blanket/proofs.md, 1.3
RC_GTEST_PROP(FiniteRandomizer, IsAtMostItsClones, ()) {
  const Matrix matrix = testing::random_matrix(false);
  double e0 = 0;
  for (const auto& x : matrix)
    for (const auto& z : matrix)
      for (std::size_t y = 0; y < x.size(); ++y) e0 = std::max(e0, std::log(x[y] / z[y]));
  if (e0 == 0) return;
  const auto reports = static_cast<std::uint64_t>(*rc::gen::inRange(1, 9));
  const double epsilon = *rc::gen::inRange(1, 10) * 0.1 * e0;
  const double high = std::log(2.0) + e0 - std::log1p(std::exp(-e0));
  BlanketPair clones{.rest = -std::expm1(-e0), .atoms = {}, .stretches = {}};
  for (const LogRatios& ratios : {LogRatios{high, high - e0}, LogRatios{high - e0, high}})
    clones.atoms.push_back({std::exp(-e0) / 2, ratios, ratios, ratios});
  RC_ASSERT(blanket_log_delta(finite(matrix), reports, epsilon).lower <=
            blanket_log_delta({"", {clones}}, reports, epsilon).upper + 1e-9);
}

TEST(FiniteRandomizer, WithoutCommonOutputsHidesNothing) {
  const numeric::Bracket found = shuffled_log_delta(finite({{1, 0}, {0, 1}}), 5, 0.3);
  EXPECT_NEAR(found.upper, 0, 1e-9);
}

TEST(FiniteRandomizer, OfOneLawShowsNothing) {
  const Randomizer constant = finite({{0.25, 0.75}, {0.25, 0.75}});
  EXPECT_LT(shuffled_log_delta(constant, 4, 0.1).upper, -700);
  EXPECT_EQ(blanket_epsilon(constant, 4, 1e-6).upper, 0);
}

TEST(FiniteRandomizer, RefusesWhatIsOutOfRange) {
  EXPECT_REFUSED("matrix", finite({}));
  EXPECT_REFUSED("matrix", finite({{0.5, 0.5}}));
  EXPECT_REFUSED("matrix", finite(Matrix(17, {0.5, 0.5})));
  EXPECT_REFUSED("matrix row", finite({{}, {}}));
  EXPECT_REFUSED("matrix row", finite({{0.5, 0.5}, {1}}));
  EXPECT_REFUSED("matrix row", finite(Matrix(2, std::vector<double>(65, 1.0 / 65))));
  EXPECT_REFUSED("matrix row sum", finite({{0.5, 0.5}, {0.5, 0.4}}));
  EXPECT_REFUSED("matrix entry", finite({{1.5, -0.5}, {0.5, 0.5}}));
  EXPECT_REFUSED("matrix entry", finite({{std::numeric_limits<double>::quiet_NaN(), 1}, {0.5, 0.5}}));
}

}  // namespace
}  // namespace dpbudget::shuffle
