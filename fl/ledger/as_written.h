/// @file
/// Lines of a ledger that are as this program writes them.
#pragma once

#include <optional>
#include <string_view>

#include "dpbudget/fl/ledger/ledger.h"

namespace dpbudget::fl {

/// The participation that a line of version 5 or later holds, where the line has the keys, their order and the spelling
/// that to_line gives it, as nearly all of a ledger's lines have: it is then what participation_from makes of the
/// parsed line, in a fraction of the time.
/// @return nothing of any other line, be it well formed or not: a parser has to tell
std::optional<Participation> participation_as_written(std::string_view line);

}  // namespace dpbudget::fl
