#include "dpbudget/fl/data/dataset.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "dpbudget/accounting/require.h"

namespace dpbudget::fl {
namespace {

constexpr std::uint64_t max_records = std::numeric_limits<std::uint32_t>::max();

class Hash {
 public:
  void add(std::uint64_t word) { add(std::span(&word, 1)); }

  template <class Value>
  void add(std::span<const Value> values) {
    const auto* bytes = reinterpret_cast<const Bytef*>(values.data());
    crc_ = crc32_z(crc_, bytes, values.size_bytes());
    adler_ = adler32_z(adler_, bytes, values.size_bytes());
  }

  template <class Value>
  void add(std::span<Value> values) {
    add(std::span<const Value>(values));
  }

  std::uint64_t value() const { return static_cast<std::uint64_t>(crc_) << 32 | adler_; }

 private:
  uLong crc_ = crc32_z(0, nullptr, 0);
  uLong adler_ = adler32_z(0, nullptr, 0);
};

void add(Hash& hash, const Dataset& dataset) {
  hash.add(static_cast<std::uint64_t>(dataset.features.rows()));
  hash.add(static_cast<std::uint64_t>(dataset.features.cols()));
  hash.add(static_cast<std::uint64_t>(dataset.classes));
  hash.add(std::span(dataset.features.data(), static_cast<std::size_t>(dataset.features.size())));
  hash.add(static_cast<std::uint64_t>(dataset.labels.size()));
  hash.add(std::span(dataset.labels));
}

void check_named(const Dataset& dataset, const std::string& prefix) {
  require(2 <= dataset.classes, prefix + "classes", dataset.classes, "at least 2");
  require(1 <= dataset.features.cols(), prefix + "features", "0 columns wide", "at least 1 wide");
  require(dataset.records() <= max_records, prefix + "labels", dataset.records(), "fewer than 2^32");
  require(static_cast<std::uint64_t>(dataset.features.rows()) == dataset.records(), prefix + "labels",
          std::to_string(dataset.records()) + " long",
          "one per record, of which there are " + std::to_string(dataset.features.rows()));
  for (const std::int32_t label : dataset.labels)
    require(0 <= label && label < dataset.classes, prefix + "labels", label, "in [0, classes)");
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
  std::vector<bool> held(data.train.records());
  for (const auto& rows : data.clients) {
    require(!rows.empty(), "clients", "a client without records", "one record or more each");
    for (const std::uint32_t row : rows) {
      require(row < held.size(), "clients", "a client with row " + std::to_string(row), "rows of train");
      require(!held[row], "clients", "two holders of row " + std::to_string(row), "disjoint");
      held[row] = true;
    }
  }
}

std::uint64_t fingerprint(const FederatedData& data) {
  Hash hash;
  add(hash, data.train);
  add(hash, data.test);
  hash.add(data.clients.size());
  for (const auto& rows : data.clients) {
    hash.add(rows.size());
    hash.add(std::span(rows));
  }
  return hash.value();
}

}  // namespace dpbudget::fl
