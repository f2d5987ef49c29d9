#include "dpbudget/fl/round/passes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace dpbudget::fl {
namespace {

// Places handed out one by one: a new order whenever no whole batch of the last is left.
RC_GTEST_PROP(Passes, TakeWholeBatchesWhileThereAreSome, ()) {
  const auto sample = *rc::gen::inRange<std::uint64_t>(1, 12);
  const auto records = sample + *rc::gen::inRange<std::uint64_t>(0, 40);
  const Passes passes(records, sample);
  std::uint64_t pass = 1;
  std::uint64_t next = 0;
  std::map<std::uint64_t, std::set<std::uint64_t>> used;
  for (std::uint64_t step = 1; step <= 60; ++step) {
    if (next + sample > records) {
      RC_ASSERT(used[pass].size() == passes.batches() * sample);
      ++pass;
      next = 0;
    }
    const Place place = passes.place(step);
    RC_ASSERT(place.pass == pass);
    RC_ASSERT(place.first == next);
    for (std::uint64_t i = 0; i < sample; ++i) RC_ASSERT(used[pass].insert(place.first + i).second);
    RC_ASSERT(*used[pass].rbegin() < records);
    next += sample;
  }
}

}  // namespace
}  // namespace dpbudget::fl
