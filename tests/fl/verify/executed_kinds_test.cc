// What small runs of every kind executed, against what was planned for them.

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <string>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/verify/executed.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// Once of something is that something.
std::string text(const Event& event) { return std::regex_replace(to_text(event), std::regex("\\b1 x "), ""); }
std::string text(const std::optional<Plan>& plan) { return plan ? text(plan->event) : "none"; }

TEST(ExecutedKinds, AreThePlannedOnesForEveryAdversary) {
  const FederatedData data = eight_clients();
  for (const Kind& kind : noisy_kinds()) {
    const Ledger ledger = ledger_from(finished(kind.run, data).ledger);
    for (const Sizes& sizes : distinct_sizes(ledger.header.run, ledger.header.clients, ledger.header.dimension)) {
      for (const Adversary adversary : all_adversaries) {
        SCOPED_TRACE(kind.name + ", " + std::string(to_string(adversary)));
        const auto planned = plan(kind.run, sizes, adversary, Basis::proven);
        const auto executed = Execution(ledger).plan(sizes, adversary);
        ASSERT_EQ(executed.has_value(), planned.has_value());
        EXPECT_EQ(text(executed), planned ? text(planned->plan.event) : "none");
      }
    }
  }
}

// Some rounds' reports are better off alone and others shuffled, and a record is in one of them, whichever.
// fl/account/proofs.md, 9.4
TEST(ExecutedKinds, OfReportsUsedOnceAreTheOneWithTheLeastNoise) {
  FederatedData data = small_data(std::vector<std::uint32_t>(8, 4000));
  fl::RunRequest run = kind_of("shuffled-mb-sgd");
  run.batches = Batches::disjoint;
  run.user_rate = 1;
  run.rounds = 2;
  const Sizes sizes{.clients = 8, .records = 4000};
  const auto planned = [&](const std::string& schedule) {
    run.schedule = schedule;
    return text(plan(run, sizes, Adversary::server, Basis::proven)->plan.event);
  };
  EXPECT_EQ(planned("table:0.25;0.25").find("shuffle"), std::string::npos);
  EXPECT_NE(planned("table:8;8").find("shuffle"), std::string::npos);
  for (const char* schedule : {"table:0.25;8", "table:8;0.25", "table:8;9"}) {
    const std::string expected = planned(schedule);
    const Ledger ledger = ledger_from(finished(run, data).ledger);
    EXPECT_EQ(text(Execution(ledger).plan(sizes, Adversary::server)), expected) << schedule;
    EXPECT_TRUE(verify(ledger, 1e-5).passed) << schedule;
  }
}

// Its clipping norm is another one in every round, so that multipliers come back with rounding errors: they cost the
// same.
TEST(ExecutedKinds, CostAsMuchWithAdaptiveClipping) {
  const auto run = adaptive_clipping().run;
  const Ledger ledger = ledger_from(finished(run, eight_clients()).ledger);
  const Sizes sizes = distinct_sizes(ledger.header.run, ledger.header.clients).front();
  std::set<double> norms;
  for (const Participation& participation : ledger.participations)
    for (const ReleaseRun& release : participation.releases) norms.insert(release.clip_norm);
  EXPECT_EQ(norms.size(), 4U);
  for (const Adversary adversary : all_adversaries) {
    const auto planned = plan(run, sizes, adversary, Basis::proven);
    const auto executed = Execution(ledger).plan(sizes, adversary);
    ASSERT_TRUE(planned && executed) << to_string(adversary);
    const double expected =
        make_accountant(AccountantName::renyi, planned->plan).value()->epsilon(1, 1e-5).value().upper;
    const double found = make_accountant(AccountantName::renyi, *executed).value()->epsilon(1, 1e-5).value().upper;
    EXPECT_NEAR(found / expected, 1, 1e-9) << to_string(adversary);
  }
}

// Clients of other sizes have releases of their own; the noise of several is averaged, but not counted on in advance.
TEST(ExecutedKinds, AreThePlannedOnesForEverySizeOfClient) {
  const FederatedData data = small_data({32, 32, 32, 32, 64, 64, 64, 64});
  for (const std::string algorithm : {"dp-fedavg", "dp-scaffold", "dpnfl"}) {
    auto run = kind_of(algorithm);
    run.client_sampling = algorithm == "dpnfl" ? ClientSampling::md : ClientSampling::uniform;
    run.weights = Weights::records;
    const Ledger ledger = ledger_from(finished(run, data).ledger);
    for (const Sizes& sizes : distinct_sizes(ledger.header.run, ledger.header.clients))
      for (const Adversary adversary : all_adversaries)
        EXPECT_EQ(text(Execution(ledger).plan(sizes, adversary)),
                  text(plan(run, sizes, adversary, Basis::proven)->plan.event))
            << algorithm << ", " << to_string(adversary) << ", " << sizes.records;
  }
}

TEST(ExecutedKinds, ChargeNobodyThatIsKnownToHaveTakenNoPart) {
  const Ledger ledger = ledger_from(finished(kind_of("dp-scaffold"), eight_clients()).ledger);
  for (std::uint64_t client = 0; client < 8; ++client) {
    std::uint64_t rounds = 0;
    for (const Participation& participation : ledger.participations) rounds += participation.client == client ? 1 : 0;
    const std::string expected = rounds == 0
                                     ? text(Event(Composed{}))
                                     : text(parse(std::to_string(rounds) + " x 2 x wor(8 of 32, gaussian(4))").event);
    EXPECT_EQ(text(Execution(ledger).realised(client)), expected) << client;
  }
}

// The median of the records' own norms sets the scale of the noise: no number that verify prints is a guarantee.
TEST(ExecutedKinds, ClaimNothingWhenClippedAtTheMedian) {
  auto run = kind_of("dp-fedavg");
  run.clipping = MedianClipping{};
  const Ledger ledger = ledger_from(finished(run, eight_clients()).ledger);
  const Sizes sizes = distinct_sizes(ledger.header.run, ledger.header.clients).front();
  for (const Adversary adversary : all_adversaries)
    for (const Basis basis : all_bases) EXPECT_FALSE(plan(run, sizes, adversary, basis)) << to_string(adversary);
  for (const Adversary adversary : all_adversaries) EXPECT_FALSE(Execution(ledger).plan(sizes, adversary));
  const Report report = verify(ledger, 1e-5);
  EXPECT_FALSE(report.is_private);
  EXPECT_TRUE(report.passed);
  EXPECT_TRUE(report.views.empty());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes.front().find("nothing here is a privacy guarantee"), std::string::npos);
  for (const ClientSpend& spend : report.clients)
    EXPECT_EQ(std::isinf(spend.paid->epsilon.upper), spend.participations > 0) << spend.client;
}

}  // namespace
}  // namespace dpbudget::fl
