#include "dpbudget/accounting/shuffle/blanket/randomizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "accounting/shuffle/finite_blankets.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::shuffle {
namespace {

using testing::log_uniform;

struct Totals {
  double blanket = 0;
  double first = 0;
  double second = 0;
};

void add(Totals& totals, const Cell& cell) {
  totals.blanket += cell.mass;
  totals.first += cell.mass * std::exp(cell.mean.first);
  totals.second += cell.mass * std::exp(cell.mean.second);
}

// b and the rest have mass 1, and so have R_x and R_x'.
void expect_distributions(const Randomizer& randomizer) {
  std::vector<BlanketPair> all = randomizer.pairs;
  all.insert(all.end(), randomizer.witnesses.begin(), randomizer.witnesses.end());
  for (const BlanketPair& pair : all) {
    Totals totals;
    for (const Cell& cell : pair.atoms) add(totals, cell);
    for (const Stretch& stretch : pair.stretches) {
      const double middle = (stretch.from + stretch.to) / 3;
      add(totals, stretch.cell(stretch.from, middle));
      add(totals, stretch.cell(middle, stretch.to));
    }
    RC_ASSERT(std::abs(totals.blanket + pair.rest - 1) < 1e-14);
    RC_ASSERT(std::abs(totals.first - 1) < 1e-13);
    RC_ASSERT(std::abs(totals.second - 1) < 1e-13);
  }
}

RC_GTEST_PROP(Randomizer, HasOutputsOfTotalMassOne, ()) {
  const double e0 = log_uniform(1e-6, 20);
  const auto k = static_cast<std::uint64_t>(log_uniform(2, 9e15));
  const auto d = std::min(k - 1, static_cast<std::uint64_t>(log_uniform(1, 9e15)));
  expect_distributions(randomized_response(e0, k));
  expect_distributions(subset_selection(e0, k, d));
  expect_distributions(rappor(e0, k));
  expect_distributions(unary_encoding(e0, k));
  expect_distributions(hadamard_response(e0, k));
  expect_distributions(laplace(e0));
}

// The mass of the blanket, from the table of all probabilities.
RC_GTEST_PROP(Randomizer, KeepsWhatAllInputsHaveInCommon, ()) {
  const double e0 = log_uniform(1e-3, 20);
  const auto k = static_cast<std::size_t>(*rc::gen::inRange(2, 8));
  const int d = *rc::gen::inRange(1, static_cast<int>(k));
  const auto common = [](const testing::Channel& channel) {
    long double total = 0;
    for (std::size_t y = 0; y < channel[0].size(); ++y) {
      long double least = 1;
      for (const auto& report : channel) least = std::min(least, report[y]);
      total += least;
    }
    return total;
  };
  const auto agree = [](const Randomizer& randomizer, long double mass) {
    const auto rest = static_cast<double>(1 - mass);
    RC_ASSERT(std::abs(randomizer.pairs[0].rest - rest) < 1e-14);
  };
  agree(randomized_response(e0, k), common(testing::response_channel(e0, k)));
  agree(subset_selection(e0, k, static_cast<std::uint64_t>(d)), common(testing::subset_channel(e0, k, d)));
  agree(rappor(e0, k), common(testing::rappor_channel(e0, k)));
  agree(unary_encoding(e0, k), common(testing::unary_channel(e0, k)));
  agree(hadamard_response(e0, k), common(testing::hadamard_channel(e0, k)));
}

// accounting/shuffle/blanket/proofs.md, 3.2
TEST(Randomizer, CutsLaplaceNoiseWithoutLoss) {
  const BlanketPair pair = laplace(3).pairs[0];
  for (const Stretch& stretch : pair.stretches) {
    const Cell whole = stretch.cell(0.5, 2);
    const Cell left = stretch.cell(0.5, 1.25);
    const Cell right = stretch.cell(1.25, 2);
    EXPECT_NEAR(left.mass + right.mass, whole.mass, 1e-16);
    Totals parts;
    add(parts, left);
    add(parts, right);
    EXPECT_NEAR(parts.first, whole.mass * std::exp(whole.mean.first), 1e-15);
    EXPECT_NEAR(parts.second, whole.mass * std::exp(whole.mean.second), 1e-15);
  }
}

TEST(Randomizer, RefusesWhatIsOutOfRange) {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const double e0 : {0.0, 9e-7, 20.1, -1.0, not_a_number, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(randomized_response(e0, 3), InvalidArgument);
    EXPECT_THROW(subset_selection(e0, 3, 1), InvalidArgument);
    EXPECT_THROW(rappor(e0, 3), InvalidArgument);
    EXPECT_THROW(unary_encoding(e0, 3), InvalidArgument);
    EXPECT_THROW(hadamard_response(e0, 3), InvalidArgument);
    EXPECT_THROW(laplace(e0), InvalidArgument);
  }
  for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 53) + 1}) {
    EXPECT_THROW(randomized_response(1, k), InvalidArgument);
    EXPECT_THROW(subset_selection(1, k, 1), InvalidArgument);
    EXPECT_THROW(rappor(1, k), InvalidArgument);
    EXPECT_THROW(unary_encoding(1, k), InvalidArgument);
    EXPECT_THROW(hadamard_response(1, k), InvalidArgument);
  }
  EXPECT_THROW(subset_selection(1, 4, 0), InvalidArgument);
  EXPECT_THROW(subset_selection(1, 4, 4), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::shuffle
