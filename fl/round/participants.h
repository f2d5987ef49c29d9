/// @file
/// Who takes part in a round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// A round's participants, and how they were drawn.
struct Participants {
  std::string scheme;                  ///< without_replacement, poisson or multinomial
  std::uint64_t drawn = 0;             ///< how many draws were made; for poisson, how many took part
  std::uint64_t population = 0;        ///< clients
  double rate = 0;                     ///< poisson: each client's probability; else 0
  std::vector<std::uint64_t> clients;  ///< ascending, distinct
  std::vector<std::uint64_t> times;    ///< multinomial: how often each was drawn; else empty
  std::vector<double> weights;         ///< what each one's update counts

  friend bool operator==(const Participants&, const Participants&) = default;
};

/// [p_i] What each client counts among all, by the run's weights; they add up to 1.
std::vector<double> shares_of(const SettledRun& run, const std::vector<std::uint64_t>& records);

/// The participants of round `number`, drawn from the run's seed, afresh each round and whatever the data are. Who is
/// drawn more than once trains once, and counts as often as drawn: that costs it one release, not several.
/// @param records    that each client holds; the run passes `check` for all of them
/// @param generator  that of the ledger's version, where one is verified
Participants draw_participants(const SettledRun& run, const std::vector<std::uint64_t>& records, std::uint64_t number,
                               mechanisms::Generator generator = mechanisms::Generator::threefry);

/// The name that the entries of `run` carry.
std::string_view scheme_of(const SettledRun& run);

/// With which probability a client takes part in a round: floor(l M) of M, l, or 1 - (1 - p)^r for r draws with
/// replacement of which each hits it with probability p. That probability, and that rounds are drawn independently, is
/// all that a `participates` node needs (formulas of that node: accounting/renyi/proofs.md, 6.1).
/// @source fl/account/proofs.md, 1.2
Rate participation_rate(const SettledRun& run, const Sizes& sizes);

}  // namespace dpbudget::fl
