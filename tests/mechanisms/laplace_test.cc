#include "dpbudget/mechanisms/laplace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/laplace.hpp>
#include <cmath>
#include <limits>

#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

// Counts in cells of equal probability, of the whole line and of its tails.
TEST(Laplace, HasItsLaw) {
  for (const double scale : {0.1, 1.0, 25.0})
    for (const double value : {0.0, 0.3, 1.0}) {
      const boost::math::laplace law(value, scale);
      const int cells = 200;
      const int draws = 100000;
      std::vector<std::uint64_t> counts(cells);
      std::uint64_t beyond = 0;
      Stream drawing = stream_of(23, 7);
      for (int i = 0; i < draws; ++i) {
        const double report = laplace(value, scale, drawing);
        ++counts.at(static_cast<std::size_t>(std::min(cells - 1.0, std::floor(cells * cdf(law, report)))));
        beyond += std::abs(report - value) > 8 * scale ? 1 : 0;
      }
      EXPECT_GT(goodness_of_fit(counts, std::vector<double>(cells, 1.0 / cells)), 1e-6) << scale << ' ' << value;
      const double tail = std::exp(-8.0);
      EXPECT_GT(goodness_of_fit({beyond, draws - beyond}, {tail, 1 - tail}), 1e-6) << scale << ' ' << value;
    }
}

RC_GTEST_PROP(Laplace, IsAFunctionOfTheKey, (std::uint64_t step)) {
  Stream first = stream_of(23, step), second = stream_of(23, step);
  const double report = laplace(0.5, 1e300, first);
  RC_ASSERT(std::isfinite(report));
  RC_ASSERT(report == laplace(0.5, 1e300, second));
}

TEST(Laplace, SaysWhichEventItIs) { EXPECT_EQ(laplace_event(1.5), Laplace{1.5}); }

TEST(Laplace, RefusesBeforeItDraws) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Stream drawing = stream_of(23, 0), untouched = stream_of(23, 0);
  for (const double bad : {-1e-300, 1 + 1e-15, infinity, nan}) EXPECT_REFUSED("value", laplace(bad, 1, drawing));
  for (const double bad : {0.0, -1.0, 1e301, infinity, nan}) {
    EXPECT_REFUSED("scale", laplace(0.5, bad, drawing));
    EXPECT_REFUSED("scale", laplace_event(bad));
  }
  EXPECT_EQ(drawing(), untouched());
}

}  // namespace
}  // namespace dpbudget::mechanisms
