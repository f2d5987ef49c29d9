#include "dpbudget/accounting/contour/second_order_sums.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "accounting/contour/second_order_of.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::second_order_of;

struct Terms {
  std::vector<double> weights;
  std::vector<double> x;
};

// As those of a sampled Gaussian: rare where they are large.
Terms drawn(std::size_t count) {
  Terms terms;
  const double rate = log_uniform(1e-6, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = -6 + 14 * static_cast<double>(i) / static_cast<double>(count);
    terms.x.push_back(std::log1p(rate * std::expm1(u)));
    terms.weights.push_back(std::exp(-u * u / 2) / static_cast<double>(count));
  }
  return terms;
}

// accounting/contour/proofs.md, 3.3 and 4.1
RC_GTEST_PROP(SecondOrderSums, ErrByNoMoreThanTheySay, ()) {
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 600));
  const Terms terms = drawn(count);
  SecondOrderSums sums(terms.weights, terms.x);
  const double step = log_uniform(1e-3, 10);
  const double spread = terms.x.back() - terms.x.front() + 1e-9;
  double multiple = 0;
  for (int node = 0; node < 60; ++node) {
    // Mostly one step, now and then several, as where nodes are skipped.
    multiple += *rc::gen::element(1, 1, 1, 1, 2, 4, 3, 16, 7);
    if (node == 0) multiple = 1;
    const double s = multiple * (step / spread);
    std::complex<long double> truth;
    double size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const long double t = static_cast<long double>(s) * terms.x[i];
      truth += static_cast<long double>(terms.weights[i]) * second_order_of(t);
      const auto angle = static_cast<double>(std::abs(t));
      size += terms.weights[i] * std::min(2 * angle, angle * angle / 2);
    }
    const SecondOrderSums::Sum found = sums.at(s);
    const std::complex<long double> off = std::complex<long double>(found.value) - truth;
    const double units = 4 + static_cast<double>(count) / 8;
    RC_ASSERT(std::abs(off) <= found.error + units * numeric::unit * size);
  }
}

TEST(SecondOrderSums, OfNoLargeAngleAreThoseOfSmallOnes) {
  SecondOrderSums sums({0.25, 0.5}, {-1e-3, 2e-3});
  for (double s = 1; s <= 4; ++s) {
    const SecondOrderSums::Sum found = sums.at(s);
    EXPECT_EQ(found.error, 0);
    EXPECT_NEAR(found.value.real(), -s * s * (0.25e-6 + 0.5 * 4e-6) / 2, 1e-10);  // of fourth order
  }
}

}  // namespace
}  // namespace dpbudget::contour
