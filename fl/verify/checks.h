/// @file
/// Holding a ledger against the run that its header plans.
#pragma once

#include <vector>

#include "dpbudget/fl/verify/participation_checks.h"
#include "dpbudget/fl/verify/record.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::fl {

/// The checks, in the order of a report: header, rounds, user_sampling, participations, local_steps, record_sampling,
/// step_sizes, clipping, validation (where noise follows errors, or errors are recorded), noise, noise_stream,
/// noise_variance.
///
/// clipping computes the norms that adaptive clipping makes of the recorded counts. noise_stream draws all noise anew,
/// Gaussian and binomial, and that of adaptive clipping's counts, from the streams that belong to its client, round and
/// step. noise_variance is two-sided at 1e-9 against the chi-squared law of the noise found, pooled over the ledger: a
/// ledger that is right fails it once in 1e9 runs.
///
/// @param found  in its participations
std::vector<Check> check_ledger(const Record& record, const ParticipationFindings& found);

/// The same of a ledger that is there as a whole.
std::vector<Check> check_ledger(const Ledger& ledger);

}  // namespace dpbudget::fl
