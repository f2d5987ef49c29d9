#include "dpbudget/fl/ledger/convert.h"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/growing_file.h"
#include "dpbudget/fl/files/gzip_blocks.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/fl/files/whole_lines.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/ledger/reader.h"
#include "dpbudget/fl/ledger/writer.h"

namespace dpbudget::fl {
namespace {

// Whether a line goes into the block of the line before.
bool is_participation(std::string_view line) {
  if (line.starts_with(R"({"kind":"participation",)")) return true;
  return kind_of(parsed_line(line.substr(0, line.size() - 1))) == participation_kind;
}

// Appends each block of the lines.
bool copy_blocks(WholeLines& lines, bool is_packed, GrowingFile& to) {
  std::string block;
  const auto write = [&] { return block.empty() || to.append(is_packed ? gzip_block(block) : block); };
  while (const auto line = lines.next()) {
    if (!is_participation(*line)) {
      if (!write()) return false;
      block.clear();
    }
    block += *line;
  }
  return write();
}

}  // namespace

LedgerSummary summary_of(const std::filesystem::path& ledger) {
  LedgerReader reader(ledger);
  LedgerSummary summary{reader.header(), 0, 0, {}, reader.is_packed(), false};
  reader.rest([&](const LedgerPiece& piece) {
    return [&, rounds = piece.rounds.size(), participations = piece.participations.size(), end = piece.end] {
      summary.rounds += rounds;
      summary.participations += participations;
      summary.end = end;
    };
  });
  summary.is_torn = reader.is_torn();
  return summary;
}

void convert_ledger(const std::filesystem::path& from, const std::filesystem::path& to) {
  summary_of(from);
  std::ifstream in(from, std::ios::binary);
  WholeLines lines(in);
  const bool is_direct = takes_directly(to);
  GrowingFile out(is_direct ? to : part_of(to));
  out.begin();
  const bool is_written = copy_blocks(lines, is_packed_by_name(to), out) && !in.bad();
  if (is_written && (is_direct || put_in_place(to))) return;
  std::error_code failure;
  if (!is_direct) std::filesystem::remove(part_of(to), failure);
  throw CannotWrite(fmt::format("ledger {} could not be written", to.string()));
}

}  // namespace dpbudget::fl
