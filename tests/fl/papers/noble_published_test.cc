#include "dpbudget/fl/papers/noble_published.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/without_replacement.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// A cell of the paper's Table 1: the most rounds for epsilon 3 at delta = 1 / (100 * 4000), with M = 100 users of 4000
// training records, l = 0.05 and s = 0.2.
struct Cell {
  double noise;
  std::uint64_t local_steps;
  std::uint64_t printed;
  std::uint64_t computed;         // by another implementation of the paper's pipeline
  double epsilon_at_printed;      // and its epsilon there, to six decimals,
  double epsilon_at_one_more;     // and at one round more
  std::uint64_t sound_reference;  // most rounds with each user's own noise alone and participation in the open, by the
                                  // central limit theorem for privacy-loss distributions: an approximation
};

// The three cells that differ from print are in the row of noise 160, which repeats that of noise 80.
constexpr std::array<Cell, 25> table1 = {{
    {10, 1, 542, 542, 2.999558, 3.001126, 20824},    {10, 5, 488, 488, 2.999624, 3.001366, 4095},
    {10, 10, 428, 428, 2.998551, 3.000534, 2006},    {10, 20, 324, 324, 2.999908, 3.002533, 964},
    {10, 40, 72, 72, 2.999033, 3.004848, 448},       {20, 1, 545, 545, 2.999023, 3.000582, 87088},
    {20, 5, 502, 502, 2.999575, 3.001268, 17347},    {20, 10, 451, 451, 2.999424, 3.001309, 8630},
    {20, 20, 352, 352, 2.998588, 3.000998, 4272},    {20, 40, 83, 83, 2.997835, 3.002865, 2094},
    {40, 1, 546, 546, 2.999271, 3.000827, 355776},   {40, 5, 505, 505, 2.998519, 3.000200, 71084},
    {40, 10, 457, 457, 2.999424, 3.001283, 35498},   {40, 20, 360, 360, 2.998864, 3.001222, 17705},
    {40, 40, 86, 86, 2.996912, 3.001756, 8809},      {80, 1, 546, 546, 2.998943, 3.000499, 1437696},
    {80, 5, 506, 506, 2.998663, 3.000342, 287488},   {80, 10, 458, 458, 2.998452, 3.000306, 143696},
    {80, 20, 362, 362, 2.998808, 3.001152, 71804},   {80, 40, 87, 87, 2.997757, 3.002555, 35858},
    {160, 1, 546, 546, 2.998861, 3.000417, 5779968}, {160, 5, 506, 507, 2.998279, 2.999957, 1155968},
    {160, 10, 458, 459, 2.997744, 2.999597, 577952}, {160, 20, 362, 363, 2.997616, 2.999957, 288928},
    {160, 40, 87, 87, 2.996761, 3.001548, 144416},
}};

// A figure's caption, and what other implementations compute for it, to four decimals: at the best integer order, and
// on the grid around it with which the authors' program ends. The caption 7.2 is that of the grid.
struct Caption {
  double caption;
  double rounded_to;
  double at_integer_order;
  double on_grid;
  double rounds, local_steps, users, records, user_rate, noise;
};

constexpr std::array<Caption, 5> captions = {{
    {12.9, 0.1, 12.9063, 12.9074, 400, 50, 100, 4000, 0.2, 60},  // the 13 of figures 1 and 3 to 6
    {13, 1, 12.9134, 12.9257, 400, 100, 100, 4000, 0.2, 60},     // figure 1, second row
    {11.4, 0.1, 11.3609, 11.3638, 400, 50, 40, 2000, 0.2, 30},   // figure 2, FEMNIST
    {7.2, 0.1, 7.1494, 7.1511, 100, 50, 60, 800, 0.2, 30},       // figure 2, MNIST
    {4.2, 0.1, 4.1545, 4.1549, 400, 50, 100, 4000, 0.05, 60},    // appendix D.3.3
}};

