/// @file
/// The client sides of all processes that share a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/simulate/client_side.h"

namespace dpbudget::fl {

/// On the first rank: all clients, wherever they are. What comes back does not depend on how many ranks there are, to
/// the last bit: clients answer one by one, and are put together in their order.
class Team {
 public:
  /// @param own     this process's
  /// @param others  null where there are none; else they `serve` the same run
  /// @throws InvalidArgument naming a rank that has another run or other data, or could not begin
  Team(ClientSide& own, Ranks* others);

  bool is_alone() const { return others_ == nullptr; }

  /// Trains every slot.
  void train(const Call& call, Trained& trained);

  /// How good a model is on the records of all clients.
  Metrics evaluate(std::uint64_t round, const Vector& global);

  /// What all clients keep.
  std::map<std::uint64_t, ClientState> kept();

  /// Hands each client what it kept; `kept` may be that of this process's clients, which it is then left with.
  void keep(const std::map<std::uint64_t, ClientState>& kept);

  /// From now on the noise follows these errors.
  void follow(const std::vector<ValidationError>& errors);

 private:
  ClientSide& own_;
  Ranks* others_;
};

/// On every other rank: does what Team asks for, until it is told that the run is over.
/// @param run  settled as on the first rank, for the same clients
/// @throws Nothing that the first rank is not told of, naming this one, and throws
void serve(Ranks& ranks, const SettledRun& run, const ClientSource& clients);

/// The same where the run could not begin here: `why` is what the first rank is told when it asks.
void decline(Ranks& ranks, const std::string& why);

/// On the first rank, once for every `serve`: the run is over.
void dismiss(Ranks& ranks);

}  // namespace dpbudget::fl
