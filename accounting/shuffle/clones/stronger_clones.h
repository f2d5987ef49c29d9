/// @file
/// Stronger clones: more clones than for an arbitrary randomiser, for those that carry a certificate.
///
/// Feldman, McMillan, Talwar 2023 (arXiv:2208.04591) claim C ~ Bin(n - 1, 2 / (e^epsilon_0 + 1)) for every
/// epsilon_0-DP randomiser. Their erratum withdraws Lemma 3.5 below p = 1 / (e^epsilon_0 + 1), and with it Theorems 3.1
/// and 3.2: true divergences can be larger. The claim holds where, at every output y and for all inputs x, x' and i,
///
///   R_i(y) >= (R_x(y) + R_x'(y)) / (e^epsilon_0 + 1)
///
/// (accounting/shuffle/proofs.md, 3.1).
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget::shuffle {

/// Proof that a randomiser satisfies the condition above.
class StrongerClones {
 public:
  /// k-ary randomised response. For more than two categories a report may tell nothing, and clones are rarer; the
  /// divergence is then that of clones times the chance that the changed report is one of the two values in question.
  /// @param local_epsilon  in (0, 650]
  /// @param categories     in [2, 2^53]
  static StrongerClones of_randomized_response(double local_epsilon, std::uint64_t categories = 2);

  /// Any randomiser of which two values' reports are known, and of the others' that they are epsilon-DP.
  /// @param response  of an epsilon in (0, 650]
  /// @source accounting/shuffle/proofs.md, 4.1
  static StrongerClones of_response(const ToldResponse& response);

  /// A randomiser over finitely many outputs, given by the output probabilities of each input.
  /// @param rows           at least two, of one length; each at least 0 with sum 1 within 1e-9
  /// @param local_epsilon  in (0, 650]
  /// @throws InvalidArgument naming what is out of range; Unsupported naming the erratum when the condition fails or
  ///         the rows are not local_epsilon-DP
  static StrongerClones of_rows(const std::vector<std::vector<double>>& rows, double local_epsilon);

  /// @param reports  an integer in [1, 2^53]
  ClonePair pair(double reports) const;

 private:
  StrongerClones(double local_epsilon, double log_odds, double log_share)
      : local_epsilon_(local_epsilon), log_odds_(log_odds), log_share_(log_share) {}
  double local_epsilon_;
  double log_odds_;
  double log_share_;
};

}  // namespace dpbudget::shuffle
