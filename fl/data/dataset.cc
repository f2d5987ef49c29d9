#include "dpbudget/fl/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/hash.h"

namespace dpbudget::fl {
namespace {

constexpr std::uint64_t max_records = std::numeric_limits<std::uint32_t>::max();

void check_length(const std::string& name, std::size_t length, std::uint64_t records) {
  require(length == records, name, std::to_string(length) + " long",
          "one per record, of which there are " + std::to_string(records));
}

void check_named(const Dataset& dataset, const std::string& prefix) {
  require(1 <= dataset.features.cols(), prefix + "features", "0 columns wide", "at least 1 wide");
  require(dataset.records() <= max_records, prefix + "features", dataset.records(), "fewer than 2^32 records");
  if (!dataset.targets.empty()) {
    require(dataset.classes == 0 && dataset.labels.empty(), prefix + "classes", dataset.classes,
            "0, and labels empty, beside targets");
    check_length(prefix + "targets", dataset.targets.size(), dataset.records());
    for (const double target : dataset.targets) require(std::isfinite(target), prefix + "targets", target, "finite");
    return;
  }
  require(2 <= dataset.classes, prefix + "classes", dataset.classes, "at least 2");
  check_length(prefix + "labels", dataset.labels.size(), dataset.records());
  for (const std::int32_t label : dataset.labels)
    require(0 <= label && label < dataset.classes, prefix + "labels", label, "in [0, classes)");
}

void check_division(const std::vector<std::vector<std::uint32_t>>& clients, std::uint64_t records,
                    const std::string& name, const std::string& divided) {
  std::vector<bool> held(records);
  for (const auto& rows : clients) {
    require(!rows.empty(), name, "a client without records", "one record or more each");
    for (const std::uint32_t row : rows) {
      require(row < held.size(), name, "a client with row " + std::to_string(row), "rows of " + divided);
      require(!held[row], name, "two holders of row " + std::to_string(row), "disjoint");
      held[row] = true;
    }
  }
}

}  // namespace

void check(const Dataset& dataset) { check_named(dataset, ""); }

void check(const FederatedData& data) {
  check_named(data.train, "train ");
  check_named(data.test, "test ");
  require(data.test.features.cols() == data.train.features.cols(), "test features", data.test.features.cols(),
          "as many as in train");
  require(data.test.classes == data.train.classes, "test classes", data.test.classes, "as many as in train");
  require(!data.clients.empty(), "clients", "empty", "at least one");
  check_division(data.clients, data.train.records(), "clients", "train");
  if (data.test_clients.empty()) return;
  require(data.test_clients.size() == data.clients.size(), "test_clients", data.test_clients.size(),
          "as many as clients, or none");
  check_division(data.test_clients, data.test.records(), "test_clients", "test");
}

std::uint64_t fingerprint(const FederatedData& data) {
  Hash hash;
  hash.add(data.train);
  hash.add(data.test);
  hash.add(data.clients.size());
  for (const auto& rows : data.clients) {
    hash.add(rows.size());
    hash.add(std::span(rows));
  }
  return hash.value();
}

}  // namespace dpbudget::fl
