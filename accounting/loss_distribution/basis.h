/// @file
/// What a bound by loss distributions rests on.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/theorems.h"

namespace dpbudget::loss_distribution {

/// The theorems and the kinds of sampling in what is composed, gathered release by release.
class Basis {
 public:
  /// @param accountant  whose bound it is
  explicit Basis(Adjacency adjacency, std::string_view accountant = "loss_distribution")
      : adjacency_(adjacency), accountant_(accountant) {}

  /// @param count  how often it is released
  /// @throws Unsupported naming the event and what would work instead, when one inside `event` has no theorem; then
  ///         nothing is added
  void add(const Event& event, std::uint64_t count = 1);

  bool is_directed() const { return is_directed_; }  ///< whether the two directions differ
  /// Whether the dominating pair is one that no data sets attain.
  bool is_unattained() const { return !unattained_.empty(); }

  /// A proven bound for `count` repetitions of what was added, with the statements it rests on and with what its two
  /// ends are.
  /// @param is_of_game  whether the upper end takes rounds on clipped batches together (clipped_batches.h)
  Bound bound(double lower, double upper, std::uint64_t count = 1, bool is_of_game = false) const;

 private:
  /// What has a dominating pair that no data sets attain, in the order in which bounds say so.
  enum class Unattained {
    without_replacement,
    replacement,
    truncation,
    repeated_allocation,
    batches,
    bounded_range,
    group,
    selection,
    shuffle,
    reports
  };
  void gather(const Event& event);
  std::string note_of(Unattained kind, bool has_lower, bool is_of_game) const;

  Adjacency adjacency_;
  std::string_view accountant_;
  Theorems theorems_;
  double releases_ = 0;  // nested ones multiplied
  bool is_directed_ = false;
  std::set<Unattained> unattained_;
};

}  // namespace dpbudget::loss_distribution
