/// @file
/// The lines of a ledger as JSON, each way.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "dpbudget/fl/ledger/ledger.h"

namespace dpbudget::fl {

/// Keys keep their order, so that a line reads from what it is to its details.
using Line = nlohmann::ordered_json;

/// The name under which a line says what it is.
inline constexpr std::string_view header_kind = "dpbudget ledger";
inline constexpr std::string_view round_kind = "round";
inline constexpr std::string_view participation_kind = "participation";
inline constexpr std::string_view end_kind = "end";

/// Every value that the run has.
/// @throws InvalidArgument naming algorithm when there is none of that name
Line to_line(const RunRequest& run);

/// A header as a line.
Line to_line(const LedgerHeader& header);
/// A round as a line.
Line to_line(const RoundEntry& round);
/// A participation as a line.
Line to_line(const Participation& participation);
/// An end as a line.
Line to_line(const LedgerEnd& end);

/// @throws InvalidArgument when `text` is no JSON, or naming a key that an object has twice
Line parsed_line(std::string_view text);

/// @return the kind that `line` states
/// @throws InvalidArgument when it states none
std::string kind_of(const Line& line);

/// @throws InvalidArgument naming the key that is missing, unknown, of the wrong type or out of range, or the version
///         that is not known, or the header's value that check(run, sizes) refuses
LedgerHeader header_from(const Line& line);
/// A round from its line, likewise.
RoundEntry round_from(const Line& line);
/// @param version  of the ledger that it is a line of
Participation participation_from(const Line& line, std::uint64_t version = ledger_version);
/// An end from its line, likewise.
LedgerEnd end_from(const Line& line);

}  // namespace dpbudget::fl
