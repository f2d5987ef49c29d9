#include "dpbudget/fl/verify/reading.h"

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/verify/findings_json.h"

namespace dpbudget::fl {
namespace {

using Json = nlohmann::json;

// What was found in a piece, and which lines it had; nothing yet where another process looks.
struct Piece {
  std::uint32_t checksum = 0;
  std::optional<ParticipationFindings> found;
};

using Pieces = std::map<std::uint64_t, Piece>;

std::string bytes_of(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

// Reads the rest and looks at this process's share; `keep` is given the pieces one after the other.
template <class Keep>
Pieces look_at_share(LedgerReader& reader, Share share, const Keep& keep) {
  const ParticipationChecks checks(reader.header());
  struct Looked {
    LedgerPiece piece;
    std::optional<ParticipationFindings> found;
  };
  Pieces pieces;
  reader.rest(
      [&](LedgerPiece piece) {
        auto looked = std::make_shared<Looked>();
        if (share.has(piece.number)) looked->found = checks.look_at_all(piece.participations);
        looked->piece = std::move(piece);
        return [&, looked] {
          pieces[looked->piece.number] = {looked->piece.checksum.value_or(0), std::move(looked->found)};
          keep(looked->piece);
        };
      },
      share.count > 1);
  return pieces;
}

// Takes what another process found.
void take(const std::string& bytes, std::size_t rank, Pieces& pieces) {
  const Json told = Json::from_cbor(bytes);
  const auto refuse = [&](const std::string& why) { throw InvalidArgument(fmt::format("rank {}: {}", rank, why)); };
  if (const std::string failure = told.at("failure"); !failure.empty()) refuse(failure);
  for (const Json& one : told.at("pieces")) {
    const auto piece = pieces.find(one.at(0).get<std::uint64_t>());
    if (piece == pieces.end() || piece->second.checksum != one.at(1).get<std::uint32_t>())
      refuse("the ledger is another one there");
    piece->second.found = findings_from(one.at(2));
  }
}

ParticipationFindings all_of(Pieces pieces) {
  ParticipationFindings all;
  for (auto& [number, piece] : pieces) {
    if (!piece.found) throw InvalidArgument("a rank's ledger ends before that of rank 0");
    all.add(*std::move(piece.found));
  }
  return all;
}

}  // namespace

CheckedLedger read_and_check(LedgerReader& reader, Ranks* ranks) {
  Record record(reader.header());
  Pieces pieces;
  std::exception_ptr failure;
  try {
    pieces = look_at_share(reader, share_of(ranks), [&](LedgerPiece& piece) {
      for (RoundEntry& round : piece.rounds) record.add(std::move(round));
      for (const Participation& participation : piece.participations) record.add(participation);
      if (piece.end) record.add(*piece.end);
    });
  } catch (...) {
    failure = std::current_exception();
  }
  // Whatever happened here, the others are waiting.
  const std::vector<std::string> told = ranks == nullptr ? std::vector<std::string>() : ranks->to_first({});
  if (failure) std::rethrow_exception(failure);
  for (std::size_t rank = 1; rank < told.size(); ++rank) take(told[rank], rank, pieces);
  return {std::move(record), all_of(std::move(pieces))};
}

void check_for_first(const std::filesystem::path& ledger, Ranks& ranks) {
  Json told{{"failure", ""}, {"pieces", Json::array()}};
  try {
    LedgerReader reader(ledger);
    for (const auto& [number, piece] : look_at_share(reader, share_of(&ranks), [](const LedgerPiece&) {}))
      if (piece.found) told["pieces"].push_back({number, piece.checksum, to_json(*piece.found)});
  } catch (const std::exception& error) {
    told["failure"] = error.what();
  }
  ranks.to_first(bytes_of(told));
}

}  // namespace dpbudget::fl
