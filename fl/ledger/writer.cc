#include "dpbudget/fl/ledger/writer.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/gzip_blocks.h"
#include "dpbudget/fl/files/whole_lines.h"
#include "dpbudget/fl/files/writable.h"
#include "dpbudget/fl/ledger/lines.h"

namespace dpbudget::fl {
namespace {

// A data description may quote a file name that is not UTF-8.
std::string text_of(const Line& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

// Reads the line that has to come next: that of round number `round`, or of the last of its participants outstanding.
void take_next(const Line& line, std::uint64_t round, std::vector<std::uint64_t>& outstanding) {
  const bool begins = outstanding.empty();
  const std::string_view due = begins ? round_kind : participation_kind;
  if (kind_of(line) != due) throw InvalidArgument(fmt::format("`kind` is `{}`, but must be `{}`", kind_of(line), due));
  if (begins) {
    const RoundEntry entry = round_from(line);
    require(entry.round == round, "round", entry.round, std::to_string(round));
    outstanding.assign(entry.participants.clients.rbegin(), entry.participants.clients.rend());
    return;
  }
  const Participation participation = participation_from(line);
  require(participation.round == round, "round", participation.round, std::to_string(round));
  require(participation.client == outstanding.back(), "client", participation.client,
          std::to_string(outstanding.back()));
  outstanding.pop_back();
}

}  // namespace

bool is_packed_by_name(const std::filesystem::path& file) { return file.extension() == ".gz"; }

LedgerWriter::LedgerWriter(std::filesystem::path file) : file_(std::move(file)) {
  if (!is_writable(file_.path()))
    throw InvalidArgument(fmt::format("ledger {} cannot be opened for writing", file_.path().string()));
}

void LedgerWriter::begin(const LedgerHeader& header) {
  const std::string text = text_of(to_line(header));
  lock();
  is_packed_ = is_packed_by_name(file_.path());
  file_.begin();
  write(text);
}

void LedgerWriter::take_up(const LedgerHeader& header, std::uint64_t round) {
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument(fmt::format("ledger {} {}", file_.path().string(), why));
  };
  std::ifstream in(file_.path(), std::ios::binary);
  WholeLines lines(in);
  std::uint64_t rounds = 0;                // that are whole
  std::vector<std::uint64_t> outstanding;  // participants of the round begun whose lines are to come, the next last
  try {
    const auto first = lines.next();
    if (!first || *first != text_of(to_line(header))) refuse("is not that of the run to be resumed");
    for (std::uint64_t number = 2; rounds < round; ++number) {
      const auto line = lines.next();
      if (!line) break;
      try {
        take_next(parsed_line(line->substr(0, line->size() - 1)), rounds + 1, outstanding);
      } catch (const InvalidArgument& error) {
        refuse(
            fmt::format("breaks off within the {} rounds that are done, at line {}: {}", round, number, error.what()));
      }
      if (outstanding.empty()) ++rounds;
    }
  } catch (const DamagedBlock& error) {
    refuse(fmt::format("breaks off within the {} rounds that are done: {}", round, error.what()));
  }
  if (rounds < round) refuse(fmt::format("holds {} whole rounds of the {} that are done", rounds, round));
  const auto kept = lines.position();
  if (!kept) refuse("was packed by another program, not round by round: unpack it first");
  lock();
  std::error_code failure;
  std::filesystem::resize_file(file_.path(), *kept, failure);
  if (failure) fail();
  is_packed_ = lines.are_packed();
  file_.go_on();
}

void LedgerWriter::round(const RoundEntry& round, std::span<const Participation> participations) {
  std::string text = text_of(to_line(round));
  for (const Participation& participation : participations) text += text_of(to_line(participation));
  write(text);
}

void LedgerWriter::end(const LedgerEnd& end) { write(text_of(to_line(end))); }

void LedgerWriter::write(const std::string& text) {
  if (!file_.append(is_packed_ ? gzip_block(text) : text)) fail();
}

void LedgerWriter::lock() {
  // Who only asks whether it can be written holds it for a moment.
  constexpr int tries = 5;
  for (int i = 0; i < tries; ++i) {
    if (lock_.take(file_.path())) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw InvalidArgument(fmt::format("ledger {} is being written by another run", file_.path().string()));
}

void LedgerWriter::fail() const {
  throw CannotWrite(fmt::format("ledger {} could not be written", file_.path().string()));
}

}  // namespace dpbudget::fl
