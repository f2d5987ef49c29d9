#include "dpbudget/fl/account/run_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/proven_plan.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

const std::vector<std::uint64_t> eight_sizes(8, 32);
constexpr std::uint64_t dimension = 15;

std::vector<ValidationError> never_better(std::uint64_t rounds) {
  std::vector<ValidationError> errors;
  for (std::uint64_t round = 0; round <= rounds; ++round) errors.push_back({round, 0.5});
  return errors;
}

SettledRun settled(const RunRequest& run) { return settle(run, eight_sizes, dimension); }

// Everybody takes part with all records, once a round: what adds up is the sum of 1 / noise^2, and all of it is known
// in closed form. fl/account/proofs.md, 12.2
TEST(RunFilter, AddsUpInverseVariancesWhereNothingIsSampled) {
  RunRequest request = following_errors().run;
  request.user_rate = 1;
  request.record_rate = 1;
  request.local_steps = 1;
  request.rounds = 1000;
  request.budget_for = Adversary::server;
  const SettledRun run = settled(request);
  EXPECT_EQ(run.written().schedule, "validation:factor=0.5,patience=1,filter=gaussian");
  RunFilter filter(run, distinct_sizes(run, eight_sizes, dimension));
  const SettledRun falling = run.following(never_better(6));
  ASSERT_EQ(falling.schedule(), NoiseShape(Milestones{0.5, {2, 3, 4, 5, 6, 7}}));
  double sum = 0;
  for (std::uint64_t rounds = 1; rounds <= 6; ++rounds) {
    sum += std::pow(std::pow(0.5, static_cast<double>(rounds - 1)) * 8, -2);
    EXPECT_NEAR(filter.share(falling, rounds) * run.filter()->budget(), sum, 1e-12 * sum);
    // Gaussians of that sum, by the curve of one Gaussian.
    const double epsilon = profile::gaussian_epsilon(1 / std::sqrt(sum), request.delta);
    EXPECT_EQ(filter.admits(falling, rounds), epsilon <= *request.epsilon) << rounds;
  }
}

// Composition of noise that is fixed in advance allows no fewer rounds than a filter does.
TEST(RunFilter, LetsThroughNoMoreThanACompositionOfTheSameNoiseAllows) {
  for (const Adversary adversary : {Adversary::third_party, Adversary::server, Adversary::user_level})
    for (const double rate : {0.25, 1.0}) {
      RunRequest request = following_errors().run;
      request.schedule = "validation:factor=1,patience=1";
      request.record_rate = rate;
      request.rounds = 400;
      request.epsilon = 6;
      request.noise_multiplier = adversary == Adversary::user_level ? 60 : 3;
      request.budget_for = adversary;
      const std::uint64_t filtered = settled(request)->rounds;
      request.schedule = "constant";
      const std::uint64_t composed = settled(request)->rounds;
      EXPECT_LE(filtered, composed);
      EXPECT_GE(filtered, composed / 2) << "far from what it costs";
    }
}

