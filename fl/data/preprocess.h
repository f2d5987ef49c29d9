/// @file
/// Scaling of features before training. None of it is private: means and standard deviations are computed from every
/// client's records without noise, and no ledger accounts for them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// What standardising does to a record: each column less its mean, times its scale.
struct Standardisation {
  Eigen::RowVectorXd mean;
  Eigen::RowVectorXd scale;

  /// @throws InvalidArgument naming features, when widths differ or, before any training record changes, when a test
  /// value leaves the range of double
  void apply(FederatedData& data) const;
};

/// Calls its argument with data sets of which the records, one after the other, are all training records, at least one
/// in each.
using EachTrainingSet = std::function<void(const std::function<void(const Dataset&)>&)>;

/// What standardise makes of training records that need not be held at once: they are gone through twice.
///
/// @param records  how many there are, at least 1
/// @throws InvalidArgument naming features, when a value is not finite or leaves the range of double when squared
Standardisation standardisation_of(std::uint64_t records, const EachTrainingSet& each);

/// Takes off each column's mean and divides by its standard deviation (divisor: the number of records), both over the
/// training records, in train and test alike. A column that is constant in train becomes 0 in both.
///
/// @throws InvalidArgument naming features, before anything changes, when train has no record, widths differ, or a
/// value is not finite or leaves the range of double when squared or scaled
/// @source Noble, Bellet, Dieuleveut 2022, section 5
void standardise(FederatedData& data);

/// The same for the given columns alone.
///
/// @param columns  at least one, each a column of the features
/// @throws InvalidArgument naming columns; or features, as above and also for a value in another column
/// @source Lowy, Razaviyayn 2023, appendix I.2 and I.3, which leave encoded categories as they are
void standardise(FederatedData& data, std::span<const Eigen::Index> columns);

/// Divides each record, train and test, by its L2 norm; a record of zeros stays.
///
/// @throws InvalidArgument naming features, before anything changes, when a value or a record's norm is not finite
/// @source Noble, Bellet, Dieuleveut 2022, section 5
void normalise_records(FederatedData& data);

/// Moves each record, train and test, whose L2 norm exceeds `radius` to the nearest point of the ball of that radius.
///
/// @param radius  positive and finite
/// @throws InvalidArgument naming radius; or features, as normalise_records
void project_records(FederatedData& data, double radius);

}  // namespace dpbudget::fl
