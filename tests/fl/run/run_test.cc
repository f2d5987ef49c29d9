#include "dpbudget/fl/run/run.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

void expect_refused(const std::string& name, const std::string& algorithm,
                    const std::function<void(RunRequest&)>& spoil) {
  auto run = small_run(algorithm);
  spoil(run);
  EXPECT_REFUSED(name, check(run, ten_clients()));
  EXPECT_REFUSED(name, check(run, Sizes{10, 20}));
}

TEST(Drawn, IsTheFloorOfTheProductInDecimals) {
  EXPECT_EQ(drawn(0.29, 100), 29u);  // 0.29 * 100 is 28.999999999999996
  EXPECT_EQ(drawn(0.2, 4000), 800u);
  EXPECT_EQ(drawn(0.05, 100), 5u);
  EXPECT_EQ(drawn(0.3, 7), 2u);
  EXPECT_EQ(drawn(0.29, 99), 28u);
  EXPECT_EQ(drawn(1, 7), 7u);
  EXPECT_EQ(drawn(0.1, 9), 0u);
}

RC_GTEST_PROP(Drawn, AgreesWithExactDecimals, ()) {
  const auto thousandths = *rc::gen::inRange<std::uint64_t>(0, 1001);
  const auto population = *rc::gen::inRange<std::uint64_t>(1, 100000);
  RC_ASSERT(drawn(static_cast<double>(thousandths) / 1000, population) == thousandths * population / 1000);
}

TEST(Completed, TakesOnePassForFedSgd) {
  EXPECT_EQ(completed(small_run("dp-fedsgd")).local_steps, 5u);
  auto run = small_run("fedsgd");
  run.record_rate = 1.0 / 3;
  EXPECT_EQ(completed(run).local_steps, 3u);
  run.local_steps = 3;
  EXPECT_EQ(completed(run).local_steps, 3u);
}

TEST(Completed, TakesTenStepsWhereNobodySaysHowMany) {
  auto run = small_run("fedavg");
  run.local_steps.reset();
  EXPECT_EQ(completed(run).local_steps, 10U);
}

TEST(Completed, WarmStartsUntilEverybodyHasLikelyTakenPart) {
  auto run = small_run("dp-scaffold-warm");
  run.warm_start_rounds.reset();
  run.user_rate = 0.05;
  EXPECT_EQ(completed(run).warm_start_rounds, 80u);
  run.user_rate = 0.3;
  EXPECT_EQ(completed(run).warm_start_rounds, 13u);
  EXPECT_EQ(released_rounds(completed(run)), 19u);
  EXPECT_EQ(completed(small_run("dp-scaffold")).warm_start_rounds, 0u);
}

// What a release of a client with 4000 records gets, 800 of them in a batch.
double noise_std(const RunRequest& run) {
  return release_noise_std(recipe_of(completed(run), {.clients = 10, .records = 4000}, 1, run.clip_norm));
}

TEST(Noise, IsScaledToTheUnit) {
  auto run = small_run("dp-fedavg");
  run.clip_norm = 3;
  run.noise_multiplier = 7;
  EXPECT_DOUBLE_EQ(noise_std(run), 2 * 3.0 / 800 * 7);
  EXPECT_DOUBLE_EQ(record_noise_multiplier(run, 7, 800), 7);
  EXPECT_DOUBLE_EQ(user_noise_multiplier(run, 7, 800), 7.0 / 800);
  run.unit = Unit::user;
  EXPECT_DOUBLE_EQ(noise_std(run), 2 * 3.0 / 0.2 * 7);
  EXPECT_DOUBLE_EQ(record_noise_multiplier(run, 7, 800), 7 * 800 / 0.2);
  EXPECT_DOUBLE_EQ(user_noise_multiplier(run, 7, 800), 7 / 0.2);
}

TEST(Check, TakesEveryAlgorithm) {
  for (const AlgorithmTraits& entry : all_algorithms()) check(small_run(std::string(entry.name)), ten_clients());
}

