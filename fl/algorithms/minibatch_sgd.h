/// @file
/// Noisy minibatch SGD: one release per participant and round, a projected step of the server.
#pragma once

#include "dpbudget/fl/algorithms/algorithm.h"

namespace dpbudget::fl {

/// g_r is the weighted mean of the participants' releases plus the regulariser's gradient, w_{r+1} = Pi(w_r - eta_r
/// g_r), the output the mean of w_0 .. w_{R-1} with weights gamma_r: a round adds the model that it began with. Without
/// `smoothness`: eta_r = step and equal weights. With it, where the regularisation mu is positive: Stich's steps and
/// weights for strongly convex objectives, with h = smoothness + mu, the smoothness of the loss and its regulariser
/// together, for which a step of 1 / h is no expansion,
///
///     R <= h / mu:  eta = 1 / h, gamma_r = (1 - mu / h)^-(r + 1);
///     else the first ceil(R / 2) rounds eta = 1 / h and weight 0, then eta_r = 2 / (mu (2 h / mu + r - r0)) and
///     gamma_r = (2 h / mu + r - r0)^2.
///
/// Local batches are drawn without replacement, where the paper's listing draws with replacement: the accounting of
/// the former is tight. Shuffled releases make it the shuffled form of the paper's appendix G.
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), Algorithm 2 and appendices D.8 and G.1; Stich 2019
class MinibatchSgd : public Algorithm {
 public:
  OptionList options() const override;
  void prepare(const SettledRun& run, ServerState& state) const override;
  void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
              Update& update) const override;
  void server(const Round& round, std::span<const Update> updates, ServerState& state) const override;
  const Vector& output(const ServerState& state) const override { return state.memory[0]; }
};

}  // namespace dpbudget::fl
