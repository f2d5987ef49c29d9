#include "dpbudget/fl/account/silo_budgets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

const std::vector<std::uint64_t> unequal = {20, 32, 48};

FederatedData unequal_clients() { return small_data({20, 32, 48}); }

// Three silos that all take part in every round, with budgets for the noise that `kind_of` has.
fl::RunRequest with_budgets(const std::string& algorithm) {
  fl::RunRequest run = kind_of(std::string(algorithm));
  run.user_rate = 1;
  run.noise_multiplier = 0;
  run.silo_epsilon = {0.5, 1, 2};
  run.silo_delta = {1e-6, 1e-5, 1e-4};
  return run;
}

double cost(const fl::RunRequest& run, std::uint64_t client, double noise) {
  Sizes sizes = sizes_of(run, unequal, client);
  sizes.noise_multiplier = noise;
  const auto proven = plan(run, sizes, run.budget_for, Basis::proven);
  return make_accountant(AccountantName::best, proven->plan)
      .value()
      ->epsilon(1, silo_budget_of(run, client).delta)
      .value()
      .upper;
}

Report report_on(const fl::RunRequest& run) {
  return verify(ledger_from(finished(run, unequal_clients()).ledger), run.delta);
}

bool passes(const Report& report, const std::string& name) {
  const auto found = std::ranges::find(report.checks, name, &Check::name);
  EXPECT_NE(found, report.checks.end());
  return found != report.checks.end() && found->passed;
}

// Full batches of all silos: T K Gaussian releases are one of noise sigma / sqrt(T K), whose epsilon at delta solves
// Phi(1/(2 s) - epsilon s) - e^epsilon Phi(-1/(2 s) - epsilon s) = delta. The s for (0.5, 1e-6), (1, 1e-5) and
// (2, 1e-4) are roots of that in 40 digits, by mpmath's findroot with its ncdf.
TEST(Calibrated, IsTheAnalyticNoiseOfAComposition) {
  auto run = with_budgets("dp-fedavg");
  run.record_rate = 1;
  run.rounds = 9;
  run.local_steps = 4;
  const fl::RunRequest found = calibrated(completed(run), unequal);
  const std::vector<double> single = {8.0576184807250443, 3.7306316348159418, 1.7343509810394452};
  // Never below it, and above by what a proven bracket is wide.
  for (std::size_t silo = 0; silo < 3; ++silo)
    EXPECT_NEAR(found.silo_noise[silo] / (6 * single[silo]), 1 + 2e-5, 2.0001e-5) << silo;
  run.budget_for = Adversary::user_level;
  run.silo_delta = {};
  run.delta = 1e-5;
  run.rounds = 1;
  run.local_steps = 1;
  // A whole client changes the mean of its n records n times as much as one of them does, and the noise is over 2 C /
  // n.
  EXPECT_NEAR(calibrated(completed(run), unequal).silo_noise[1] / (32 * single[1]), 1, 1e-9);
}

void expect_met_and_hardly_more(fl::RunRequest run) {
  run = calibrated(completed(run), unequal);
  ASSERT_EQ(run.silo_noise.size(), 3U);
  for (std::uint64_t silo = 0; silo < 3; ++silo) {
    SCOPED_TRACE(run.algorithm + ", " + std::to_string(silo));
    EXPECT_LE(cost(run, silo, run.silo_noise[silo]), run.silo_epsilon[silo]);
    // The accountant's ends move by up to its tolerance of 1e-3.
    EXPECT_GT(cost(run, silo, run.silo_noise[silo] * 0.99), run.silo_epsilon[silo]);
  }
}

TEST(Calibrated, MeetsEveryBudgetAndHardlyMore) {
  for (const char* algorithm : {"dp-fedavg", "dp-mb-sgd", "dp-local-sgd"})
    expect_met_and_hardly_more(with_budgets(algorithm));
  auto run = with_budgets("dp-scaffold");
  run.budget_for = Adversary::third_party;
  run.user_rate = 0.7;
  run.schedule = "exponential:0.75";
  run.rounds = 2;
  expect_met_and_hardly_more(run);
  run.budget_for = Adversary::user_level;
  expect_met_and_hardly_more(run);
  auto once = with_budgets("dp-mb-sgd");
  once.batches = Batches::disjoint;
  expect_met_and_hardly_more(once);
}

