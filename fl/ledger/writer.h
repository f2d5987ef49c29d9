/// @file
/// Writes a ledger while a run goes on, so that an interrupted run leaves every finished round readable.
#pragma once

#include <filesystem>
#include <span>

#include "dpbudget/fl/files/file_lock.h"
#include "dpbudget/fl/files/growing_file.h"
#include "dpbudget/fl/ledger/ledger.h"

namespace dpbudget::fl {

/// Whether a ledger of that name is packed: .gz says so.
bool is_packed_by_name(const std::filesystem::path& file);

/// One run's ledger file, plain or packed, each round a block then. What a call writes is handed to the operating
/// system before the call returns; a round goes in one piece. From `begin` or `take_up` on the file is locked: no other
/// writer begins there. An exception is the one way in which a failed write shows: no line is lost in silence, and none
/// is left half written.
class LedgerWriter {
 public:
  /// Asks whether the file can be written, and changes nothing until `begin`.
  /// @throws InvalidArgument naming the file that cannot be opened for writing
  explicit LedgerWriter(std::filesystem::path file);

  /// Empties the file and writes the header; the file's name says whether it is packed.
  /// @throws InvalidArgument naming the file that another run writes
  void begin(const LedgerHeader& header);

  /// Goes on with the ledger that stands in the file, from which everything after `round` is dropped.
  /// @throws InvalidArgument naming the file that holds no such ledger, or not every line of so many rounds, or that
  ///         another run writes; the file is then as it was
  void take_up(const LedgerHeader& header, std::uint64_t round);

  /// @param participations  one for each participant of `round`, in their order
  void round(const RoundEntry& round, std::span<const Participation> participations);

  void end(const LedgerEnd& end);

 private:
  /// @throws CannotWrite naming the file, when the text could not be written
  void write(const std::string& text);

  [[noreturn]] void fail() const;

  void lock();

  GrowingFile file_;
  FileLock lock_;
  bool is_packed_ = false;
};

}  // namespace dpbudget::fl
