// Discrete Gaussian noise in rare samples, against sums over how often each outcome is seen.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/finite_plan.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::loss_distribution {
namespace {

// The sample's masses with the record (p) and without (q), of outcomes that are not rarer than 1e-60.
struct RareMasses {
  long double p;
  long double q;
};
std::vector<RareMasses> masses_of_sample(long double rate, long double sigma) {
  constexpr int far = 200;
  const auto weight = [&](int k) { return std::exp(-static_cast<long double>(k) * k / (2 * sigma * sigma)); };
  long double all = 0;
  for (int k = -far; k <= far; ++k) all += weight(k);
  std::vector<RareMasses> outcomes;
  for (int k = -far; k <= far; ++k) {
    const long double q = weight(k) / all;
    const long double p = (1 - rate) * q + rate * weight(k - 1) / all;
    if (std::max(p, q) > 1e-60L) outcomes.push_back({p, q});
  }
  std::ranges::sort(outcomes, {}, [](const RareMasses& one) { return one.p + one.q; });
  return outcomes;
}

// The larger delta of both directions, from the rarest outcomes on; what has less than `rare` is left out.
class DeltasByCounts {
 public:
  DeltasByCounts(std::vector<RareMasses> outcomes, int rounds, long double epsilon, long double rare)
      : outcomes_(std::move(outcomes)), times_(std::exp(epsilon)), rare_(rare) {
    add(0, rounds, 1, 1);
  }

  long double least() const { return std::max(forward_, backward_); }
  long double most() const { return least() + left_out_; }

 private:
  void add(std::size_t at, int left, long double p, long double q) {
    const RareMasses& one = outcomes_[at];
    if (at + 1 == outcomes_.size() || left == 0) {
      const long double all_p = p * std::pow(one.p, left);
      const long double all_q = q * std::pow(one.q, left);
      forward_ += std::max(0.0L, all_p - times_ * all_q);
      backward_ += std::max(0.0L, all_q - times_ * all_p);
      return;
    }
    // So many of this one, in some of the rounds that are left.
    for (int k = 0; k <= left; ++k) {
      if (std::max(p, q) < rare_)
        left_out_ += std::max(p, q);
      else
        add(at + 1, left - k, p, q);
      p *= one.p * (left - k) / (k + 1);
      q *= one.q * (left - k) / (k + 1);
    }
  }

  std::vector<RareMasses> outcomes_;
  long double times_;
  long double rare_;
  long double forward_ = 0;
  long double backward_ = 0;
  long double left_out_ = 0;
};

struct RareSamplesCase {
  int rounds;
  double rate;
  double sigma;
  double epsilon;
};

Plan rare_samples(const RareSamplesCase& one) {
  const Event noise = DiscreteGaussian{one.sigma};
  const Event sampled = PoissonSampled{one.rate, noise};
  return {Repeated{static_cast<std::uint64_t>(one.rounds), sampled}, Adjacency::add_or_remove_one};
}

// accounting/loss_distribution/proofs.md, 4b.5 and 4b.6
TEST(RareSamples, AreSummedUpWhereLossesAreTooManyToTellApart) {
  for (const RareSamplesCase& one : {RareSamplesCase{12, 1e-8, 0.5, 0.01}, RareSamplesCase{12, 1e-12, 0.4, 1e-4},
                                     RareSamplesCase{40, 1e-17, 0.2, 0.01}, RareSamplesCase{100, 1e-17, 0.2, 0.01},
                                     RareSamplesCase{100, 1e-10, 0.2, 0.3}, RareSamplesCase{100, 2e-26, 0.1, 1e-4},
                                     RareSamplesCase{20, 1e-6, 0.3, 1}, RareSamplesCase{8, 1e-5, 0.7, 0.05}}) {
    const std::string told = std::to_string(one.rounds) + " x " + std::to_string(one.sigma);
    Accountant accountant(rare_samples(one), 1e-3);
    const DeltaBound found = accountant.delta(1, one.epsilon);
    const DeltasByCounts truth(masses_of_sample(one.rate, one.sigma), one.rounds, one.epsilon,
                               1e-14L * found.bound.upper);
    EXPECT_LE(found.bound.lower, truth.most() * (1 + 1e-12L)) << told;
    EXPECT_GE(found.bound.upper, truth.least() * (1 - 1e-12L)) << told;
    EXPECT_LE(found.bound.upper - found.bound.lower, 1e-3 * found.bound.upper) << told;
    // What has that delta costs no more than this epsilon, and hardly less.
    const Bound back = accountant.epsilon(1, found.bound.upper);
    EXPECT_LE(back.lower, one.epsilon * (1 + 1e-9)) << told;
    EXPECT_GE(back.upper, one.epsilon * (1 - 1e-2)) << told;
  }
}

TEST(RareSamples, AloneHaveTheirLossesTakenForOne) {
  const auto joined = [](const char* plan) {
    return joined_answer(parse_plan(plan), false, {Question::Wanted::log_delta, 1, 0.01}, 1e-3);
  };
  const auto rare = joined("100 x poisson(1e-8, discrete_gaussian(0.5))");
  ASSERT_TRUE(rare);
  EXPECT_LT(rare->width, 1e-6);
  for (const char* plan : {"100 x rr(1)", "100 x poisson(1e-8, gaussian(0.5))",
                           "100 x poisson(0.1, discrete_gaussian(1))", "100 x poisson(1e-8, discrete_gaussian(50))"})
    EXPECT_FALSE(joined(plan)) << plan;
}

}  // namespace
}  // namespace dpbudget::loss_distribution
