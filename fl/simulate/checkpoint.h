/// @file
/// The state of a run between two rounds, kept in a file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "dpbudget/fl/files/file_lock.h"
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

/// The checkpoint that a run writes as it goes. Once there is a file, no other run writes it before this ends.
class CheckpointFile {
 public:
  /// Asks whether it can be written; changes nothing.
  /// @throws InvalidArgument naming the file that cannot be written, or that another run is writing
  explicit CheckpointFile(std::filesystem::path file);

  /// @throws CannotWrite as write_checkpoint, or where another run has begun to write it since
  void write(const Identity& identity, const State& state);

 private:
  bool hold();

  std::filesystem::path file_;
  FileLock lock_;
  bool is_held_ = false;
};

/// @throws InvalidArgument naming the file, when it cannot be read, is no checkpoint, is damaged, or is that of another
///         run or data
State read_checkpoint(const std::filesystem::path& file, const Identity& identity);

}  // namespace dpbudget::fl