double table_epsilon(const Cell& cell, std::uint64_t rounds) {
  return noble_third_party_epsilon_as_printed(static_cast<double>(rounds), static_cast<double>(cell.local_steps), 100,
                                              0.05, 0.2, cell.noise, 2.5e-6);
}

TEST(NoblePublished, GivesTable1AndOneRoundMoreInThreeCells) {
  int as_printed = 0;
  for (const Cell& cell : table1) {
    SCOPED_TRACE(testing::Message() << "noise " << cell.noise << ", K " << cell.local_steps);
    const std::uint64_t rounds = noble_third_party_rounds_as_published(3, static_cast<double>(cell.local_steps), 100,
                                                                       0.05, 0.2, cell.noise, 2.5e-6);
    EXPECT_EQ(rounds, cell.computed);
    EXPECT_LE(rounds - cell.printed, 1u);
    as_printed += rounds == cell.printed;
    EXPECT_NEAR(table_epsilon(cell, cell.printed), cell.epsilon_at_printed, 5.1e-7);
    EXPECT_NEAR(table_epsilon(cell, cell.printed + 1), cell.epsilon_at_one_more, 5.1e-7);
  }
  EXPECT_EQ(as_printed, 22);
}

TEST(NoblePublished, GivesTheCaptions) {
  for (const Caption& c : captions) {
    SCOPED_TRACE(testing::Message() << "caption " << c.caption);
    const double delta = 1 / (c.users * c.records);
    const double printed =
        noble_third_party_epsilon_as_printed(c.rounds, c.local_steps, c.users, c.user_rate, 0.2, c.noise, delta);
    EXPECT_NEAR(std::round(printed / c.rounded_to) * c.rounded_to, c.caption, 1e-9);
    EXPECT_NEAR(printed, c.on_grid, 5.1e-5);
    EXPECT_NEAR(
        noble_third_party_epsilon_as_published(c.rounds, c.local_steps, c.users, c.user_rate, 0.2, c.noise, delta)
            .epsilon,
        c.at_integer_order, 5.1e-5);
  }
}

TEST(NoblePublished, IsBelowWhatIsProvenInEveryCellOfTable1) {
  for (const Cell& cell : table1) {
    SCOPED_TRACE(testing::Message() << "noise " << cell.noise << ", K " << cell.local_steps);
    const Plan round{
        Participates{Rate(5, 100),
                     Event(Repeated{cell.local_steps,
                                    Event(SampledWithoutReplacement{Rate(800, 4000), Event(Gaussian{cell.noise})})})},
        Adjacency::replace_one};
    const renyi::Rounds proven = renyi::rounds(round, 3, 2.5e-6);
    EXPECT_GT(proven.rounds, cell.computed);
    EXPECT_LE(static_cast<double>(proven.rounds), 1.01 * static_cast<double>(cell.sound_reference));
    EXPECT_EQ(proven.at_rounds.guarantee, Guarantee::proven);
    EXPECT_LE(proven.at_rounds.upper, 3);
    EXPECT_GT(proven.at_next.upper, 3);
  }
}

// The pipeline written out once more in plain sums, which small orders allow.
double plain_epsilon(double rounds, double local_steps, double users, double user_rate, double record_rate,
                     double noise, double delta, int max_order) {
  const auto choose = [](int n, int k) {
    double value = 1;
    for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
    return value;
  };
  const auto amplified = [&](double rate, const std::function<double(int)>& curve, int order) {
    double sum = 1 + rate * rate * choose(order, 2) * std::min(4 * (std::exp(curve(2)) - 1), 2 * std::exp(curve(2)));
    for (int j = 3; j <= order; ++j) sum += 2 * std::pow(rate, j) * choose(order, j) * std::exp((j - 1) * curve(j));
    return std::log(sum) / (order - 1);
  };
  const auto local = [&](int order) {
    return local_steps *
           amplified(record_rate, [&](int j) { return j / (2 * noise * noise * user_rate * users); }, order);
  };
  double best = std::numeric_limits<double>::infinity();
  for (int order = 2; order <= max_order; ++order)
    best = std::min(best, rounds * amplified(user_rate, local, order) + std::log(1 / delta) / (order - 1));
  return best;
}

