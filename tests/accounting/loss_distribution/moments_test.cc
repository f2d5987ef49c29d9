#include "dpbudget/accounting/loss_distribution/moments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::loss_distribution {
namespace {

using testing::log_uniform;

long double sum_of(const LossDistribution& distribution, double order) {
  std::vector<long double> exponents;
  for (std::size_t i = 0; i < distribution.mass.size(); ++i) {
    const long double loss =
        distribution.grid.offset +
        static_cast<long double>(distribution.first + static_cast<std::int64_t>(i)) * distribution.grid.mesh;
    const long double log_mass = std::log(static_cast<long double>(distribution.mass[i]));
    if (std::isfinite(log_mass)) exponents.push_back(log_mass + order * loss);
  }
  if (exponents.empty()) return -infinity;
  const long double top = *std::ranges::max_element(exponents);
  long double sum = 0;
  for (const long double exponent : exponents) sum += std::exp(exponent - top);
  return top + std::log(sum);
}

// Of large orders few masses count, at either end.
// accounting/loss_distribution/proofs.md, 3.4
RC_GTEST_PROP(LogMoment, IsTheLogarithmOfTheSum, ()) {
  LossDistribution distribution;
  distribution.grid = {log_uniform(1e-7, 1), *rc::gen::inRange(-3, 4) * 0.37};
  distribution.first = *rc::gen::inRange(-2000, 100);
  const int size = *rc::gen::inRange(1, 3000);
  const double falls = std::min(log_uniform(1e-4, 1), 600.0 / size) * *rc::gen::element(-1, 1);  // to 1e-260
  const int every = *rc::gen::element(1, 7);
  for (int i = 0; i < size; ++i)
    distribution.mass.push_back(i % every == 0 ? std::exp(-falls * i + std::min(0.0, falls) * size) : 0);
  const double order = log_uniform(1e-3, 1e8) * *rc::gen::element(-1, 1);
  const LogMoment found = log_moment(distribution, order);
  const auto truth = static_cast<double>(sum_of(distribution, order));
  RC_LOG() << size << " masses by e^" << falls << ", order " << order << ": " << found.value << " and " << truth
           << "\n";
  RC_ASSERT(found.value == truth || std::abs(found.value - truth) <= found.error);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
