#include "dpbudget/accounting/plan/runs.h"

#include <algorithm>

namespace dpbudget {

void EventRuns::add(const Event& event, std::uint64_t count) {
  // What comes again has most often just come.
  const auto found =
      std::find_if(counts_.rbegin(), counts_.rend(), [&](const auto& known) { return known.first == event; });
  if (found == counts_.rend())
    counts_.emplace_back(event, count);
  else
    found->second += count;
}

Event EventRuns::event() const {
  std::vector<Event> parts;
  parts.reserve(counts_.size());
  for (const auto& [event, count] : counts_) parts.push_back(count == 1 ? event : Event(Repeated{count, event}));
  return compose(std::move(parts));
}

std::vector<Event> EventRuns::distinct() const {
  std::vector<Event> events;
  events.reserve(counts_.size());
  for (const auto& [event, count] : counts_) events.push_back(event);
  return events;
}

Event EventRuns::once_each() const { return compose(distinct()); }

}  // namespace dpbudget
