/// @file
/// The privacy loss of a mixture (1-q) Q + q P against Q in terms of the loss of P against Q, and back.
#pragma once

namespace dpbudget::profile {

/// log(1 - q + q e^loss), increasing in `loss`. Absolute error below 2^-49 (1 + |result|).
/// @param rate  q, in (0, 1]
/// @param loss  any, also where e^loss overflows
double mixture_loss(double rate, double loss);

/// The inverse of `mixture_loss`: log((e^loss - 1 + q) / q); -infinity for a loss of at most log(1 - q).
/// @return in error by what corresponds to an error of `loss` below 2^-49 (1 + |loss| + |log(1-q)| + |result|)
double unmixed_loss(double rate, double loss);

}  // namespace dpbudget::profile
