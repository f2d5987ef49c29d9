#include "dpbudget/accounting/plan/runs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace dpbudget {
namespace {

// However many come between, equal ones are counted together, in the order of their first occurrence.
RC_GTEST_PROP(EventRuns, CountsEqualEvents, ()) {
  const auto noises = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 40));
  EventRuns runs;
  std::vector<std::pair<int, std::uint64_t>> expected;
  for (const int noise : noises) {
    runs.add(Gaussian{static_cast<double>(noise)}, 2);
    const auto known = std::ranges::find(expected, noise, &std::pair<int, std::uint64_t>::first);
    if (known == expected.end())
      expected.emplace_back(noise, 2);
    else
      known->second += 2;
  }
  std::vector<Event> parts;
  for (const auto& [noise, count] : expected)
    parts.emplace_back(Repeated{count, Event(Gaussian{static_cast<double>(noise)})});
  RC_ASSERT(runs.empty() == noises.empty());
  RC_ASSERT(runs.event() == compose(parts));
  RC_ASSERT(runs.distinct().size() == expected.size());
}

// As many as the noises of the longest schedule: by comparing each with each that would be minutes.
TEST(EventRuns, TakesAHundredThousand) {
  EventRuns runs;
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 1; i <= 100'000; ++i) runs.add(Gaussian{i / 1000.0});
  const std::vector<Event> distinct = runs.distinct();
  ASSERT_EQ(distinct.size(), 100'000U);
  EXPECT_EQ(distinct[77'776], Event(Gaussian{77'777 / 1000.0}));
  EXPECT_EQ(std::get<Composed>(runs.event()).parts[5], Event(Repeated{2, Event(Gaussian{6 / 1000.0})}));
}

}  // namespace
}  // namespace dpbudget
