/// @file
/// The runs of Noble et al. 2022, Table 1, and their plans as text.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "dpbudget/accounting/plan/language.h"
#include "fl/small.h"

namespace dpbudget::fl {

inline constexpr std::array<const char*, 4> table_algorithms = {"dp-fedavg", "dp-fedsgd", "dp-scaffold",
                                                                "dp-scaffold-warm"};

/// For M = 100 users of 4000 training records: l = 0.05, s = 0.2.
inline RunRequest table_run(const std::string& algorithm) {
  RunRequest run = small_run(algorithm);
  run.rounds = 400;
  run.user_rate = 0.05;
  if (find_algorithm(algorithm).steps == Steps::given) run.local_steps = 10;
  run.warm_start_rounds.reset();
  run.noise_multiplier = 16;
  return run;
}

/// The plan of such a run; none where there is no claim.
inline std::string plan_text(const RunRequest& run, Adversary adversary, Basis basis, std::uint64_t records = 4000) {
  const auto view = plan(run, {.clients = 100, .records = records}, adversary, basis);
  if (!view) return "none";
  EXPECT_EQ(view->plan.adjacency, Adjacency::replace_one);
  return to_text(view->plan.event);
}

/// An expected plan, written in the plan language.
inline std::string read(const std::string& plan) { return to_text(parse(plan).event); }

}  // namespace dpbudget::fl
