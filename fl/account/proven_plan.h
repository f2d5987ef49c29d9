/// @file
/// What a run is proven to release, whatever its algorithm: all that leaves a client leaves through its releases.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The plan of all releases of one client over the run's first released rounds, as `adversary` sees them. Every message
/// of a client is post-processing of its releases and of what it downloaded, so nothing else counts. The proofs, case
/// by case, are fl/account/proofs.md.
///
/// - server, other_clients: each step's release, in the rounds of participation (accounting/renyi/proofs.md,
/// 6.1).
/// - third_party, one_client: the same; but with one local step, equal clients and nothing published but the mean of
///   the releases, the noise of all participants (all but the adversary's own) hides each one: fl/account/proofs.md,
///   2.1 to 2.4.
/// - user_level: the same releases against the sensitivity of a whole client, without the sampling of records.
/// - Batches that use every record once: one release in all (parallel composition), the one with the least noise.
/// - Shuffled batches: a release for each pass, in which a record is in one batch at most: fl/account/proofs.md, 11.1
/// to
///   11.4.
/// - Noise that follows released errors: the one release that the run's filter lets nothing exceed, against whoever its
/// budget's adversary covers: fl/account/proofs.md, 12.2 and 12.3.
/// - Adaptive clipping: the number of norms below the threshold is a second Gaussian release of each step, of
///   sensitivity 1; both together are one of inverse variance 1/sigma^2 + 1/sigma_b^2.
///
/// @param run     passes `check` with `sizes`; adds noise
/// @param rounds  in [1, run.released_rounds()]
/// @return nothing where no theorem covers the run: clipping at the median; a whole client behind binomial noise
/// @throws InvalidArgument as `step_noises`; naming dimension when binomial noise needs it; naming schedule where its
///         filter is not chosen
std::optional<AdversaryPlan> proven_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                         std::uint64_t rounds);

/// The same of the whole run.
std::optional<AdversaryPlan> proven_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary);

/// What one client releases in released round `number`, given all that was released before; batches are not disjoint.
/// @return nothing where no theorem covers it
/// @throws as proven_plan
std::optional<Event> proven_round(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t number);

}  // namespace dpbudget::fl