TEST(RunFilter, ChoosesWhatLetsMostRoundsThrough) {
  RunRequest request = following_errors().run;
  const SettledRun chosen = settled(request);
  const std::vector<Sizes> kinds = distinct_sizes(chosen, eight_sizes, dimension);
  EXPECT_TRUE(chosen.written().schedule.starts_with("validation:factor=0.5,patience=1,filter=renyi:"))
      << chosen.written().schedule;
  const double least = RunFilter(chosen, kinds).share(chosen, 1);
  for (const double order : {1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) try {
      const SettledRun other = chosen.with_filter(filter::AtOrder{order});
      EXPECT_LE(least, RunFilter(other, kinds).share(other, 1)) << order;
    } catch (const InvalidArgument&) {
      // At this order nothing keeps to the budget.
    }
  // It settles to itself.
  EXPECT_EQ(settled(chosen.written()).written().schedule, chosen.written().schedule);
  EXPECT_EQ(settled(chosen.written())->rounds, chosen->rounds);
}

TEST(RunFilter, AsksForTheClientThatSpendsMost) {
  RunRequest request = following_errors().run;
  request.silo_noise = {16, 16, 16, 16, 16, 16, 16, 4};
  request.rounds = 500;
  request.epsilon = 20;
  const SettledRun run = settled(request);
  const std::vector<Sizes> kinds = distinct_sizes(run, eight_sizes, dimension);
  ASSERT_EQ(kinds.size(), 2U);
  const auto share = [&](const std::vector<Sizes>& who) { return RunFilter(run, who).share(run, 3); };
  EXPECT_EQ(share(kinds), std::max(share({kinds[0]}), share({kinds[1]})));
  EXPECT_GT(share(kinds), 2 * std::min(share({kinds[0]}), share({kinds[1]})));
}

// The budget holds for who sees less than the adversary that it is for, and says nothing of others.
// fl/account/proofs.md, 12.1 and 12.3
TEST(RunFilter, BoundsWhoSeesNoMore) {
  const std::vector<Adversary> ascending = {Adversary::third_party, Adversary::one_client, Adversary::other_clients,
                                            Adversary::server, Adversary::user_level};
  for (std::size_t whose = 0; whose < ascending.size(); ++whose) {
    RunRequest request = following_errors().run;
    request.local_steps = 1;
    request.noise_multiplier = 100;
    request.budget_for = ascending[whose];
    const SettledRun run = settled(request);
    const std::vector<Sizes> kinds = distinct_sizes(run, eight_sizes, dimension);
    double before = 0;
    for (std::size_t other = 0; other < ascending.size(); ++other) {
      const auto proven = proven_plan(run, kinds.front(), ascending[other]);
      EXPECT_EQ(proven.has_value(), other <= whose);
      // What is added up grows in that order.
      const double one = run.filter()->measured(proven_round(run, kinds.front(), ascending[other], 1).value());
      EXPECT_GE(one, before);
      before = one;
      if (!proven) continue;
      Pricing price(run->delta);
      EXPECT_LE(price(proven->plan).upper, *run->epsilon);
      EXPECT_GE(price(proven->plan).upper, 0.99 * *run->epsilon);
      EXPECT_EQ(worst_epsilon(run, kinds, ascending[other], 1, price), price(proven->plan).upper);
    }
  }
}

TEST(RunFilter, IsRefusedWhereNothingIsProven) {
  const auto refused = [](const std::string& why, const auto& change) {
    RunRequest run = following_errors().run;
    change(run);
    try {
      settle(run, eight_sizes, dimension);
      ADD_FAILURE() << "not refused: " << why;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused("unless epsilon is given", [](RunRequest& run) { run.epsilon.reset(); });
  refused("when batches are disjoint", [](RunRequest& run) {
    run = kind_of("dp-mb-sgd");
    run.schedule = following_errors().run.schedule;
    run.batches = Batches::disjoint;
    run.epsilon = 3;
  });
  refused("clipping is median", [](RunRequest& run) { run.clipping = MedianClipping{}; });
  refused("beside silo_epsilon", [](RunRequest& run) {
    run.noise_multiplier = 0;
    run.silo_epsilon = std::vector<double>(8, 1);
  });
  refused("fixed in advance for shuffled-mb-sgd", [](RunRequest& run) {
    run = kind_of("shuffled-mb-sgd");
    run.schedule = following_errors().run.schedule;
    run.epsilon = 3;
  });
  refused("noise is ?", [](RunRequest& run) { run.asks_noise = true; });
  refused("epsilon is 1e-06, but must be enough for one round", [](RunRequest& run) { run.epsilon = 1e-6; });
  refused("one whose filter takes such rounds", [](RunRequest& run) { run.schedule += ",filter=gaussian"; });
  refused("enough for one round", [](RunRequest& run) { run.schedule += ",filter=renyi:1.0001"; });
  refused("step_schedule", [](RunRequest& run) { run.options["step_schedule"] = run.schedule; });
}

}  // namespace
}  // namespace dpbudget::fl
