/// @file
/// DP-SGD in the terms that people know it by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/quantity.h"

namespace dpbudget::solve {

/// A run of which exactly one number is unknown.
struct DpSgdQuestion {
  Count records;  ///< in the data set, in [1, 2^53]
  Count batch;    ///< expected records in a batch, in [1, records]
  Real epochs;    ///< passes over the data, in (0, inf): epochs * records / batch steps, rounded up, 2^53 at most
  Real noise;  ///< standard deviation of the noise on the sum of gradients, divided by the clipping norm, in (0, inf)
  Real delta;  ///< in (0, 1)
  Real epsilon = Real::unknown();  ///< of the budget, in [0, inf)
};

/// The same noise on batches that are drawn in another way.
struct OtherSampling {
  std::string name;
  Plan plan;
  Answer<Bound> epsilon;  ///< at the run's delta
  std::string meaning;    ///< how batches are drawn, whom the guarantee protects, and what the noise is relative to
};

/// A run and what it costs.
struct DpSgd {
  std::uint64_t records;
  std::uint64_t batch;
  double epochs;
  std::uint64_t steps;
  double noise;
  double delta;
  Bound epsilon;        ///< at `delta`, for the sampling that is assumed
  Plan plan;            ///< of which that is
  std::string assumed;  ///< which sampling that is, and whom it protects
  std::vector<OtherSampling> others;
  std::vector<std::string> notes;
};

/// No value of what is unknown meets the budget.
struct NoValue : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// The run with the unknown found, always certified: epsilon there is inside the budget. It is the best value of noise,
/// epochs and delta; of batch and records it is where a bisection ends, which takes epsilon to rise with the batch and
/// to fall with the records.
/// @param name       who answers
/// @param tolerance  relative width that brackets are refined to, in (0, 1)
/// @return a refusal when the accountant has no theorem
/// @throws InvalidArgument naming what is out of range, or when not exactly one number is unknown
/// @throws NoValue naming what has no value
Answer<DpSgd> dp_sgd(const DpSgdQuestion& question, AccountantName name, double tolerance);

}  // namespace dpbudget::solve
