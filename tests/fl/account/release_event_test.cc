#include "dpbudget/fl/account/release_event.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

ReleaseAccount account(Adversary adversary, const std::string& algorithm = "dp-fedavg") {
  return {settle(kind_of(algorithm)), 8, adversary};
}

// Eight of 32 records with noise 4.
ReleaseView release() {
  ReleaseView view;
  view.sample = 8;
  view.population = 32;
  view.noise_multiplier = 4;
  return view;
}

std::string text(const std::optional<Event>& event) { return event ? to_text(*event) : "none"; }

double noise_of(const std::optional<Event>& event) {
  const auto* sampled = std::get_if<SampledWithoutReplacement>(&event.value());
  return std::get<Gaussian>(sampled == nullptr ? *event : *sampled->inner).noise_multiplier.value();
}

RC_GTEST_PROP(JointNoise, AddsUpInverseVariancesFromBelow, ()) {
  const double a = std::pow(10, static_cast<double>(*rc::gen::inRange(-300, 300)) / 100);
  const double b = std::pow(10, static_cast<double>(*rc::gen::inRange(-300, 300)) / 100);
  const double joint = joint_noise(a, b);
  const auto exact = 1 / std::sqrt(1 / (static_cast<long double>(a) * a) + 1 / (static_cast<long double>(b) * b));
  RC_ASSERT(static_cast<long double>(joint) <= exact);
  RC_ASSERT(joint >= static_cast<double>(exact) * (1 - 1e-14));
}

// fl/account/proofs.md, 6.1
TEST(ReleaseAccount, SamplesRecordsButNoWholeClient) {
  EXPECT_EQ(text(account(Adversary::server)(release())), "wor(8 of 32, gaussian(4))");
  EXPECT_EQ(text(account(Adversary::user_level)(release())), "gaussian(4)");
}

// Variances 1, 4 and 4, of which a client's own is the first: sqrt(9) for a third party, sqrt(5) for one of the others.
// fl/account/proofs.md, 2.1 and 2.3
TEST(ReleaseAccount, HidesARecordInTheMeanFromWhoeverSeesNoMore) {
  ReleaseView view = release();
  view.variances = {1, 9, 4};
  const auto noise = [&](Adversary adversary) { return noise_of(account(adversary)(view)); };
  EXPECT_NEAR(noise(Adversary::third_party), 12, 1e-13);
  EXPECT_LT(noise(Adversary::third_party), 12);
  EXPECT_NEAR(noise(Adversary::one_client), 4 * std::sqrt(5.0), 1e-13);
  EXPECT_EQ(noise(Adversary::server), 4);
  EXPECT_EQ(noise(Adversary::other_clients), 4);
  EXPECT_EQ(noise(Adversary::user_level), 4);
  // Its own noise is always there.
  view.variances = {1, 1, 1};
  EXPECT_NEAR(noise(Adversary::one_client), 4, 1e-13);
}

// fl/account/proofs.md, 4.1
TEST(ReleaseAccount, CountsTheNormsBelowTheThreshold) {
  ReleaseView view = release();
  view.count_noise = 3;
  EXPECT_NEAR(noise_of(account(Adversary::server)(view)), 2.4, 1e-14);
  view.noise_multiplier = 0.5;  // over what a whole client moves the mean by; it moves the count by 8
  EXPECT_EQ(noise_of(account(Adversary::user_level)(view)), joint_noise(0.5, 3.0 / 8));
}

// accounting/plan/proofs.md, 2.1
TEST(ReleaseAccount, DrawsWithReplacement) {
  ReleaseView view = release();
  view.batches = Batches::with_replacement;
  const std::string batch = std::to_string(view.sample) + " of " + std::to_string(view.population);
  EXPECT_EQ(text(account(Adversary::server)(view)), "with_replacement(" + batch + ", gaussian(4))");
  EXPECT_EQ(text(account(Adversary::user_level)(view)), "gaussian(4)");
  EXPECT_FALSE(account(Adversary::server).counts_once(view));
}

