/// @file
/// The transform of everything that a plan releases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/contour/merged.h"
#include "dpbudget/accounting/contour/poisson_gaussian.h"
#include "dpbudget/accounting/contour/transform.h"
#include "dpbudget/accounting/loss_distribution/basis.h"
#include "dpbudget/accounting/plan/normal_form.h"
#include "dpbudget/accounting/plan/theorems.h"

namespace dpbudget::contour {

/// What a plan composes, equal releases counted together.
struct Releases {
  /// Releases that are made only when the record's holder takes part.
  struct Participation {
    double rate;
    std::shared_ptr<const Releases> inner;
    double count;
  };
  /// A sample of Gaussians.
  struct Sampled {
    Event event;
    double count;
  };
  /// Known by its loss distribution alone.
  struct Other {
    Event event;
    double count;
    double range;     ///< of its losses, roughly
    double variance;  ///< of its loss, roughly
  };

  std::map<double, double> gaussians;  ///< noise multiplier -> count
  /// By rate, noise multiplier and its relative error.
  using Samples = std::map<std::tuple<double, double, double>, Sampled>;
  Samples sampled;  ///< Poisson samples
  Samples drawn;    ///< without replacement
  std::vector<Participation> participations;
  std::vector<Other> others;

  bool none() const {
    return gaussians.empty() && sampled.empty() && drawn.empty() && participations.empty() && others.empty();
  }
  /// Whether every loss has a transform of its own.
  bool is_exact() const;
  /// Whether there may be some with a transform of their own that their loss distributions could stand in for.
  bool may_be_replaced() const { return !(sampled.empty() && drawn.empty() && participations.empty()); }
  /// Of the loss of those known by their loss distributions, roughly.
  double variance_of_others() const;
  /// How many kinds of single releases...
  std::size_t kinds() const;
  /// ... and how many of them have a transform of their own.
  std::size_t exact_kinds() const;
  /// Of those known by their loss distributions, how many kinds have losses between any two.
  std::size_t continuous_kinds() const;
};

/// How well those that are known by their loss distributions are to be known.
struct Fineness {
  double c;         ///< the order at which their transform is wanted
  double variance;  ///< what all of them together may add to or take from the variance of the plan's loss, roughly
  double tail;      ///< mass that each release may leave out at either end
  bool has_exact = true;  ///< whether those that have a transform of their own keep it, which may take longer
};

/// Poisson-sampled Gaussians in one direction, by rate, noise multiplier and the bound on that one's relative error:
/// whoever asks for one more side or fineness finds their cumulants known.
using PoissonGaussians = std::map<std::tuple<Direction, double, double, double>, TransformPtr>;

/// On which side of the loss of which pair.
struct Sided {
  loss_distribution::Side side;
  loss_distribution::Pair pair = loss_distribution::Pair::dominating;
};

/// A loss, on one side of the truth.
struct Law {
  TransformPtr loss;      ///< of its finite values; null where nothing is released
  double log_finite = 0;  ///< log of the mass that P has not at infinity: at least so much is there, or at most
};

/// The losses of a plan.
class PlanTransforms {
 public:
  /// @throws Unsupported naming the event, the adjacency and what would work, where an event has no loss distribution
  ///         or none under this adjacency
  explicit PlanTransforms(const NormalPlan& plan);

  bool is_nothing() const { return releases_.none(); }
  double releases() const { return number_; }  ///< single ones, those inside of samples too
  /// How much is worth while, beside one kind of releases: what else answers takes longer the more kinds there are.
  double work() const { return std::max(1.0, (3 + static_cast<double>(releases_.exact_kinds())) / 4); }
  /// Whether so many have a transform of their own that what stands in for those takes longer than meshes.
  bool has_many_exact() const;
  /// Whether so many kinds are known by loss distributions with a density that meshes are faster.
  bool has_many_continuous() const;
  double variance_of_others() const { return releases_.variance_of_others(); }
  /// Whether `exact` answers: Gaussians, samples of them, and participation and composition of these.
  bool is_exact() const { return releases_.is_exact(); }
  /// Whether Fineness::has_exact says something of this plan.
  bool may_be_replaced() const { return releases_.may_be_replaced(); }
  /// Whether the two ways round that neighbours may be told apart differ, for the dominating pair.
  bool is_directed() const { return basis_.is_directed(); }

  /// Whether the upper side is that of a pair that no data sets attain.
  bool is_unattained() const { return basis_.is_unattained(); }

  /// The plan's loss, where it is exact.
  TransformPtr exact(Direction direction, loss_distribution::Pair pair = loss_distribution::Pair::dominating) const {
    return law(releases_, 1, 1, {direction, pair, nullptr}).loss;
  }

  /// The loss of `count` repetitions of the plan.
  /// `sided` has a pair that is dominating on the upper side.
  Law law(std::uint64_t count, const Sided& sided, Direction direction, const Fineness& fineness) const;

  /// A proven bound for `count` repetitions, with what it rests on.
  Bound bound(double lower, double upper, std::uint64_t count) const;

 private:
  struct OnSide {
    Sided sided;
    Fineness fineness;
  };
  struct Wanted {
    Direction direction;
    loss_distribution::Pair pair;
    const OnSide* on_side;  // null where all are exact
  };

  void gather(const Event& event, double count, Releases& found);
  /// @return whether its transform is known
  bool gather_sampled(const PoissonSampled& sampled, const Event& event, double count, Releases& found);
  bool gather_drawn(const SampledWithoutReplacement& drawn, const Event& event, double count, Releases& found);
  /// @param copies  how often `releases` occur in what the fineness is for
  Law law(const Releases& releases, double count, double copies, const Wanted& wanted) const;
  loss_distribution::Pieces pieces_of(const Event& event, double step, double tail, Direction direction,
                                      const Sided& sided) const;
  Law law_of(const Event& event, double range, double copies, Direction direction, const OnSide& on_side) const;

  Adjacency adjacency_;
  loss_distribution::Basis basis_;
  Theorems theorems_;  // of those that are exact
  Releases releases_;
  double number_;
  mutable PoissonGaussians poisson_gaussians_;
};

}  // namespace dpbudget::contour
