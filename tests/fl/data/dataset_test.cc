#include "dpbudget/fl/data/dataset.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <limits>
#include <set>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

FederatedData small() {
  FederatedData data;
  data.train = {Matrix{{1, 2}, {3, 4}, {5, 6}}, {0, 1, 1}, 2};
  data.test = {Matrix{{7, 8}}, {0}, 2};
  data.clients = {{2, 0}, {1}};
  return data;
}

TEST(CheckDataset, RefusesByName) {
  EXPECT_NO_THROW(check(small().train));
  Dataset dataset = small().train;
  dataset.classes = 1;
  EXPECT_REFUSED("classes", check(dataset));
  dataset = small().train;
  dataset.labels.pop_back();
  EXPECT_REFUSED("labels", check(dataset));
  for (const std::int32_t label : {-1, 2}) {
    dataset = small().train;
    dataset.labels[1] = label;
    EXPECT_REFUSED("labels", check(dataset));
  }
  dataset = small().train;
  dataset.features.resize(3, 0);
  EXPECT_REFUSED("features", check(dataset));
}

TEST(CheckFederatedData, RefusesByName) {
  EXPECT_NO_THROW(check(small()));
  FederatedData data = small();
  data.train.labels[0] = 9;
  EXPECT_REFUSED("train labels", check(data));
  data = small();
  data.test.labels[0] = 9;
  EXPECT_REFUSED("test labels", check(data));
  data = small();
  data.test.features.resize(1, 3);
  EXPECT_REFUSED("test features", check(data));
  data = small();
  data.test.classes = 3;
  EXPECT_REFUSED("test classes", check(data));
  using Clients = std::vector<std::vector<std::uint32_t>>;
  for (const Clients& clients : {Clients{}, Clients{{0}, {}}, Clients{{0, 3}}, Clients{{0}, {1, 0}}, Clients{{1, 1}}}) {
    data = small();
    data.clients = clients;
    EXPECT_REFUSED("clients", check(data));
  }
}

TEST(CheckFederatedData, TestRecordsMayHaveClients) {
  using Clients = std::vector<std::vector<std::uint32_t>>;
  FederatedData data = small();
  data.test = {Matrix{{7, 8}, {9, 10}, {1, 1}}, {0, 1, 1}, 2};
  data.test_clients = {{2}, {0}};
  EXPECT_NO_THROW(check(data));
  for (const Clients& clients : {Clients{{0, 1, 2}}, Clients{{0}, {1}, {2}}, Clients{{0}, {}}, Clients{{0}, {3}},
                                 Clients{{0, 1}, {1}}, Clients{{0, 0}, {1}}}) {
    data.test_clients = clients;
    EXPECT_REFUSED("test_clients", check(data));
  }
}

TEST(CheckFederatedData, TakesTargetsInPlaceOfLabels) {
  FederatedData data;
  data.train = {Matrix{{1, 2}, {3, 4}}, {}, 0, {0.5, -2}};
  data.test = {Matrix{{7, 8}}, {}, 0, {3}};
  data.clients = {{0}, {1}};
  EXPECT_NO_THROW(check(data));
  data.train.targets[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED("train targets", check(data));
  data.train.targets = {1};
  EXPECT_REFUSED("train targets", check(data));
  data.train.targets = {1, 2};
  data.test = {Matrix{{7, 8}}, {0}, 2};
  EXPECT_REFUSED("test classes", check(data));
}

TEST(Fingerprint, IsTheDocumentedHash) {
  const FederatedData data = small();
  std::vector<unsigned char> bytes;
  const auto put = [&](const void* from, std::size_t size) {
    bytes.resize(bytes.size() + size);
    std::memcpy(bytes.data() + bytes.size() - size, from, size);
  };
  const auto put_size = [&](std::uint64_t size) { put(&size, sizeof size); };
  for (const Dataset* dataset : {&data.train, &data.test}) {
    for (const std::uint64_t size : {dataset->records(), std::uint64_t{2}, std::uint64_t{2}}) put_size(size);
    put(dataset->features.data(), dataset->records() * 2 * sizeof(double));
    put_size(dataset->records());
    put(dataset->labels.data(), dataset->records() * sizeof(std::int32_t));
  }
  put_size(2);
  put_size(2);
  put(data.clients[0].data(), 2 * sizeof(std::uint32_t));
  put_size(1);
  put(data.clients[1].data(), sizeof(std::uint32_t));
  const std::uint64_t crc = crc32(0, bytes.data(), static_cast<uInt>(bytes.size()));
  EXPECT_EQ(fingerprint(data), crc << 32 | adler32(1, bytes.data(), static_cast<uInt>(bytes.size())));
}

TEST(Fingerprint, ChangesWithEverythingButTheDescriptionAndTestClients) {
  std::set<std::uint64_t> seen{fingerprint(small())};
  std::size_t variants = 1;
  const auto expect_new = [&](auto&& change) {
    FederatedData data = small();
    change(data);
    EXPECT_TRUE(seen.insert(fingerprint(data)).second) << "variant " << variants;
    ++variants;
  };
  expect_new([](FederatedData& data) { data.train.features(0, 0) += 1e-15; });
  expect_new([](FederatedData& data) { data.test.features(0, 1) = -8; });
  expect_new([](FederatedData& data) { data.train.labels[0] = 1; });
  expect_new([](FederatedData& data) { data.test.labels[0] = 1; });
  expect_new([](FederatedData& data) { data.train.classes = 3; });
  expect_new([](FederatedData& data) { std::swap(data.train, data.test); });
  expect_new([](FederatedData& data) { data.clients = {{0, 2}, {1}}; });
  expect_new([](FederatedData& data) { data.clients = {{2}, {0, 1}}; });
  expect_new([](FederatedData& data) { data.clients = {{1}, {2, 0}}; });
  expect_new([](FederatedData& data) { data.clients.push_back({}); });
  expect_new([](FederatedData& data) { data.train.features = Matrix{{1, 2, 3}, {4, 5, 6}}; });
  expect_new([](FederatedData& data) { data.train = {data.train.features, {}, 0, {1, 2, 3}}; });
  expect_new([](FederatedData& data) { data.train = {data.train.features, {}, 0, {1, 2, 4}}; });
  FederatedData described = small();
  described.description = "other";
  described.test_clients = {{0}};
  EXPECT_EQ(fingerprint(described), fingerprint(small()));
}

}  // namespace
}  // namespace dpbudget::fl
