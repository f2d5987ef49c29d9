#include "dpbudget/fl/simulate/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "dpbudget/fl/data/recipe.h"
#include "dpbudget/fl/model/catalogue.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Says of whom it was asked.
class Counting final : public ClientSource {
 public:
  explicit Counting(const ClientSource& clients) : clients_(clients), asked_(clients.train_sizes().size()) {}
  const std::vector<std::uint64_t>& train_sizes() const override { return clients_.train_sizes(); }
  const std::vector<std::uint64_t>& test_sizes() const override { return clients_.test_sizes(); }
  const Dataset& form() const override { return clients_.form(); }
  const std::string& description() const override { return clients_.description(); }
  std::uint64_t fingerprint() const override { return clients_.fingerprint(); }
  const FederatedData* held() const override { return clients_.held(); }
  ClientRecords of(std::uint64_t client, bool with_test, FederatedData& scratch) const override {
    ++asked_[client];
    return clients_.of(client, with_test, scratch);
  }

  std::set<std::uint64_t> asked() const {
    std::set<std::uint64_t> clients;
    for (std::uint64_t client = 0; client < asked_.size(); ++client)
      if (asked_[client] > 0) clients.insert(client);
    return clients;
  }

 private:
  const ClientSource& clients_;
  mutable std::vector<std::atomic<std::uint64_t>> asked_;
};

DataRecipe recipe_of(const std::string& source, bool is_drawn) {
  DataRecipe recipe{
      .source = source + (is_drawn ? ",drawn" : ""), .users = 40, .seed = 3, .standardised = Standardised::none};
  if (source.find("power-law") == std::string::npos) recipe.records = 15;
  return recipe;
}

std::string ledger_of(const RunRequest& run, const ClientSource& clients) {
  const TemporaryFile file;
  LedgerWriter writer(file.path());
  Surroundings around;
  around.ledger = &writer;
  simulate(run, clients, around);
  return file.text();
}

std::string without_header(const std::string& ledger) { return ledger.substr(ledger.find('\n')); }

// Unequal clients, personalised models and control variates: whatever they are trained with, and on how many threads.
TEST(Simulate, DrawsTheRecordsThatItWouldHaveHeld) {
  for (const char* source : {"synthetic:1,1", "synthetic:1,1,power-law"})
    for (const char* algorithm : {"dp-scaffold", "dp-prifedsync", "dp-mb-sgd"}) {
      RunRequest run = small_run(algorithm);
      if (algorithm == std::string("dp-prifedsync")) run.options["interpolation"] = 0.5;
      const std::string held = ledger_of(run, *clients_of(recipe_of(source, false)));
      run.threads = 2;
      EXPECT_EQ(without_header(ledger_of(run, *clients_of(recipe_of(source, true)))), without_header(held))
          << source << " " << algorithm;
      run.evaluate_clients = 7;
      const Result some = simulate(run, *clients_of(recipe_of(source, true)));
      EXPECT_EQ(some.history, simulate(run, *clients_of(recipe_of(source, false))).history) << source << algorithm;
    }
}

TEST(Simulate, AsksForNobodyWhoNeitherTakesPartNorIsEvaluated) {
  RunRequest run = small_run("dp-fedavg");
  run.user_rate = 0.05;
  run.rounds = 3;
  run.evaluate_clients = 4;
  const auto drawn = clients_of(recipe_of("synthetic:1,1", true));
  const Counting counting(*drawn);
  const Ledger ledger = ledger_from(ledger_of(run, counting));
  std::set<std::uint64_t> others = counting.asked();
  std::set<std::uint64_t> participants;
  for (const Participation& participation : ledger.participations) {
    EXPECT_TRUE(others.contains(participation.client));
    participants.insert(participation.client);
  }
  for (const std::uint64_t client : participants) others.erase(client);
  EXPECT_LE(others.size(), 4U);
  EXPECT_LT(participants.size() + others.size(), 40U);

  run.evaluate_clients.reset();
  const Counting everybody(*drawn);
  simulate(run, everybody);
  EXPECT_EQ(everybody.asked().size(), 40U);
}

