/// @file
/// A run executed again from its ledger.
#pragma once

#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::tools {

/// The run that `replayed` executes.
fl::SettledRun planned_again(const fl::Ledger& ledger);

/// Runs what the header plans once more on `clients`, for as many rounds as are recorded, and compares every number
/// with the ledger's bit for bit: what checks of the ledger alone cannot see, such as another run that agrees with
/// itself, shows here. The same program on the same kind of machine finds the same bits.
/// @param ranks  the processes that share it; null where there is one alone
/// @throws InvalidArgument naming --replay, when they are not those that the header has the fingerprint of, or when the
///         ledger is of a version that computed it otherwise
fl::Check replayed(const fl::Ledger& ledger, const fl::ClientSource& clients, fl::Ranks* ranks);

}  // namespace dpbudget::tools