// fl/account/proofs.md, 11.1, 11.2 and 11.4
TEST(ReleaseAccount, PaysForAPassWithTheLeastNoiseOfItsBatches) {
  ReleaseView view = release();
  view.batches = Batches::shuffled;
  ReleaseAccount server = account(Adversary::server);
  EXPECT_TRUE(server.counts_by_pass(view));
  EXPECT_FALSE(server.counts_by_pass(release()));
  EXPECT_FALSE(server.counts_once(view));
  const auto pass = [&](std::uint64_t batches) { return text(server.pass(std::array{view}, batches)); };
  EXPECT_EQ(pass(1), "wor(8 of 32, gaussian(4))");
  EXPECT_EQ(pass(3), "wor(24 of 32, shuffled_batches(3, gaussian(4)))");
  EXPECT_EQ(pass(4), "shuffled_batches(4, gaussian(4))");
  EXPECT_EQ(pass(5), "none");  // a record would be twice in it
  EXPECT_EQ(pass(0), "none");
  ReleaseView less = view;
  less.noise_multiplier = 2;
  EXPECT_EQ(text(server.pass(std::array{view, less, view}, 4)), "shuffled_batches(4, gaussian(2))");
  ReleaseView larger = view;
  larger.sample = 9;
  EXPECT_EQ(text(server.pass(std::array{view, larger}, 2)), "none");
  larger = view;
  larger.population = 33;
  EXPECT_EQ(text(server.pass(std::array{view, larger}, 2)), "none");
  ReleaseView report = view;
  report.mechanism = Mechanism::shuffled_gaussian;
  EXPECT_EQ(text(server.pass(std::array{report}, 4)), "none");
  view.population = 8;
  EXPECT_EQ(pass(1), "gaussian(4)");
  EXPECT_FALSE(account(Adversary::user_level).counts_by_pass(view));
  EXPECT_EQ(text(account(Adversary::user_level)(view)), "gaussian(4)");
}

// The two releases on a batch are one Gaussian: 4 and 3 together are 2.4.
// fl/account/proofs.md, 11.3
TEST(ReleaseAccount, CountsTheNormsOfShuffledBatches) {
  ReleaseView view = release();
  view.batches = Batches::shuffled;
  view.count_noise = 3;
  const auto event = account(Adversary::server).pass(std::array{view}, 4);
  const auto* batches = std::get_if<ShuffledBatches>(&event.value());
  ASSERT_NE(batches, nullptr);
  EXPECT_NEAR(noise_of(*batches->inner), 2.4, 1e-14);
}

// Two batches of one record each, of a client with four: the record in question adds 1, all others and what it is
// replaced by -1, to outputs with noise `a` and `b` times the sensitivity 2. What that pair shows, by the midpoint rule
// over all four places of the record, is no more than the pass is said to cost, and no less than is said to be shown.
// fl/account/proofs.md, 11.1 and 11.2
TEST(ReleaseAccount, PaysNoLessForAPassThanEveryOrderTogetherShows) {
  const auto density = [](double x, double mean, double noise) {
    const double deviation = 2 * noise;
    return std::exp(-(x - mean) * (x - mean) / (2 * deviation * deviation)) /
           (deviation * std::sqrt(2 * std::numbers::pi));
  };
  const auto delta_of = [&](double a, double b, std::uint64_t records, double epsilon) {
    constexpr double mesh = 0.02;
    const double in_none = (static_cast<double>(records) - 2) / static_cast<double>(records);
    double delta = 0;
    for (double x = -1 - 16 * a; x < 1 + 16 * a; x += mesh)
      for (double y = -1 - 16 * b; y < 1 + 16 * b; y += mesh) {
        const double without = density(x, -1, a) * density(y, -1, b);
        const double first = density(x, 1, a) * density(y, -1, b);
        const double second = density(x, -1, a) * density(y, 1, b);
        const double with = (first + second) / static_cast<double>(records) + in_none * without;
        delta += std::max(0.0, with - std::exp(epsilon) * without) * mesh * mesh;
      }
    return delta;
  };
  for (const std::uint64_t records : {2U, 4U})
    for (const double other : {0.7, 1.2}) {
      ReleaseView view = release();
      view.batches = Batches::shuffled;
      view.sample = 1;
      view.population = records;
      view.noise_multiplier = 0.7;
      ReleaseView second = view;
      second.noise_multiplier = other;
      const Event event = account(Adversary::server).pass(std::array{view, second}, 2).value();
      const auto accountant =
          make_accountant(AccountantName::loss_distribution, {event, Adjacency::replace_one}).value();
      for (const double epsilon : {0.0, 0.5, 1.0}) {
        const Bound bound = accountant->delta(1, epsilon).value().bound;
        const double shown = delta_of(0.7, other, records, epsilon);
        EXPECT_LE(shown, bound.upper * (1 + 1e-6)) << records << ", " << other << ", " << epsilon;
        // With the least noise on both batches it is the pair that is known from below.
        if (other == 0.7) {
          EXPECT_GE(shown, bound.lower * (1 - 1e-6)) << records << ", " << epsilon;
        }
        EXPECT_GT(shown, 0);
      }
    }
}

