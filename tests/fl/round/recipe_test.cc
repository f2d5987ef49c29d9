#include "dpbudget/fl/round/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dpbudget/fl/algorithms/local_optimiser.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr Sizes eight{.clients = 8, .records = 32, .dimension = 15};

// The plain algorithm of that name, whose options the noisy one has too.
std::string plain(std::string name) {
  if (name == "dpnfl") return "nfl";
  if (name == "addpnfl") return "adnfl";
  return name.starts_with("dp-") ? name.substr(3) : name;
}

// A value that some runs alone have, and who takes it.
struct Special {
  std::string_view name;
  std::set<std::string> takers;
  void (*give)(RunRequest&);
};

const std::set<std::string> averaging = {"fedavg",     "fedsgd", "scaffold", "scaffold-warm",
                                         "prifedsync", "nfl",    "adnfl",    "local-sgd"};
const std::set<std::string> single_step = {"mb-sgd",          "ac-sa",          "multi-stage-ac-sa",
                                           "shuffled-mb-sgd", "binomial-ac-sa", "binomial-multi-stage-ac-sa"};

std::set<std::string> with(std::set<std::string> names, const std::string& another) {
  names.insert(another);
  return names;
}

std::set<std::string> all_but_accelerated() { return with(with(averaging, "mb-sgd"), "shuffled-mb-sgd"); }

std::set<std::string> all_but_multi_stage() {
  std::set<std::string> names = averaging;
  names.insert(single_step.begin(), single_step.end());
  names.erase("multi-stage-ac-sa");
  names.erase("binomial-multi-stage-ac-sa");
  return names;
}

const std::vector<Special> specials = {
    {"step", all_but_multi_stage(), [](RunRequest& run) { run.options["step"] = 0.5; }},
    {"server_step", averaging, [](RunRequest& run) { run.options["server_step"] = 0.5; }},
    {"optimiser", {"prifedsync"}, [](RunRequest& run) { run.options["optimiser"] = "adam"; }},
    // Of prifedsync only beside certain optimisers.
    {"momentum", {"adnfl"}, [](RunRequest& run) { run.options["momentum"] = 0.5; }},
    {"second_momentum", {"adnfl"}, [](RunRequest& run) { run.options["second_momentum"] = 0.5; }},
    {"adaptivity", {"adnfl"}, [](RunRequest& run) { run.options["adaptivity"] = 0.5; }},
    {"squares_of", {"adnfl"}, [](RunRequest& run) { run.options["squares_of"] = "mean"; }},
    {"interpolation", {"prifedsync"}, [](RunRequest& run) { run.options["interpolation"] = 0.5; }},
    {"step_schedule", all_but_accelerated(), [](RunRequest& run) { run.options["step_schedule"] = "inverse:1,1"; }},
    {"server_step_schedule", averaging, [](RunRequest& run) { run.options["server_step_schedule"] = "inverse-sqrt"; }},
    {"radius", with(single_step, "local-sgd"), [](RunRequest& run) { run.options["radius"] = 2.0; }},
    {"smoothness", single_step,
     [](RunRequest& run) {
       run.options["smoothness"] = 2.0;
       if (run.algorithm.ends_with("mb-sgd")) run.options.erase("step");
     }},
    {"gap", {"multi-stage-ac-sa", "binomial-multi-stage-ac-sa"}, [](RunRequest& run) { run.options["gap"] = 2.0; }},
    {"granularity",
     {"binomial-ac-sa", "binomial-multi-stage-ac-sa"},
     [](RunRequest& run) { run.options["granularity"] = 64U; }},
    {"noise_bits",
     {"binomial-ac-sa", "binomial-multi-stage-ac-sa"},
     [](RunRequest& run) { run.options["noise_bits"] = 64U; }},
    {"batches", single_step, [](RunRequest& run) { run.batches = Batches::disjoint; }},
};

TEST(RunOfAnAlgorithm, TakesItsOwnOptionsAndRefusesAllOthersByName) {
  for (const AlgorithmTraits& entry : all_algorithms())
    for (const Special& special : specials) {
      auto run = kind_of(entry.name);
      special.give(run);
      SCOPED_TRACE(entry.name + ", " + std::string(special.name));
      if (special.takers.contains(plain(entry.name)))
        EXPECT_NO_THROW(check(run, eight));
      else
        EXPECT_REFUSED(std::string(special.name), check(run, eight));
    }
}

