/// @file
/// Principal components as features. Not private: they are computed from every client's training records without
/// noise, and no ledger accounts for them. A run that shall be private as a whole adds a private way to find them, and
/// its loss.
#pragma once

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Replaces the features, of train and test alike, by their coordinates along the training records' principal
/// components: the record less the training mean, times the eigenvectors of the training covariance (divisor: the
/// number of records) with the largest eigenvalues, in falling order. An eigenvector's sign is such that its coordinate
/// of largest magnitude (the first on a tie) is positive. Components of equal variance are any basis of theirs.
///
/// Time grows as records x features^2 + features^3.
///
/// @param components  in [1, features]
/// @throws InvalidArgument naming components or features, before anything changes: features when train has no record,
/// widths differ, or a value is not finite or leaves the range of double when squared or projected
/// @source Noble, Bellet, Dieuleveut 2022, appendix D.1, and Chen et al. 2024, section VI: 60 components
/// @source fl/account/proofs.md, 10.1
void project_on_components(FederatedData& data, int components = 60);

}  // namespace dpbudget::fl
