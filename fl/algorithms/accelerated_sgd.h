/// @file
/// Accelerated noisy minibatch SGD (AC-SA), and its multi-stage form.
#pragma once

#include "dpbudget/fl/algorithms/minibatch_sgd.h"

namespace dpbudget::fl {

/// With alpha_r = 2 / (r + 1), eta_r = 4 gamma / (r (r + 1)), mu the regularisation and g the weighted mean of the
/// participants' releases at w_md plus mu w_md:
///
///     w_md = [(1 - alpha)(mu + eta) w_ag + alpha ((1 - alpha) mu + eta) w] / (eta + (1 - alpha^2) mu)
///     w    = Pi[(alpha mu w_md + ((1 - alpha) mu + eta) w - alpha g) / (mu + eta)]
///     w_ag = alpha w + (1 - alpha) w_ag,  the output
///
/// with gamma = 2 smoothness / step, which the theorem wants at least 2 smoothness: steps up to 1. (Of the objective,
/// but the proof needs mu + eta_r > beta alpha_r^2 alone, and the regulariser's part of beta is in mu already.) Clients
/// download w_md. Since the minimiser of a sum of isotropic quadratics over the ball is the projection of the free one,
/// the middle line is the paper's argmin.
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), Algorithm 1; Ghadimi, Lan 2012
class AcceleratedSgd : public MinibatchSgd {
 public:
  OptionList options() const override;
  void prepare(const SettledRun& run, ServerState& state) const override;
  void server(const Round& round, std::span<const Update> updates, ServerState& state) const override;
  const Vector& output(const ServerState& state) const override;

 protected:
  /// gamma for the stage that the state is in.
  virtual double gamma(const SettledRun& run, const ServerState& state) const;

  /// Called before a round's step, and when w_ag has moved.
  virtual void begin_round(const Round& /*round*/, std::span<const Update> /*updates*/, ServerState& /*state*/) const {}
  virtual void end_round(ServerState& /*state*/) const {}
};

/// Stages of AC-SA, each from the output of the one before. Stage k has
///
///     R_k = ceil(max{4 sqrt(2 beta / mu), 128 V^2 / (3 mu Delta 2^-(k+1))})  rounds and
///     gamma_k = max{2 beta, sqrt(mu V^2 R_k (R_k + 1)(R_k + 2) / (3 Delta 2^-(k-1)))},
///
/// mu the regularisation (positive), beta the smoothness, Delta the gap, and V^2 the variance of g: that of each
/// participant's noise in all coordinates plus that of its batch, at most C^2 / m_i with noise and left out without,
/// times its weight's square, and of drawing M of N clients (1 - (M - 1) / (N - 1)) heterogeneity / M. The last stage
/// ends with the run.
/// @source Lowy, Razaviyayn 2023, appendix E.1; Ghadimi, Lan 2013, as formulas restored from both
class MultiStageSgd final : public AcceleratedSgd {
 public:
  OptionList options() const override;

 protected:
  double gamma(const SettledRun& run, const ServerState& state) const override;
  void begin_round(const Round& round, std::span<const Update> updates, ServerState& state) const override;
  void end_round(ServerState& state) const override;
};

}  // namespace dpbudget::fl
