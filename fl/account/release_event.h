/// @file
/// What one release costs whom: one account for what is planned and for what was recorded.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/fl/account/shuffled_reports.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/run/sizes.h"
#include "dpbudget/mechanisms/binomial_encoder.h"

namespace dpbudget::fl {

/// What a noise multiplier that comes of a few roundings is multiplied by, to lie below the exact one.
inline constexpr double rounding_down = 1 - 8 * std::numeric_limits<double>::epsilon();

/// Parts of a round's whole: of one release, of all participants together, and the largest of one participant.
template <class Number>
struct Shares {
  Number own;
  Number all;
  Number largest;
};

/// A round's reports where it has the fewest: those that the `own` of a client of that kind hide among, be it for those
/// who know none of them or for another client, who knows its own. Clients are drawn uniformly.
/// @source fl/account/proofs.md, 7.3
Shares<std::uint64_t> fewest_reports(const SettledRun& run, const Sizes& sizes, std::uint64_t own);

/// One step's release of one participant, with what hides it. A plan fills it from the run, a verifier from what was
/// recorded.
struct ReleaseView {
  Mechanism mechanism = Mechanism::gaussian;
  std::uint64_t sample = 1;          ///< records in the batch
  std::uint64_t population = 1;      ///< records that the client holds
  Batches batches = Batches::fresh;  ///< disjoint: each record is in one batch of the run only; shuffled: of the pass
  /// Over what replacing the protected unit, a record or a whole client, changes the release by; of shuffled reports,
  /// over what a record changes its own. Positive and finite; unused by binomial noise.
  double noise_multiplier = 1;
  std::optional<double> count_noise;  ///< of the number of norms below the threshold, which a record moves by 1
  /// Variances in the mean of all participants, where that mean is all that is published; nothing where more is.
  std::optional<Shares<double>> variances;
  Shares<std::uint64_t> reports = {1, 1, 1};           ///< of shuffled mechanisms, in the round
  std::optional<mechanisms::BinomialEncoder> encoder;  ///< of binomial noise
  std::uint64_t dimension = 0;                         ///< of the model, which binomial noise depends on
};

/// A step's noise multiplier as the run has it, as one over what replacing the unit that `adversary` protects changes
/// the release by; of shuffled reports, whose noise is each report's own, the multiplier itself.
double unit_noise_multiplier(const SettledRun& run, Mechanism mechanism, Adversary adversary, double noise_multiplier,
                             std::uint64_t sample);

/// Two Gaussian releases of the same batch as one: 1 / sqrt(1 / a^2 + 1 / b^2), rounded down.
/// @source fl/account/proofs.md, 4.1
double joint_noise(double a, double b);

/// What the releases of one run cost the protected unit, as one adversary sees them:
///
/// - What is published but for the mean of the participants' releases hides each behind the noise of all (all but the
///   adversary's own): fl/account/proofs.md, 2.1 and 2.3.
/// - Adaptive clipping releases the number of norms below the threshold besides: fl/account/proofs.md, 4.1.
/// - All reports of a client move together by 2 C each: against a whole client their noise counts over the root of the
///   batch. Against a record each hides among those that the adversary cannot tell from it.
class ReleaseAccount {
 public:
  ReleaseAccount(const SettledRun& run, std::uint64_t clients, Adversary adversary);

  /// Whether a record is in one of the batches of such releases only, so that `once` prices them.
  /// @source fl/account/proofs.md, 3.3
  bool counts_once(const ReleaseView& view) const {
    return view.batches == Batches::disjoint && adversary_ != Adversary::user_level;
  }

  /// Whether a record is in one batch at most of each pass of such releases, so that `pass` prices them. A whole client
  /// is in every batch.
  /// @source fl/account/proofs.md, 11.4
  bool counts_by_pass(const ReleaseView& view) const {
    return view.batches == Batches::shuffled && adversary_ != Adversary::user_level;
  }

  /// The event of one release of a batch that is drawn anew, its sampling included. Where it is drawn with replacement
  /// a record that is in it k times moves a sum by k times what it would, and a count of norms by k.
  /// @return nothing where no theorem covers it: no noise, or a whole client behind binomial noise
  /// @throws InvalidArgument naming dimension when binomial noise needs it
  std::optional<Event> operator()(const ReleaseView& view);

  /// The event of the one release that a record is in, whichever of `views` that is: the least noise, among the fewest
  /// reports; of binomials, the largest epsilon. Parallel composition: fl/account/proofs.md, 3.1.
  /// @param views  at least one
  /// @return nothing where no theorem covers it, as for several mechanisms
  std::optional<Event> once(std::span<const ReleaseView> views);

  /// The event of a pass: of batches of one size, cut from one random order of the client's records. Where they have
  /// different noises, that of the least on each.
  /// @param views    of the batches, each kind once; at least one
  /// @param batches  in all, no two of which have a record in common; of 0 nothing is known
  /// @return nothing where no theorem covers it: other than Gaussian noise, batches of several sizes or more records
  /// than
  ///         there are
  /// @source fl/account/proofs.md, 11.1 and 11.2
  std::optional<Event> pass(std::span<const ReleaseView> views, std::uint64_t batches);

 private:
  double noise(const ReleaseView& view) const;
  std::uint64_t hidden_among(const ReleaseView& view) const;
  std::optional<ApproximateDp> binomial(const ReleaseView& view) const;

  Adversary adversary_;
  double delta_;
  ShuffledReports reports_;
};

}  // namespace dpbudget::fl
