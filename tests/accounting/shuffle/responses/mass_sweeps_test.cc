#include "dpbudget/accounting/shuffle/responses/mass_sweeps.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "accounting/random_event.h"
#include "accounting/shuffle/response_law.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::response_law;

// The number from which on masses no longer are sums of positive terms.
double meeting(double local_epsilon, double zeros, double ones) {
  const double odds = std::exp(local_epsilon);
  return std::floor((ones * odds + zeros / odds) / (odds + 1 / odds));
}

// As many as there are up to there, of a law whose masses rise from the start.
MassSweep drawn(double local_epsilon, int most_users) {
  const double ones = *rc::gen::inRange(0, most_users);
  const double zeros = *rc::gen::inRange(most_users - static_cast<int>(ones), 2 * most_users);
  const double end = meeting(local_epsilon, zeros, ones);
  const double first = std::floor(end * (*rc::gen::inRange(0, 99) / 100.0));
  const double start = std::max(0.0, first - *rc::gen::inRange(0, most_users));
  return {ones, zeros, start, first, static_cast<std::size_t>(end - first)};
}

// accounting/shuffle/proofs.md, 6.6
RC_GTEST_PROP(MassSweeps, FindTheLaw, ()) {
  const double local_epsilon = log_uniform(1e-2, 3);
  std::vector<MassSweep> sweeps;
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) sweeps.push_back(drawn(local_epsilon, 60));
  MassSweeps memory;
  const std::span<const SweptMasses> found = memory.run(local_epsilon, sweeps);
  RC_ASSERT(found.size() == sweeps.size());
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const MassSweep& sweep = sweeps[i];
    const SweptMasses& masses = found[i];
    RC_ASSERT(masses.size() == sweep.numbers + 1);
    if (sweep.numbers == 0 || masses.error() > 1e-3) continue;
    const std::vector<double> law =
        response_law(local_epsilon, static_cast<int>(sweep.zeros), static_cast<int>(sweep.ones));
    const auto first = static_cast<std::size_t>(sweep.first);
    double sum = 0;
    for (std::size_t k = 0; k < masses.size(); ++k) {
      const double ratio = masses[k] / masses[masses.size() - 1];
      const double truth = law[first + k] / law[first + masses.size() - 1];
      RC_ASSERT(std::abs(ratio / truth - 1) <= 2 * masses.error() + 1e-11);
      sum += masses[k];
    }
    RC_ASSERT(std::abs(sum / masses.sum() - 1) < 1e-12);
  }
}

// With masses for the longest vectors, whatever the number of sweeps.
SweepTask task_of(double local_epsilon, std::span<const MassSweep> sweeps, std::vector<double>& masses) {
  SweepTask task = sweep_task(local_epsilon, sweeps);
  task.stride = sweep_lanes;
  masses.assign(size_of_masses(task), 0);
  task.masses = masses.data();
  return task;
}

RC_GTEST_PROP(MassSweeps, AreTheSameToTheLastBitByEveryInstructionSet, ()) {
  const double local_epsilon = log_uniform(1e-3, 20);
  std::vector<MassSweep> sweeps;
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) sweeps.push_back(drawn(local_epsilon, 100000));
  std::vector<double> expected_masses;
  SweepTask expected = task_of(local_epsilon, sweeps, expected_masses);
  sweep_versions().front().sweep(expected);
  for (const SweepVersion& version : sweep_versions()) {
    std::vector<double> masses;
    SweepTask found = task_of(local_epsilon, sweeps, masses);
    version.sweep(found);
    for (std::size_t lane = 0; lane < sweeps.size(); ++lane) {
      RC_ASSERT(found.sum[lane] == expected.sum[lane]);
      RC_ASSERT(found.error[lane] == expected.error[lane]);
      for (std::size_t i = 0; i <= sweeps[lane].numbers; ++i)
        RC_ASSERT(masses[i * sweep_lanes + lane] == expected_masses[i * sweep_lanes + lane]);
    }
  }
}

// One alone, and among others that are longer or shorter: masses beyond a double are divided by the same everywhere.
TEST(MassSweeps, DoNotDependOnWhatIsSweptBesides) {
  const double local_epsilon = 1.5;
  std::vector<MassSweep> sweeps;
  for (double users = 1000; users < 3e5; users *= 1.7) {
    const double zeros = std::floor(users * 0.7);
    const double ones = std::floor(users) - zeros;
    const double end = meeting(local_epsilon, zeros, ones);
    sweeps.push_back({ones, zeros, 0, std::min(30.0, end), static_cast<std::size_t>(end - std::min(30.0, end))});
  }
  MassSweeps together;
  const std::span<const SweptMasses> all = together.run(local_epsilon, sweeps);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    MassSweeps alone;
    const SweptMasses one = alone.run(local_epsilon, std::span(sweeps).subspan(i, 1)).front();
    ASSERT_EQ(one.size(), all[i].size());
    EXPECT_TRUE(std::isfinite(one.sum()));
    const double last = one[one.size() - 1];
    const double other_last = all[i][one.size() - 1];
    EXPECT_DOUBLE_EQ(one.sum() / last, all[i].sum() / other_last) << sweeps[i].users();
    EXPECT_DOUBLE_EQ(one.error(), all[i].error()) << sweeps[i].users();
  }
}

// Where masses fall below what a double holds their error is infinite, which no comparison passes over.
TEST(MassSweeps, HaveErrorsThatAreNumbers) {
  for (const double local_epsilon : {1e-3, 0.1, 1.0, 5.0, 10.0, 15.0, 18.0, 20.0})
    for (const double ones : {0.0, 1.0, 80432.0, 99999.0}) {
      const double zeros = 100000 - ones;
      const double end = meeting(local_epsilon, zeros, ones);
      MassSweeps memory;
      const std::vector<MassSweep> sweep = {{ones, zeros, 0, 0, static_cast<std::size_t>(end)}};
      EXPECT_FALSE(std::isnan(memory.run(local_epsilon, sweep).front().error())) << local_epsilon << " " << ones;
    }
}

}  // namespace
}  // namespace dpbudget::shuffle
