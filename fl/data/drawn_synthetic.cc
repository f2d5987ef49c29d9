#include "dpbudget/fl/data/drawn_synthetic.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/hash.h"

namespace dpbudget::fl {
namespace {

void resize(Dataset& dataset, std::uint64_t records) {
  dataset.features.resize(static_cast<Eigen::Index>(records), synthetic_features);
  dataset.labels.resize(records);
  dataset.classes = synthetic_classes;
}

void cut(Dataset& dataset, std::uint64_t records) {
  dataset.features.conservativeResize(static_cast<Eigen::Index>(records), Eigen::NoChange);
  dataset.labels.resize(records);
}

}  // namespace

DrawnSynthetic::DrawnSynthetic(const Synthetic& parameters, const RecordScaling& scaling)
    : parameters_(parameters),
      scaling_(scaling),
      counts_(synthetic_counts(parameters)),
      form_(synthetic_form(0)),
      description_(describe(parameters, counts_)) {
  if (scaling.equal_sizes) {
    const std::uint64_t least = std::ranges::min(counts_.train);
    for (std::uint64_t& count : counts_.train) {
      dropped_.push_back(count - least);
      count = least;
    }
  }
  rows_.resize(std::max(std::ranges::max(counts_.train), std::ranges::max(counts_.test)));
  std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
  if (scaling.standardised) standardisation_ = standardisation();
  // One client is scaled to learn how the scaling is called, and whether it is possible at all.
  FederatedData first;
  of(0, true, first);
  if (scaling.equal_sizes) description_ += fmt::format(", cut to {} each", counts_.train.front());
  description_ += first.description + ", drawn anew";
}

void DrawnSynthetic::draw(std::uint64_t client, bool with_test, FederatedData& scratch) const {
  const std::uint64_t dropped = dropped_.empty() ? 0 : dropped_[client];
  SyntheticRecords records(parameters_, client);
  resize(scratch.train, counts_.train[client] + dropped);
  records.draw(scratch.train, 0, scratch.train.records());
  resize(scratch.test, with_test ? counts_.test[client] : 0);
  if (with_test) records.draw(scratch.test, 0, scratch.test.records());
  if (dropped > 0) cut(scratch.train, counts_.train[client]);
}

ClientRecords DrawnSynthetic::of(std::uint64_t client, bool with_test, FederatedData& scratch) const {
  draw(client, with_test, scratch);
  scratch.description.clear();
  if (standardisation_) {
    standardisation_->apply(scratch);
    scratch.description += ", standardised";
  }
  if (scaling_.normalised) normalise_records(scratch);
  if (scaling_.radius) project_records(scratch, *scaling_.radius);
  const std::span rows(rows_);
  ClientRecords drawn{&scratch.train, rows.first(scratch.train.records()), nullptr, {}};
  if (with_test) {
    drawn.test = &scratch.test;
    drawn.test_rows = rows.first(scratch.test.records());
  }
  return drawn;
}

void DrawnSynthetic::for_each_training_set(const std::function<void(const Dataset&)>& visit) const {
  constexpr std::size_t at_once = 256;
  std::vector<FederatedData> some(std::min(at_once, counts_.train.size()));
  for (std::size_t first = 0; first < counts_.train.size(); first += some.size()) {
    const std::size_t count = std::min(some.size(), counts_.train.size() - first);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { draw(first + i, false, some[i]); });
    for (std::size_t i = 0; i < count; ++i) visit(some[i].train);
  }
}

Standardisation DrawnSynthetic::standardisation() const {
  return standardisation_of(std::accumulate(counts_.train.begin(), counts_.train.end(), std::uint64_t{0}),
                            [this](const auto& visit) { for_each_training_set(visit); });
}

std::uint64_t DrawnSynthetic::fingerprint() const {
  Hash hash;
  hash.add(std::span(description_));
  hash.add(std::span(counts_.train));
  hash.add(std::span(counts_.test));
  FederatedData scratch;
  of(0, true, scratch);
  hash.add(scratch.train);
  hash.add(scratch.test);
  return hash.value();
}

}  // namespace dpbudget::fl
