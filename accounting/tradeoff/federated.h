/// @file
/// Federated f-DP (Zheng, Chen, Long, Su 2021): what one client's records show to other clients.
///
/// A client j takes part in each of R rounds with probability p. `Weak`: one other client looks, with the models that
/// it receives itself; `strong`: all others put together what they receive. Adjacency: replace_one, one record of
/// client j. f_j is the trade-off function of what j sends in one round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/tradeoff/trade_off.h"

namespace dpbudget::tradeoff {

/// Who looks at client j's records.
enum class FederatedNotion { weak, strong };

/// The probability that anything j sent reaches the adversary within `rounds` rounds, or an upper bound on it: the
/// server's model keeps it, so it reaches a client that takes part in the same or in any later round. Weak:
/// 1 - (1-p)^R (1 + R p), that of at least two successes in R + 1 trials. Strong: 1 - (1-p)^R, that j takes part at
/// all, whoever the other clients are.
/// @param client_rate  p, in [0, 1]
/// @param rounds       R, in [0, 2^53]
/// @return relative error below 1e-12
/// @throws InvalidArgument naming the argument outside its range
/// @source accounting/tradeoff/proofs.md, 4.1 and 4.2
double federated_reach_probability(double client_rate, double rounds, FederatedNotion notion);

/// What the paper's Theorem 1 takes it to be: 1 - (1 - p^2)^R. Smaller than the truth for R >= 2 and p < 1.
double federated_reach_probability_as_published(double client_rate, double rounds);

/// A federated guarantee with its standing.
struct FederatedGuarantee {
  TradeOffPtr trade_off;
  Guarantee guarantee;
  std::string theorem;
  std::vector<std::string> notes;
};

/// One round: max{f_j, 1 - a - p^2}, p^2 the chance that both clients take part. Weak notion; the server's model must
/// not depend on client j before the round.
/// @param f_j  of one round of client j
/// @source Zheng et al. 2021 (arXiv:2102.11158), Lemma 3.8
FederatedGuarantee federated_round(const TradeOffPtr& f_j, double client_rate);

/// The published composition over R rounds, the R-fold tensor product of the lemma's function: an estimate, refuted for
/// R >= 2 (accounting/tradeoff/proofs.md, 4.3).
/// @param f_j     piecewise linear: the tensor product of a maximum is computed for polygons only
/// @param rounds  R, at least 1
/// @throws Unsupported unless f_j is piecewise linear
/// @source Zheng et al. 2021, Theorem 1
FederatedGuarantee federated_rounds_as_published(const TradeOffPtr& f_j, double client_rate, std::uint64_t rounds);

/// The corrected statement: max{f_j^{(x) R}, 1 - a - pi}, pi the reach probability. Proven for both notions.
/// @param rounds  R, at least 1
/// @source accounting/tradeoff/proofs.md, 4.1
FederatedGuarantee federated_rounds(const TradeOffPtr& f_j, double client_rate, std::uint64_t rounds,
                                    FederatedNotion notion);

/// One client of PriFedSync.
struct FederatedClient {
  std::uint64_t batch;      ///< B, records in a step; in [1, records]
  std::uint64_t records;    ///< n
  double noise_multiplier;  ///< standard deviation of the noise on the sum of a batch over 2 C, C the clipping norm
  std::uint64_t steps;      ///< K R, of all rounds
};

/// mu of the central limit theorem for C_{B/n}(G_{1/s})^{(x) K R} (Theorem 2), the largest over all clients. An
/// estimate: the plan `K R x wor(B of n, gaussian(s))` under replace_one has the proven bound.
/// @throws InvalidArgument when there is no client, or naming the number outside its range
/// @source Zheng et al. 2021, Theorem 2 and its corollary
double federated_mu_max(const std::vector<FederatedClient>& clients);

}  // namespace dpbudget::tradeoff
