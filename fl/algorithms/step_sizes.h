/// @file
/// The steps of a run: what its options, its schedules and the theorem of its paper make of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/schedule/noise_schedule.h"

namespace dpbudget::fl {

/// Every step of a run whose algorithm declares StepScheduleOptions. With K local steps, L = smoothness +
/// regularisation and r of M clients in a round, `theorem` is
///
///     nfl, dpnfl                    eta_l = 4 / (lambda K t + 16 L K) in round t, lambda the regularisation
///     fedavg, fedsgd, dp-...        eta_l = 1 / (8 (1 + B^2) L K eta_g);  eta_g = sqrt(r)
///     scaffold-warm, dp-...         eta_l = (r / M)^(2/3) / (24 L K eta_g);  eta_g = sqrt(r)
///     scaffold, dp-...              eta_l = 1 / (81 L K eta_g), the largest
///     mb-sgd, dp-mb-sgd, shuffled-  Stich's steps for lambda-strongly convex objectives, with h = L: `stich_step`
///
/// @source Chen et al. 2024, Theorem 1; Noble et al. 2022, Theorems C.1 and C.2, for 4.2; Chang et al. 2022, Theorem 3;
///         Lowy, Razaviyayn 2023, Lemma D.6
class StepSizes {
 public:
  /// @param clients  M
  /// @throws InvalidArgument naming step_schedule or server_step_schedule where no theorem prescribes steps, a table
  ///         ends too soon or steps leave the range of doubles; smoothness or regularisation where the theorem needs
  ///         them
  StepSizes(const SettledRun& run, std::uint64_t clients);

  /// Those of a client with `records` records in training round `number`, from 1: one for each local step, or one for
  /// all of them. Empty where the algorithm chooses its steps itself.
  std::vector<double> local(std::uint64_t number, std::uint64_t records) const;

  /// What the server's step is multiplied by in that round.
  double server_factor(std::uint64_t number) const;

  /// Whether they are those of minibatch SGD's theorem, which ledgers hold from version 6 on.
  bool are_stichs() const { return stichs_smoothness_.has_value(); }

  /// What is prescribed, in words; empty for steps that do not change.
  const std::string& rule() const { return rule_; }

 private:
  void follow_local();

  SettledRun run_;
  std::uint64_t clients_;
  double base_ = 0;
  bool is_scaled_ = false;                   // by 1 / (s K)
  bool is_by_step_ = false;                  // the schedule counts local steps
  std::optional<double> stichs_smoothness_;  // of the loss and its regulariser, where steps are Stich's
  std::optional<NoiseSchedule> local_;       // what multiplies base_; nothing: the algorithm chooses its steps itself
  NoiseSchedule server_;
  std::string rule_;
};

}  // namespace dpbudget::fl
