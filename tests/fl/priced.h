/// @file
/// Runs that are priced in no time, and what they cost by the accountant alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "fl/kinds.h"

namespace dpbudget::fl {

/// Everybody takes part with all records: Gaussians alone.
inline RunRequest cheap(std::uint64_t rounds) {
  RunRequest run = kind_of("dp-scaffold");
  run.rounds = rounds;
  run.user_rate = 1;
  run.record_rate = 1;
  run.noise_multiplier = 8;
  return completed(run);
}

inline const std::vector<Sizes> same = {{.clients = 8, .records = 32}};

/// What `rounds` rounds of `run` cost the client that pays most.
inline double cost_of(RunRequest run, std::uint64_t rounds, const std::vector<Sizes>& everybody) {
  run.rounds = rounds;
  double worst = 0;
  for (const Sizes& sizes : everybody) {
    const auto proven = plan(run, sizes, run.budget_for, Basis::proven);
    worst = std::max(worst,
                     make_accountant(AccountantName::best, proven->plan).value()->epsilon(1, run.delta).value().upper);
  }
  return worst;
}

}  // namespace dpbudget::fl
