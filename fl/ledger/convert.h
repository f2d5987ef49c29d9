/// @file
/// The two forms of a ledger, and what stands in one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "dpbudget/fl/ledger/ledger.h"

namespace dpbudget::fl {

/// What a ledger holds, as far as it can be told in few words.
struct LedgerSummary {
  LedgerHeader header;
  std::uint64_t rounds = 0;
  std::uint64_t participations = 0;
  std::optional<LedgerEnd> end;
  bool is_packed = false;
  bool is_torn = false;
};

/// @throws InvalidArgument as read_ledger
LedgerSummary summary_of(const std::filesystem::path& ledger);

/// Copies a ledger line by line, packed, each round a block, where the name of `to` says so, and plain otherwise. A
/// last line that was cut off is left out.
/// @throws InvalidArgument as read_ledger, when nothing has been written
/// @throws CannotWrite naming `to`, where everything is then as it was
void convert_ledger(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dpbudget::fl
