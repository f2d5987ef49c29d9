#include "dpbudget/accounting/shuffle/clones/clone_count.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/random_event.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

double one_by_one(double) { return 1; }

RC_GTEST_PROP(CloneCount, BlocksHoldAllOfTheLaw, ()) {
  const double others = std::floor(log_uniform(1, 1e4));
  const CloneCount count(others, std::log(log_uniform(1e-3, 1e3)));
  const double share = log_uniform(1e-4, 0.1);
  const CloneBlocks found = clone_blocks(count, [&](double m) { return share * m; }, log_uniform(1e-30, 1e-3));
  double sum = 0;
  double last = found.blocks.front().first - 1;
  for (const CloneBlock& block : found.blocks) {
    RC_ASSERT(block.first == last + 1);
    RC_ASSERT(block.last >= block.first);
    last = block.last;
    sum += block.mass;
  }
  RC_ASSERT(sum <= 1 + found.error + 1e-13);
  RC_ASSERT(sum + found.below + found.above >= 1 - found.error - 1e-13);
  RC_ASSERT((found.below > 0) == (found.blocks.front().first > 0));
  RC_ASSERT((found.above > 0) == (last < others));
}

TEST(CloneCount, MassesBelowEveryDoubleAreNotNothing) {
  // Of a million fair coins, 600,000 heads are as good as impossible, and not quite.
  const CloneBlocks found = clone_blocks(CloneCount(1e6, 0), one_by_one, 0);
  ASSERT_GT(found.blocks.front().first, 0);
  ASSERT_LT(found.blocks.back().last, 1e6);
  EXPECT_GT(found.below, 0);
  EXPECT_GT(found.above, 0);
  EXPECT_LT(found.below + found.above, 1e-300);
}

RC_GTEST_PROP(CloneCount, UpperMassesAreAboveTheLaw, ()) {
  const double others = std::floor(log_uniform(1, 3e5));
  const CloneCount count(others, std::log(log_uniform(1e-3, 1e3)));
  const double share = log_uniform(1e-4, 0.1);
  UpperMasses found = upper_masses(count, [&](double m) { return share * m; });
  std::ranges::sort(found.blocks, {}, &UpperMasses::Block::first);
  numeric::Extended sum = 0;
  for (std::size_t i = 0; i < found.blocks.size(); ++i) {
    const auto [first, mass] = found.blocks[i];
    sum += mass;
    const double end = i + 1 < found.blocks.size() ? found.blocks[i + 1].first : others + 1;
    numeric::Extended truth = 0;
    for (double c = first; c < end; ++c)
      truth += numeric::extended::exp(numeric::Extended(count.log_mass(c).lower)) * (1 - found.error);
    RC_ASSERT(mass >= truth);
  }
  RC_ASSERT(static_cast<double>(sum) <= 1.001);
  // What is below any block's numbers, down to none.
  double end = found.blocks.front().first;
  for (const auto& [first, log_mass] : found.below) {
    RC_ASSERT(first < end);
    RC_ASSERT(log_mass >= count.log_mass(end - 1).lower);
    RC_ASSERT(log_mass <= -11000);
    end = first;
  }
  RC_ASSERT(end == 0);
}

// accounting/shuffle/proofs.md, 5.3
RC_GTEST_PROP(CloneCount, MeansHoldTheSum, ()) {
  // Of many clones blocks are wide, and share their values.
  const double others = std::floor(log_uniform(1, 20000));
  const CloneCount count(others, std::log(log_uniform(1e-2, 1e2)));
  const double rate = log_uniform(1e-4, 1);
  const auto f = [&](double m) { return numeric::Bracket{-rate * m, -rate * m}; };
  const auto log_term = [&](double c) { return count.log_mass(c).middle() - rate * (c + 1); };
  double largest = log_term(0);
  for (double c = 1; c <= others; ++c) largest = std::max(largest, log_term(c));
  double sum = 0;
  for (double c = 0; c <= others; ++c) sum += std::exp(log_term(c) - largest);
  const double truth = std::log(sum) + largest;
  const double share = log_uniform(1e-6, 0.1);
  const numeric::Bracket found = log_mean(count, f, [&](double m) { return share * m; }, 1e-10);
  const double slack = 1e-11 * (1 + std::abs(truth));
  RC_ASSERT(found.lower <= truth + slack);
  RC_ASSERT(found.upper >= truth - slack);
}

