#include "dpbudget/fl/data/client_source.h"

#include <utility>

namespace dpbudget::fl {
namespace {

std::vector<std::uint64_t> lengths_of(const std::vector<std::vector<std::uint32_t>>& clients) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(clients.size());
  for (const auto& rows : clients) lengths.push_back(rows.size());
  return lengths;
}

}  // namespace

HeldClients::HeldClients(const FederatedData& data) : HeldClients(std::nullopt, &data) {}
HeldClients::HeldClients(FederatedData&& data) : HeldClients(std::optional(std::move(data)), nullptr) {}

HeldClients::HeldClients(std::optional<FederatedData> own, const FederatedData* data)
    : own_(std::move(own)),
      data_(own_ ? *own_ : *data),
      train_sizes_(lengths_of(data_.clients)),
      test_sizes_(lengths_of(data_.test_clients)) {
  check(data_);
}

std::uint64_t HeldClients::fingerprint() const { return fl::fingerprint(data_); }

ClientRecords HeldClients::of(std::uint64_t client, bool with_test, FederatedData& /*scratch*/) const {
  ClientRecords records{&data_.train, data_.clients[client], nullptr, {}};
  if (with_test && !data_.test_clients.empty()) {
    records.test = &data_.test;
    records.test_rows = data_.test_clients[client];
  }
  return records;
}

}  // namespace dpbudget::fl
