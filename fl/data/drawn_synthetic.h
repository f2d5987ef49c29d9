/// @file
/// Synthetic records that nobody holds: a client's are drawn when they are asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/synthetic.h"

namespace dpbudget::fl {

/// What is done to records once they are drawn, in this order, as the functions of preprocess.h and partition.h do it.
struct RecordScaling {
  bool equal_sizes = false;  ///< make_equal
  bool standardised = false;
  bool normalised = false;
  std::optional<double> radius = {};  ///< of project_records; positive and finite
};

/// The same records to the last bit as synthetic(parameters), scaled alike, holds. They depend on the client alone, but
/// where they are standardised: that draws everybody's twice, at the beginning, and holds none.
class DrawnSynthetic final : public ClientSource {
 public:
  /// @throws InvalidArgument naming what synthetic(parameters) and the scaling refuse
  DrawnSynthetic(const Synthetic& parameters, const RecordScaling& scaling);

  const std::vector<std::uint64_t>& train_sizes() const override { return counts_.train; }
  const std::vector<std::uint64_t>& test_sizes() const override { return counts_.test; }
  const Dataset& form() const override { return form_; }
  const std::string& description() const override { return description_; }

  /// Of the description, the sizes, and the first client's records, which tell generators apart: not of all records,
  /// which nobody has seen. What is held has another number.
  std::uint64_t fingerprint() const override;
  const FederatedData* held() const override { return nullptr; }
  ClientRecords of(std::uint64_t client, bool with_test, FederatedData& scratch) const override;

 private:
  void draw(std::uint64_t client, bool with_test, FederatedData& scratch) const;
  void for_each_training_set(const std::function<void(const Dataset&)>& visit) const;
  Standardisation standardisation() const;

  const Synthetic parameters_;
  const RecordScaling scaling_;
  SyntheticCounts counts_;
  std::vector<std::uint64_t> dropped_;  // of each client's training records, to make sizes equal; empty: none
  const Dataset form_;
  std::string description_;
  std::optional<Standardisation> standardisation_;
  std::vector<std::uint32_t> rows_;  // 0, 1, 2, ..., as many as the largest client has
};

}  // namespace dpbudget::fl
