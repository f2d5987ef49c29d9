#include "dpbudget/fl/ledger_writer.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/ledger_lines.h"

namespace dpbudget::fl {
namespace {

// A data description may quote a file name that is not UTF-8.
std::string text_of(const Line& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace

LedgerWriter::LedgerWriter(std::filesystem::path file) : file_(std::move(file)) {
  // Opened to append, and taken away again if it was not there: the question must neither cost the ledger that may
  // stand there nor leave an empty one.
  const bool was_there = std::filesystem::exists(file_);
  if (!std::ofstream(file_, std::ios::binary | std::ios::app))
    throw InvalidArgument(fmt::format("ledger {} cannot be opened for writing", file_.string()));
  if (!was_there) std::filesystem::remove(file_);
}

void LedgerWriter::begin(const LedgerHeader& header) {
  const std::string text = text_of(to_line(header));
  out_.close();  // of an earlier run with this writer
  out_.open(file_, std::ios::binary | std::ios::trunc);
  write(text);
}

void LedgerWriter::take_up(const LedgerHeader& header, std::uint64_t round) {
  std::ifstream in(file_, std::ios::binary);
  std::string line;
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument(fmt::format("ledger {} {}", file_.string(), why));
  };
  if (!std::getline(in, line) || line + '\n' != text_of(to_line(header)))
    refuse("is not that of the run to be resumed");
  std::string kept = line + '\n';
  std::uint64_t rounds = 0;
  // The last line may be torn; a line is whole when getline stopped at its newline.
  while (std::getline(in, line) && !in.eof()) {
    const Line parsed = Line::parse(line, nullptr, false);
    const std::uint64_t of_round = parsed.is_object() ? parsed.value("round", std::uint64_t{0}) : 0;
    if (of_round == 0 || of_round > round) continue;
    rounds = of_round;
    kept += line + '\n';
  }
  if (rounds < round) refuse(fmt::format("holds {} rounds of the {} that are done", rounds, round));
  in.close();
  out_.close();
  std::filesystem::path beside = file_;
  beside += ".part";
  out_.open(beside, std::ios::binary | std::ios::trunc);
  write(kept);
  // What is open stays open under its new name.
  std::filesystem::rename(beside, file_);
}

void LedgerWriter::round(const RoundEntry& round, std::span<const Participation> participations) {
  std::string text = text_of(to_line(round));
  for (const Participation& participation : participations) text += text_of(to_line(participation));
  write(text);
}

void LedgerWriter::end(const LedgerEnd& end) { write(text_of(to_line(end))); }

void LedgerWriter::write(const std::string& text) {
  out_ << text << std::flush;
  if (!out_) throw std::runtime_error(fmt::format("ledger {} could not be written", file_.string()));
}

}  // namespace dpbudget::fl