// What an algorithm reads only beside certain values of other fields is refused beside the others.
TEST(RunOfAnAlgorithm, RefusesWhatAnotherFieldMakesIdle) {
  const auto refusal = [](const std::string& algorithm, const auto& change) {
    auto run = kind_of(algorithm);
    change(run);
    try {
      settle(run);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("prifedsync", [](auto& run) { run.options["momentum"] = 0.5; }),
            "momentum is given, but prifedsync takes it only with optimiser momentum or adam");
  EXPECT_EQ(refusal("prifedsync",
                    [](auto& run) {
                      run.options["optimiser"] = "momentum";
                      run.options["adaptivity"] = 0.5;
                    }),
            "adaptivity is given, but prifedsync takes it only with optimiser adam");
  EXPECT_EQ(refusal("mb-sgd", [](auto& run) { run.options["smoothness"] = 1.0; }),
            "step is given, but mb-sgd takes it only without smoothness");
  EXPECT_EQ(refusal("mb-sgd",
                    [](auto& run) {
                      run.options.erase("step");
                      run.options["smoothness"] = 1.0;
                      run.regularisation = 0;
                    }),
            "smoothness is given, but mb-sgd takes it only with a positive regularisation");
  EXPECT_EQ(refusal("multi-stage-ac-sa", [](auto& run) { run.options["step"] = 1.0; }),
            "step is given, but multi-stage-ac-sa does not take it");
  for (const Optimiser optimiser : {Optimiser::sgd, Optimiser::momentum, Optimiser::adam}) {
    auto run = kind_of("prifedsync");
    run.options["optimiser"] = std::string(to_string(optimiser));
    run = completed(completed(run));  // what is filled in is taken
    EXPECT_EQ(run.options.contains("momentum"), optimiser != Optimiser::sgd);
    EXPECT_EQ(run.options.contains("second_momentum"), optimiser == Optimiser::adam);
    EXPECT_EQ(run.options.contains("adaptivity"), optimiser == Optimiser::adam);
  }
}

TEST(RunOfAnAlgorithm, FillsInWhatIsLeftOut) {
  const GivenOptions averaged = {{"step", 0.25}, {"server_step", 1.0}};
  std::map<std::string, GivenOptions> expected;
  for (const std::string& name : averaging) expected[name] = averaged;
  expected["prifedsync"].insert({{"optimiser", "sgd"}, {"interpolation", 1.0}});
  expected["adnfl"].insert({{"momentum", 0.9}, {"second_momentum", 0.99}, {"adaptivity", 1e-3}});
  expected["mb-sgd"] = expected["shuffled-mb-sgd"] = {{"step", 0.25}};
  expected["ac-sa"] = expected["binomial-ac-sa"] = {{"step", 0.25}, {"smoothness", 1.0}};
  expected["multi-stage-ac-sa"] = expected["binomial-multi-stage-ac-sa"] = {{"smoothness", 1.0}, {"gap", 1.0}};
  for (const char* name : {"binomial-ac-sa", "binomial-multi-stage-ac-sa"})
    expected[name].insert({{"granularity", std::uint64_t{1024}}, {"noise_bits", std::uint64_t{4096}}});
  for (const AlgorithmTraits& entry : all_algorithms()) {
    const auto run = completed(kind_of(entry.name));
    EXPECT_EQ(run.options, expected.at(plain(entry.name))) << entry.name;
    EXPECT_GE(run.local_steps.value(), 1U) << entry.name;
  }
  auto adaptive = adaptive_clipping().run;
  adaptive.options["clip_noise"] = 5.0;
  EXPECT_EQ(completed(adaptive).clipping,
            Clipping(AdaptiveClipping{.quantile = 0.5, .learning_rate = 0.2, .noise = 5}));
}

TEST(RunOfAnAlgorithm, RefusesWhatIsOutOfRange) {
  const auto refused = [](const std::string& algorithm, std::string_view name, const auto& change) {
    auto run = kind_of(algorithm);
    change(run);
    EXPECT_REFUSED(std::string(name), check(run, eight));
  };
  const double nan = std::nan("");
  for (const double bad : {-0.1, 1.0, nan}) {
    refused("addpnfl", "momentum", [&](auto& run) { run.options["momentum"] = bad; });
    refused("addpnfl", "second_momentum", [&](auto& run) { run.options["second_momentum"] = bad; });
  }
  for (const double bad : {0.0, -1.0, HUGE_VAL, nan}) {
    refused("addpnfl", "adaptivity", [&](auto& run) { run.options["adaptivity"] = bad; });
    refused("dp-mb-sgd", "radius", [&](auto& run) { run.options["radius"] = bad; });
    refused("dp-ac-sa", "smoothness", [&](auto& run) { run.options["smoothness"] = bad; });
    refused("dp-multi-stage-ac-sa", "gap", [&](auto& run) { run.options["gap"] = bad; });
    refused("dp-fedavg", "silo_noise", [&](auto& run) { run.silo_noise = {4, 4, 4, 4, 4, 4, 4, bad}; });
    refused("dp-fedavg", "clip_noise", [&](auto& run) {
      run.clipping = AdaptiveClipping{};
      run.options["clip_noise"] = bad;
    });
  }
  for (const double bad : {-0.1, 1.1, nan})
    refused("dp-prifedsync", "interpolation", [&](auto& run) { run.options["interpolation"] = bad; });
  for (const double bad : {0.0, 1.0, nan})
    refused("dp-fedavg", "clip_quantile", [&](auto& run) {
      run.clipping = AdaptiveClipping{};
      run.options["clip_quantile"] = bad;
    });
  refused("dp-fedavg", "clip_quantile", [](auto& run) { run.options["clip_quantile"] = 0.5; });
  refused("dp-fedavg", "client_weights", [](auto& run) { run.client_weights = {1, 2}; });
  refused("dp-fedavg", "client_weights", [](auto& run) { run.client_weights = {1, 1, 1, 1, 1, 1, 1, 0}; });
  refused("dp-fedavg", "client_weights", [](auto& run) { run.client_weights.assign(8, 1e308); });
  refused("dp-fedavg", "weights", [](auto& run) {
    run.client_weights.assign(8, 1);
    run.weights = Weights::records;
  });
  refused("shuffled-mb-sgd", "client_weights", [](auto& run) { run.client_weights.assign(8, 1); });
  refused("shuffled-mb-sgd", "batches", [](auto& run) { run.batches = Batches::with_replacement; });
  refused("binomial-ac-sa", "batches", [](auto& run) { run.batches = Batches::with_replacement; });
  // One batch of a new order is a fresh one.
  for (const char* one_step : {"dp-mb-sgd", "mb-sgd", "dp-ac-sa", "shuffled-mb-sgd", "binomial-ac-sa"})
    refused(one_step, "batches is shuffled", [](auto& run) { run.batches = Batches::shuffled; });
  refused("dp-fedavg", "batches is shuffled, but must be fresh or with_replacement for dp-fedavg with one local step",
          [](auto& run) {
            run.batches = Batches::shuffled;
            run.local_steps = 1;
          });
  refused("dp-fedavg", "silo_noise", [](auto& run) { run.silo_noise = {4, 4}; });
  refused("fedavg", "silo_noise", [](auto& run) { run.silo_noise.assign(8, 4); });
  refused("dp-multi-stage-ac-sa", "regularisation", [](auto& run) { run.regularisation = 0; });
  refused("binomial-ac-sa", "noise_bits", [](auto& run) { run.options["noise_bits"] = 0U; });
  refused("binomial-ac-sa", "granularity", [](auto& run) { run.options["granularity"] = 0U; });
  refused("binomial-ac-sa", "noise ", [](auto& run) { run.noise_multiplier = 1; });
  refused("binomial-ac-sa", "schedule", [](auto& run) { run.schedule = "exponential:0.5"; });
  refused("binomial-ac-sa", "silo_noise", [](auto& run) { run.silo_noise.assign(8, 4); });
  refused("shuffled-mb-sgd", "silo_noise", [](auto& run) { run.silo_noise.assign(8, 4); });
  refused("shuffled-mb-sgd", "unit", [](auto& run) { run.unit = Unit::user; });
  refused("shuffled-mb-sgd", "clipping", [](auto& run) { run.clipping = AdaptiveClipping{}; });
  refused("fedavg", "clipping", [](auto& run) { run.clipping = MedianClipping{}; });
  refused("dp-mb-sgd", "local_steps", [](auto& run) { run.local_steps = 2; });
  refused("dp-local-sgd", "batch_size", [](auto& run) { run.batch_size = 2; });
  refused("dp-fedavg", "unit", [](auto& run) {
    run.unit = Unit::user;
    run.batch_size = 2;
  });
  refused("dp-mb-sgd", "rounds", [](auto& run) {
    run.batches = Batches::disjoint;
    run.rounds = 33;
  });
}

TEST(BatchOf, IsARateASizeOrAShareOfTheRun) {
  auto run = completed(kind_of("dp-fedavg"));
  EXPECT_EQ(batch_of(run, 32), 8U);
  EXPECT_EQ(batch_of(run, 35), 8U);
  EXPECT_EQ(record_rate_of(run, 35), 0.25);
  run.record_rate = 0.29;
  EXPECT_EQ(batch_of(run, 100), 29U);
  run.batch_size = 20;
  EXPECT_EQ(batch_of(run, 100), 20U);
  EXPECT_EQ(batch_of(run, 7), 7U);
  EXPECT_EQ(record_rate_of(run, 100), 0.2);
  EXPECT_EQ(record_rate_of(run, 7), 1);
  auto once = kind_of("dp-mb-sgd");
  once.batches = Batches::disjoint;
  EXPECT_EQ(batch_of(completed(once), 32), 8U);
  EXPECT_EQ(batch_of(completed(once), 35), 8U);
  EXPECT_EQ(batch_of(completed(once), 3), 0U);
  EXPECT_EQ(batch_of(completed(kind_of("dp-local-sgd")), 1000), 1U);
}

TEST(Recipe, OfASiloHasItsOwnNoise) {
  auto run = kind_of("dp-fedavg");
  run.silo_noise = {1, 2, 3, 4, 5, 6, 7, 8};
  run = completed(run);
  const std::vector<std::uint64_t> records(8, 32);
  for (std::uint64_t client = 0; client < 8; ++client) {
    const Sizes sizes = sizes_of(run, records, client);
    EXPECT_EQ(recipe_of(run, sizes, 3, 0.5).noise_multipliers, std::vector<double>(2, static_cast<double>(client + 1)));
  }
  EXPECT_EQ(distinct_sizes(run, records).size(), 8U);
  run.silo_noise = {2, 1, 2, 1, 2, 1, 2, 1};
  EXPECT_EQ(distinct_sizes(run, records).size(), 2U);
}

TEST(Recipe, FollowsTheRunAndItsRound) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  run.schedule = "exponential:0.5";
  run = completed(run);
  for (std::uint64_t number = 1; number <= 4; ++number) {
    const BatchRecipe recipe = recipe_of(run, eight, number, 0.5);
    EXPECT_EQ(recipe.first_batch, number - 1);
    EXPECT_EQ(recipe.sample, 8U);
    EXPECT_EQ(recipe.noise_multipliers, std::vector<double>{8 / std::pow(2, number)});
    EXPECT_DOUBLE_EQ(release_noise_std(recipe), 8 / std::pow(2, number) * 2 * 0.5 / 8);
  }
  EXPECT_EQ(release_noise_std(recipe_of(completed(kind_of("fedavg")), eight, 1, HUGE_VAL)), 0);
  // Eight reports with noise 4 * 2 C each, averaged.
  EXPECT_NEAR(release_noise_std(recipe_of(completed(kind_of("shuffled-mb-sgd")), eight, 1, 0.5)), 4 / std::sqrt(8.0),
              1e-15);
  auto odd = completed(kind_of("shuffled-mb-sgd"));
  odd.noise_multiplier = 0.7;
  EXPECT_EQ(release_noise_std(recipe_of(odd, eight, 1, 0.3)), gaussian_std(0.7, 0.3, 1) / std::sqrt(8.0));
  // Eight reports of 4096 fair bits, each worth 2 C / 1024.
  EXPECT_NEAR(release_noise_std(recipe_of(completed(kind_of("binomial-ac-sa")), eight, 1, 0.5)),
              1.0 / 1024 * std::sqrt(4096 / 4.0 / 8), 1e-15);
}

TEST(StepNoise, IsThatOfTheRoundsList) {
  for (const char* schedule : {"constant", "chang2:beta=0.9,hold=1", "step:factor=0.5,every=2", "table:1,2;3,4;5,6"}) {
    RunRequest run = small_run("dp-fedavg");
    run.local_steps = 2;
    run.rounds = 3;
    run.schedule = schedule;
    const SettledRun settled = settle(run);
    const Sizes sizes{.clients = 10, .records = 20};
    for (std::uint64_t round = 1; round <= 3; ++round) {
      const std::vector<double> all = step_noises(settled, sizes, round);
      for (std::uint64_t step = 1; step <= 2; ++step)
        EXPECT_EQ(step_noise(settled, sizes, round, step), all[step - 1]) << schedule;
      EXPECT_FALSE(step_noise(settled, sizes, round, 0));
      EXPECT_FALSE(step_noise(settled, sizes, round, 3));
    }
  }
  EXPECT_FALSE(step_noise(settle(small_run("fedavg")), {.clients = 10, .records = 20}, 1, 1));
}

}  // namespace
}  // namespace dpbudget::fl