TEST(ReleaseAccount, PaysOnceForTheLeastNoiseOfDisjointBatches) {
  std::vector<ReleaseView> views(3, release());
  for (ReleaseView& view : views) view.batches = Batches::disjoint;
  views[1].noise_multiplier = 2;
  ReleaseAccount server = account(Adversary::server);
  EXPECT_TRUE(server.counts_once(views[0]));
  EXPECT_FALSE(server.counts_once(release()));
  EXPECT_EQ(text(server.once(views)), "gaussian(2)");
  // A whole client is in all of them.
  EXPECT_FALSE(account(Adversary::user_level).counts_once(views[0]));
  // No theorem here covers a record that may be in one of several mechanisms.
  views[2].mechanism = Mechanism::shuffled_gaussian;
  EXPECT_EQ(text(server.once(views)), "none");
}

// The record is in one of them: their deltas do not add up.
TEST(ReleaseAccount, PaysOnceForTheFewestReportsOfBinomialNoise) {
  ReleaseView view = release();
  view.mechanism = Mechanism::shuffled_binomial;
  view.batches = Batches::disjoint;
  view.encoder = encoder_of(settle(kind_of("binomial-ac-sa")), 0.5);
  view.dimension = 15;
  view.reports = {8, 64, 8};
  ReleaseView fewer = view;
  fewer.reports.all = 40;
  ReleaseAccount server = account(Adversary::server, "binomial-ac-sa");
  EXPECT_NE(text(server.once(std::array{view})), text(server.once(std::array{fewer})));
  EXPECT_EQ(text(server.once(std::array{view, fewer, view})), text(server.once(std::array{fewer})));
}

// fl/account/proofs.md, 7.3
TEST(ReleaseAccount, CountsReportsAsTheAdversaryCannotTellThemApart) {
  ReleaseView view = release();
  view.mechanism = Mechanism::shuffled_gaussian;
  view.batches = Batches::disjoint;
  view.reports = {8, 80000000, 8};
  view.noise_multiplier = 60;
  const auto reports = [&](Adversary adversary) {
    const auto event = account(adversary, "shuffled-mb-sgd").once(std::array{view});
    const auto* shuffled = std::get_if<Shuffled>(&event.value());
    return shuffled == nullptr ? 0 : shuffled->reports.value();
  };
  EXPECT_EQ(reports(Adversary::server), 80000000U);
  EXPECT_EQ(reports(Adversary::third_party), 80000000U);
  EXPECT_EQ(reports(Adversary::one_client), 79999992U);
  EXPECT_EQ(reports(Adversary::other_clients), 0U);  // eight hide nothing
  view.batches = Batches::fresh;
  EXPECT_LE(noise_of(account(Adversary::user_level)(view)), 60 / std::sqrt(8.0));
}

TEST(ReleaseAccount, IsNothingWithoutATheorem) {
  ReleaseView view = release();
  view.mechanism = Mechanism::none;
  EXPECT_EQ(text(account(Adversary::server)(view)), "none");
  view.mechanism = Mechanism::shuffled_binomial;
  view.encoder = {-0.5, 0.5, 1024, 4096, 0.5};
  view.dimension = 15;
  view.reports = {8, 80000, 8};
  EXPECT_EQ(text(account(Adversary::user_level)(view)), "none");
  EXPECT_NE(text(account(Adversary::server)(view)), "none");
}

}  // namespace
}  // namespace dpbudget::fl
