/// @file
/// Events that follow each other, the equal ones counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget {

/// Distinct events with how often each occurred, in the order of their first occurrence.
class EventRuns {
 public:
  void add(const Event& event, std::uint64_t count = 1);

  bool empty() const { return counts_.empty(); }

  /// Their composition, each as often as it occurred.
  Event event() const;

  std::vector<Event> distinct() const;

  /// The composition of one of each.
  Event once_each() const;

 private:
  std::vector<std::pair<Event, std::uint64_t>> counts_;
  std::unordered_multimap<std::string, std::size_t> places_;  // in it, by the events' texts
};

}  // namespace dpbudget
