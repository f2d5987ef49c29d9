#include "dpbudget/accounting/shuffle/responses/repeated_reports.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/random_event.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

// Goes through everything that the rounds may show: of the worst law each time, at a factor e^epsilon.
double adaptive(const FewReports& few, std::uint64_t rounds, double factor) {
  if (rounds == 0) return std::max(0.0, 1 - factor);
  double worst = 0;
  for (const ReportLaw& law : few.laws) {
    double sum = 0;
    for (const auto& [p, q] : law) sum += p * adaptive(few, rounds - 1, factor * q / p);
    worst = std::max(worst, sum);
  }
  return worst;
}

// The same for one law.
double fixed(const ReportLaw& law, std::uint64_t rounds, double p_so_far, double q_so_far) {
  if (rounds == 0) return std::max(0.0, p_so_far - q_so_far);
  double sum = 0;
  for (const auto& [p, q] : law) sum += fixed(law, rounds - 1, p_so_far * p, q_so_far * q);
  return sum;
}

double fixed(const FewReports& few, std::uint64_t rounds, double factor) {
  double worst = 0;
  for (const ReportLaw& law : few.laws) worst = std::max(worst, fixed(law, rounds, 1, factor));
  return worst;
}

// accounting/shuffle/proofs.md, 7.2 and 7.3
RC_GTEST_PROP(RepeatedReports, AreBetweenTheWorstLawAndTheWorstChoiceOfLaws, ()) {
  const auto categories = static_cast<std::uint64_t>(*rc::gen::inRange(2, 4));
  const auto reports = static_cast<std::uint64_t>(*rc::gen::inRange(1, categories == 2 ? 7 : 4));
  const auto rounds = static_cast<std::uint64_t>(*rc::gen::inRange(1, reports < 4 ? 4 : 3));
  const FewReports few = few_reports(log_uniform(0.01, 4), categories, reports).value();
  const RepeatedReports repeated(few, rounds);
  const double epsilon = log_uniform(0.001, 4) * *rc::gen::inRange(0, 3);
  const numeric::Bracket found = repeated.delta(epsilon);
  const double upper = adaptive(few, rounds, std::exp(epsilon));
  const double lower = fixed(few, rounds, std::exp(epsilon));
  RC_LOG() << reports << " reports of " << categories << ", " << rounds << " times at " << epsilon << ": " << lower
           << " and " << upper << ", found " << found.lower << " to " << found.upper << "\n";
  RC_ASSERT(found.upper >= upper * (1 - 1e-12) - 1e-15);
  RC_ASSERT(found.upper <= upper * (1 + 1e-5) + 1e-12);
  RC_ASSERT(found.lower <= lower * (1 + 1e-12) + 1e-15);
  RC_ASSERT(found.lower >= lower * (1 - 1e-5) - 1e-12);
}

// accounting/shuffle/proofs.md, 7.4
RC_GTEST_PROP(RepeatedReports, HaveEpsilonsWhereTheirDeltasAre, ()) {
  const auto rounds = static_cast<std::uint64_t>(*rc::gen::inRange(1, 17));
  const RepeatedReports repeated(few_reports(log_uniform(0.1, 3), 2, 8).value(), rounds);
  const double delta = log_uniform(1e-9, 0.5);
  const numeric::Bracket found = repeated.epsilon(delta);
  RC_ASSERT(found.lower <= found.upper);
  RC_ASSERT(repeated.delta(found.upper).upper <= delta);
  RC_ASSERT(found.lower == 0 || repeated.delta(found.lower).lower >= delta);
}

// What a record stands for may be chosen anew: 3 x shuffle(5, rr(1.8)) shows more where it is.
TEST(RepeatedReports, ShowMoreToWhoChoosesThem) {
  const RepeatedReports repeated(few_reports(1.8, 2, 5).value(), 3);
  const numeric::Bracket found = repeated.delta(0.2697);
  EXPECT_NEAR(found.lower, 0.5893711644, 1e-9);
  EXPECT_NEAR(found.upper, 0.6233403, 1e-6);
}

TEST(RepeatedReports, RefuseWhatTheyDoNotTake) {
  const FewReports few = few_reports(1, 2, 3).value();
  EXPECT_REFUSED("rounds is 0", RepeatedReports(few, 0));
  EXPECT_REFUSED("rounds is 17", RepeatedReports(few, 17));
  const RepeatedReports repeated(few, 2);
  EXPECT_REFUSED("epsilon", repeated.delta(-1));
  EXPECT_REFUSED("delta", repeated.epsilon(0));
}

}  // namespace
}  // namespace dpbudget::shuffle
