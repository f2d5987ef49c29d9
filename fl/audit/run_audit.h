/// @file
/// Attacks on simulated federated runs. What it says of a run that a bound exceeds what is proven:
/// fl/audit/proofs.md, 3.3.
#pragma once

#include <optional>

#include "dpbudget/fl/audit/attack.h"
#include "dpbudget/fl/audit/canaries.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// A run with canaries, and who attacks it.
struct RunAudit {
  RunRequest run;
  Adversary adversary = Adversary::server;  ///< server, third_party or one_client
  Witnesses witnesses{};                    ///< their canaries are the request's
  Fault fault = Fault::none;                ///< a mistake that the simulator commits
};

/// What came of an attack on runs.
struct AuditedRun {
  Attacked attacked;
  std::optional<Bound> proven;     ///< at the request's delta, for the client who spends most; nothing where no
                                   ///< theorem covers it
  std::optional<Bound> published;  ///< what its paper claims, where it does
};

/// Whether what is seen of one canary does not depend on the others, and is of one law: fl/audit/proofs.md, 3.2.
bool are_independent(const SettledRun& run, const RunAudit& audit, std::uint64_t canaries);

/// Simulates the run with canaries, each in with one value or the other by a fair coin, again and again at seeds of
/// their own, and attacks what the adversary sees by Fisher's discriminant, learnt on pilot runs. The same request
/// gives the same answer. The run's seed and delta are the request's.
/// @throws InvalidArgument as settle, check(request) and check(witnesses), or naming adversary or model (softmax)
AuditedRun audit(const RunAudit& audit, const AuditRequest& request);

}  // namespace dpbudget::fl
