#include "dpbudget/fl/ledger/reader.h"

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <zlib.h>

#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/ledger/as_written.h"
#include "dpbudget/fl/ledger/lines.h"

namespace dpbudget::fl {
namespace {

std::uint32_t checksum_of(std::string_view text) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

// Reads lines into a piece, until one of them is none.
class PieceReader {
 public:
  PieceReader(std::uint64_t version, std::uint64_t first) : version_(version) { piece_.first = first; }

  void read(std::string_view line, std::uint64_t number) {
    if (!piece_.end && version_ >= 5)
      if (auto participation = participation_as_written(line)) {
        piece_.participations.push_back(*std::move(participation));
        return;
      }
    std::optional<Line> parsed;
    std::string kind;
    try {
      parsed = parsed_line(line);
      kind = kind_of(*parsed);
    } catch (const InvalidArgument& error) {
      piece_.fault = {number, error.what(), true};
      return;
    }
    try {
      take(*parsed, kind);
    } catch (const InvalidArgument& error) {
      piece_.fault = {number, error.what(), false};
    }
  }

  bool is_done() const { return piece_.fault.has_value(); }
  LedgerPiece piece() && { return std::move(piece_); }

 private:
  void take(const Line& line, const std::string& kind) {
    if (piece_.end) throw InvalidArgument("it follows the end");
    if (kind == round_kind)
      piece_.rounds.push_back(round_from(line));
    else if (kind == participation_kind)
      piece_.participations.push_back(participation_from(line, version_));
    else if (kind == end_kind)
      piece_.end = end_from(line);
    else
      throw InvalidArgument(fmt::format("`kind` is `{}`, but must be `round`, `participation` or `end`", kind));
  }

  std::uint64_t version_;
  LedgerPiece piece_;
};

}  // namespace

LedgerReader::LedgerReader(const std::filesystem::path& file) : file_(file, std::ios::binary), name_(file.string()) {
  // A directory opens, but does not read.
  if (!file_ || std::filesystem::is_directory(file))
    throw InvalidArgument(fmt::format("ledger {} cannot be read", name_));
  text_.emplace(file_);
  begin();
}

LedgerReader::LedgerReader(std::istream& text, std::string name) : name_(std::move(name)), text_(std::in_place, text) {
  begin();
}

void LedgerReader::begin() {
  const LedgerLines first = next(1);
  if (first.text.empty()) throw InvalidArgument(fmt::format("{}: there is no complete ledger header in it", name_));
  try {
    const Line line = parsed_line(std::string_view(first.text).substr(0, first.text.size() - 1));
    const std::string kind = kind_of(line);
    if (kind != header_kind) throw InvalidArgument(fmt::format("`kind` is `{}`, but must be `{}`", kind, header_kind));
    header_ = header_from(line);
    require(!header_->clients.empty(), "clients", 0, "at least one");
  } catch (const InvalidArgument& error) {
    refuse(1, error.what());
  }
}

// So many lines, or all that are left.
LedgerLines LedgerReader::next(std::size_t most) {
  LedgerLines lines{{}, lines_ + 1};
  try {
    for (std::size_t found = 0; found < most; ++found) {
      const auto line = text_->next();
      if (!line) {
        is_torn_ = text_->is_torn();
        break;
      }
      lines.text += *line;
      ++lines_;
    }
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("ledger {}: {}", name_, error.what()));
  }
  return lines;
}

LedgerPiece LedgerReader::read(const LedgerLines& lines) const {
  PieceReader reader(header_->version, lines.first);
  std::string_view text = lines.text;
  for (std::uint64_t number = lines.first; !text.empty() && !reader.is_done(); ++number) {
    const std::size_t length = text.find('\n');
    reader.read(text.substr(0, length), number);
    text.remove_prefix(length + 1);
  }
  return std::move(reader).piece();
}

void LedgerReader::admit(const LedgerPiece& piece) {
  if (is_ended_) {
    const bool is_no_line = piece.fault && piece.fault->is_no_line && piece.fault->line == piece.first;
    refuse(piece.first, is_no_line ? piece.fault->why : "it follows the end");
  }
  if (piece.fault) refuse(piece.fault->line, piece.fault->why);
  is_ended_ = piece.end.has_value();
}

void LedgerReader::refuse(std::uint64_t line, const std::string& why) const {
  throw InvalidArgument(fmt::format("{}: line {} is not a ledger line: {}", name_, line, why));
}

void LedgerReader::rest(const std::function<std::function<void()>(LedgerPiece)>& look, bool with_checksums) {
  constexpr std::size_t lines_at_once = 1024;
  struct Looked {
    LedgerPiece piece;  // but for what `look` took
    std::function<void()> conclude;
  };
  using Lines = std::shared_ptr<LedgerLines>;
  using Done = std::shared_ptr<Looked>;
  std::uint64_t pieces = 0;
  const std::size_t at_once = 2 * std::max(1U, std::thread::hardware_concurrency());
  tbb::parallel_pipeline(
      at_once, tbb::make_filter<void, Lines>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) -> Lines {
                 auto lines = std::make_shared<LedgerLines>(next(lines_at_once));
                 lines->number = pieces++;
                 if (lines->text.empty()) flow.stop();
                 return lines;
               }) & tbb::make_filter<Lines, Done>(tbb::filter_mode::parallel, [&](const Lines& lines) {
                 LedgerPiece piece = read(*lines);
                 piece.number = lines->number;
                 if (with_checksums) piece.checksum = checksum_of(lines->text);
                 lines->text = {};
                 auto done = std::make_shared<Looked>();
                 done->piece.fault = piece.fault;
                 done->piece.first = piece.first;
                 done->piece.end = piece.end;
                 done->conclude = look(std::move(piece));
                 return done;
               }) & tbb::make_filter<Done, void>(tbb::filter_mode::serial_in_order, [&](const Done& done) {
                 admit(done->piece);
                 done->conclude();
               }));
}

}  // namespace dpbudget::fl
