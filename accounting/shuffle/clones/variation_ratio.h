/// @file
/// Amplification by shuffling from three numbers of a randomiser: Wang et al.'s variation-ratio framework.
#pragma once

#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget::shuffle {

/// What the framework knows of local randomisers R_0, R_1 of the changed report and R_i of the others.
struct VariationRatio {
  double ratio;             ///< p: R_0 and R_1 differ by at most this factor; in (1, e^650]
  double total_variation;   ///< beta: their total variation distance, not a bound on it; in (0, (p - 1) / (p + 1)]
  double background_ratio;  ///< q: R_0 and R_1 are at most this factor above every R_i; at least 1

  /// a = beta / (p - 1): the least mass of a differing component.
  double component() const { return total_variation / (ratio - 1); }
};

/// The proven form: whoever sees the shuffled reports is told, besides, whether the changed report is in a differing
/// component, which has probability a (p + 1). The divergence is that probability times the divergence of clones with
/// odds p and C ~ Bin(n - 1, 2 a p / q) (accounting/shuffle/proofs.md, 4.1).
/// @param reports  an integer in [1, 2^53]
/// @throws InvalidArgument naming the argument outside its range, or an impossible 2 a p / q > 1
/// @source Wang et al. 2023 (arXiv:2304.05007), Theorem 4.7, whose own form is refuted: see `published` below
ClonePair variation_ratio_revealed(const VariationRatio& randomizer, double reports);

/// delta as published, where whether the report is in a differing component stays hidden: an estimate. Its proof rests
/// on the withdrawn Lemma 3.5 of arXiv:2208.04591. For outputs {0, 1, *, #} and a = 0.2 / (e + 1), p = q = e, n = 3,
/// epsilon = 0.4 the true delta is 0.027638 and this is 0.020151.
/// @param epsilon  in [0, inf)
/// @return delta, to 1e-10
double variation_ratio_published_delta(const VariationRatio& randomizer, double reports, double epsilon);

}  // namespace dpbudget::shuffle
