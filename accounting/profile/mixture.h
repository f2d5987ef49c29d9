/// @file
/// The privacy loss of a mixture (1-q) Q + q P against Q in terms of the loss of P against Q, and back. Where the rate
/// is tiny so are the mixture's losses: they are right in all their digits.
#pragma once

namespace dpbudget::profile {

/// log(1 - q + q e^loss), increasing in `loss`. Error below 2^-49 min(1 + |result|, 2 |result|) + 2^-1070.
/// @param rate  q, in (0, 1]
/// @param loss  any, also where e^loss overflows
double mixture_loss(double rate, double loss);

/// The derivative of `mixture_loss` by the loss, q e^loss / (1 - q + q e^loss), rounded up: what an error of the loss
/// is to the mixture's. It grows with the loss.
double mixture_slope(double rate, double loss);

/// The inverse of `mixture_loss`: log((e^loss - 1 + q) / q); -infinity for a loss of at most log(1 - q).
/// @return in error by less than 2^-49 |result|, and by what corresponds to an error of `loss` below
///         2^-48 (|loss| + |log(1-q)|) + 2^-1070; both together are less than what corresponds to an error of
///         2^-49 (1 + |result| + |log(1-q)|)
double unmixed_loss(double rate, double loss);

}  // namespace dpbudget::profile
