#include "dpbudget/fl/data/client_source.h"

#include <gtest/gtest.h>

#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(HeldClients, AreTheRowsOfWhatIsHeld) {
  const FederatedData data = small_data({3, 5, 2});
  const HeldClients clients(data);
  EXPECT_EQ(clients.train_sizes(), (std::vector<std::uint64_t>{3, 5, 2}));
  EXPECT_TRUE(clients.test_sizes().empty());
  EXPECT_EQ(clients.held(), &data);
  EXPECT_EQ(&clients.form(), &data.train);
  EXPECT_EQ(clients.description(), "small");
  EXPECT_EQ(clients.fingerprint(), fingerprint(data));
  FederatedData scratch;
  const ClientRecords second = clients.of(1, true, scratch);
  EXPECT_EQ(second.train, &data.train);
  EXPECT_TRUE(std::ranges::equal(second.rows, data.clients[1]));
  EXPECT_EQ(second.test, nullptr);
}

TEST(HeldClients, HaveTheirOwnTestRecordsWhereTheseAreAskedFor) {
  FederatedData data = small_data({3, 5});
  data.test_clients = {{0, 4}, {7}};
  const HeldClients clients(std::move(data));
  EXPECT_EQ(clients.test_sizes(), (std::vector<std::uint64_t>{2, 1}));
  FederatedData scratch;
  EXPECT_EQ(clients.of(0, false, scratch).test, nullptr);
  const ClientRecords first = clients.of(0, true, scratch);
  EXPECT_EQ(first.test, &clients.held()->test);
  EXPECT_TRUE(std::ranges::equal(first.test_rows, std::vector<std::uint32_t>{0, 4}));
}

TEST(HeldClients, RefuseWhatIsNoFederatedData) {
  FederatedData data = small_data({3, 5});
  data.clients[1][0] = data.clients[0][0];
  EXPECT_REFUSED("clients", HeldClients{data});
  EXPECT_REFUSED("clients", HeldClients{std::move(data)});
}

}  // namespace
}  // namespace dpbudget::fl
