#include "dpbudget/fl/simulate/team.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dpbudget/fl/data/recipe.h"
#include "dpbudget/fl/simulate/runner.h"
#include "fl/asked.h"
#include "fl/small.h"
#include "fl/thread_ranks.h"

namespace dpbudget::fl {
namespace {

// What the first of several ranks does while the others do theirs. The run is over afterwards, whatever is thrown.
void on_ranks(std::size_t count, const std::function<void(Ranks&)>& first, const std::function<void(Ranks&)>& others) {
  Threads threads(count);
  std::vector<std::jthread> running;
  for (std::size_t rank = 1; rank < count; ++rank)
    running.emplace_back([&, rank] {
      Threads::One one(threads, rank);
      others(one);
    });
  Threads::One one(threads, 0);
  try {
    first(one);
  } catch (...) {
    dismiss(one);
    throw;
  }
  dismiss(one);
}

// All that a run leaves.
struct Left {
  std::string ledger;
  std::string checkpoint;
  Result result;
};

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A run over so many ranks, perhaps in two parts, the second over others.
Left left_by(const RunRequest& request, const ClientSource& clients, std::size_t count, std::size_t resumed_on = 0) {
  const auto dimension = static_cast<std::uint64_t>(make_model(request.model, clients.form())->dimension());
  const SettledRun run = settle(request, clients.train_sizes(), dimension);
  const TemporaryFile ledger;
  const TemporaryFile checkpoint;
  Left left;
  const auto simulate_on = [&](std::size_t ranks, bool resume, std::uint64_t rounds) {
    const auto simulated = [&](Ranks* all) {
      LedgerWriter writer(ledger.path());
      Surroundings around;
      around.ledger = &writer;
      around.checkpoint = checkpoint.path();
      around.checkpoint_every = 2;
      around.resume = resume;
      std::uint64_t done = 0;
      around.progress = [&](std::uint64_t round) { done = round; };
      around.interrupted = [&] { return done >= rounds; };
      around.ranks = all;
      left.result = simulate(run, clients, around);
    };
    if (ranks == 1) return simulated(nullptr);
    on_ranks(ranks, [&](Ranks& all) { simulated(&all); }, [&](Ranks& all) { serve(all, run, clients); });
  };
  simulate_on(count, false, resumed_on == 0 ? request.rounds + 1 : 3);
  if (resumed_on > 0) simulate_on(resumed_on, true, request.rounds + 1);
  left.ledger = ledger.text();
  left.checkpoint = content_of(checkpoint.path());
  return left;
}

void expect_same(const Left& a, const Left& b, const std::string& what) {
  EXPECT_EQ(a.ledger, b.ledger) << what;
  EXPECT_EQ(a.checkpoint, b.checkpoint) << what;
  EXPECT_EQ(a.result.parameters, b.result.parameters) << what;
  EXPECT_EQ(a.result.history, b.result.history) << what;
}

// Unequal clients; more of them than ranks, and fewer.
void expect_same_on_all(RunRequest request, const ClientSource& clients) {
  request.threads = 1;
  const Left alone = left_by(request, clients, 1);
  for (const std::size_t count : {2, 3, 12}) expect_same(left_by(request, clients, count), alone, request.algorithm);
  expect_same(left_by(request, clients, 3, 2), alone, request.algorithm + ", taken up by fewer");
  expect_same(left_by(request, clients, 1, 4), alone, request.algorithm + ", taken up by more");
}

TEST(Team, LeavesTheSameBitsHoweverManyRanksThereAre) {
  const FederatedData data = ten_clients();
  const HeldClients clients(data);
  for (const char* algorithm : {"fedavg", "dp-fedavg", "dp-scaffold-warm", "dp-prifedsync", "dp-mb-sgd"}) {
    SCOPED_TRACE(algorithm);
    expect_same_on_all(small_run(algorithm), clients);
  }
}

TEST(Team, LeavesTheSameBitsWithAdaptedNorms) {
  const FederatedData data = ten_clients();
  RunRequest request = small_run("dp-fedavg");
  request.clipping = AdaptiveClipping{.noise = 5};
  expect_same_on_all(request, HeldClients(data));
}

TEST(Team, LeavesTheSameBitsOfRecordsThatAreDrawn) {
  DataRecipe recipe;
  recipe.source = "synthetic:1,1,drawn";
  recipe.users = 12;
  recipe.records = 20;
  const auto clients = clients_of(recipe);
  RunRequest request = small_run("dp-fedavg");
  request.evaluate_clients = 5;
  expect_same_on_all(request, *clients);
}

TEST(Team, NamesTheRankThatHasAnotherRun) {
  const FederatedData data = ten_clients();
  const HeldClients clients(data);
  const SettledRun run = settle(small_run("dp-fedavg"));
  RunRequest other = small_run("dp-fedavg");
  other.seed += 1;
  const auto simulated = [&](Ranks& all) {
    Surroundings around;
    around.ranks = &all;
    simulate(run, clients, around);
  };
  EXPECT_REFUSED("rank 1: the run is another one there",
                 on_ranks(2, simulated, [&](Ranks& all) { serve(all, settle(other), clients); }));
}

TEST(Team, NamesTheRankThatHasOtherData) {
  const FederatedData data = ten_clients();
  FederatedData other = ten_clients();
  other.train.features(0, 0) += 1;
  const SettledRun run = settle(small_run("dp-fedavg"));
  const auto simulated = [&](Ranks& all) {
    Surroundings around;
    around.ranks = &all;
    simulate(run, HeldClients(data), around);
  };
  EXPECT_REFUSED("rank 1: the data are others there", on_ranks(2, simulated, [&](Ranks& all) {
                   serve(all, run, HeldClients(all.rank() == 1 ? other : data));
                 }));
}

TEST(Team, NamesTheRankThatCannotBegin) {
  const FederatedData data = ten_clients();
  const SettledRun run = settle(small_run("dp-fedavg"));
  const auto simulated = [&](Ranks& all) {
    Surroundings around;
    around.ranks = &all;
    simulate(run, HeldClients(data), around);
  };
  const auto others = [&](Ranks& all) {
    if (all.rank() == 2)
      decline(all, "no data here");
    else
      serve(all, run, HeldClients(data));
  };
  EXPECT_REFUSED("rank 2: no data here", on_ranks(3, simulated, others));
}

// Named like one that happens here, and by the first client of all.
TEST(Team, SaysWhichClientDivergesWhereverItIs) {
  const FederatedData data = ten_clients();
  const HeldClients clients(data);
  RunRequest request = small_run("fedavg");
  request.options["step"] = 1e300;
  const SettledRun run = settle(request);
  const auto message = [&](std::size_t ranks) -> std::string {
    const auto simulated = [&](Ranks* all) {
      Surroundings around;
      around.ranks = all;
      simulate(run, clients, around);
    };
    try {
      if (ranks == 1)
        simulated(nullptr);
      else
        on_ranks(ranks, [&](Ranks& all) { simulated(&all); }, [&](Ranks& all) { serve(all, run, clients); });
    } catch (const Diverged& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(message(1), "");
  EXPECT_EQ(message(2), message(1));
  EXPECT_EQ(message(3), message(1));
}

}  // namespace
}  // namespace dpbudget::fl
