/// @file
/// The online form: a budget that grows round by round.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/loss_distribution/basis.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/loss_distribution/tilted.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::loss_distribution {

/// Releases are added one by one, and epsilon may be asked for at any time. A release costs one discretisation and one
/// transform a side (none when it is like one before), an answer one inverse transform a side. Only when the losses
/// have outgrown window or tilt are the transforms made anew, for room to double; so that happens rarely.
class RunningAccount {
 public:
  enum class Ends { both, upper };

  /// @param delta  in (0, 1), at which epsilon will be asked for
  /// @param mesh   of the loss grids, positive: the bracket widens like rounds times mesh^2
  /// @param ends   that are wanted: of the upper one alone the lower is 0, and it takes half the work
  RunningAccount(Adjacency adjacency, double delta, double mesh, Ends ends = Ends::both);
  ~RunningAccount();
  /// What was released so far, to go on from: discretisations are shared.
  RunningAccount(const RunningAccount& other);
  RunningAccount& operator=(const RunningAccount& other) = delete;
  RunningAccount(RunningAccount&& other) noexcept;
  RunningAccount& operator=(RunningAccount&& other) noexcept;

  /// @throws Unsupported when there is no theorem for the event
  /// @throws InvalidArgument naming the number that is unknown or outside its range
  void add(const Event& release, std::uint64_t count = 1);

  /// A bracket around epsilon of all that was added, both ends proven.
  Bound epsilon();

 private:
  class Lane;

  void open_lane(Side side, Direction direction);

  Adjacency adjacency_;
  double delta_;
  double mesh_;
  Ends ends_;
  Basis basis_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // backward ones from when they differ
};

}  // namespace dpbudget::loss_distribution
