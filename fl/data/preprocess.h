/// @file
/// Scaling of features before training. None of it is private: means and standard deviations are computed from every
/// client's records without noise, and no ledger accounts for them.
#pragma once

#include <Eigen/Core>
#include <span>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

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
