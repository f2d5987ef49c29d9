/// @file
/// What the first rounds of a sequence have spent, for any number of them.
#pragma once

#include <cstdint>
#include <memory>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/sequence/sequence.h"

namespace dpbudget::sequence {

/// Answers for every prefix of one sequence at one delta. What an answer took is kept for the next; asking in ascending
/// order is cheapest. Not to be shared between threads.
class Accountant {
 public:
  Accountant() = default;
  Accountant(const Accountant&) = delete;
  Accountant& operator=(const Accountant&) = delete;
  virtual ~Accountant() = default;

  /// A bracket around epsilon of the first `rounds` rounds.
  /// @return a refusal when this accountant cannot answer
  /// @throws InvalidArgument naming rounds when there are not so many
  virtual Answer<Bound> epsilon(std::uint64_t rounds) = 0;
};

/// The accountant of that name. Equal rounds are answered for by `make_accountant` of one round; different ones by
/// - renyi: Rényi curves added up round by round, each order's sums kept;
/// - loss_distribution: the online account, at a mesh from which on the upper end of the whole sequence moves by about
///   `tolerance` of it;
/// - best: what the others prove together, asked in turn until the bracket is within `tolerance` (best_of.h);
/// - the others: the composition of the rounds as one plan.
/// @param delta      in (0, 1)
/// @param tolerance  in (0, 1)
/// @return a refusal when the accountant has no theorem for a round
/// @throws InvalidArgument naming the argument outside its range
Answer<std::unique_ptr<Accountant> > make_accountant(AccountantName name, const Sequence& sequence, double delta,
                                                     double tolerance = default_tolerance);

/// How far a budget reaches.
struct Reach {
  std::uint64_t rounds;  ///< the largest number of rounds found inside the budget, proven where the bound is
  bool is_whole;         ///< whether that is all of the sequence
  Bound at_rounds;       ///< epsilon of `rounds` rounds
  Bound at_next;         ///< epsilon of one round more, above the budget, infinite when the accountant has no answer;
                         ///< absent (0, 0) when `is_whole`
};

/// By bisection: epsilon does not fall as rounds are added, so every smaller number of rounds is inside as well. Rounds
/// for which the accountant has no answer are outside.
/// @param total    rounds to look at, at most the sequence's
/// @param start    a guess in [0, total]: a good one saves time
/// @param epsilon  in [0, inf)
/// @return a refusal when there is no answer for a single round either
Answer<Reach> reach(Accountant& accountant, std::uint64_t total, double epsilon, std::uint64_t start = 0);

}  // namespace dpbudget::sequence