// Batches of 8 of 32 records, 6 of them: one pass is whole, so that every record is released. Of 5 of 32, 12: two
// passes of 6, each of which leaves two records out. fl/account/proofs.md, 11.6
TEST(Calibrated, KnowsHowOftenShuffledBatchesLackARecord) {
  fl::RunRequest run = kind_of(std::string("dp-fedavg"));
  run.batches = Batches::shuffled;
  run.user_rate = 0.5;
  run.rounds = 1;
  run.noise_multiplier = 0;
  run.silo_epsilon = {1, 1};
  const auto needs_noise_at = [&](double delta) {
    run.silo_delta = {delta, delta};
    try {
      calibrated(completed(run), {32, 32});
    } catch (const InvalidArgument& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("ever releases a record"), std::string::npos) << refusal.what();
      return false;
    }
    return true;
  };
  run.local_steps = 6;
  EXPECT_FALSE(needs_noise_at(0.5));
  run.batch_size = 5;
  run.local_steps = 12;
  const double exposed = 0.5 * (1 - (2.0 / 32) * (2.0 / 32));
  EXPECT_FALSE(needs_noise_at(exposed * (1 + 1e-12)));
  run.local_steps = 3;
  EXPECT_FALSE(needs_noise_at(0.5 * 15 / 32 * (1 + 1e-12)));
  // Below it noise is needed, though hardly any.
  EXPECT_TRUE(needs_noise_at(0.2));
}

RC_GTEST_PROP(Calibrated, TakesLessNoiseForMoreEpsilonOrDelta, ()) {
  auto run = with_budgets("dp-fedavg");
  run.budget_for = Adversary::user_level;  // Gaussians alone, which are priced in no time
  const double epsilon = std::exp(static_cast<double>(*rc::gen::inRange(-2000, 1500)) / 1000);
  const double delta = std::exp(static_cast<double>(*rc::gen::inRange(-20000, -3000)) / 1000);
  run.silo_epsilon = {epsilon, 1.1 * epsilon, epsilon};
  run.silo_delta = {delta, delta, 1.2 * delta};
  run = completed(run);
  const fl::RunRequest found = calibrated(run, unequal);
  // Over the sensitivity of a whole client, whose size differs.
  const auto relative = [&](std::size_t silo) {
    return found.silo_noise[silo] / static_cast<double>(batch_of(run, unequal[silo]));
  };
  RC_ASSERT(relative(1) < relative(0));
  RC_ASSERT(relative(2) < relative(0));
  for (std::uint64_t silo = 0; silo < 3; ++silo) {
    RC_ASSERT(cost(found, silo, found.silo_noise[silo]) <= run.silo_epsilon[silo]);
    RC_ASSERT(cost(found, silo, found.silo_noise[silo] * (1 - 1e-6)) > run.silo_epsilon[silo]);
  }
}

// Among equal silos with one local step a third party sees a mean; but a silo of its own budget hides behind no other.
TEST(Calibrated, CountsNoNoiseButTheSilosOwn) {
  auto run = with_budgets("dp-mb-sgd");
  run.budget_for = Adversary::third_party;
  run.silo_epsilon = {1, 1, 1};
  run.silo_delta = {};
  const std::vector<std::uint64_t> equal = {32, 32, 32};
  const fl::RunRequest found = calibrated(completed(run), equal);
  run.budget_for = Adversary::server;
  EXPECT_EQ(calibrated(completed(run), equal).silo_noise, found.silo_noise);
}

