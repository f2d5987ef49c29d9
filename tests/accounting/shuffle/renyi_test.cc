#include "dpbudget/accounting/shuffle/renyi.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/log1p.hpp>
#include <cmath>

#include "accounting/random_event.h"
#include "accounting/shuffle/brute_force.h"
#include "dpbudget/accounting/require.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(ShuffleRenyi, IsTheSumOverEveryOutcome, ()) {
  const double local_epsilon = log_uniform(0.05, 6);
  const int reports = *rc::gen::inRange(1, 50);
  const double order = 1 + log_uniform(0.1, 30);
  double moment = 0;
  dpbudget::testing::each_clone_outcome(local_epsilon, std::exp(-local_epsilon), reports,
                                        [&](double p, double q) { moment += q == 0 ? 0 : std::pow(p / q, order) * q; });
  const double truth = std::log(moment) / (order - 1);
  const double found = renyi_divergence(clones(local_epsilon, reports), order);
  RC_ASSERT(std::abs(found - truth) <= 1e-10 * truth + 1e-14 / (order - 1));
}

// The value by a coarse grid of numbers of clones, against the proven bracket.
RC_GTEST_PROP(ShuffleRenyi, BracketsHoldTheValue, ()) {
  const double local_epsilon = log_uniform(1e-3, 8);
  const ClonePair pair = clones(local_epsilon, std::floor(log_uniform(2, 1e6)));
  const double order = 1 + log_uniform(1e-3, 100);
  const double value = renyi_divergence(pair, order);
  const RenyiBracket found = renyi_bracket(pair, order, {3e-2});
  RC_ASSERT(found.lower <= value * (1 + 1e-9));
  RC_ASSERT(value <= found.upper * (1 + 1e-9));
  RC_ASSERT(found.upper <= local_epsilon);
  RC_ASSERT(renyi_divergence(pair, order * 1.1) >= value * (1 - 1e-10));
}

// Girgis et al.'s bounds are for every randomiser, and so above randomised response; their first is weaker where the
// second holds.
TEST(ShuffleRenyi, GirgisBoundsAreAboveTheClones) {
  for (const double order : {2.0, 3.0, 4.0})
    for (const double reports : {1e5, 1e6, 1e7}) {
      const double exact = renyi_divergence(clones(0.5, reports), order);
      EXPECT_GT(girgis_renyi(0.5, reports, order), exact);
      EXPECT_GT(girgis_renyi_general(0.5, reports, order), exact);
    }
}

TEST(ShuffleRenyi, RefusesWhatItsTheoremsDoNotCover) {
  const auto refused = [](std::string_view part, auto&& call) {
    try {
      call();
      ADD_FAILURE() << part << " was not refused";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
  };
  refused("order^4", [] { girgis_renyi(1, 1e6, 8); });
  for (const double bad : {1.0, 2.5, 0.0, std::nan("")}) {
    refused("order is", [&] { girgis_renyi(0.1, 1e9, bad); });
    refused("order is", [&] { girgis_renyi_general(0.1, 1e9, bad); });
  }
  refused("order is", [] { girgis_renyi_general(0.1, 1e9, 0x1p17); });
  refused("order is", [] { renyi_divergence(clones(1, 10), 1); });
  refused("local_epsilon is", [] { girgis_renyi(0, 1e9, 2); });
  refused("reports is", [] { girgis_renyi(0.1, 0, 2); });
}

}  // namespace
}  // namespace dpbudget::shuffle
