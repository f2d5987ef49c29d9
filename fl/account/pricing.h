/// @file
/// What plans cost by the best accountant, each worked out once.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// Remembers every answer: many clients take part equally often, and a search comes back to the same plan.
class Pricing {
 public:
  /// @param delta  in (0, 1)
  explicit Pricing(double delta) : delta_(delta) {}

  double delta() const { return delta_; }

  /// epsilon of `plan` at delta().
  Bound operator()(const Plan& plan) { return at(plan, delta_); }

  Bound at(const Plan& plan, double delta);

  /// Works out the epsilon of these at delta(), several at once, for whoever asks later.
  void prepare(std::span<const Plan* const> plans);

  /// The upper end of that epsilon at delta(), without asking for the lower.
  double from_above(const Plan& plan);

  /// How often `round` can be made for epsilon at delta().
  std::uint64_t rounds(const Plan& round, double epsilon);

 private:
  double delta_;
  std::map<std::pair<std::string, double>, Bound> known_;                 // by plan and delta
  std::map<std::string, double> known_from_above_;                        // by plan
  std::map<std::pair<std::string, double>, std::uint64_t> known_rounds_;  // by plan and epsilon
};

/// A plan and what it costs, for the clients of one kind.
struct Priced {
  Sizes sizes;  ///< of each of them
  Plan plan;
  Bound epsilon;
};

/// What the kind of client that spends most spends at `delta`. Where a run stops and whether a ledger kept to its
/// budget are both this: of what is planned so far, or of what is recorded.
/// @param everybody  the kinds of clients
/// @param plan_of    what each releases
/// @param enough     one kind that spends more than this is answer enough
/// @return nothing where plan_of has nothing for one of them, or there is none
std::optional<Priced> worst_spent(const std::vector<Sizes>& everybody,
                                  const std::function<std::optional<Plan>(const Sizes&)>& plan_of, double delta,
                                  Pricing& price, double enough = std::numeric_limits<double>::infinity());

/// The proven epsilon of the run's first released rounds at price.delta(), against run.budget_for, for the kind of
/// client that spends most.
/// @param run        with noise
/// @param everybody  the kinds of clients
/// @param rounds     in [1, run.released_rounds()]
/// @param enough     one kind that spends more than this is answer enough
/// @return infinity where nothing is proven
/// @throws InvalidArgument as check(run, sizes)
double worst_epsilon(const SettledRun& run, const std::vector<Sizes>& everybody, std::uint64_t rounds, Pricing& price,
                     double enough = std::numeric_limits<double>::infinity());

/// The same against any adversary.
double worst_epsilon(const SettledRun& run, const std::vector<Sizes>& everybody, Adversary adversary,
                     std::uint64_t rounds, Pricing& price, double enough = std::numeric_limits<double>::infinity());

}  // namespace dpbudget::fl