TEST(Check, NamesEachBadValue) {
  for (const double bad : {0.0, -0.1, 1.1, nan, infinity}) {
    expect_refused("user_rate", "fedavg", [&](auto& run) { run.user_rate = bad; });
    expect_refused("record_rate", "fedavg", [&](auto& run) { run.record_rate = bad; });
  }
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    expect_refused("noise", "dp-scaffold", [&](auto& run) { run.noise_multiplier = bad; });
    expect_refused("clip", "dp-scaffold", [&](auto& run) { run.clip_norm = bad; });
    expect_refused("step", "scaffold", [&](auto& run) { run.options["step"] = bad; });
    expect_refused("server_step", "scaffold", [&](auto& run) { run.options["server_step"] = bad; });
  }
  for (const double bad : {-1e-9, nan, infinity})
    expect_refused("regularisation", "fedavg", [&](auto& run) { run.regularisation = bad; });
  for (const double bad : {0.0, 1.0, nan}) expect_refused("delta", "fedavg", [&](auto& run) { run.delta = bad; });
  expect_refused("noise", "fedavg", [](auto& run) { run.noise_multiplier = 1; });
  expect_refused("clip", "fedavg", [](auto& run) { run.clip_norm = 1; });
  expect_refused("algorithm", "fedavg", [](auto& run) { run.algorithm = "fedprox"; });
  expect_refused("rounds", "fedavg", [](auto& run) { run.rounds = 0; });
  expect_refused("rounds", "scaffold-warm", [](auto& run) { run.rounds = std::uint64_t{1} << 53; });
  expect_refused("local_steps", "fedavg", [](auto& run) { run.local_steps = 0; });
  expect_refused("local_steps", "fedavg", [](auto& run) { run.local_steps = 1'000'000'000'000; });
  expect_refused("record_rate", "dp-fedsgd", [](auto& run) { run.record_rate = 1e-300; });
  expect_refused("user_rate", "scaffold-warm", [](auto& run) {
    run.user_rate = 1e-300;
    run.warm_start_rounds.reset();
  });
  expect_refused("local_steps", "fedsgd", [](auto& run) { run.local_steps = 4; });
  expect_refused("record_rate", "dp-fedsgd", [](auto& run) { run.record_rate = 0.3; });
  expect_refused("warm_rounds", "scaffold-warm", [](auto& run) { run.warm_start_rounds = 0; });
  expect_refused("warm_rounds", "scaffold", [](auto& run) { run.warm_start_rounds = 1; });
  expect_refused("evaluate_every", "fedavg", [](auto& run) { run.evaluate_every = 0; });
  expect_refused("threads", "fedavg", [](auto& run) { run.threads = 0; });
  expect_refused("threads", "fedavg", [](auto& run) { run.threads = 4097; });
}

TEST(Check, NamesTheRateThatDrawsNobody) {
  expect_refused("user_rate", "fedavg", [](auto& run) { run.user_rate = 0.09; });
  expect_refused("record_rate", "fedavg", [](auto& run) { run.record_rate = 0.04; });
  EXPECT_REFUSED("record_rate", check(small_run("fedavg"), small_data({20, 20, 4, 20, 20})));
}

TEST(Check, NamesBadDataAndSizes) {
  FederatedData untested = ten_clients();
  untested.test.features.resize(0, 4);
  untested.test.labels.clear();
  EXPECT_REFUSED("test records", check(small_run("fedavg"), untested));
  FederatedData shared = ten_clients();
  shared.clients[1][0] = shared.clients[0][0];
  EXPECT_REFUSED("clients", check(small_run("fedavg"), shared));
  EXPECT_REFUSED("clients", check(small_run("fedavg"), Sizes{0, 20}));
  EXPECT_REFUSED("records", check(small_run("fedavg"), Sizes{10, 0}));
}

// Before anything is printed or written, not when the first round without a noise is reached.
TEST(Check, NamesTheRoundsThatATableHasNoNoiseFor) {
  expect_refused("rounds is 6, but must be at most 5", "dp-fedavg",
                 [](auto& run) { run.schedule = "table:5;4;3;2;1"; });
  expect_refused("rounds is 10, but must be at most 9", "dp-scaffold-warm",
                 [](auto& run) { run.schedule = "table:9;8;7;6;5;4;3;2;1"; });
  expect_refused("local_steps", "dp-fedavg", [](auto& run) { run.schedule = "table:6,6;5,5;4,4;3,3;2,2;1,1"; });
  auto run = small_run("dp-fedavg");
  run.schedule = "table:6;5;4;3;2;1";
  EXPECT_NO_THROW(check(run, ten_clients()));
}

