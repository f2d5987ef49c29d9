#include "dpbudget/mechanisms/shuffler.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

std::vector<int> numbers(int size) {
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  for (const int size : {2, 3, 4, 5}) {
    std::map<std::vector<int>, std::size_t> index;
    std::vector<int> order = numbers(size);
    do {
      index.emplace(order, index.size());
    } while (std::ranges::next_permutation(order).found);
    std::vector<std::uint64_t> counts(index.size());
    Stream drawing = stream_of(26, 0);
    for (int i = 0; i < 60000; ++i) {
      std::vector<int> shuffled = numbers(size);
      shuffle(shuffled, drawing);
      ++counts[index.at(shuffled)];
    }
    const std::vector<double> uniform(counts.size(), 1 / static_cast<double>(counts.size()));
    EXPECT_GT(goodness_of_fit(counts, uniform), 1e-6) << size;
  }
}

// One stream for each shuffle, as rounds use it: where the first report ends up.
TEST(Shuffle, EveryPlaceIsEquallyLikelyAcrossStreams) {
  const std::size_t size = 50;
  std::vector<std::uint64_t> counts(size);
  for (std::uint64_t round = 0; round < 20000; ++round) {
    std::vector<int> shuffled = numbers(static_cast<int>(size));
    Stream drawing = stream_of(26, round);
    shuffle(shuffled, drawing);
    ++counts[static_cast<std::size_t>(std::ranges::find(shuffled, 0) - shuffled.begin())];
  }
  EXPECT_GT(goodness_of_fit(counts, std::vector<double>(size, 1.0 / size)), 1e-6);
}

// What older versions drew, by the standard library of GCC: ledgers of theirs divide their records so.
#ifdef __GLIBCXX__
RC_GTEST_PROP(Shuffle, OrdersAsOlderVersionsDid, (std::uint64_t step)) {
  std::vector<int> expected = numbers(*rc::gen::inRange(0, 3000)), shuffled = expected;
  Stream older = stream_of(26, step), drawing = stream_of(26, step);
  std::shuffle(expected.begin(), expected.end(), older);
  shuffle(shuffled, drawing);
  RC_ASSERT(shuffled == expected);
  RC_ASSERT(drawing() == older());
}
#endif

RC_GTEST_PROP(Shuffle, KeepsEveryReportAndIsAFunctionOfTheKey, (std::vector<int> reports, std::uint64_t step)) {
  std::vector<int> first = reports, second = reports;
  Stream drawing = stream_of(26, step), same = stream_of(26, step);
  shuffle(first, drawing);
  shuffle(std::span(second), same);
  RC_ASSERT(first == second);
  RC_ASSERT(std::ranges::is_permutation(first, reports));
}

// What this code gave when it was written: recorded runs rely on the order.
TEST(Shuffle, OrderOfAKeyNeverChanges) {
  std::vector<int> even = numbers(10), odd = numbers(7);
  Stream drawing = stream_of(26, 1, Purpose::shuffling), other = stream_of(26, 0, Purpose::shuffling);
  shuffle(even, drawing);
  EXPECT_EQ(even, (std::vector<int>{2, 0, 4, 5, 8, 6, 1, 9, 3, 7}));
  shuffle(odd, other);
  EXPECT_EQ(odd, (std::vector<int>{5, 3, 0, 4, 6, 1, 2}));
}

TEST(Shuffle, RefusesMoreThanAnOrderIsDrawnFor) {
  char first = 0;  // nothing is touched
  Stream drawing = stream_of(26, 0);
  EXPECT_REFUSED("reports", shuffle(std::span(&first, std::size_t{1} << 32), drawing));
}

TEST(Shuffle, TakesReportsThatOnlyMove) {
  std::vector<std::unique_ptr<int>> reports(20);
  for (auto& report : reports) report = std::make_unique<int>(1);
  Stream drawing = stream_of(26, 0);
  shuffle(reports, drawing);
  for (const auto& report : reports) EXPECT_TRUE(report);
}

TEST(Shuffle, SaysWhichEventItIs) {
  EXPECT_EQ(event_of(100, Event(PureDp{1})), (Shuffled{100, Event(PureDp{1})}));
  EXPECT_REFUSED("reports", event_of(0, Event(PureDp{1})));
  EXPECT_REFUSED("reports", event_of((std::uint64_t{1} << 53) + 1, Event(PureDp{1})));
}

}  // namespace
}  // namespace dpbudget::mechanisms
