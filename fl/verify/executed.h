/// @file
/// A ledger as events: what was executed, folded so that an accountant can price it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/sizes.h"
#include "dpbudget/fl/verify/deeds.h"
#include "dpbudget/fl/verify/folding.h"
#include "dpbudget/fl/verify/record.h"

namespace dpbudget::fl {

/// A ledger's rounds as events. Whatever is asked, the ledger is gone through once, and each adversary's account
/// remembers what it has worked out.
class Execution {
 public:
  /// @param record  whose header outlives this
  explicit Execution(Record record);
  /// @param ledger  whose header outlives this
  explicit Execution(const Ledger& ledger) : Execution(Record(ledger)) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution() = default;

  const Record& record() const { return record_; }

  /// What the whole ledger released about a client of one kind, as `adversary` saw it, over the sampling of users: each
  /// round a `participates` node with the round's recorded sampling, around what clients of that kind released in it:
  /// the noise recorded, over twice the clipping norm recorded (a whole client) or that divided by the batch (a record,
  /// whose sampling then counts).
  ///
  /// The ledger does not show what a client would have done in a round without it. A round in which no client of the
  /// kind took part counts as what the others of its kind did in the other rounds. Where they did different things, all
  /// of them count together: an upper bound for each. Where the noise is scheduled to change and all that they did is,
  /// bit for bit, what the header plans, it counts as planned for that round; so does a round in which its batch, used
  /// once, would have been released. A kind that no round drew counts as planned in each of them: the number is over
  /// the sampling of users, and does not hang on how it came out.
  /// Where the noise follows errors it is instead the one release that the run's filter lets nothing exceed, if what is
  /// recorded does not.
  /// @param kind  as Population has it
  /// @return nothing without a guarantee, or when no round is recorded
  std::optional<Plan> plan(const Sizes& kind, Adversary adversary);

  /// What the ledger released about a record of `client` against the server, in the rounds in which it took part.
  /// @return nothing when one of its releases has no guarantee, or its noise follows errors
  /// @source fl/account/proofs.md, 9.6
  std::optional<Plan> realised(std::uint64_t client);

 private:
  class OfKind;
  // What a deed hangs on, where the noise does not change, and its client is one of the header's.
  using Alike = std::tuple<Adversary, bool, const Releases*, double, Population::Kind,
                           std::pair<std::uint64_t, std::uint64_t>, std::optional<std::pair<double, double>>>;

  Folding& fold(Adversary adversary);
  std::optional<Parts> parts(Adversary adversary, const Deed& recorded);
  std::optional<Plan> let_through(const Sizes& kind, Adversary adversary);
  bool has_disjoint_batches(std::uint64_t client);

  Record record_;
  Population population_;
  Deeds deeds_;
  std::map<Adversary, Folding> folds_;
  std::map<Alike, std::optional<Parts>> known_parts_;
  std::map<std::uint64_t, bool> disjoint_;  // by client, where it has been asked
};

}  // namespace dpbudget::fl
