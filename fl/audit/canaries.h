/// @file
/// Clients that hold canaries, and what an adversary sees of them in a run: fl/audit/proofs.md, 3.1 and 3.2.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/simulate/fault.h"

namespace dpbudget::fl {

/// How a canary's two values differ.
enum class Canary {
  opposite,  ///< gradients of opposite directions, both as large as clipping lets them be
  small,     ///< one of them as large, the other as small as a record's gradient can be
};

/// Parameters of the model: two classes, a feature and a constant.
inline constexpr std::uint64_t canary_dimension = 4;

/// What a run is audited with.
struct Witnesses {
  std::uint64_t canaries;     ///< each in a client of its own, beside whom stands one that has none
  std::uint64_t records = 1;  ///< of each client; beyond the first their gradients cancel until the model has moved,
                              ///< and then tell, where the client holds a canary, to which side
  std::uint64_t users = 0;    ///< in all, at least twice the canaries; 0 for just as many
  Canary canary = Canary::opposite;

  std::uint64_t clients() const { return users == 0 ? 2 * canaries : users; }
};

/// @throws InvalidArgument naming canaries, records (1, or odd) or users
void check(const Witnesses& witnesses);

/// Data of two classes and one feature: client 2 i + 1 holds canary i, with one of its two values.
/// @param is_in  of each canary
FederatedData data_of(const Witnesses& witnesses, const std::vector<bool>& is_in);

/// Whether the adversary knows what each client sent: the server does, unless a shuffler stands between.
bool sees_each_message(const SettledRun& run, Adversary adversary);

/// For each canary the numbers that the adversary sees of it. Server: the messages of its client and of the client
/// beside it, or where these are shuffled how the model moved, which is all that their sum tells. Third party: how the
/// model moved. One client, the one beside canary 0: that, and its own messages. Of each round by itself where these
/// are few, else added up.
/// @param run  for data like these, at its own seed
std::vector<Vector> seen_of(const SettledRun& run, const Witnesses& witnesses, const std::vector<bool>& is_in,
                            Adversary adversary, Fault fault);

}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::Canary> {
  static constexpr NameTable<fl::Canary, 2> all{{{fl::Canary::opposite, "opposite"}, {fl::Canary::small, "small"}}};
};

}  // namespace dpbudget
