/// @file
/// The state of a run between two rounds, kept in a file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/simulate/state.h"

namespace dpbudget::fl {

/// Whose state it is.
struct Identity {
  SettledRun run;
  std::uint64_t fingerprint;
};

/// A line with the CRC-32 of what follows, then CBOR. Writes beside `file` and renames, so that an interrupt leaves the
/// old state or the new one, whole. Every double is kept to the last bit.
/// @throws CannotWrite naming the file that could not be written
void write_checkpoint(const std::filesystem::path& file, const Identity& identity, const State& state);

/// Asks before the first round whether there will be a checkpoint after some of them; changes nothing.
/// @throws InvalidArgument naming the file that cannot be written
void require_writable_checkpoint(const std::filesystem::path& file);

/// @throws InvalidArgument naming the file, when it cannot be read, is no checkpoint, is damaged, or is that of another
///         run or data
State read_checkpoint(const std::filesystem::path& file, const Identity& identity);

}  // namespace dpbudget::fl