TEST(Calibrated, SettlesToItself) {
  auto run = with_budgets("dp-scaffold");
  const fl::RunRequest once = settled(run, unequal, 15);
  EXPECT_EQ(to_line(settled(once, unequal, 15)), to_line(once));
  EXPECT_EQ(once.silo_epsilon, run.silo_epsilon);
  // Without budgets nothing changes.
  const fl::RunRequest plain = completed(kind_of(std::string("dp-scaffold")));
  EXPECT_EQ(to_line(calibrated(plain, unequal)), to_line(plain));
  // A run that stops early spends less of every silo's budget.
  run.epsilon = 1.5;
  const fl::RunRequest shorter = settled(run, unequal, 15);
  EXPECT_LT(shorter.rounds, run.rounds);
  EXPECT_EQ(shorter.silo_noise, once.silo_noise);
}

TEST(Calibrated, RefusesByName) {
  const auto refused = [](std::string_view name, const auto& change) {
    auto run = with_budgets("dp-fedavg");
    change(run);
    EXPECT_REFUSED(std::string(name), simulate(run, unequal_clients()));
  };
  refused("silo_epsilon is 2 numbers, but must be one for each of 3 clients", [](auto& run) {
    run.silo_epsilon = {1, 2};
    run.silo_delta = {};
  });
  refused("silo_delta is 4 numbers, but must be one for each of 3 clients",
          [](auto& run) { run.silo_delta.assign(4, 1e-5); });
  refused("silo_delta is given, but must be left out without silo_epsilon", [](auto& run) {
    run.silo_epsilon = {};
    run.noise_multiplier = 1;
  });
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")})
    refused("silo_epsilon", [&](auto& run) { run.silo_epsilon[1] = bad; });
  for (const double bad : {0.0, 1.0, -1e-5, std::nan("")})
    refused("silo_delta", [&](auto& run) { run.silo_delta[1] = bad; });
  refused("noise is 4", [](auto& run) { run.noise_multiplier = 4; });
  refused("silo_epsilon is given", [](auto& run) { run.clipping = MedianClipping{}; });
  for (const char* algorithm : {"fedavg", "shuffled-mb-sgd", "binomial-ac-sa"})
    refused("silo_epsilon is given, but must be left out for " + std::string(algorithm), [&](auto& run) {
      run = kind_of(std::string(algorithm));
      run.noise_multiplier = 0;
      run.silo_epsilon = {1, 1, 1};
    });
  // The number of norms below the threshold is released as well, with noise 10: that alone spends more.
  refused("silo_epsilon is 0.01", [](auto& run) {
    run.clipping = AdaptiveClipping{};
    run.silo_epsilon[0] = 0.01;
  });
  // Taking part at all is rarer than that delta.
  refused("silo_delta is 0.5, but must be below 0.46", [](auto& run) {
    run.user_rate = 0.34;
    run.silo_delta[1] = 0.5;
  });
  // Noise that is given, and exceeds its silo's budget.
  refused("silo_noise is 0.5", [](auto& run) { run.silo_noise = {100, 100, 0.5}; });
  // A schedule that leaves the range of a double whatever it is scaled by.
  refused("noise is 0", [](auto& run) { run.schedule = "exponential:1e-120"; });
}

TEST(SiloBudgets, AreExecutedRecordedAndVerified) {
  for (const char* algorithm : {"dp-scaffold-warm", "dp-mb-sgd"}) {
    SCOPED_TRACE(algorithm);
    const auto run = with_budgets(algorithm);
    const Finished done = finished(run, unequal_clients());
    const Ledger ledger = ledger_from(done.ledger);
    EXPECT_EQ(ledger.header.run->silo_noise, calibrated(completed(run), unequal).silo_noise);
    for (const Participation& participation : ledger.participations)
      for (const ReleaseRun& release : participation.releases)
        EXPECT_NEAR(release.noise_std,
                    ledger.header.run->silo_noise[participation.client] * 2 * 0.5 / static_cast<double>(release.sample),
                    1e-14);
    const Report report = verify(ledger, run.delta);
    EXPECT_TRUE(report.passed);
    EXPECT_TRUE(passes(report, "silo_budgets"));
    ASSERT_EQ(report.silos.size(), 3U);
    for (const SiloSpend& silo : report.silos) {
      EXPECT_EQ(silo.budget.epsilon, run.silo_epsilon[silo.client]);
      EXPECT_EQ(silo.budget.delta, run.silo_delta[silo.client]);
      EXPECT_LE(silo.planned.upper, silo.budget.epsilon);
      // What was executed is the planned plan to the last bit, and so is its price.
      EXPECT_EQ(silo.executed->upper, silo.planned.upper);
    }
  }
}

