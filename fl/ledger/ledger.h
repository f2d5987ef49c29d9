/// @file
/// What a run did, as it was written down while it ran.
///
/// A ledger is text, one JSON object a line: a header, then for each round a line with the sampling of its users and
/// one line per participation, then an end. A line is complete when it ends in a newline. Numbers have as many digits
/// as it takes to read back the same double. It is whole by itself: nothing in it names another file that a reader
/// would need. The ledger is for the auditor: norms and losses in it are not private.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/round/participants.h"
#include "dpbudget/fl/round/records.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// 5: participations say which steps were taken, and steps may follow a schedule. 6: so do those of minibatch SGD whose
/// steps are its theorem's. 7: Gaussian noise is drawn by Stream::fill_normal, which rounds otherwise than what drew it
/// before. 8: models' sums of products are those of fl/arithmetic, which rounds otherwise than what added them before.
/// 9: synthetic records are drawn by Stream::fill_normal. 10: all random numbers are Threefry's, before they were
/// Philox's. Ledgers of versions 4 to 9 are read and verified as they are, but no run draws again what theirs did.
inline constexpr std::uint64_t ledger_version = 10;
inline constexpr std::uint64_t first_ledger_version = 4;

/// Coordinates of a model whose ledger can be verified.
inline constexpr std::uint64_t max_dimension = std::uint64_t{1} << 30U;

/// Different noises one after the other, in a run whose ledger can be written and verified.
inline constexpr std::uint64_t max_noises = 100'000;

/// One view of the run as it was planned, for clients of one kind.
struct PlannedView {
  Adversary adversary;
  Basis basis;
  Sizes sizes;  ///< of such a client
  AdversaryPlan plan;
};

/// The first line of a ledger: the run, its data and its plans.
struct LedgerHeader {
  SettledRun run;                      ///< `threads` is not recorded, for it changes nothing; read with its rounds, it
                                       ///< follows the errors that they record
  std::vector<std::uint64_t> clients;  ///< how many training records each holds
  std::uint64_t dimension = 0;         ///< of the model
  std::string data;                    ///< its description
  std::uint64_t fingerprint = 0;       ///< of the data
  std::vector<PlannedView> plans;      ///< none for a run without noise
  std::uint64_t version = ledger_version;
};

/// What drew the random numbers of the ledger's run.
mechanisms::Generator generator_of(const LedgerHeader& header);

/// Who took part in a round. Rounds count from 1, warm-start rounds first.
struct RoundEntry {
  std::uint64_t round = 0;
  Phase phase = Phase::training;
  Participants participants;
  std::optional<double> validation_error = std::nullopt;  ///< of the model before the round, where the noise follows it
  friend bool operator==(const RoundEntry&, const RoundEntry&) = default;
};

/// What one participant released in a round, in order.
struct Participation {
  std::uint64_t round = 0;
  std::uint64_t client = 0;
  std::vector<ReleaseRun> releases;
  std::vector<double> step_sizes = {};  ///< of its local steps, or one for all; none where the algorithm finds its own,
                                        ///< and before version 5
  friend bool operator==(const Participation&, const Participation&) = default;
};

/// The last line of a ledger.
struct LedgerEnd {
  std::uint64_t rounds = 0;  ///< done, warm-start rounds included
  double train_loss = 0;
  double test_score = 0;
  std::optional<double> validation_error = std::nullopt;  ///< of the last model, where noise would have followed it
  friend bool operator==(const LedgerEnd&, const LedgerEnd&) = default;
};

/// A whole ledger.
struct Ledger {
  LedgerHeader header;
  std::vector<RoundEntry> rounds;
  std::vector<Participation> participations;
  std::optional<LedgerEnd> end;  ///< nothing when the run did not finish
  bool torn = false;             ///< the last line was cut off while it was written, and is left out
};

/// The errors that noise followed, as they are recorded, but for rounds that stand out of order.
std::vector<ValidationError> validation_errors(const Ledger& ledger);

/// @throws InvalidArgument naming dimension beyond max_dimension
void check_dimension(std::uint64_t dimension);

/// How many noises the run plans one after the other; above max_noises it is not said how many.
std::uint64_t planned_noises(const SettledRun& run);

/// @throws InvalidArgument naming schedule, when the noise of `run` changes more often than max_noises
void check_changes(const SettledRun& run);

/// The plans of `run` for every adversary, basis and kind of client; none when it adds no noise.
/// @param header  of which run, clients and dimension are looked at
/// @throws InvalidArgument as check(run, sizes) and check_changes
std::vector<PlannedView> planned_views(const LedgerHeader& header);

/// What a run will write first: its plans for every adversary, basis and client size.
/// @throws InvalidArgument as check(run, clients), check_dimension and check_changes, or naming the noise that rounding
///         would change, of a standard deviation below 2^-24 of the norm that is clipped to
LedgerHeader make_header(const SettledRun& run, const ClientSource& clients, std::uint64_t dimension);

class LedgerReader;

/// All that `reader` has not read yet.
/// @throws InvalidArgument as read_ledger
Ledger whole_ledger(LedgerReader& reader);

/// @param name  of the text, for messages
/// @throws InvalidArgument naming the line that is not a line of such a ledger, and why; a last line without its
/// newline
///         is dropped instead
Ledger read_ledger(std::istream& text, const std::string& name);

/// @throws InvalidArgument naming the file that cannot be read, or as read_ledger of a stream
Ledger read_ledger(const std::filesystem::path& file);

}  // namespace dpbudget::fl
