/// @file
/// What the algorithms of Noble et al. 2022 release, per adversary: as the paper claims it and as it can be proven.
#pragma once

#include <optional>

#include "dpbudget/fl/adversary.h"
#include "dpbudget/fl/run.h"

namespace dpbudget::fl {

enum class ControlVariates { absent, present };

/// The view of a client with sizes.records records in a run of T rounds, warm-start rounds included, in which
/// n = floor(l M) of M clients take part and each makes K releases on m = floor(s R) of its R records:
///
///     third_party, published   T x wor(n of M, K x wor(m of R, gaussian(sigma_g sqrt(l M))))    estimate
///     server, published        T x K x wor(m of R, gaussian(sigma_g))                           proven
///     user_level, published    the first, at unit = user; nothing at unit = record              estimate
///     third_party, proven      T x participates(n of M, K x wor(m of R, gaussian(sigma_g)))     proven
///     server, proven           the same                                                         proven
///     user_level, proven       T x participates(n of M, K x gaussian(noise / 2 C))              proven
///
/// with sigma_g read as the noise on the mean gradient over 2 C / m. Why the proven plans hold:
///
/// Server. What client i sends is a function of its K noisy gradients of the round and of values the server knows
/// (x, c, its own earlier c_i), and each of those gradients is one Gaussian release on a fresh sample, chosen
/// adaptively. SCAFFOLD's c_i is such a value too: zero or the mean of noisy gradients of an earlier round, already
/// accounted there, so re-using it releases nothing more. Other clients' messages depend on client i through what the
/// server already holds. Whether i takes part is drawn independently of all data, and the server may know it
/// (accounting/renyi/proofs.md, section 6): hence `participates`, which does not claim that absence hides a record.
///
/// Third party. The models are a function of what the server sees, so the same plan holds. Aggregation may hide more;
/// nothing here relies on it.
///
/// User level. The mean of m clipped gradients moves by at most 2 C when a whole client is replaced, whichever records
/// were drawn, so the sampling of records amplifies nothing.
///
/// @param run  completed, with noise
/// @source Noble, Bellet, Dieuleveut 2022 (arXiv:2111.09278), Theorem 4.1, Claim 4.1 and appendix B
std::optional<AdversaryPlan> noble_plan(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis,
                                        ControlVariates control_variates);

}  // namespace dpbudget::fl
