#include "dpbudget/mechanisms/laplace.h"

#include <boost/random/laplace_distribution.hpp>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::mechanisms {
namespace {

void check(double scale) { require(0 < scale && scale <= 1e300, "scale", scale, "in (0, 1e300]"); }

}  // namespace

double laplace(double value, double scale, Stream& stream) {
  require(0 <= value && value <= 1, "value", value, "in [0, 1]");
  check(scale);
  return boost::random::laplace_distribution<double>(value, scale)(stream);
}

Laplace laplace_event(double scale) {
  check(scale);
  return {scale};
}

}  // namespace dpbudget::mechanisms