TEST(SiloBudgets, OfAdaptiveClippingPayForTheCountToo) {
  auto run = with_budgets("dp-fedavg");
  run.clipping = AdaptiveClipping{};
  run.options["clip_noise"] = 50.0;
  const Report report = report_on(run);
  EXPECT_TRUE(report.passed);
  auto fixed = with_budgets("dp-fedavg");
  const Report without = report_on(fixed);
  for (std::size_t silo = 0; silo < 3; ++silo) {
    EXPECT_EQ(report.silos[silo].executed->upper, report.silos[silo].planned.upper);
    EXPECT_GT(report.silos[silo].sizes.noise_multiplier, without.silos[silo].sizes.noise_multiplier);
  }
}

TEST(SiloBudgets, ChangeNoBitWithThreadsOrWhenTakenUp) {
  auto run = with_budgets("dp-scaffold");
  const Finished one = finished(run, unequal_clients());
  run.threads = 2;
  const Finished two = finished(run, unequal_clients());
  EXPECT_TRUE(equal_bits(one.result.parameters, two.result.parameters));
  EXPECT_EQ(one.ledger, two.ledger);
  const TemporaryFile ledger;
  const TemporaryFile checkpoint;
  LedgerWriter writer(ledger.path());
  Surroundings around;
  around.ledger = &writer;
  around.checkpoint = checkpoint.path();
  around.interrupted = [] { return true; };
  EXPECT_EQ(simulate(run, unequal_clients(), around).rounds, 1U);
  around.interrupted = {};
  around.resume = true;
  simulate(run, unequal_clients(), around);
  EXPECT_EQ(ledger.text(), one.ledger);
}

// The header claims a smaller budget than the noise was found for, for one silo.
TEST(SiloBudgets, AreFailedByTheSiloThatExceedsItsOwn) {
  auto lines = lines_of(finished(with_budgets("dp-fedavg"), unequal_clients()).ledger);
  const auto edited = [&](const auto& edit) {
    auto changed = lines;
    Line header = Line::parse(changed[0]);
    edit(header["run"]);
    changed[0] = header.dump();
    return verify(ledger_from(text_of(changed)), 1e-5);
  };
  const auto reason = [](const Report& report) {
    const auto found = std::ranges::find(report.checks, "silo_budgets", &Check::name);
    EXPECT_FALSE(found->passed);
    EXPECT_FALSE(report.passed);
    return found->reason.substr(0, 7);
  };
  EXPECT_EQ(reason(edited([](Line& run) { run["silo_epsilon"][1] = 0.99; })), "silo 1:");
  EXPECT_EQ(reason(edited([](Line& run) { run["silo_delta"][2] = 0.9e-4; })), "silo 2:");
  EXPECT_REFUSED("test: line 1 is not a ledger line: `silo_noise`", edited([](Line& run) { run.erase("silo_noise"); }));
  // Less noise than recorded in the header, in one line of one silo.
  auto weak = lines;
  Line participation = Line::parse(weak[2]);
  const std::string silo = std::to_string(participation["client"].get<int>());
  for (Line& run : participation["releases"]) run["noise_std"] = 0.9 * run["noise_std"].get<double>();
  weak[2] = participation.dump();
  EXPECT_EQ(reason(verify(ledger_from(text_of(weak)), 1e-5)), "silo " + silo + ":");
}

