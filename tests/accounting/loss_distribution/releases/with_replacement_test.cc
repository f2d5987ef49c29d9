#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/approximate/sampling.h"
#include "dpbudget/accounting/loss_distribution/releases/drawn_gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/mixture.h"
#include "dpbudget/accounting/loss_distribution/releases/without_replacement_gaussian.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

DeltaBound delta_at(const Plan& plan, double epsilon, AccountantName name = AccountantName::loss_distribution,
                    double tolerance = 1e-4) {
  return make_accountant(name, plan, tolerance).value()->delta(1, epsilon).value();
}

Plan drawn(std::uint64_t draws, std::uint64_t population, Event inner) {
  return {SampledWithReplacement{{draws, population}, std::move(inner)}, Adjacency::replace_one};
}

// accounting/plan/proofs.md, 2.1: of one release the upper end is the sum of Balle, Barthe, Gaboardi 2018,
// Theorem 10, which approximate/sampling.cc forms by itself.
RC_GTEST_PROP(WithReplacement, CostsAboveWhatTheTheoremSays, ()) {
  const auto population = static_cast<std::uint64_t>(*rc::gen::inRange(1, 2000));
  const auto draws = static_cast<std::uint64_t>(log_uniform(1, 200));
  const double noise = log_uniform(0.5, 20);
  const double inside = log_uniform(0.01, 3);
  const EpsilonLogDelta theorem = approximate::amplify_with_replacement_gaussian(
      inside, 1 / noise, static_cast<double>(population), static_cast<double>(draws));
  RC_PRE(theorem.log_delta > -60);
  const Plan plan = drawn(draws, population, Gaussian{noise});
  const double found = delta_at(plan, theorem.epsilon, AccountantName::loss_distribution, 1e-2).bound.upper;
  const double truth = std::exp(theorem.log_delta);
  RC_ASSERT(found >= truth * (1 - 1e-9));
  RC_ASSERT(found <= truth * 1.05 + 1e-14);
}

// H of the mixture of N(k, s^2) against N(0, s^2), by its best half-line.
double attained_delta(std::uint64_t draws, std::uint64_t population, double noise, double epsilon) {
  const boost::math::binomial times(static_cast<double>(draws), 1.0 / static_cast<double>(population));
  const boost::math::normal normal;
  std::vector<double> masses;
  for (std::uint64_t k = 0; k <= std::min<std::uint64_t>(draws, 60); ++k)
    masses.push_back(pdf(times, static_cast<double>(k)));
  const auto loss = [&](double y) {
    double ratio = 0;
    for (std::size_t k = 0; k < masses.size(); ++k) {
      const auto copies = static_cast<double>(k);
      ratio += masses[k] * std::exp((copies * y - copies * copies / 2) / noise / noise);
    }
    return std::log(ratio);
  };
  double low = -50 * noise;
  double high = 50 * noise + 60;
  for (int i = 0; i < 200; ++i) (loss((low + high) / 2) < epsilon ? low : high) = (low + high) / 2;
  double delta = -std::exp(epsilon) * cdf(complement(normal, low / noise));
  for (std::size_t k = 0; k < masses.size(); ++k)
    delta += masses[k] * cdf(complement(normal, (low - static_cast<double>(k)) / noise));
  return delta;
}

// accounting/loss_distribution/proofs.md, 4f.2
TEST(WithReplacement, CostsNoLessThanDataSetsThatAreAllAlike) {
  for (const auto& [draws, population, noise] :
       {std::tuple{10, 100, 2.0}, std::tuple{424, 1000, 2.0}, std::tuple{3, 1, 5.0}, std::tuple{40, 20, 6.0}})
    for (const double epsilon : {0.1, 0.4}) {
      const auto m = static_cast<std::uint64_t>(draws);
      const auto n = static_cast<std::uint64_t>(population);
      const double truth = attained_delta(m, n, noise, epsilon);
      const Bound found = delta_at(drawn(m, n, Gaussian{noise}), epsilon).bound;
      EXPECT_LE(found.lower, truth * (1 + 1e-9)) << draws << " of " << population << " at " << epsilon;
      EXPECT_GE(found.lower, truth * 0.98) << draws << " of " << population << " at " << epsilon;
      EXPECT_GE(found.upper, truth);
    }
}