RC_GTEST_PROP(NoblePublished, AgreesWithThePlainSums, ()) {
  const auto between = [](double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) / 1000.0; };
  const double rounds = *rc::gen::inRange(1, 2000);
  const double steps = *rc::gen::inRange(1, 40);
  const double users = *rc::gen::inRange(2, 500);
  const double user_rate = between(0.01, 1);
  const double record_rate = between(0.01, 1);
  const double noise = between(2, 100);
  const double delta = std::exp(-between(1, 30));
  const int max_order = *rc::gen::inRange(2, 13);
  const double expected = plain_epsilon(rounds, steps, users, user_rate, record_rate, noise, delta, max_order);
  const PublishedClaim claim =
      noble_third_party_epsilon_as_published(rounds, steps, users, user_rate, record_rate, noise, delta, max_order);
  RC_ASSERT(std::abs(claim.epsilon - expected) <= 1e-9 * expected);
  RC_ASSERT(claim.order == std::round(claim.order) && 2 <= claim.order && claim.order <= max_order);
  // Between integers each stretch is monotone, so the best integer is not undercut, unless it is the last one tried.
  if (claim.order == max_order) return;
  const double printed =
      noble_third_party_epsilon_as_printed(rounds, steps, users, user_rate, record_rate, noise, delta, max_order);
  RC_ASSERT(printed >= claim.epsilon * (1 - 1e-12));
}

RC_GTEST_PROP(NoblePublished, RoundsAreTheMostThatEpsilonAllows, ()) {
  const double steps = *rc::gen::inRange(1, 40);
  const double noise = *rc::gen::inRange(5, 200);
  const double epsilon = *rc::gen::inRange(0, 1200) / 100.0;
  const auto spent = [&](std::uint64_t rounds) {
    return noble_third_party_epsilon_as_published(static_cast<double>(rounds), steps, 100, 0.05, 0.2, noise, 2.5e-6)
        .epsilon;
  };
  const std::uint64_t rounds = noble_third_party_rounds_as_published(epsilon, steps, 100, 0.05, 0.2, noise, 2.5e-6);
  // One part in 10^12: the two are inverse to each other up to rounding.
  if (rounds > 0) RC_ASSERT(spent(rounds) <= epsilon * (1 + 1e-12));
  RC_ASSERT(spent(rounds + 1) > epsilon * (1 - 1e-12));
}

TEST(NoblePublished, AllowsNoRoundWhenTheBudgetIsSpentByTheConversion) {
  EXPECT_EQ(noble_third_party_rounds_as_published(0, 10, 100, 0.05, 0.2, 10, 2.5e-6), 0u);
  EXPECT_EQ(noble_third_party_rounds_as_published(3, 10, 100, 0.05, 0.2, 10, 1e-300), 0u);
}

TEST(NoblePublished, SaturatesHoweverMuchNoiseThereIs) {
  const auto rounds = [](double noise) {
    return noble_third_party_rounds_as_published(3, 10, 100, 0.05, 0.2, noise, 2.5e-6);
  };
  EXPECT_EQ(rounds(1e3), 459u);
  EXPECT_EQ(rounds(1e6), 459u);
}

TEST(NoblePublished, IsInfiniteWhereNoOrderIsFinite) {
  EXPECT_TRUE(std::isinf(noble_third_party_epsilon_as_published(1, 1, 100, 0.05, 0.2, 1e-160, 1e-5).epsilon));
  EXPECT_TRUE(std::isinf(noble_third_party_epsilon_as_printed(1, 1, 100, 0.05, 0.2, 1e-160, 1e-5)));
}

