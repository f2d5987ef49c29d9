/// @file
/// Where clients' records come from: memory that holds all of them, or a generator that draws a client's when they are
/// asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// One client's records: rows of data sets that may hold those of others too.
struct ClientRecords {
  const Dataset* train = nullptr;
  std::span<const std::uint32_t> rows = {};  ///< of `train`, at least one
  const Dataset* test = nullptr;             ///< null where it was not asked for, or is not the client's own
  std::span<const std::uint32_t> test_rows = {};
};

/// All clients' records, each to be looked at alone. What is the same for all of them costs memory per client, not per
/// record. Any number of threads may ask at once.
class ClientSource {
 public:
  virtual ~ClientSource() = default;

  /// How many training records each client holds: at least one client, and of each at least one record.
  virtual const std::vector<std::uint64_t>& train_sizes() const = 0;

  /// How many test records each client has; empty when those are nobody's.
  virtual const std::vector<std::uint64_t>& test_sizes() const = 0;

  /// A data set like each client's: of its records there may be none.
  virtual const Dataset& form() const = 0;

  virtual const std::string& description() const = 0;  ///< one line: source, sizes, seed and preprocessing

  /// As dpbudget::fl::fingerprint says of data that are held: other data, other number, but for accident.
  virtual std::uint64_t fingerprint() const = 0;

  /// All of it, where it is held; else null.
  virtual const FederatedData* held() const = 0;

  /// The same records whenever it is asked.
  /// @param client     one of them
  /// @param with_test  whether its test records are wanted too
  /// @param scratch    where they may be put: as long as it is left alone they are there
  /// @throws InvalidArgument naming features, when scaling them leaves the range of double
  virtual ClientRecords of(std::uint64_t client, bool with_test, FederatedData& scratch) const = 0;
};

/// Records in memory.
class HeldClients final : public ClientSource {
 public:
  /// @param data  outlives this
  /// @throws InvalidArgument as check(data)
  explicit HeldClients(const FederatedData& data);
  explicit HeldClients(FederatedData&& data);
  HeldClients(const HeldClients&) = delete;
  HeldClients& operator=(const HeldClients&) = delete;
  ~HeldClients() override = default;

  const std::vector<std::uint64_t>& train_sizes() const override { return train_sizes_; }
  const std::vector<std::uint64_t>& test_sizes() const override { return test_sizes_; }
  const Dataset& form() const override { return data_.train; }
  const std::string& description() const override { return data_.description; }
  std::uint64_t fingerprint() const override;
  const FederatedData* held() const override { return &data_; }
  ClientRecords of(std::uint64_t client, bool with_test, FederatedData& scratch) const override;

 private:
  HeldClients(std::optional<FederatedData> own, const FederatedData* data);

  const std::optional<FederatedData> own_;
  const FederatedData& data_;
  const std::vector<std::uint64_t> train_sizes_;
  const std::vector<std::uint64_t> test_sizes_;
};

}  // namespace dpbudget::fl