// accounting/plan/proofs.md, 2.3: the record moves the sum of a batch by half its sensitivity a copy, to one side
// before it is replaced and to the other after; all others move nothing. The half-space through the middle tells the
// two apart.
TEST(WithReplacement, IsAttainedAtEpsilonZero) {
  const boost::math::normal normal;
  for (const auto& [draws, population, noise] :
       {std::tuple{10, 100, 2.0}, std::tuple{424, 1000, 2.0}, std::tuple{3, 1, 5.0}, std::tuple{40, 20, 6.0}}) {
    const boost::math::binomial times(draws, 1.0 / population);
    double attained = 0;
    for (int k = 1; k <= std::min(draws, 60); ++k) attained += pdf(times, k) * (2 * cdf(normal, k / noise / 2) - 1);
    const auto m = static_cast<std::uint64_t>(draws);
    const auto n = static_cast<std::uint64_t>(population);
    const double found = delta_at(drawn(m, n, Gaussian{noise}), 0).bound.upper;
    EXPECT_GE(found, attained * (1 - 1e-9)) << draws << " of " << population;
    EXPECT_LE(found, attained * 1.001) << draws << " of " << population;
  }
}

// accounting/loss_distribution/proofs.md, 4f.2
TEST(DrawnGaussianPieces, HaveTheProfileOfTheMixture) {
  const Cut cut{0.01, 1e-12};
  const Pieces pieces = drawn_gaussian_pieces({42, 100}, 2, cut).value();
  testing::expect_well_formed(pieces, 1e-9);
  for (const double epsilon : {-0.3, -0.1, 0.05, 0.2, 0.5, 1.0, 3.0}) {
    const double truth = attained_delta(42, 100, 2, epsilon);
    EXPECT_LE(testing::delta_of(pieces, epsilon), truth * (1 + 1e-9)) << epsilon;
    EXPECT_GE(testing::delta_of(pieces, epsilon), truth * 0.999 - 1e-11) << epsilon;
  }
  // Losses far beyond what e^x holds in a double.
  EXPECT_NEAR(drawn_gaussian_pieces({16, 1}, 0.3, {1, 1e-12})->pieces.back().high, 16 * 16 / 0.09 / 2, 700);
  EXPECT_FALSE(drawn_gaussian_pieces({100'000, 10}, 2, cut));
}

// accounting/loss_distribution/proofs.md, 4f.1
TEST(Mixture, OfOneIsThatOneAndOfTwoTheMean) {
  const Cut cut{0.01, 1e-12};
  const Pieces narrow = without_replacement_gaussian_pieces(0.1, 4, cut);
  const Pieces wide = without_replacement_gaussian_pieces(0.1, 1, cut);
  const auto mixed = [](const std::vector<std::pair<double, Pieces>>& components) {
    Mixture mixture(0);
    for (const auto& [probability, pieces] : components) mixture.add(probability, pieces);
    return std::move(mixture).pieces();
  };
  const Pieces both = mixed({{0.75, narrow}, {0.25, wide}});
  testing::expect_well_formed(both);
  testing::expect_well_formed(reversed(both));
  for (const double epsilon : {0.05, 0.1, 0.5, 1.0}) {
    const double mean = 0.75 * testing::delta_of(narrow, epsilon) + 0.25 * testing::delta_of(wide, epsilon);
    EXPECT_NEAR(testing::delta_of(both, epsilon), mean, 2e-3 * mean + 1e-13) << epsilon;
    EXPECT_NEAR(testing::delta_of(mixed({{1, wide}}), epsilon), testing::delta_of(wide, epsilon), 1e-13);
  }
  EXPECT_GE(both.p_above, 0.75 * narrow.p_above + 0.25 * wide.p_above);
}

// What is told of rare numbers of copies went on as far as all else, in pieces as small: it took 30 seconds and 4 GB,
// and much of what was left out of it went to infinity.
TEST(Mixture, OfRareNumbersOfCopiesIsNotFollowedTooFar) {
  const Plan plan = parse_plan("6 x with_replacement(86 of 6100, gdp(0.152935)) under replace_one");
  const auto accountant = make_accountant(AccountantName::loss_distribution, plan, 0.1).value();
  EXPECT_LE(accountant->epsilon(1, 4.34431e-89).value().upper, 37.15);
}

// Every batch of a tiny data set: the sum of its bits with discrete Laplace noise of scale `scale`.
std::map<int, double> released(const std::vector<int>& bits, int draws, double scale) {
  std::map<int, double> sums{{0, 1}};
  for (int i = 0; i < draws; ++i) {
    std::map<int, double> more;
    for (const auto& [sum, probability] : sums)
      for (const int bit : bits) more[sum + bit] += probability / static_cast<double>(bits.size());
    sums = more;
  }
  std::map<int, double> law;
  const double share = std::tanh(1 / scale / 2);
  for (const auto& [sum, probability] : sums)
    for (int z = -200; z <= 200; ++z) law[sum + z] += probability * share * std::exp(-std::abs(z) / scale);
  return law;
}

// accounting/plan/proofs.md, 2.1
TEST(WithReplacement, BoundsWhatTinyDataSetsTell) {
  for (const int population : {1, 2, 3})
    for (const int draws : {1, 2, 4})
      for (int others = 0; others < population; ++others) {
        std::vector<int> bits(static_cast<std::size_t>(population), 0);
        for (int i = 0; i < others; ++i) bits[static_cast<std::size_t>(i) + 1 < bits.size() ? i + 1 : 0] = 1;
        bits[0] = 1;
        const auto before = released(bits, draws, 2);
        bits[0] = 0;
        const auto after = released(bits, draws, 2);
        const Plan plan =
            drawn(static_cast<std::uint64_t>(draws), static_cast<std::uint64_t>(population), DiscreteLaplace{2.0});
        for (const double epsilon : {0.0, 0.2, 0.6, 1.5}) {
          double truth = 0;
          for (const auto& [output, mass] : before) {
            const auto other = after.find(output);
            truth += std::max(0.0, mass - std::exp(epsilon) * (other == after.end() ? 0 : other->second));
          }
          EXPECT_GE(delta_at(plan, epsilon).bound.upper, truth * (1 - 1e-9) - 1e-40) << draws << " of " << population;
          EXPECT_GE(delta_at(plan, epsilon, AccountantName::approximate).bound.upper, truth * (1 - 1e-9) - 1e-40);
        }
      }
}

// A composition inside of a batch, and of batches, against one that is known to be more.
TEST(WithReplacement, ComposesAndNests) {
  const auto epsilon_of = [](const char* text, AccountantName name = AccountantName::best) {
    return make_accountant(name, parse_plan(text), 1e-3).value()->epsilon(1, 1e-5).value();
  };
  const Bound nested = epsilon_of("10 x with_replacement(5 of 20, 2 x laplace(10) + rr(0.1))");
  EXPECT_LT(nested.lower, nested.upper);
  EXPECT_LT(nested.upper, epsilon_of("10 x with_replacement(5 of 20, 3 x rr(0.1))").upper * 1.02);
  EXPECT_GT(nested.lower, epsilon_of("10 x wor(5 of 20, 2 x laplace(10))").lower * 0.5);
  const Bound many = epsilon_of("100 x with_replacement(424 of 1000, gaussian(2))");
  const Bound renyi = epsilon_of("100 x with_replacement(424 of 1000, gaussian(2))", AccountantName::renyi);
  EXPECT_LT(many.upper, renyi.upper);
  EXPECT_GT(many.lower, epsilon_of("100 x wor(424 of 1000, gaussian(2))").lower * 0.9);
  // One draw is a sample of one.
  const Bound single = epsilon_of("100 x with_replacement(1 of 50, gaussian(1))");
  const Bound wor = epsilon_of("100 x wor(1 of 50, gaussian(1))");
  EXPECT_NEAR(single.upper, wor.upper, 2e-3 * wor.upper);
  EXPECT_NEAR(single.lower, wor.lower, 2e-3 * wor.lower);
}

// accounting/plan/proofs.md, 2.4
TEST(WithReplacement, IsRefusedByNameWhereThereIsNoTheorem) {
  const auto refusal = [](AccountantName name, const char* text) {
    const auto answer = make_accountant(name, parse_plan(text), 1e-3);
    return answer ? std::string() : answer.error().text();
  };
  EXPECT_NE(refusal(AccountantName::best, "with_replacement(5 of 20, wor(0.5, rr(1)))").find("several times"),
            std::string::npos);
  EXPECT_NE(refusal(AccountantName::loss_distribution, "with_replacement(5 of 20, rr(1)) under add_or_remove_one")
                .find("replace_one, where the number of records is public"),
            std::string::npos);
  EXPECT_NE(refusal(AccountantName::concentrated, "with_replacement(5 of 20, gaussian(1))").find("no order of tCDP"),
            std::string::npos);
  EXPECT_NE(refusal(AccountantName::gdp, "with_replacement(5 of 20, gaussian(1))").find("with_replacement"),
            std::string::npos);
  EXPECT_NE(refusal(AccountantName::renyi, "with_replacement(5000 of 2000, gaussian(9))").find("4096 draws"),
            std::string::npos);
  EXPECT_NE(refusal(AccountantName::loss_distribution, "with_replacement(5 of 20, discrete_gaussian(3))").find("zcdp"),
            std::string::npos);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