class EvaluationOf : public testing::Test {
 protected:
  // By hand, of the clients that are asked for.
  static double mean_loss(const Model& model, const FederatedData& data, const std::set<std::uint64_t>& clients) {
    std::vector<std::uint32_t> rows;
    for (const std::uint64_t client : clients)
      rows.insert(rows.end(), data.clients[client].begin(), data.clients[client].end());
    return model.loss(parameters(model), data.train, rows, *model.workspace());
  }
  static double score(const Model& model, const FederatedData& data, const std::set<std::uint64_t>& clients) {
    std::vector<std::uint32_t> rows;
    for (const std::uint64_t client : clients)
      rows.insert(rows.end(), data.test_clients[client].begin(), data.test_clients[client].end());
    return model.score(parameters(model), data.test, rows, *model.workspace());
  }
  static Vector parameters(const Model& model) {
    return Vector::LinSpaced(model.dimension(), -1, 2).array().sin().matrix();
  }
};

TEST_F(EvaluationOf, IsThatOfTheRecordsOfTheClientsThatAreDrawn) {
  for (const bool is_drawn : {false, true}) {
    const FederatedData data = load(recipe_of("synthetic:1,1,power-law", false));
    const auto clients = clients_of(recipe_of("synthetic:1,1,power-law", is_drawn));
    const auto model = make_model("softmax", data.train);
    Workers workers(*model, nullptr, 2);
    RunRequest request = small_run("fedavg");
    for (const std::uint64_t count : {1, 6, 39, 40, 1000}) {
      request.evaluate_clients = count;
      const Counting counting(*clients);
      const SettledRun run = settle(request);
      Evaluation evaluation(run, counting, *model, workers);
      const Metrics found =
          evaluation.metrics(5, parameters(*model), evaluation.scores(parameters(*model), {}, Share{}));
      EXPECT_EQ(found.round, 5U);
      EXPECT_EQ(counting.asked().size(), std::min<std::uint64_t>(count, 40));
      EXPECT_NEAR(found.train_loss, mean_loss(*model, data, counting.asked()), 1e-12);
      EXPECT_EQ(found.test_score, score(*model, data, counting.asked()));
      EXPECT_FALSE(found.personal_score);
    }
  }
}

TEST_F(EvaluationOf, DrawsOtherClientsWithAnotherSeedAndTheSameWithTheSame) {
  const auto clients = clients_of(recipe_of("synthetic:1,1", true));
  const auto model = make_model("softmax", clients->form());
  Workers workers(*model, nullptr, 1);
  const auto asked = [&](std::uint64_t seed) {
    RunRequest request = small_run("fedavg");
    request.evaluate_clients = 10;
    request.seed = seed;
    const Counting counting(*clients);
    const SettledRun run = settle(request);
    Evaluation(run, counting, *model, workers).scores(parameters(*model), {}, Share{});
    return counting.asked();
  };
  EXPECT_EQ(asked(1), asked(1));
  EXPECT_NE(asked(1), asked(2));
}

// Test records that are nobody's are all taken, whoever is evaluated.
TEST_F(EvaluationOf, TakesAllTestRecordsThatAreNobodys) {
  const FederatedData data = ten_clients();
  RunRequest run = small_run("fedavg");
  const Result all = simulate(run, data);
  run.evaluate_clients = 3;
  const Result some = simulate(run, data);
  EXPECT_EQ(all.last.test_score, some.last.test_score);
  EXPECT_NE(all.last.train_loss, some.last.train_loss);
  EXPECT_EQ(all.parameters, some.parameters);
}

TEST(EvaluateClients, StandsInTheLedgerWhereItIsGiven) {
  RunRequest run = small_run("fedavg");
  EXPECT_EQ(ledger_text(run, ten_clients()).find("evaluate_clients"), std::string::npos);
  run.evaluate_clients = 3;
  EXPECT_EQ(ledger_from(ledger_text(run, ten_clients())).header.run->evaluate_clients, 3U);
  run.evaluate_clients = 0;
  EXPECT_REFUSED("evaluate_clients", settle(run));
}

}  // namespace
}  // namespace dpbudget::fl