// The number is over the sampling of users: it does not hang on how that came out.
TEST(SiloBudgets, OfSilosThatNeverTookPartAreSpentAsPlanned) {
  auto run = with_budgets("dp-fedavg");
  run.user_rate = 0.34;
  run.rounds = 1;
  const Report report = report_on(run);
  EXPECT_TRUE(report.passed);
  for (const SiloSpend& silo : report.silos) {
    EXPECT_GT(silo.planned.upper, 0.9 * silo.budget.epsilon);
    EXPECT_EQ(silo.executed->upper, silo.planned.upper) << silo.client;
  }
}

// A silo that is alone of its kind and sits out some rounds would have had their noise, not that of its other rounds.
TEST(SiloBudgets, OfASiloThatSitsOutFollowTheSchedule) {
  auto run = with_budgets("dp-fedavg");
  run.user_rate = 0.67;
  run.schedule = "exponential:0.5";
  const Finished done = finished(run, unequal_clients());
  const Ledger ledger = ledger_from(done.ledger);
  ASSERT_LT(ledger.participations.size(), 3 * ledger.rounds.size());
  const Report report = verify(ledger, run.delta);
  EXPECT_TRUE(report.passed);
  for (const SiloSpend& silo : report.silos) EXPECT_EQ(silo.executed->upper, silo.planned.upper) << silo.client;
  // One line of it with less noise than planned, and the rounds that it sat out are no longer taken for what was
  // planned: they count as its last one, which has the least noise.
  const auto sits_out = [&](const Participation& found) {
    return found.round == ledger.rounds.back().round &&
           std::ranges::count(ledger.participations, found.client, &Participation::client) < std::ssize(ledger.rounds);
  };
  const Participation& some = *std::ranges::find_if(ledger.participations, sits_out);
  auto lines = lines_of(done.ledger);
  std::string& line = *std::ranges::find_if(lines, [&](const std::string& text) {
    const Line at = Line::parse(text);
    return at.contains("client") && at["client"] == some.client && at["round"] == some.round;
  });
  Line participation = Line::parse(line);
  for (Line& release : participation["releases"]) release["noise_std"] = 0.999 * release["noise_std"].get<double>();
  line = participation.dump();
  const Report weak = verify(ledger_from(text_of(lines)), run.delta);
  const auto silo = participation["client"].get<std::size_t>();
  EXPECT_FALSE(weak.passed);
  EXPECT_FALSE(passes(weak, "silo_budgets"));
  EXPECT_GT(weak.silos[silo].executed->upper, weak.silos[silo].planned.upper * 1.01);
}

// Appendix H: sigma_i^2 = 256 L^2 R log(2.5 R K_i / (delta_i n_i)) log(2 / delta_i) / (n_i epsilon_i)^2, with L = C.
TEST(SiloBudgets, ShowThePublishedNoiseOfEachSilo) {
  auto run = with_budgets("dp-mb-sgd");
  run.rounds = 30;
  const Report report = report_on(run);
  for (const SiloSpend& silo : report.silos) {
    const auto n = static_cast<double>(silo.sizes.records);
    const double k = std::floor(n / 4);
    const auto [epsilon, delta] = silo.budget;
    const double variance =
        256 * 0.25 * 30 * std::log(2.5 * 30 * k / (delta * n)) * std::log(2 / delta) / (n * n * epsilon * epsilon);
    ASSERT_TRUE(silo.published_noise) << silo.client;
    EXPECT_NEAR(*silo.published_noise / (std::sqrt(variance) / (2 * 0.5 / k)), 1, 1e-12);
    EXPECT_GT(*silo.published_noise, *silo.sizes.noise_multiplier);
  }
  // One round on so few records does not meet its preconditions.
  run.rounds = 1;
  run.silo_epsilon = {20, 20, 20};
  for (const SiloSpend& silo : report_on(run).silos) EXPECT_FALSE(silo.published_noise);
  for (const SiloSpend& silo : report_on(with_budgets("dp-fedavg")).silos) EXPECT_FALSE(silo.published_noise);
}

}  // namespace
}  // namespace dpbudget::fl
