#include "dpbudget/accounting/plan/theorems.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {
namespace {

TEST(Theorems, AreCitedOnceInOrder) {
  Theorems theorems;
  for (const char* theorem : {"b", "a", "b", "c", "a"}) theorems.cite(theorem);
  EXPECT_EQ(theorems.take(), (std::vector<std::string>{"b", "a", "c"}));
}

TEST(Theorems, RefusalsNameTheAccountantTheEventTheAdjacencyAndTheReason) {
  try {
    refuse("renyi", Shuffled{10, Event(Gaussian{1.5})}, Adjacency::zero_out_one, "use another");
    FAIL() << "not refused";
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "renyi has no theorem for `shuffle(10, gaussian(1.5))` under zero_out_one: use another");
  }
}

}  // namespace
}  // namespace dpbudget
