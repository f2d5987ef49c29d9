/// @file
/// What Noble et al. 2022 claim of their algorithms, per adversary.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/fl/papers/claims.h"

namespace dpbudget::fl {

/// Whether the algorithm keeps control variates.
enum class ControlVariates { absent, present };

/// The claim about a client with sizes.records records in a run of T rounds, warm-start rounds included, in which
/// n = floor(l M) of M clients take part and each makes K releases on m = floor(s R) of its R records:
///
///     third_party    T x wor(n of M, K x wor(m of R, gaussian(sigma_g sqrt(l M))))    estimate
///     server         T x K x wor(m of R, gaussian(sigma_g))                           proven
///     user_level     the first, at unit = user; nothing at unit = record              estimate
///
/// with sigma_g read as the noise on the mean gradient over 2 C / m.
///
/// @param run  with noise
/// @return nothing about other adversaries, or about noise that changes over rounds, clients drawn otherwise, or
///         adaptive clipping
/// @source Noble, Bellet, Dieuleveut 2022 (arXiv:2111.09278), Theorem 4.1, Claim 4.1 and appendix B
std::optional<AdversaryPlan> noble_claim(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                         ControlVariates control_variates);

/// epsilon of the claims that are estimates, by the paper's own arithmetic; nothing for the others.
std::optional<double> noble_claimed_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                            double delta);

/// The released rounds that the same arithmetic allows.
std::optional<std::uint64_t> noble_claimed_rounds(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                                  double epsilon, double delta);

/// The claims of FedAvg and FedSGD, where control variates are absent, and of SCAFFOLD; SCAFFOLD under noise that
/// decays has those of Chang, Seif and Tandon 2022.
class NobleClaims final : public Claims {
 public:
  explicit NobleClaims(ControlVariates control_variates) : control_variates_(control_variates) {}

  std::optional<AdversaryPlan> published(const SettledRun& run, const Sizes& sizes, Adversary adversary) const override;
  std::string silence(const SettledRun& run, const Sizes& sizes, Adversary adversary) const override;

  /// Appendix B.4 without approximation, and (epsilon_s, delta_s) of Theorem 4.1 (2) for the epsilon that is claimed
  /// against a third party.
  std::vector<Stated> stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                             double delta) const override;
  std::optional<double> published_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override;
  std::optional<std::uint64_t> published_rounds(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                                double epsilon, double delta) const override;

 private:
  ControlVariates control_variates_;
};

}  // namespace dpbudget::fl