// The last block of a walk may be a single number after a wide one, whose values are not its own: for some of these
// counts it is 0, which has nearly all of a mean that falls fast, or the largest, for one that hardly falls.
// accounting/shuffle/proofs.md, 5.3
TEST(CloneCount, MeansHoldTheClosedFormWhereverTheirBlocksEnd) {
  const auto wide = [](double) { return 1e9; };
  for (const double rate : {1e3, 1e-3})
    for (double others = 5000; others < 5160; ++others) {
      const CloneCount count(others, 0);
      const auto f = [&](double m) { return numeric::Bracket{-rate * m, -rate * m}; };
      const double truth = others * std::log1p(std::expm1(-rate) / 2) - rate;
      const numeric::Bracket found = log_mean(count, f, wide, 0x1p-56);
      EXPECT_GE(found.upper, truth) << others;
      EXPECT_LE(found.lower, truth) << others;
    }
}

// Numbers that no walk could visit one by one: E[e^(-rate C)] = (1 - p + p e^-rate)^others.
RC_GTEST_PROP(CloneCount, MeansOverAnyNumberHoldTheClosedForm, ()) {
  const double others = std::floor(log_uniform(0x1p32, 0x1p53));
  const double log_odds = std::log(log_uniform(1e-6, 1e3));
  const CloneCount count(others, log_odds);
  const double rate = log_uniform(1e-3, 100) / (count.mode() + 1);
  const auto f = [&](double m) { return numeric::Bracket{-rate * (m - count.mode()), -rate * (m - count.mode())}; };
  const long double p = 1 / (1 + std::exp(-static_cast<long double>(log_odds)));
  const long double r = rate;
  const auto truth = static_cast<double>(others * (std::log1p(p * std::expm1(-r)) + r * p) -
                                         r * (1 + others * p - static_cast<long double>(count.mode())));
  const double width = log_uniform(1e-2, 0.2);  // of blocks, in deviations
  const numeric::Bracket found =
      log_mean(count, f, [&](double) { return std::ceil(width * count.deviation()); }, log_uniform(1e-14, 1e-7));
  const double slack = 1e-7;
  RC_ASSERT(found.lower <= truth + slack);
  RC_ASSERT(found.upper >= truth - slack);
  RC_ASSERT(found.upper - found.lower <= 3 * width * rate * (count.deviation() + 1) + 1e-3);
}

// accounting/shuffle/proofs.md, 1.4
RC_GTEST_PROP(CloneCount, BlocksOfAnyNumberHoldAllOfTheLaw, ()) {
  const double others = std::floor(log_uniform(0x1p32, 0x1p53));
  const CloneCount count(others, std::log(log_uniform(1e-6, 1e3)));
  const CloneBlocks found = clone_blocks(count, [](double m) { return 1e-3 * m; }, log_uniform(1e-30, 1e-3));
  double sum = 0;
  double sum_next = 0;
  double last = found.blocks.front().first - 1;
  for (const CloneBlock& block : found.blocks) {
    RC_ASSERT(block.first == last + 1);
    last = block.last;
    sum += block.mass;
    sum_next += block.mass_next;
  }
  RC_ASSERT(std::abs(sum + found.below + found.above - 1) <= found.error + found.below + found.above);
  RC_ASSERT(std::abs(sum_next - sum) <= 2 * found.error + 2 * (found.below + found.above));
  RC_ASSERT(found.error <= 1e-2);
}

}  // namespace
}  // namespace dpbudget::shuffle
