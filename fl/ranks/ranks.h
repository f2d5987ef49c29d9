/// @file
/// The processes that share one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dpbudget::fl {

/// So many processes, numbered from 0, of which the first leads: it says what is to be done next, and is answered. All
/// of them call the same function at the same time, and nobody returns from it before it has what it waits for.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual std::size_t rank() const = 0;   ///< of this process
  virtual std::size_t count() const = 0;  ///< at least 1

  /// @param bytes  looked at on rank 0 alone
  /// @return those of rank 0, on every rank
  virtual std::string from_first(const std::string& bytes) = 0;

  /// @return on rank 0 the bytes of every rank, its own included, in order; elsewhere nothing
  virtual std::vector<std::string> to_first(const std::string& bytes) = 0;
};

/// Which clients are a process's: every `count`-th. Their records are looked at, and what they keep is kept, there
/// alone.
struct Share {
  std::uint64_t rank = 0;
  std::uint64_t count = 1;

  bool has(std::uint64_t client) const { return client % count == rank; }
};

/// @param ranks  null where there is one process alone
inline Share share_of(const Ranks* ranks) { return ranks == nullptr ? Share{} : Share{ranks->rank(), ranks->count()}; }

}  // namespace dpbudget::fl
