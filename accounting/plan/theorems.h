/// @file
/// What an accountant rests on, and what it refuses, while it goes through a plan.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget {

/// @param accountant  its name
/// @param instead     why not, or what would work
/// @throws Unsupported "`accountant` has no theorem for `event` under `adjacency`: `instead`", always
[[noreturn]] void refuse(std::string_view accountant, const Event& event, Adjacency adjacency,
                         std::string_view instead);

/// @throws Unsupported naming `event`, a random shift, where its pair is not that of the adjacency
void require_shift_theorem(const Event& event, Adjacency adjacency, std::string_view accountant);

/// @throws Unsupported naming `event`, shuffled batches, where the number of records is not the same in both data sets
void require_batches_theorem(const Event& event, Adjacency adjacency, std::string_view accountant);

/// Whether all that is known of a leaf is its Renyi divergences, which make no loss distribution and no (epsilon,
/// delta) guarantee that composes.
bool is_known_by_moments(const Event& event);

/// The statements that an accountant uses, each once, in the order of their first use.
class Theorems {
 public:
  void cite(std::string theorem);
  std::vector<std::string> take() { return std::move(cited_); }

 private:
  std::vector<std::string> cited_;
};

/// The base of those who visit a plan's events for an accountant.
class PlanReader {
 public:
  std::vector<std::string> take_theorems() { return theorems_.take(); }

 protected:
  PlanReader(std::string_view accountant, Adjacency adjacency) : accountant_(accountant), adjacency_(adjacency) {}

  Adjacency adjacency() const { return adjacency_; }
  void cite(std::string theorem) { theorems_.cite(std::move(theorem)); }
  [[noreturn]] void refuse(const Event& event, std::string_view instead) const {
    dpbudget::refuse(accountant_, event, adjacency_, instead);
  }

 private:
  std::string_view accountant_;
  Adjacency adjacency_;
  Theorems theorems_;
};

}  // namespace dpbudget
