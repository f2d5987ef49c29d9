/// @file
/// The Laplace mechanism on [0, 1], and the event it amounts to.
#pragma once

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// `value` plus Laplace noise of density exp(-|z| / scale) / (2 scale).
///
/// Noise is drawn in double precision: the guarantee is that of the continuous mechanism, and attacks on the low bits
/// of floating-point noise (Mironov 2012) are outside it. Below a scale of about 1e-15 the low bits are all there is.
///
/// @param value  in [0, 1]
/// @param scale  in (0, 1e300], so that the report is finite
/// @throws InvalidArgument naming value or scale, before anything is drawn
/// @source Dwork, McSherry, Nissim, Smith 2006, "Calibrating noise to sensitivity in private data analysis"
double laplace(double value, double scale, Stream& stream);

/// @return what one call of `laplace` with this scale amounts to: values of [0, 1] differ by at most 1
/// @throws InvalidArgument naming scale
Laplace laplace_event(double scale);

}  // namespace dpbudget::mechanisms
