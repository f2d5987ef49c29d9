/// @file
/// What errors of losses become where P is mixed with Q.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// The errors of pieces of (1 - rate) Q + rate P against Q whose losses were computed by `profile::mixture_loss`: a
/// rare mixture makes them as small as its losses.
/// @param errors    of the losses of P against Q
/// @param rate      in (0, 1]
/// @param largest   of the losses of P against Q
/// @param farthest  of the mixture's losses from 0
PieceErrors mixed_errors(PieceErrors errors, double rate, double largest, double farthest);

}  // namespace dpbudget::loss_distribution
