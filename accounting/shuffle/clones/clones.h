/// @file
/// Amplification by shuffling through clones: every other report is, with some probability, a copy of the first user's
/// that does not depend on its own user's data.
///
/// n users each apply one common epsilon_0-DP local randomiser to their own record; a trusted shuffler releases the
/// reports in random order. Or the shuffler puts the users into random order first, and the randomiser of each place
/// in it may differ and be chosen after seeing the reports before it: the theorem's own setting, of which the first is
/// a case. It does not hold where each user has a randomiser of their own and only reports are shuffled: a report that
/// names its user is not hidden at all. Adjacency: replace_one. Whoever sees the reports distinguishes two neighbours
/// no better than the clone pair: with C ~ Bin(n - 1, e^-epsilon_0),
/// A ~ Bin(C, 1/2) and D ~ Bern(e^epsilon_0 / (1 + e^epsilon_0)), the counts (A + D, C - A + 1 - D) from
/// (A + 1 - D, C - A + D).
///
/// Given m = C + 1, this pair is (1 + tau X) mu_m against (1 - tau X) mu_m, where mu_m is the law of the mean X of m
/// fair signs and tau = tanh(epsilon_0 / 2) (accounting/shuffle/proofs.md, 1.1 and 1.2), so that its divergences are
/// means of convex functions of X, which do not increase in m.
#pragma once

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/shuffle/clones/clone_count.h"
#include "dpbudget/accounting/shuffle/clones/sign_tail.h"

namespace dpbudget::shuffle {

/// The clone pair for other laws of the number of clones too: the first user's report keeps the odds of a local
/// randomiser that is epsilon_0-DP.
struct ClonePair {
  double local_epsilon;  ///< epsilon_0, in (0, 708]: e^-epsilon_0 keeps its digits
  CloneCount count;
  double log_share = 0;  ///< log of the probability that the first user's report tells anything at all

  /// The level of X above which the loss exceeds epsilon: tanh(epsilon / 2) / tanh(epsilon_0 / 2).
  Level level(double epsilon) const;
};

/// How wide a bracket may be, relative to epsilon; 0 for as narrow as rounding and a few seconds allow.
struct Width {
  double relative;
};

/// How many numbers of clones are treated as one where a mean may be off by `width`, and at least as many as keep its
/// cost below about 2^28 operations, given that each number m takes `terms` sqrt(m): brackets for very many reports are
/// wider than asked for. Their middle is off by about the square of their width, as the trapezoidal rule is, and by
/// 1 / (4 m), since means of an odd and of the next even number of signs are equal.
Stride stride_of(const ClonePair& pair, Width width, double terms);

/// log of the hockey-stick divergence of the pair, the same in both directions.
/// @param epsilon  in [0, inf)
numeric::Bracket log_delta(const ClonePair& pair, double epsilon, Width width);

/// The smallest epsilon with a divergence of at most delta, between two proven bounds.
/// @param log_delta  at most 0
numeric::Bracket epsilon_bracket(const ClonePair& pair, double log_delta, Width width);

/// @param local_epsilon  in (0, 650]
/// @param reports        an integer in [1, 2^53]
/// @throws InvalidArgument naming the argument outside its range
/// @source Feldman, McMillan, Talwar 2021 (arXiv:2012.12803), Theorem 3.2 and Lemma 3.3
ClonePair clones(double local_epsilon, double reports);

/// delta of `reports` shuffled epsilon_0-DP reports, at most: an upper bound for every randomiser, and the divergence
/// of the clone pair to 1e-10; to 1e-8 where more than 1e7 reports are summed in blocks, and 1e-4 from
/// 2^32 clones on.
/// @param epsilon  in [0, inf)
/// @return log of the middle of the bracket
double clones_log_delta(double local_epsilon, double reports, double epsilon);

/// The smallest epsilon at which `clones_log_delta` is at most log delta.
/// @param delta  in (0, 1)
double clones_epsilon(double local_epsilon, double reports, double delta);

/// `clones_epsilon` as a proven upper bound. Its lower end is 0: not every randomiser attains the clone pair.
Bound clones_bound(double local_epsilon, double reports, double delta);

}  // namespace dpbudget::shuffle
