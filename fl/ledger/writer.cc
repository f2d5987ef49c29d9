#include "dpbudget/fl/ledger/writer.h"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
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

LedgerWriter::LedgerWriter(std::filesystem::path file) : file_(std::move(file)) {
  if (!is_writable(file_.path()))
    throw InvalidArgument(fmt::format("ledger {} cannot be opened for writing", file_.path().string()));
}

void LedgerWriter::begin(const LedgerHeader& header) {
  const std::string text = text_of(to_line(header));
  lock();
  file_.begin();
  write(text);
}

void LedgerWriter::take_up(const LedgerHeader& header, std::uint64_t round) {
  std::ifstream in(file_.path(), std::ios::binary);
  std::string line;
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument(fmt::format("ledger {} {}", file_.path().string(), why));
  };
  if (!std::getline(in, line) || line + '\n' != text_of(to_line(header)))
    refuse("is not that of the run to be resumed");
  std::string kept = line + '\n';
  std::uint64_t rounds = 0;                // that are whole
  std::vector<std::uint64_t> outstanding;  // participants of the round begun whose lines are to come, the next last
  // The last line may be torn; a line is whole when getline stopped at its newline.
  for (std::uint64_t number = 2; rounds < round && std::getline(in, line) && !in.eof(); ++number) {
    try {
      take_next(parsed_line(line), rounds + 1, outstanding);
    } catch (const InvalidArgument& error) {
      refuse(fmt::format("breaks off within the {} rounds that are done, at line {}: {}", round, number, error.what()));
    }
    if (outstanding.empty()) ++rounds;
    kept += line + '\n';
  }
  if (rounds < round) refuse(fmt::format("holds {} whole rounds of the {} that are done", rounds, round));
  lock();
  if (!replace_file(file_.path(), {kept})) fail();
  lock();  // what stands there now is another file
  file_.go_on();
}

void LedgerWriter::round(const RoundEntry& round, std::span<const Participation> participations) {
  std::string text = text_of(to_line(round));
  for (const Participation& participation : participations) text += text_of(to_line(participation));
  write(text);
}

void LedgerWriter::end(const LedgerEnd& end) { write(text_of(to_line(end))); }

void LedgerWriter::write(const std::string& text) {
  if (!file_.append(text)) fail();
}

void LedgerWriter::lock() {
  if (!lock_.take(file_.path()))
    throw InvalidArgument(fmt::format("ledger {} is being written by another run", file_.path().string()));
}

void LedgerWriter::fail() const {
  throw CannotWrite(fmt::format("ledger {} could not be written", file_.path().string()));
}

}  // namespace dpbudget::fl
