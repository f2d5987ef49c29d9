#include "dpbudget/fl/round/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr Sizes eight{.clients = 8, .records = 32, .dimension = 15};

// An optional field of a run, and a value for it that some algorithm takes.
struct Option {
  std::string_view name;
  void (*give)(fl::RunRequest&);
};
const std::vector<Option> options = {
    {"step", [](fl::RunRequest& run) { run.initial_step = 0.5; }},
    {"server_step", [](fl::RunRequest& run) { run.server_step = 0.5; }},
    {"optimiser", [](fl::RunRequest& run) { run.optimiser = Optimiser::adam; }},
    {"momentum", [](fl::RunRequest& run) { run.momentum = 0.5; }},
    {"second_momentum", [](fl::RunRequest& run) { run.second_momentum = 0.5; }},
    {"adaptivity", [](fl::RunRequest& run) { run.adaptivity = 0.5; }},
    {"interpolation", [](fl::RunRequest& run) { run.interpolation = 0.5; }},
    {"radius", [](fl::RunRequest& run) { run.radius = 2; }},
    {"smoothness",
     [](fl::RunRequest& run) {
       run.smoothness = 2;
       if (!find_algorithm(run.algorithm).reads("step", run)) run.initial_step.reset();
     }},
    {"gap", [](fl::RunRequest& run) { run.gap = 2; }},
    {"granularity", [](fl::RunRequest& run) { run.granularity = 64; }},
    {"noise_bits", [](fl::RunRequest& run) { run.noise_bits = 64; }},
    {"batches", [](fl::RunRequest& run) { run.batches = Batches::disjoint; }},
};

