#include "dpbudget/accounting/shuffle/clones/closed_forms.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/accounting/shuffle/clones/silos.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

// What the closed form promises, the exact sum certifies.
RC_GTEST_PROP(ClosedForms, AreAboveTheClones, ()) {
  const double reports = std::floor(log_uniform(1e3, 1e7));
  const double delta = log_uniform(1e-15, 1e-2);
  const double most = std::log(reports / (16 * std::log(2 / delta)));
  RC_PRE(most > 0);
  const double local_epsilon = most * log_uniform(1e-3, 1);
  const double closed = clones_epsilon_closed_form(local_epsilon, reports, delta);
  RC_ASSERT(closed >= clones_bound(local_epsilon, reports, delta).lower);
  RC_ASSERT(log_delta(clones(local_epsilon, reports), closed, {1e-3}).upper <= std::log(delta));
}

RC_GTEST_PROP(ClosedForms, OfSilosAreAboveTheirClones, ()) {
  const double silos = std::floor(log_uniform(1e4, 1e7));
  const double records = std::floor(log_uniform(1, 1000));
  const double delta = log_uniform(1e-12, 1e-3);
  const double local_epsilon = std::log(silos / (16 * std::log(2 / delta))) / records * log_uniform(1e-3, 1);
  const double closed = silo_clones_epsilon_closed_form(local_epsilon, records, silos, delta);
  RC_ASSERT(log_delta(silo_clones(local_epsilon, records, silos), closed, {1e-3}).upper <= std::log(delta));
}

TEST(ClosedForms, SilosOfOneRecordAreReports) {
  EXPECT_EQ(silo_clones_epsilon_closed_form(0.3, 1, 1e6, 1e-6), clones_epsilon_closed_form(0.3, 1e6, 1e-6));
  EXPECT_EQ(silo_clones_log_delta(0.3, 1, 1e3, 0.01), clones_log_delta(0.3, 1e3, 0.01));
}

TEST(ClosedForms, PureRandomisersNeverFail) {
  EXPECT_EQ(clones_closed_form_approximate(1, 0, 1000, 1e-6).delta, 1e-6);
  EXPECT_EQ(clones_closed_form_approximate(1, 1, 1000, 1e-6).delta, 1);
  EXPECT_GT(clones_closed_form_approximate(1, 1e-12, 1000, 1e-6).delta, 1e-6 + 2e-9);
}

TEST(ClosedForms, RefuseByName) {
  EXPECT_REFUSED("local_epsilon is 5, but the closed form needs at most log(n / (16 log(2 / delta)))",
                 clones_epsilon_closed_form(5, 1000, 1e-6));
  EXPECT_REFUSED("records * local_epsilon", silo_clones_epsilon_closed_form(0.1, 100, 1e4, 1e-6));
  EXPECT_REFUSED("local_epsilon is", clones_epsilon_closed_form(0, 1000, 1e-6));
  EXPECT_REFUSED("reports is", clones_epsilon_closed_form(1, 10.5, 1e-6));
  EXPECT_REFUSED("delta is", clones_epsilon_closed_form(1, 1000, 0));
  EXPECT_REFUSED("local_delta is", clones_closed_form_approximate(1, 2, 1000, 1e-6));
  EXPECT_REFUSED("records is", silo_clones_epsilon_closed_form(0.1, 0, 1e4, 1e-6));
  EXPECT_REFUSED("silos is", silo_clones(0.1, 10, 0));
  EXPECT_REFUSED("epsilon is", silo_clones_log_delta(0.1, 10, 10, -1));
}

}  // namespace
}  // namespace dpbudget::shuffle