// In rational numbers: rounding goes one way, and no further than it must.
RC_GTEST_PROP(GaussianStd, RoundsUpAndItsInverseDown, ()) {
  using Rational = boost::multiprecision::cpp_rational;
  const double multiplier = testing::log_uniform(1e-3, 1e6);
  const double clip = testing::log_uniform(1e-6, 1e6);
  const double divisor = *rc::gen::element(1.0, 7.0, 40.0, 0.2, 1e5);
  const double std = gaussian_std(multiplier, clip, divisor);
  const auto product = [&](double of) -> Rational { return Rational(of) * 2 * Rational(clip) / Rational(divisor); };
  RC_ASSERT(Rational(std) >= product(multiplier));
  RC_ASSERT(Rational(std) <= product(multiplier * (1 + 0x1p-50)));
  const double back = noise_multiplier_of(std, clip, divisor);
  RC_ASSERT(product(back) <= Rational(std));
  RC_ASSERT(product(back * (1 + 0x1p-50)) >= Rational(std));
}

// Also where so many were asked for that the first are forgotten.
TEST(GaussianStds, AreThoseOfTheFunction) {
  GaussianStds stds;
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 0; i < 5000; ++i) {
      const double multiplier = 0.5 + i, clip = 0.1 * (1 + i % 7), divisor = 3 + i % 11;
      ASSERT_EQ(stds(multiplier, clip, divisor), gaussian_std(multiplier, clip, divisor));
      ASSERT_EQ(stds(multiplier, clip, divisor), gaussian_std(multiplier, clip, divisor));
    }
}

// Over 2 C / sample for a record and 2 C for a user, what is planned is no more than what is executed.
RC_GTEST_PROP(GaussianStd, IsNoLessThanAnyMultiplierPlannedFromIt, ()) {
  using Rational = boost::multiprecision::cpp_rational;
  auto run = small_run("dp-fedavg");
  run.unit = *rc::gen::element(Unit::record, Unit::user);
  run.record_rate = testing::log_uniform(1e-6, 1);
  const double multiplier = testing::log_uniform(1e-3, 1e6);
  const double clip = testing::log_uniform(1e-6, 1e6);
  const auto sample = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const Rational std(gaussian_std(multiplier, clip, sensitivity_divisor(run, sample)));
  const Rational user = Rational(clip) * 2;
  RC_ASSERT(Rational(user_noise_multiplier(run, multiplier, sample)) * user <= std);
  RC_ASSERT(Rational(record_noise_multiplier(run, multiplier, sample)) * user / Rational(sample) <= std);
}

// Where double alone would lose the product to the subnormal numbers.
TEST(GaussianStd, RoundsUpAtTheEndsOfTheRange) {
  using Rational = boost::multiprecision::cpp_rational;
  const double tiny = 1e-322;
  const Rational exact = Rational(1e12) * 2 * Rational(tiny) / Rational(1e5);
  const double std = gaussian_std(1e12, tiny, 1e5);
  EXPECT_GE(Rational(std), exact);
  EXPECT_LT(Rational(std) - exact, Rational(0x1p-1073));  // doubles lie 2^-1074 apart there
  EXPECT_GE(Rational(gaussian_std(1e-12, tiny, 1e5)), Rational(0x1p-1074));
  const double back = noise_multiplier_of(std, tiny, 1e5);
  EXPECT_NEAR(back, 1e12, 1e4);
  EXPECT_LE(Rational(back) * 2 * Rational(tiny), Rational(std) * Rational(1e5));
  EXPECT_EQ(noise_multiplier_of(0x1p-1074, 1e300, 1), 0);
  EXPECT_LE(noise_multiplier_of(1e300, tiny, 1), std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace dpbudget::fl
