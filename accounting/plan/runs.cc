#include "dpbudget/accounting/plan/runs.h"

#include <algorithm>
#include <cstddef>

#include "dpbudget/accounting/plan/plan_text.h"

namespace dpbudget {

void EventRuns::add(const Event& event, std::uint64_t count) {
  // What comes again has most often just come.
  constexpr std::size_t latest = 8;
  const std::size_t first = counts_.size() - std::min(counts_.size(), latest);
  for (std::size_t i = counts_.size(); i > first; --i)
    if (counts_[i - 1].first == event) {
      counts_[i - 1].second += count;
      return;
    }
  // Every one of them would be too many: schedules have a hundred thousand.
  std::string text = to_text(event);
  const auto [begin, end] = places_.equal_range(text);
  const auto known = std::find_if(begin, end, [&](const auto& place) { return counts_[place.second].first == event; });
  if (known != end) {
    counts_[known->second].second += count;
    return;
  }
  places_.emplace(std::move(text), counts_.size());
  counts_.emplace_back(event, count);
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
