/// @file
/// What the library answers about a settled run, asked of what a person wrote: tests change one value after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/silo_budgets.h"
#include "dpbudget/fl/account/spending.h"
#include "dpbudget/fl/round/participants.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"

namespace dpbudget::fl {

/// The request with everything filled in.
inline RunRequest completed(const RunRequest& run) { return settle(run).written(); }

inline RunRequest settled(const RunRequest& run, const std::vector<std::uint64_t>& clients, std::uint64_t dimension) {
  return settle(run, clients, dimension).written();
}

inline RunRequest calibrated(const RunRequest& run, const std::vector<std::uint64_t>& clients) {
  return calibrated(settle(run), clients).written();
}

inline RunRequest within_budget(const RunRequest& run, const std::vector<Sizes>& everybody) {
  return within_budget(settle(run), everybody).written();
}

inline void check(const RunRequest& run, const Sizes& sizes) { check(settle(run), sizes); }
inline void check(const RunRequest& run, const FederatedData& data) { check(settle(run), data); }

inline std::optional<AdversaryPlan> plan(const RunRequest& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  return plan(settle(run), sizes, adversary, basis);
}

inline Bound claimed_epsilon(const RunRequest& run, const Sizes& sizes, Adversary adversary, Basis basis,
                             double delta) {
  Pricing price(delta);
  return claimed_epsilon(settle(run), sizes, adversary, basis, price);
}

inline std::uint64_t claimed_rounds(const RunRequest& run, const Sizes& sizes, Adversary adversary, Basis basis,
                                    double epsilon, double delta) {
  Pricing price(delta);
  return claimed_rounds(settle(run), sizes, adversary, basis, epsilon, price);
}

inline std::uint64_t affordable_rounds(const RunRequest& run, const std::vector<Sizes>& everybody, double epsilon) {
  return affordable_rounds(settle(run), everybody, epsilon);
}

inline double worst_epsilon(const RunRequest& run, const std::vector<Sizes>& everybody, std::uint64_t rounds,
                            Pricing& price, double enough = std::numeric_limits<double>::infinity()) {
  return worst_epsilon(settle(run), everybody, rounds, price, enough);
}

inline std::vector<double> spending(const RunRequest& run, const std::vector<Sizes>& everybody,
                                    std::span<const std::uint64_t> rounds) {
  return spending(settle(run), everybody, rounds);
}

inline std::uint64_t released_rounds(const RunRequest& run) { return settle(run).released_rounds(); }
inline std::uint64_t batch_of(const RunRequest& run, std::uint64_t records) { return batch_of(settle(run), records); }

inline double record_rate_of(const RunRequest& run, std::uint64_t records) {
  return record_rate_of(settle(run), records);
}

inline Sizes sizes_of(const RunRequest& run, const std::vector<std::uint64_t>& clients, std::uint64_t client) {
  return sizes_of(settle(run), clients, client);
}

inline std::vector<Sizes> distinct_sizes(const RunRequest& run, const std::vector<std::uint64_t>& clients) {
  return distinct_sizes(settle(run), clients);
}

inline SiloBudget silo_budget_of(const RunRequest& run, std::uint64_t client) {
  return silo_budget_of(settle(run), client);
}

inline BatchRecipe recipe_of(const RunRequest& run, const Sizes& sizes, std::uint64_t number, double clip_norm) {
  return recipe_of(settle(run), sizes, number, clip_norm);
}

inline Participants draw_participants(const RunRequest& run, const std::vector<std::uint64_t>& records,
                                      std::uint64_t number) {
  return draw_participants(settle(run), records, number);
}

inline Rate participation_rate(const RunRequest& run, const Sizes& sizes) {
  return participation_rate(settle(run), sizes);
}

inline std::string_view scheme_of(const RunRequest& run) { return scheme_of(settle(run)); }

inline double sensitivity_divisor(const RunRequest& run, std::uint64_t sample) {
  return sensitivity_divisor(settle(run), sample);
}

inline double record_noise_multiplier(const RunRequest& run, double noise_multiplier, std::uint64_t sample) {
  return record_noise_multiplier(settle(run), noise_multiplier, sample);
}

inline double user_noise_multiplier(const RunRequest& run, double noise_multiplier, std::uint64_t sample) {
  return user_noise_multiplier(settle(run), noise_multiplier, sample);
}

}  // namespace dpbudget::fl
