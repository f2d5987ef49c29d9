/// @file
/// The privacy loss of binomial noise on a count.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// P = shift + Bin(trials, probability) against Q = Bin(trials, probability): an outcome j between `shift` and `trials`
/// has the loss log P(j - shift) / P(j), which grows with j. Outcomes above are P's alone, and outcomes below Q's
/// alone: the masses at infinity, or of what is left out where they are below cut.tail. Atoms only, so cut.step is not
/// used. `reversed` is the pair of the number of failures. Any adjacency; `shift` is the sensitivity under it.
/// @param trials       an integer in [1, 2^53]
/// @param probability  in (0, 1)
/// @param shift        an integer in [0, trials]
/// @throws InvalidArgument naming the argument outside its range, or trials whose atoms are more than 2^24
/// @source Cheu, Joseph, Mao, Peng 2021 (arXiv:2106.09805), for the mechanism
Pieces binomial_shift_pieces(double trials, double probability, double shift, const Cut& cut);

}  // namespace dpbudget::loss_distribution
