/// @file
/// Whether the noise in a ledger is that of its own streams.
#pragma once

#include <cstdint>

#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/verify/finding.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::fl {

/// What was found about the noise of some releases.
struct NoiseFindings {
  /// Takes over what was found about releases that follow.
  void add(const NoiseFindings& later);

  /// Whether the noise is that of its own streams.
  Check stream_check() const;

  /// Two-sided at 1e-9 against the chi-squared law of the noise found, pooled over the ledger.
  Check variance_check() const;

  Finding stream{"noise_stream"};
  std::uint64_t draws = 0;
  Finding variance{"noise_variance"};
  double squares = 0;  ///< of standardised noise
  double degrees = 0;  ///< of freedom
};

/// Draws noise anew, from the stream that belongs to the client, the round and the step alone. Where another stream was
/// used, or another client's, or it was scaled otherwise, the sum of squares found is another one. What adaptive
/// clipping released is a number of records when its noise is taken off, and one that the largest norm allows.
class NoiseChecks {
 public:
  /// @param header  outlives this
  explicit NoiseChecks(const LedgerHeader& header) : header_(header) {}

  /// @param first  step of the client in the round
  void look_at(const Participation& at, const ReleaseRun& run, const BatchRecipe& planned, std::uint64_t first,
               NoiseFindings& found) const;

 private:
  const LedgerHeader& header_;
};

}  // namespace dpbudget::fl
