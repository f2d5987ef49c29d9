#include "dpbudget/accounting/numeric/tail_sum.h"

#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/concave_tail.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/weighted_tail.h"

namespace dpbudget::numeric {
double log_tail_sum(const Binomial& binomial, double first, const TailWeight& weight) {
  const double slope = std::isfinite(weight.start) ? weight.slope : 0;
  return log_weighted_tail(binomial, first, {[&](double offset) { return weight(offset); }, slope});
}

Bracket log_tail_sum_bracket(const Binomial& binomial, double first, const TailWeight& weight) {
  if (first > binomial.count()) return {-infinity, -infinity};
  // An exponent is off by little of itself, hence so is the weight.
  const auto bounds = [&](double outcome) -> Bracket {
    const double value = weight(outcome - first);
    return {value * (1 - unit), value * (1 + unit)};
  };
  return log_concave_tail(binomial, first, {bounds, std::isfinite(weight.start) ? weight.slope : 0});
}

}  // namespace dpbudget::numeric