TEST(NoblePublished, RefusesBadInputByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  struct Position {
    const char* name;
    std::size_t index;
    std::vector<double> refused;
  };
  const std::vector<Position> positions = {
      {"local_steps", 1, {0, -1, nan, inf}},      {"users", 2, {0, -1, nan, inf}},
      {"user_rate", 3, {0, -0.1, 1.5, nan}},      {"record_rate", 4, {0, -0.1, 1.5, nan}},
      {"noise_multiplier", 5, {0, -1, nan, inf}}, {"delta", 6, {0, 1, -1e-5, nan}},
  };
  const std::array<double, 7> good = {400, 10, 100, 0.05, 0.2, 10, 2.5e-6};
  const auto epsilon_of = [](const std::array<double, 7>& a, int max_order) {
    return noble_third_party_epsilon_as_published(a[0], a[1], a[2], a[3], a[4], a[5], a[6], max_order).epsilon;
  };
  const auto printed_of = [](const std::array<double, 7>& a, int max_order) {
    return noble_third_party_epsilon_as_printed(a[0], a[1], a[2], a[3], a[4], a[5], a[6], max_order);
  };
  const auto rounds_of = [](const std::array<double, 7>& a, int max_order) {
    return noble_third_party_rounds_as_published(a[0], a[1], a[2], a[3], a[4], a[5], a[6], max_order);
  };
  for (const Position& position : positions)
    for (const double value : position.refused) {
      SCOPED_TRACE(testing::Message() << position.name << " = " << value);
      auto bad = good;
      bad.at(position.index) = value;
      EXPECT_REFUSED(position.name, epsilon_of(bad, 100));
      EXPECT_REFUSED(position.name, printed_of(bad, 100));
      bad[0] = 3;  // the first argument is then epsilon
      EXPECT_REFUSED(position.name, rounds_of(bad, 100));
    }
  for (const double value : {0.0, -1.0, nan, inf}) {
    auto bad = good;
    bad[0] = value;
    EXPECT_REFUSED("rounds", epsilon_of(bad, 100));
    EXPECT_REFUSED("rounds", printed_of(bad, 100));
  }
  for (const double value : {-1.0, nan, inf}) {
    auto bad = good;
    bad[0] = value;
    EXPECT_REFUSED("epsilon", rounds_of(bad, 100));
  }
  for (const int order : {-1, 0, 1, 1001}) {
    EXPECT_REFUSED("max_order", epsilon_of(good, order));
    EXPECT_REFUSED("max_order", printed_of(good, order));
    EXPECT_REFUSED("max_order", rounds_of(good, order));
  }
}

// B.4's minimum by a grid over integer orders and shares, from the Gaussian's own sampled divergences.
TEST(NoblePublished, WithoutApproximationIsTheMinimumOverOrdersAndShares) {
  const double rounds = 30;
  const double steps = 3;
  const double delta = 1e-5;
  for (const NobleView view : {NobleView::third_party, NobleView::server}) {
    const bool is_third_party = view == NobleView::third_party;
    const double rate = is_third_party ? 0.25 : 1;
    const double noise = is_third_party ? 20 * std::sqrt(0.25 * 16) : 20;
    const renyi::WithoutReplacement theorem(0.1, renyi::gaussian_curve(1 / (noise * noise)));
    double least = std::numeric_limits<double>::infinity();
    for (int order = 2; order <= 200; ++order)
      for (int i = 1; i < 400; ++i) {
        const double x = i / 400.0;
        const double converted = steps * theorem(order).value + std::log(rounds * rate / (x * delta)) / (order - 1);
        const double round = std::log(1 + rate * (std::exp(converted) - 1));
        least = std::min(least, round * std::sqrt(2 * rounds * std::log(1 / ((1 - x) * delta))) +
                                    rounds * round * (std::exp(round) - 1));
      }
    const PublishedClaim found =
        noble_epsilon_without_approximation(view, rounds, steps, 16, 0.25, 0.1, 20, delta, 200);
    EXPECT_LE(found.epsilon, least * (1 + 1e-9));
    EXPECT_NEAR(found.epsilon / least, 1, 1e-3);
  }
  EXPECT_REFUSED("users", noble_epsilon_without_approximation(NobleView::server, 1, 1, 0, 0.5, 0.5, 1, delta));
}

}  // namespace
}  // namespace dpbudget::fl