TEST(RunOfAnAlgorithm, TakesItsOwnOptionsAndRefusesAllOthersByName) {
  for (const AlgorithmTraits& entry : all_algorithms())
    for (const Option& option : options) {
      auto run = kind_of(std::string(entry.name));
      option.give(run);
      SCOPED_TRACE(std::string(entry.name) + ", " + std::string(option.name));
      if (entry.reads(option.name, run))
        EXPECT_NO_THROW(check(run, eight));
      else
        EXPECT_REFUSED(std::string(option.name), check(run, eight));
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
  EXPECT_EQ(refusal("prifedsync", [](auto& run) { run.momentum = 0.5; }),
            "momentum is given, but prifedsync takes it only with optimiser momentum or adam");
  EXPECT_EQ(refusal("prifedsync",
                    [](auto& run) {
                      run.optimiser = Optimiser::momentum;
                      run.adaptivity = 0.5;
                    }),
            "adaptivity is given, but prifedsync takes it only with optimiser adam");
  EXPECT_EQ(refusal("mb-sgd", [](auto& run) { run.smoothness = 1; }),
            "step is given, but mb-sgd takes it only without smoothness");
  EXPECT_EQ(refusal("mb-sgd",
                    [](auto& run) {
                      run.initial_step.reset();
                      run.smoothness = 1;
                      run.regularisation = 0;
                    }),
            "smoothness is given, but mb-sgd takes it only with a positive regularisation");
  EXPECT_EQ(refusal("multi-stage-ac-sa", [](auto& run) { run.initial_step = 1; }),
            "step is given, but multi-stage-ac-sa does not take it");
  for (const Optimiser optimiser : {Optimiser::sgd, Optimiser::momentum, Optimiser::adam}) {
    auto run = kind_of("prifedsync");
    run.optimiser = optimiser;
    run = completed(completed(run));  // what is filled in is taken
    EXPECT_EQ(run.momentum.has_value(), optimiser != Optimiser::sgd);
    EXPECT_EQ(run.second_momentum.has_value(), optimiser == Optimiser::adam);
    EXPECT_EQ(run.adaptivity.has_value(), optimiser == Optimiser::adam);
  }
}

TEST(RunOfAnAlgorithm, FillsInWhatIsLeftOut) {
  for (const AlgorithmTraits& entry : all_algorithms()) {
    const auto run = completed(kind_of(std::string(entry.name)));
    const auto fills = [&](std::string_view key) { return entry.reads(key, run) && entry.taken(key)->is_filled; };
    EXPECT_EQ(run.initial_step, fills("step") ? std::optional(0.25) : std::nullopt) << entry.name;
    EXPECT_EQ(run.server_step, fills("server_step") ? std::optional(1.0) : std::nullopt) << entry.name;
    EXPECT_EQ(run.optimiser, fills("optimiser") ? std::optional(Optimiser::sgd) : std::nullopt) << entry.name;
    EXPECT_EQ(run.momentum, fills("momentum") ? std::optional(0.9) : std::nullopt) << entry.name;
    EXPECT_EQ(run.interpolation, fills("interpolation") ? std::optional(1.0) : std::nullopt) << entry.name;
    EXPECT_EQ(run.smoothness, fills("smoothness") ? std::optional(1.0) : std::nullopt) << entry.name;
    EXPECT_EQ(run.gap, fills("gap") ? std::optional(1.0) : std::nullopt) << entry.name;
    EXPECT_EQ(run.noise_bits, fills("noise_bits") ? std::optional<std::uint64_t>(4096) : std::nullopt) << entry.name;
    EXPECT_FALSE(run.radius) << entry.name;
    EXPECT_GE(run.local_steps.value(), 1U) << entry.name;
  }
  const auto adaptive = completed(adaptive_clipping().run);
  EXPECT_EQ(adaptive.clip_quantile, 0.5);
  EXPECT_EQ(adaptive.clip_learning_rate, 0.2);
  EXPECT_EQ(adaptive.clip_noise, 10);
}

TEST(RunOfAnAlgorithm, RefusesWhatIsOutOfRange) {
  const auto refused = [](const std::string& algorithm, std::string_view name, const auto& change) {
    auto run = kind_of(algorithm);
    change(run);
    EXPECT_REFUSED(std::string(name), check(run, eight));
  };
  const double nan = std::nan("");
  for (const double bad : {-0.1, 1.0, nan}) {
    refused("addpnfl", "momentum", [&](auto& run) { run.momentum = bad; });
    refused("addpnfl", "second_momentum", [&](auto& run) { run.second_momentum = bad; });
  }
  for (const double bad : {0.0, -1.0, HUGE_VAL, nan}) {
    refused("addpnfl", "adaptivity", [&](auto& run) { run.adaptivity = bad; });
    refused("dp-mb-sgd", "radius", [&](auto& run) { run.radius = bad; });
    refused("dp-ac-sa", "smoothness", [&](auto& run) { run.smoothness = bad; });
    refused("dp-multi-stage-ac-sa", "gap", [&](auto& run) { run.gap = bad; });
    refused("dp-fedavg", "silo_noise", [&](auto& run) { run.silo_noise = {4, 4, 4, 4, 4, 4, 4, bad}; });
    refused("dp-fedavg", "clip_noise", [&](auto& run) {
      run.clipping = Clipping::adaptive;
      run.clip_noise = bad;
    });
  }
  for (const double bad : {-0.1, 1.1, nan})
    refused("dp-prifedsync", "interpolation", [&](auto& run) { run.interpolation = bad; });
  for (const double bad : {0.0, 1.0, nan})
    refused("dp-fedavg", "clip_quantile", [&](auto& run) {
      run.clipping = Clipping::adaptive;
      run.clip_quantile = bad;
    });
  refused("dp-fedavg", "clip_quantile", [](auto& run) { run.clip_quantile = 0.5; });
  refused("dp-fedavg", "silo_noise", [](auto& run) { run.silo_noise = {4, 4}; });
  refused("fedavg", "silo_noise", [](auto& run) { run.silo_noise.assign(8, 4); });
  refused("dp-multi-stage-ac-sa", "regularisation", [](auto& run) { run.regularisation = 0; });
  refused("binomial-ac-sa", "noise_bits", [](auto& run) { run.noise_bits = 0; });
  refused("binomial-ac-sa", "granularity", [](auto& run) { run.granularity = 0; });
  refused("binomial-ac-sa", "noise ", [](auto& run) { run.noise_multiplier = 1; });
  refused("binomial-ac-sa", "schedule", [](auto& run) { run.schedule = "exponential:0.5"; });
  refused("binomial-ac-sa", "silo_noise", [](auto& run) { run.silo_noise.assign(8, 4); });
  refused("shuffled-mb-sgd", "silo_noise", [](auto& run) { run.silo_noise.assign(8, 4); });
  refused("shuffled-mb-sgd", "unit", [](auto& run) { run.unit = Unit::user; });
  refused("shuffled-mb-sgd", "clipping", [](auto& run) { run.clipping = Clipping::adaptive; });
  refused("fedavg", "clipping", [](auto& run) { run.clipping = Clipping::median; });
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

}  // namespace
}  // namespace dpbudget::fl
