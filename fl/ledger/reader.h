/// @file
/// Reads a ledger piece by piece, so that nobody has to hold the whole of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/files/whole_lines.h"
#include "dpbudget/fl/ledger/ledger.h"

namespace dpbudget::fl {

/// Some lines of a ledger that follow each other.
struct LedgerLines {
  std::string text;          ///< complete lines, with their ends
  std::uint64_t first = 0;   ///< number of the first of them in the ledger
  std::uint64_t number = 0;  ///< of the piece that they are
};

/// What such lines say.
struct LedgerPiece {
  std::vector<RoundEntry> rounds;
  std::vector<Participation> participations;
  std::optional<LedgerEnd> end;

  /// Why a line is none of a ledger; the lines behind it are not read.
  struct Fault {
    std::uint64_t line;
    std::string why;
    bool is_no_line;  ///< it has no kind
  };
  std::optional<Fault> fault;
  std::uint64_t first = 0;                ///< line
  std::uint64_t number = 0;               ///< of the piece, from 0
  std::optional<std::uint32_t> checksum;  ///< CRC-32 of its lines, where it is asked for
};

/// Goes through a ledger once, be it plain or packed.
class LedgerReader {
 public:
  /// Reads the header.
  /// @throws InvalidArgument naming the file that cannot be read, or as read_ledger
  explicit LedgerReader(const std::filesystem::path& file);

  /// The same of a text, which outlives this.
  /// @param name  of the text, for messages
  LedgerReader(std::istream& text, std::string name);

  const LedgerHeader& header() const { return *header_; }

  /// As messages have it.
  const std::string& name() const { return name_; }

  /// Reads the rest. `look` is called on several threads with pieces of it, which do not hang on whether the ledger is
  /// packed; what it returns is called in the order of the pieces.
  /// @throws InvalidArgument as read_ledger, when what stands before the line in question has been looked at
  /// @param with_checksums  whether pieces have them
  void rest(const std::function<std::function<void()>(LedgerPiece)>& look, bool with_checksums = false);

  /// Whether the last line, or the last block, was cut off while it was written, and left out. Known after `rest`.
  bool is_torn() const { return is_torn_; }

  bool is_packed() const { return text_->are_packed(); }

 private:
  void begin();
  LedgerLines next(std::size_t most);
  LedgerPiece read(const LedgerLines& lines) const;
  void admit(const LedgerPiece& piece);
  [[noreturn]] void refuse(std::uint64_t line, const std::string& why) const;

  std::ifstream file_;
  std::string name_;
  std::optional<WholeLines> text_;
  std::uint64_t lines_ = 0;  // given
  std::optional<LedgerHeader> header_;
  bool is_ended_ = false;
  bool is_torn_ = false;
};

}  // namespace dpbudget::fl
