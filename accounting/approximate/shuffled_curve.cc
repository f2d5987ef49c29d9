#include "dpbudget/accounting/approximate/shuffled_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/approximate/composed_curve.h"
#include "dpbudget/accounting/approximate/leaves.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/accounting/shuffle/clones/silos.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::approximate {
namespace {

using numeric::unit;

class ShuffledCurve final : public Curve {
 public:
  // @param failures  what the randomisers' deltas add up to, times 1 + e^epsilon
  ShuffledCurve(const shuffle::ClonePair& pair, double local_delta, double failures)
      : pair_(pair), local_delta_(local_delta), failures_(failures) {}

  double epsilon(double delta) const override {
    const double local = delta >= local_delta_ ? pair_.local_epsilon : std::numeric_limits<double>::infinity();
    // The failures grow with epsilon, which is found from below with a little to spare.
    double allowed = 2 * failures_;
    for (int step = 0; step < 100 && allowed < delta; ++step) {
      const double log_delta = std::log(delta - allowed);
      const double found = shuffle::epsilon_bracket(pair_, log_delta - unit * (1 + std::abs(log_delta)), width).upper;
      const double needed = (1 + std::exp(found)) * failures_ * (1 + 8 * unit);
      if (needed <= allowed) return std::min(local, found);
      allowed = needed * 1.001;
    }
    return local;
  }
  double least_delta() const override { return std::min(local_delta_, 2 * failures_); }

 private:
  static constexpr shuffle::Width width{8e-5};
  shuffle::ClonePair pair_;
  double local_delta_;
  double failures_;
};

// The clone pair needs a positive epsilon.
double positive(double epsilon) { return std::max(epsilon, std::numeric_limits<double>::min()); }

}  // namespace

CurvePtr shuffled_curve(double local_epsilon, double local_delta, double reports) {
  if (local_epsilon == 0 && local_delta == 0) return composed_curve({});
  if (shuffle::hides_nothing(local_epsilon)) return approximate_dp_curve(local_epsilon, local_delta);
  const double failures = (1 + std::exp(-local_epsilon) / 2) * reports * local_delta * (1 + 8 * unit);
  return std::make_shared<ShuffledCurve>(shuffle::clones(positive(local_epsilon), reports), local_delta, failures);
}

// accounting/shuffle/proofs.md, 2b.1
CurvePtr shuffled_silos_curve(double local_epsilon, double local_delta, double records, double silos) {
  if (local_epsilon == 0 && local_delta == 0) return composed_curve({});
  if (shuffle::hides_nothing(local_epsilon)) return approximate_dp_curve(local_epsilon, local_delta);
  // e^-(records epsilon) delta (1 + e^epsilon + ... + e^((records - 1) epsilon)), and e^-(records epsilon) delta
  const double of_group = std::exp(-local_epsilon) * numeric::exponential_sum(-local_epsilon, records);
  const double of_each = of_group + std::exp(-records * local_epsilon);
  const double failures = local_delta * (1 + (silos - 1) * of_each) * (1 + 32 * unit);
  return std::make_shared<ShuffledCurve>(shuffle::silo_clones(positive(local_epsilon), records, silos), local_delta,
                                         failures);
}

}  // namespace dpbudget::approximate
