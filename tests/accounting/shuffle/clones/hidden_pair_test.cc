#include "dpbudget/accounting/shuffle/clones/hidden_pair.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(HiddenPairFloor, IsALittleBelowTheDivergence, ()) {
  const double local_epsilon = log_uniform(1e-2, 8);
  const auto categories = static_cast<std::uint64_t>(*rc::gen::inRange(3, 30));
  const double reports = std::floor(log_uniform(1, 5000));
  const HiddenPair pair = third_value_pair(local_epsilon, categories, reports);
  const double deviation = 1 / std::sqrt(1 + pair.count.mode());
  const double epsilon = std::min(0.9, deviation * log_uniform(1e-2, 5)) * local_epsilon;
  const numeric::Bracket truth = log_delta(pair, epsilon);
  RC_PRE(truth.lower > -150);  // far below, numbers of clones count that the floor leaves out
  const double found = HiddenPairFloor(pair).log_delta(epsilon);
  RC_ASSERT(found <= truth.upper);
  RC_ASSERT(found >= truth.lower - 3e-3 * (10 + std::abs(truth.lower)));
}

}  // namespace
}  // namespace dpbudget::shuffle
