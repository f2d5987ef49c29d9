/// @file
/// Amplification of truncated concentrated DP by sampling without replacement.
#pragma once

#include "dpbudget/accounting/concentrated/tcdp.h"

namespace dpbudget::concentrated {

/// The guarantee of a mechanism that is (rho, omega)-tCDP on samples, run on a uniformly random subset of fixed size, a
/// fraction q of the records: (13 q^2 rho, log(1/q) / (4 rho)). The theorem needs
/// - q in (0, 0.1] and rho in (0, 0.1],
/// - log(1/q) >= 3 rho (2 + log2(1/rho)),
/// - omega >= log(1/q) / (2 rho) >= 3.
/// Adjacency: replace_one. Not Poisson sampling, whatever Chen et al. 2024 say in Remark 6.
/// @param sampling_rate  q, in (0, 1]
/// @param sampled        rho above 0, omega above 1
/// @return relative error below 1e-15; an omega that overflows is the greatest double
/// @throws InvalidArgument naming the argument outside its range
/// @throws Unsupported naming the precondition that does not hold
/// @source Bun, Dwork, Rothblum, Steinke 2018, amplification by subsampling, as Chen et al. 2024, Lemma 4, states it
TruncatedCdp tcdp_amplify(double sampling_rate, const TruncatedCdp& sampled);

}  // namespace dpbudget::concentrated
