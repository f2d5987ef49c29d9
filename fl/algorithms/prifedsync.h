/// @file
/// PriFedSync: every client trains a model of its own and synchronises with a helper model.
#pragma once

#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

/// A participant starts from its helper model h = (1 - alpha) w_i + alpha w, w_i being its own model of its last
/// participation and w the global one (alpha = 1: the global one alone), takes K noisy steps of SGD, momentum or Adam,
/// keeps the result as w_i and sends its difference to w. The server moves w by eta_g times the weighted mean. The
/// moments of momentum and Adam begin at zero in every participation: a client stores its model and nothing else.
///
/// The helper is formed from the global model at the time when the client pulls it; Zheng et al.'s server pushes it at
/// the end of the client's previous round instead, when the two differ by the rounds in between.
/// @source Zheng, Chen, Long, Su 2021 (arXiv:2102.11158), Algorithms 1 and 2, equation (2.1); what a kept model
///         costs: fl/account/proofs.md, 5.1
class PriFedSync final : public AveragingServer {
 public:
  OptionList options() const override;
  void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
              Update& update) const override;
};

}  // namespace dpbudget::fl
