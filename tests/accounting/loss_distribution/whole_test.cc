// Compositions as a whole.

#include "dpbudget/accounting/loss_distribution/whole.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

using Masses = std::vector<long double>;

Masses convolved(const Masses& a, const Masses& b) {
  Masses sum(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) sum[i + j] += a[i] * b[j];
  return sum;
}

// Losses of which the largest, or others, may be rare.
LossDistribution random_losses(double mesh, Side side) {
  LossDistribution losses{.side = side, .grid = {mesh}, .first = *rc::gen::inRange(-20, 3), .mass = {}};
  const int size = *rc::gen::inRange(2, 20);
  double total = 0;
  for (int i = 0; i < size; ++i) {
    losses.mass.push_back(*rc::gen::arbitrary<bool>() ? log_uniform(1e-30, 1) : log_uniform(1e-3, 1));
    total += losses.mass.back();
  }
  for (double& mass : losses.mass) mass /= total;
  return losses;
}

// accounting/loss_distribution/proofs.md, 3.1 to 3.3
RC_GTEST_PROP(ComposeWhole, IsOnItsSideOfSumsOneByOneAndNear, ()) {
  const double mesh = log_uniform(1e-3, 1);
  std::vector<LossDistribution> kinds;
  std::vector<std::uint64_t> counts;
  for (int kind = 0, most = *rc::gen::inRange(1, 4); kind < most; ++kind) {
    kinds.push_back(random_losses(mesh, Side::upper));
    counts.push_back(*rc::gen::inRange(0, 9));
  }
  counts.front() = std::max<std::uint64_t>(counts.front(), 2);
  Masses exact{1};
  std::int64_t first = 0;
  std::vector<Part> parts;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    parts.push_back({&kinds[kind], counts[kind]});
    for (std::uint64_t i = 0; i < counts[kind]; ++i) {
      exact = convolved(exact, Masses(kinds[kind].mass.begin(), kinds[kind].mass.end()));
      first += kinds[kind].first;
    }
  }
  const double tail = log_uniform(1e-25, 1e-18);
  const LossDistribution upper = compose_whole(parts, tail);
  for (LossDistribution& kind : kinds) kind.side = Side::lower;
  const LossDistribution lower = compose_whole(parts, tail);
  RC_ASSERT(upper.first + static_cast<std::int64_t>(upper.mass.size()) <=
            first + static_cast<std::int64_t>(exact.size()));
  for (std::size_t at = 0; at < exact.size(); ++at) {
    const double epsilon = (static_cast<double>(first) + static_cast<double>(at) - 0.5) * mesh;
    long double truth = 0;
    for (std::size_t i = at; i < exact.size(); ++i)
      truth += exact[i] * -std::expm1(static_cast<long double>(epsilon) -
                                      static_cast<long double>(first + static_cast<std::int64_t>(i)) * mesh);
    const auto delta = static_cast<double>(truth);
    const double of_upper = delta_at(upper, epsilon);
    const double of_lower = delta_at(lower, epsilon);
    RC_ASSERT(of_upper >= delta * (1 - 1e-12));
    RC_ASSERT(of_lower <= delta * (1 + 1e-12));
    RC_ASSERT(of_upper <= delta * (1 + 1e-6) + 1e-12);
    RC_ASSERT(of_lower >= delta * (1 - 1e-6) - 1e-12);
  }
}

// All sums are far more than those that are likely.
TEST(ComposeWhole, HasAWindowFarFromTheLargestSumOfMany) {
  const LossDistribution one = discretise(gaussian_pieces(20, {0.005, 1e-18}), {0.01}, Side::upper);
  const LossDistribution sum = compose_whole({{&one, 20000}}, 1e-18);
  EXPECT_LT(sum.mass.size(), 50000U);
  EXPECT_GT(one.mass.size() * 20000, 1000000U);
}

// What was composed last is known, and nothing else is taken for it.
TEST(ComposeWhole, IsTheSameWhateverWasComposedBefore) {
  const LossDistribution one = discretise(gaussian_pieces(2, {0.025, 1e-18}), {0.05}, Side::upper);
  LossDistribution moved = one;
  moved.mass[moved.mass.size() / 2] *= 1 + 0x1p-52;
  LossDistribution lower = one;
  lower.side = Side::lower;
  const LossDistribution first = compose_whole({{&one, 7}}, 1e-12);
  EXPECT_EQ(compose_whole({{&one, 7}}, 1e-12).mass, first.mass);
  EXPECT_NE(compose_whole({{&moved, 7}}, 1e-12).mass, first.mass);
  EXPECT_EQ(compose_whole({{&one, 7}}, 1e-12).mass, first.mass);
  EXPECT_NE(compose_whole({{&one, 8}}, 1e-12).mass, first.mass);
  EXPECT_EQ(compose_whole({{&one, 7}}, 1e-12).mass, first.mass);
  EXPECT_NE(compose_whole({{&one, 7}}, 1e-9).mass, first.mass);
  EXPECT_EQ(compose_whole({{&one, 7}}, 1e-12).mass, first.mass);
  EXPECT_EQ(compose_whole({{&lower, 7}}, 1e-12).side, Side::lower);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
