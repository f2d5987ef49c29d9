/// @file
/// Whether the noise in a ledger is that of its own streams.
#pragma once

#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::fl {

/// Draws the noise anew, from the stream that belongs to the client, the round and the step alone. Where another stream
/// was used, or another client's, or it was scaled otherwise, the sum of squares found is another one. What adaptive
/// clipping released is a number of records when its noise is taken off, and one that the largest norm allows.
Check check_noise_stream(const Ledger& ledger);

/// Two-sided at 1e-9 against the chi-squared law of the noise found, pooled over the ledger.
Check check_noise_variance(const Ledger& ledger);

}  // namespace dpbudget::fl
