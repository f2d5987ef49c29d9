#include "dpbudget/mechanisms/clip.h"

#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::mechanisms {

double clip_factor(double norm, double clip_norm) {
  require(0 <= norm && std::isfinite(norm), "norm", norm, "finite and not negative");
  require(0 < clip_norm, "clip_norm", clip_norm, "positive (infinity clips nothing)");
  return norm > clip_norm ? clip_norm / norm : 1;
}

double clip(Eigen::Ref<Eigen::VectorXd> value, double clip_norm) {
  // The plain norm overflows from coordinates of 1e154 on; the stable one may miss a NaN among zeros.
  const double norm = value.allFinite() ? value.stableNorm() : std::numeric_limits<double>::quiet_NaN();
  const double factor = clip_factor(norm, clip_norm);
  if (factor < 1) value *= factor;
  return norm;
}

}  // namespace dpbudget::mechanisms
