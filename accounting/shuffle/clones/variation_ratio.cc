#include "dpbudget/accounting/shuffle/clones/variation_ratio.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/shuffle/clones/hidden_pair.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"

namespace dpbudget::shuffle {
namespace {

void check(const VariationRatio& r) {
  require(1 < r.ratio && std::log(r.ratio) <= clone_ranges::most_local_epsilon, "ratio", r.ratio,
          "above 1, at most e^650");
  // A few units above the limit are rounding: (p - 1) / (p + 1) is where all of the report differs.
  const double most = (r.ratio - 1) / (r.ratio + 1);
  require(0 < r.total_variation && r.total_variation <= most * (1 + numeric::unit), "total_variation",
          r.total_variation, "positive and at most (ratio - 1) / (ratio + 1)");
  require(1 <= r.background_ratio && std::isfinite(r.background_ratio), "background_ratio", r.background_ratio,
          "finite and at least 1");
  const double cloned = 2 * r.component() * r.ratio / r.background_ratio;
  require(cloned <= 1 + numeric::unit, "background_ratio", r.background_ratio,
          "at least 2 a ratio, a = total_variation / (ratio - 1): clones are no more likely than 1");
}

double clone_log_odds(const VariationRatio& r) {
  const double cloned = 2 * r.component() * r.ratio / r.background_ratio;
  return std::log(cloned) - std::log1p(-std::min(1.0, cloned));
}

double share(const VariationRatio& r) { return std::min(1.0, r.component() * (r.ratio + 1)); }

}  // namespace

ClonePair variation_ratio_revealed(const VariationRatio& randomizer, double reports) {
  check(randomizer);
  clone_ranges::reports(reports);
  return {std::log(randomizer.ratio), CloneCount(reports - 1, clone_log_odds(randomizer)), std::log(share(randomizer))};
}

double variation_ratio_published_delta(const VariationRatio& randomizer, double reports, double epsilon) {
  check(randomizer);
  clone_ranges::reports(reports);
  dpbudget::ranges::epsilon(epsilon);
  const double shown = share(randomizer);
  const HiddenPair pair{std::log(randomizer.ratio), CloneCount(reports - 1, clone_log_odds(randomizer)), shown,
                        (1 - shown) / shown};
  return std::exp(log_delta(pair, epsilon).middle());
}

}  // namespace dpbudget::shuffle
