#include "dpbudget/fl/data/drawn_synthetic.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "dpbudget/fl/data/recipe.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Not approximately: to the last bit.
void expect_rows(const Dataset& drawn, std::span<const std::uint32_t> rows, const Dataset& held,
                 const std::vector<std::uint32_t>& wanted) {
  ASSERT_EQ(rows.size(), wanted.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(drawn.features.row(rows[i]), held.features.row(wanted[i]));
    EXPECT_EQ(drawn.labels[rows[i]], held.labels[wanted[i]]);
  }
}

void expect_drawn_as_held(DataRecipe recipe) {
  SCOPED_TRACE(recipe.source);
  recipe.users = 9;
  recipe.seed = 5;
  const FederatedData held = load(recipe);
  recipe.source += ",drawn";
  const auto drawn = clients_of(recipe);
  EXPECT_EQ(drawn->held(), nullptr);
  EXPECT_EQ(drawn->description(), held.description + ", drawn anew");
  EXPECT_EQ(drawn->form().features.cols(), held.train.features.cols());
  EXPECT_EQ(drawn->form().classes, held.train.classes);
  ASSERT_EQ(drawn->train_sizes().size(), held.clients.size());
  FederatedData scratch;
  // The last first: what a client holds does not depend on whose records were drawn before.
  for (std::size_t client = held.clients.size(); client-- > 0;) {
    EXPECT_EQ(drawn->train_sizes()[client], held.clients[client].size());
    EXPECT_EQ(drawn->test_sizes()[client], held.test_clients[client].size());
    const ClientRecords alone = drawn->of(client, false, scratch);
    EXPECT_EQ(alone.test, nullptr);
    expect_rows(*alone.train, alone.rows, held.train, held.clients[client]);
    const ClientRecords both = drawn->of(client, true, scratch);
    expect_rows(*both.train, both.rows, held.train, held.clients[client]);
    expect_rows(*both.test, both.test_rows, held.test, held.test_clients[client]);
  }
  // Held records of that source are the same as well.
  FederatedData loaded = load(recipe);
  EXPECT_EQ(fingerprint(loaded), fingerprint(held));
}

TEST(DrawnSynthetic, IsWhatEveryGeneratorHoldsBitForBit) {
  for (const char* source :
       {"synthetic:1,0.5", "synthetic:0,0", "synthetic:iid", "synthetic:0.5,2,power-law", "synthetic:iid,power-law"}) {
    DataRecipe recipe{.source = source, .standardised = Standardised::none, .normalised = false};
    if (recipe.source.find("power-law") == std::string::npos) recipe.records = 23;
    expect_drawn_as_held(recipe);
    recipe.normalised = true;
    expect_drawn_as_held(recipe);
    recipe.standardised = Standardised::all;
    expect_drawn_as_held(recipe);
    recipe.equal_sizes = true;
    recipe.normalised = false;
    recipe.radius = 3;
    expect_drawn_as_held(recipe);
  }
}

// More clients than are drawn at once to standardise.
TEST(DrawnSynthetic, StandardisesAnyNumberOfClients) {
  DataRecipe recipe{.source = "synthetic:1,1", .users = 600, .records = 3};
  const FederatedData held = load(recipe);
  recipe.source += ",drawn";
  recipe.standardised = Standardised::all;
  FederatedData scratch;
  const auto drawn = clients_of(recipe);
  const ClientRecords last = drawn->of(599, true, scratch);
  expect_rows(*last.train, last.rows, held.train, held.clients[599]);
  expect_rows(*last.test, last.test_rows, held.test, held.test_clients[599]);
}

TEST(DrawnSynthetic, IsLeftAsItIsDrawnButForNormsUnlessAsked) {
  const auto clients = clients_of({.source = "synthetic:1,1,drawn", .users = 3, .records = 10});
  EXPECT_EQ(clients->description(), "synthetic(1, 1), 3 users of 8 + 2 records, seed 0, records of norm 1, drawn anew");
}

TEST(DrawnSynthetic, IsRecognisedByAllThatItDependsOn) {
  std::set<std::uint64_t> seen;
  const auto add = [&](const DataRecipe& recipe) { seen.insert(clients_of(recipe)->fingerprint()); };
  const DataRecipe recipe{.source = "synthetic:1,1,drawn", .users = 5, .records = 20, .seed = 2};
  add(recipe);
  add(recipe);
  EXPECT_EQ(seen.size(), 1U);
  const auto with = [&](const auto& change) {
    DataRecipe other = recipe;
    change(other);
    add(other);
  };
  with([](DataRecipe& other) { other.source = "synthetic:1,1"; });
  with([](DataRecipe& other) { other.source = "synthetic:1.0000000000000002,1,drawn"; });
  with([](DataRecipe& other) { other.source = "synthetic:iid,drawn"; });
  with([](DataRecipe& other) { other.users = 6; });
  with([](DataRecipe& other) { other.records = 21; });
  with([](DataRecipe& other) { other.seed = 3; });
  with([](DataRecipe& other) { other.standardised = Standardised::all; });
  with([](DataRecipe& other) { other.normalised = false; });
  with([](DataRecipe& other) { other.radius = 0.5; });
  with([](DataRecipe& other) { other.radius = 0.25; });
  EXPECT_EQ(seen.size(), 11U);
}

TEST(DrawnSynthetic, RefusesByName) {
  EXPECT_REFUSED("alpha", clients_of({.source = "synthetic:-1,1,drawn"}));
  EXPECT_REFUSED("users", clients_of({.source = "synthetic:1,1,drawn", .users = 0}));
  EXPECT_REFUSED("records_per_user", clients_of({.source = "synthetic:1,1,drawn", .records = 1}));
  EXPECT_REFUSED("radius", clients_of({.source = "synthetic:1,1,drawn", .users = 2, .records = 5, .radius = 0}));
  EXPECT_REFUSED("components", clients_of({.source = "synthetic:1,1,drawn", .components = 5}));
  for (const char* source : {"synthetic:drawn", "synthetic:1,drawn", "synthetic:1,1,drawn,power-law",
                             "synthetic:1,1,drawn,drawn", "synthetic:power-law,drawn"}) {
    EXPECT_REFUSED("source", clients_of({.source = source}));
    EXPECT_REFUSED("source", load({.source = source}));
  }
  const DataRecipe wide{
      .source = "synthetic:1,1.7e308,drawn", .users = 4, .records = 5, .standardised = Standardised::all};
  EXPECT_REFUSED("features", load(wide));
  EXPECT_REFUSED("features", clients_of(wide));
}

TEST(ClientsOf, HoldsWhatIsNotSaidToBeDrawn) {
  const DataRecipe recipe{.source = "synthetic:1,1", .users = 3, .records = 20, .seed = 1};
  const auto clients = clients_of(recipe);
  ASSERT_NE(clients->held(), nullptr);
  EXPECT_EQ(clients->fingerprint(), fingerprint(load(recipe)));
}

}  // namespace
}  // namespace dpbudget::fl
