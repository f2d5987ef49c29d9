/// @file
/// Holding single participations against what the header plans for their client and round.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/run/sizes.h"
#include "dpbudget/fl/verify/finding.h"
#include "dpbudget/fl/verify/noise_checks.h"

namespace dpbudget::fl {

/// What was found in some participations that follow each other.
struct ParticipationFindings {
  /// A norm that was clipped to, and may be another than that of its round.
  struct Clipped {
    std::uint64_t round;
    std::uint64_t client;
    double norm;
  };

  /// Takes over what was found in the participations that follow.
  void add(ParticipationFindings later);

  Finding local_steps{"local_steps"};
  Finding record_sampling{"record_sampling"};
  Finding step_sizes{"step_sizes"};
  Finding clipping{"clipping"};
  Finding noise{"noise"};
  NoiseFindings drawn;
  std::vector<Clipped> clipped;                         ///< which of them are wrong hangs on the rounds before
  std::vector<std::pair<std::uint64_t, double>> below;  ///< adaptive clipping: rounds, and shares below the threshold
};

/// What is planned, in the form in which participations are held against it. May be asked by several threads.
class ParticipationChecks {
 public:
  /// @param header  outlives this
  explicit ParticipationChecks(const LedgerHeader& header);

  ParticipationFindings look_at(std::span<const Participation> participations) const;

  /// The same, piece by piece on all threads.
  ParticipationFindings look_at_all(std::span<const Participation> participations) const;

 private:
  class Look;

  const LedgerHeader& header_;
  Population population_;
  std::optional<StepSizes> steps_;  // nothing where they are not recorded
};

}  // namespace dpbudget::fl
