/// @file
/// Reading a ledger and checking it at once, by one process or by several.
#pragma once

#include <filesystem>

#include "dpbudget/fl/ledger/reader.h"
#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/verify/participation_checks.h"
#include "dpbudget/fl/verify/record.h"

namespace dpbudget::fl {

/// A ledger that has been read, and what was found in its participations.
struct CheckedLedger {
  Record record;
  ParticipationFindings found;
};

/// Reads the rest. Every process reads all of it, looks at every so-manieth piece, and tells the first: what is found
/// does not hang on how many they are.
/// @param reader  outlives what is returned
/// @param ranks   of which this is the first, while the others `check_for_first`; null where there is none
/// @throws InvalidArgument as read_ledger, or naming the rank that cannot read the ledger, or reads another
CheckedLedger read_and_check(LedgerReader& reader, Ranks* ranks);

/// What the others do while the first reads and checks.
void check_for_first(const std::filesystem::path& ledger, Ranks& ranks);

}  // namespace dpbudget::fl
