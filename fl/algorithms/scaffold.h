/// @file
/// SCAFFOLD and, with noisy releases, DP-SCAFFOLD; the -warm variants set the control variates first.
#pragma once

#include "dpbudget/fl/algorithms/algorithm.h"

namespace dpbudget::fl {

/// A control variate c_i is the mean of the K directions of the client's last participation, and c is always the sum of
/// p_i c_i over all clients, p_i their shares: equal in the papers.
///
/// Where no model moves any more, every direction H_i(x) - c_i + c is 0 with c_i = H_i(x), so that c = 0. With that c,
/// sum of p_i H_i(x) is 0: x is a stationary point of the sum of p_i F_i, which the server's weighted steps are for. A
/// c that weighed clients otherwise would lead to the optimum of another objective.
///
/// A direction is the released gradient plus the regulariser's gradient at the point where it was taken: the noisy
/// gradient H of the regularised local objective. With that reading both of the paper's forms, the mean of H and
/// c_i - c + (x - y_K) / (K eta_l), are the same number, so what a client sends is a function of its K releases and of
/// what the server knows: post-processing. The regulariser stays outside clipping because it depends on no record.
/// @source Noble et al. 2022, Algorithm 1 and section 3.3; Karimireddy et al. 2020
class Scaffold final : public Algorithm {
 public:
  void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
              Update& update) const override;
  void server(const Round& round, std::span<const Update> updates, ServerState& state) const override;
  void prepare(const SettledRun& run, ServerState& state) const override;
};

}  // namespace dpbudget::fl
