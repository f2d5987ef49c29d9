#include "dpbudget/fl/account/shuffled_reports.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::fl {
namespace {

using dpbudget::testing::log_uniform;

constexpr double run_delta = 1e-6;
constexpr std::uint64_t rounds = 4;

// Every client takes part in every round.
ShuffledReports four_rounds() {
  RunRequest run;
  run.algorithm = "shuffled-mb-sgd";
  run.rounds = rounds;
  run.noise_multiplier = 1;
  run.clip_norm = 1;
  run.user_rate = 1;
  run.delta = run_delta;
  return {settle(run), 10};
}

constexpr ShuffledReports::Batch batch{.sample = 8, .records = 32};

bool is_shuffled(double noise, std::uint64_t reports, const ShuffledReports::Batch& of) {
  return std::holds_alternative<Shuffled>(four_rounds()(noise, reports, of));
}

// Theorem 3.8 of Feldman, McMillan, Talwar 2021 wants epsilon_0 <= log(n / (16 log(2 / delta))): elsewhere a report is
// taken by itself.
// fl/account/proofs.md, 7.2
TEST(ShuffledReports, CountTheirShufflerOnlyWhereItsTheoremHolds) {
  EXPECT_FALSE(is_shuffled(4, 32, batch));
  EXPECT_TRUE(is_shuffled(4, 10'000'000, batch));
  EXPECT_FALSE(is_shuffled(0.5, 100'000, batch));
  for (const double noise : {2.0, 4.0, 16.0}) {
    std::uint64_t reports = 1;
    while (!is_shuffled(noise, reports, batch)) reports *= 2;
    const Event event = four_rounds()(noise, reports, batch);
    const auto& pair = std::get<ApproximateDp>(*std::get<Shuffled>(event).inner);
    // The pair is one that the Gaussian has: its delta at that epsilon is not above.
    EXPECT_LE(profile::gaussian_log_delta(pair.epsilon.value(), noise), std::log(pair.delta.value()) + 1e-9);
    EXPECT_LE(pair.epsilon.value(), std::log(static_cast<double>(reports) / (16 * std::log(2 / 0.25e-7))));
    EXPECT_LE(static_cast<double>(reports) * pair.delta.value(), run_delta / rounds);
  }
}

// fl/account/proofs.md, 7.1 and 7.4
RC_GTEST_PROP(ShuffledReports, SpendNoMoreThanEachAlone, ()) {
  const double noise = log_uniform(1, 100);
  const auto reports = static_cast<std::uint64_t>(log_uniform(1, 1e7));
  const auto of = *rc::gen::arbitrary<bool>() ? std::optional(batch) : std::nullopt;
  const auto spent = [&](AccountantName accountant, const Event& release) {
    const Event run = of ? Repeated{rounds, sampled_batch(of->sample, of->records, release)} : release;
    return make_accountant(accountant, {run, Adjacency::replace_one}).value()->epsilon(1, run_delta).value().upper;
  };
  ShuffledReports decide = four_rounds();
  const Event found = decide(noise, reports, of);
  const double alone = spent(AccountantName::renyi, Gaussian{noise});
  if (std::holds_alternative<Shuffled>(found))
    RC_ASSERT(spent(AccountantName::approximate, found) < alone);
  else
    RC_ASSERT(found == Event(Gaussian{noise}));
  RC_ASSERT(decide(noise, reports, of) == found);
}

RC_GTEST_PROP(SampledBatch, IsDrawnAtNoLowerRate, ()) {
  const auto records = *rc::gen::inRange<std::uint64_t>(1, 1000000);
  const auto sample = *rc::gen::inRange<std::uint64_t>(1, records + 1);
  const Event event = sampled_batch(sample, records, Shuffled{2 * records, Event(PureDp{1})});
  const double rate = std::get<SampledWithoutReplacement>(event).rate.value();
  // The quotient in long double is exact enough to tell neighbours apart.
  const long double exact = static_cast<long double>(sample) / static_cast<long double>(records);
  RC_ASSERT(static_cast<long double>(rate) >= exact * (1 - 1e-18L));
  RC_ASSERT(static_cast<long double>(rate) <= exact * (1 + 3e-16L));
  RC_ASSERT(std::holds_alternative<Rate::Fraction>(
      std::get<SampledWithoutReplacement>(sampled_batch(sample, records, Gaussian{1})).rate.form));
}

}  // namespace
}  // namespace dpbudget::fl
