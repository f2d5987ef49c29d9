#include "dpbudget/fl/data/preprocess.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/finite.h"

namespace dpbudget::fl {
namespace {

using Eigen::Index;
using RowArray = Eigen::Array<double, 1, Eigen::Dynamic>;

// RowArray by row, because the matrices are row-major and larger than the cache.
template <class AnyDataset, class Visit>
void for_each_row(AnyDataset& dataset, Visit&& visit) {
  for (Index i = 0; i < dataset.features.rows(); ++i) visit(dataset.features.row(i).array());
}

void require_finite_norms(Dataset& dataset) {
  for_each_row(dataset, [](auto record) {
    require_finite(record);
    const double norm = record.matrix().stableNorm();
    require(std::isfinite(norm), "features", norm, "finite in every record's norm");
  });
}

void normalise_records(Dataset& dataset) {
  for_each_row(dataset, [](auto record) {
    const double norm = record.matrix().stableNorm();
    if (norm > 0) record /= norm;
  });
}

// Leaves the columns for which `chosen` is 0 as they are.
void standardise_chosen(FederatedData& data, const Eigen::Array<bool, 1, Eigen::Dynamic>& chosen) {
  require(data.train.features.rows() > 0, "features", "without a training record", "those of at least one");
  Standardisation all = standardisation_of(data.train.records(), [&](const auto& visit) { visit(data.train); });
  all.mean = chosen.select(all.mean.array(), 0);
  all.scale = chosen.select(all.scale.array(), 1);
  all.apply(data);
}

}  // namespace

void Standardisation::apply(FederatedData& data) const {
  for (const Dataset* dataset : {&data.train, &data.test})
    require(dataset->features.cols() == mean.size(), "features", dataset->features.cols(),
            fmt::format("{} wide in train and test alike", mean.size()));
  const auto standardised = [&](const auto& record) { return (record - mean.array()) * scale.array(); };
  // No training value is further from the mean than sqrt(records) deviations, but a test value may overflow: seen to
  // before anything changes.
  for_each_row(data.test, [&](auto record) { require_finite(standardised(record)); });
  for (Dataset* dataset : {&data.train, &data.test})
    for_each_row(*dataset, [&](auto record) { record = standardised(record); });
}

Standardisation standardisation_of(std::uint64_t count, const EachTrainingSet& each) {
  const auto records = static_cast<double>(count);
  RowArray mean;
  RowArray smallest;
  RowArray largest;
  each([&](const Dataset& dataset) {
    if (mean.size() == 0) {
      smallest = largest = dataset.features.row(0);
      mean = RowArray::Zero(smallest.size());
    }
    for_each_row(dataset, [&](auto record) {
      mean += record / records;
      smallest = smallest.min(record);
      largest = largest.max(record);
    });
  });
  RowArray variance = RowArray::Zero(mean.size());
  each([&](const Dataset& dataset) {
    for_each_row(dataset, [&](auto record) { variance += (record - mean).square() / records; });
  });
  require_finite(variance);

  // Rounding leaves a constant column a tiny variance, which would blow up its rounding errors.
  const RowArray scale = (smallest == largest).select(0, variance.sqrt().inverse());
  require_finite(scale);
  return {mean, scale};
}

void standardise(FederatedData& data) {
  standardise_chosen(data, Eigen::Array<bool, 1, Eigen::Dynamic>::Constant(data.train.features.cols(), true));
  data.description += ", standardised";
}

void standardise(FederatedData& data, std::span<const Index> columns) {
  require(!columns.empty(), "columns", "none", "at least one");
  Eigen::Array<bool, 1, Eigen::Dynamic> chosen =
      Eigen::Array<bool, 1, Eigen::Dynamic>::Constant(data.train.features.cols(), false);
  for (const Index column : columns) {
    require(0 <= column && column < chosen.size(), "columns", column, "columns of the features");
    chosen(column) = true;
  }
  standardise_chosen(data, chosen);
  data.description += fmt::format(", {} of {} columns standardised", chosen.count(), chosen.size());
}

void normalise_records(FederatedData& data) {
  require_finite_norms(data.train);
  require_finite_norms(data.test);
  normalise_records(data.train);
  normalise_records(data.test);
  data.description += ", records of norm 1";
}

void project_records(FederatedData& data, double radius) {
  require(0 < radius && std::isfinite(radius), "radius", radius, "positive and finite");
  require_finite_norms(data.train);
  require_finite_norms(data.test);
  for (Dataset* dataset : {&data.train, &data.test})
    for_each_row(*dataset, [&](auto record) {
      const double norm = record.matrix().stableNorm();
      if (norm > radius) record *= radius / norm;
    });
  data.description += fmt::format(", records in the ball of radius {}", radius);
}

}  // namespace dpbudget::fl
