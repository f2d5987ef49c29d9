/// @file
/// The normal form of a plan: of the many ways to write what is released, the one that accountants read.
///
/// Every rule keeps the mechanism as it is, or replaces a guarantee by the same guarantee, so that no figure changes
/// but by what accountants can see in it:
/// - `1 x PLAN` is PLAN, `0 x PLAN` is nothing, `n x m x PLAN` is `(n m) x PLAN`: so many runs, each with randomness of
/// its
///   own. Where n m is above 2^53, which no count may be, the repetitions stay one inside the other.
/// - A sum in a sum is one sum, `n x (A + B)` is `n x A + n x B`, and equal parts are counted together: a composition
///   releases a tuple, and the order of its entries tells nothing.
/// - `pure(0)`, `approximate(0, 0)`, `rr(0)`, `exponential(0)`, `zcdp(0)` and `gdp(0)` have the same output
/// distribution whatever the data are, so they are
///   nothing, and so is whatever samples, takes part in or, where the number of reports is public (replace_one),
///   shuffles nothing.
/// - `approximate(epsilon, 0)` is `pure(epsilon)`: by definition.
/// - A sample or a participation at rate 1 is what happens in it; at rate 0 nothing depends on any record.
/// - A mixture of Gaussians with one shift is a Poisson sample where the noise relative to the shift is a double; with
///   none it is nothing.
/// - A group of one is one. What a composition tells of a group is what its releases tell, each; of a group in a group,
/// as
///   of so many together. A group of a Gaussian is a Gaussian where its noise is a double.
/// - Dealt to one step, every record is in it. A Poisson sample that has a place for every record is a Poisson sample.
/// - A Poisson sample of a Poisson sample holds each record with the product of the rates, independently of the others;
/// a
///   subset of fixed size of such a subset is uniform among those of its size; a holder who takes part in taking part
///   does so with the product of the rates, and what is seen where it does not is independent of the record. Each is
///   one sample or participation where the product of the rates is exact: two fractions whose product is one with terms
///   of at most 2^53, or two doubles whose product is a double. Else they stay one inside the other.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget {

/// A plan in normal form, every number of it known and in its range. What takes one is given any plan and reads its
/// normal form.
class NormalPlan {
 public:
  /// @throws InvalidArgument as `check`, or when a number is unknown
  NormalPlan(Event event, Adjacency adjacency);
  NormalPlan(const Plan& plan) : NormalPlan(plan.event, plan.adjacency) {}  // NOLINT(google-explicit-constructor)

  /// No Composed in a Composed or Repeated; of a Composed, two parts or more, no two of them equal, or none at all.
  const Event& event() const { return event_; }
  Adjacency adjacency() const { return adjacency_; }

  bool is_nothing() const;

  /// `count` repetitions of the plan, in normal form.
  /// @throws InvalidArgument unless count is in [0, 2^53]
  NormalPlan repeated(std::uint64_t count) const { return {repeat(count, event_), adjacency_}; }

 private:
  Event event_;
  Adjacency adjacency_;
};

/// The product of two rates as a rate, where it is exact.
std::optional<Rate> exact_product(const Rate& a, const Rate& b);

}  // namespace dpbudget
