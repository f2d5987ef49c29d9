/// @file
/// A privacy filter: what may still be released where noise, rates and numbers are chosen as the outputs come in.
///
/// Composition theorems take the parameters of all releases as fixed in advance; so do accountants, and
/// loss_distribution::RunningAccount. A filter fixes nothing but its measure and a budget. Each release may be chosen
/// by all that was released before, and is let through as long as the measures of all add up to no more than the
/// budget. What it guarantees is the budget, however little of it is used when one stops: the sum so far is no
/// guarantee by itself.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::filter {

/// The Rényi divergence of one order, fixed in advance; any event that `renyi` takes.
/// @source Feldman, Zrnic 2021 (arXiv:2008.11193), Theorem 4.3; Lécuyer 2021 (arXiv:2103.01379)
struct AtOrder {
  double order;  ///< in (1, inf)
};

/// The rho of zero-concentrated DP; any event that `concentrated` takes at every order.
/// @source Whitehouse, Ramdas, Rogers, Wu 2023 (arXiv:2203.05481), Theorem 1
struct ZeroConcentrated {};

/// The sum of 1 / noise^2; Gaussians without sampling.
/// @source Smith, Thakurta 2022 (arXiv:2210.17520); Koskela, Tobaben, Honkela 2022 (arXiv:2209.15596)
struct Gaussians {};

/// What is added up.
using Measure = std::variant<AtOrder, ZeroConcentrated, Gaussians>;

/// Lets through what together keeps to a budget, whatever of it was chosen by what was released before.
class Filter {
 public:
  /// @param epsilon  positive and finite; all that is let through together is (epsilon, delta)-DP
  /// @param delta    in (0, 1)
  /// @throws InvalidArgument naming the argument outside its range, and `order` where that allows nothing
  Filter(const Measure& measure, double epsilon, double delta, Adjacency adjacency);

  /// Counts `count` repetitions of `release` if the budget allows all of them.
  /// @return false where it does not: then nothing is counted, and nothing of it may be released
  /// @throws Unsupported naming the event when the measure says nothing of it
  /// @throws InvalidArgument naming the number that is unknown or outside its range
  bool spend(const Event& release, std::uint64_t count = 1);

  /// What holds of all that was and will be let through, for parameters chosen adaptively: at most epsilon at delta.
  const Bound& guarantee() const { return guarantee_; }

  /// One release that tells as much as all that is let through may, for whatever is asked of that besides: at another
  /// delta, or in composition with something else.
  Event equivalent() const;

  /// What `count` repetitions of `release` add up to.
  /// @throws as `spend`
  double measured(const Event& release, std::uint64_t count = 1) const;

  /// In the measure's own unit.
  double budget() const { return budget_; }
  double used() const { return used_; }  ///< never more than `budget`

 private:
  Measure measure_;
  Adjacency adjacency_;
  double budget_ = 0;
  double used_ = 0;
  Bound guarantee_;
};

}  // namespace dpbudget::filter
