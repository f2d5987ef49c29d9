#include "dpbudget/accounting/concentrated/amplification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::concentrated {
namespace {

void needs(bool holds, std::string_view precondition, double given, double bound) {
  if (holds) return;
  throw Unsupported(
      fmt::format("the amplification of tCDP by sampling without replacement needs {}: {:.10g} against {:.10g}",
                  precondition, given, bound));
}

}  // namespace

TruncatedCdp tcdp_amplify(double sampling_rate, const TruncatedCdp& sampled) {
  const auto [rho, omega] = sampled;
  require(0 < sampling_rate && sampling_rate <= 1, "sampling_rate", sampling_rate, "in (0, 1]");
  require(0 < rho, "rho", rho, "positive");
  require(1 < omega, "omega", omega, "above 1");

  const double log_inverse_rate = -std::log(sampling_rate);
  needs(sampling_rate <= 0.1, "sampling_rate <= 0.1", sampling_rate, 0.1);
  needs(rho <= 0.1, "rho <= 0.1", rho, 0.1);
  // These follow from the two above (accounting/concentrated/proofs.md, 4.1), and are checked because the theorem
  // states them.
  const double least_log = 3 * rho * (2 - std::log2(rho));
  needs(log_inverse_rate >= least_log, "log(1/sampling_rate) >= 3 rho (2 + log2(1/rho))", log_inverse_rate, least_log);
  const double least_omega = log_inverse_rate / 2 / rho;
  needs(least_omega >= 3, "log(1/sampling_rate) / (2 rho) >= 3", least_omega, 3);
  needs(omega >= least_omega, "omega >= log(1/sampling_rate) / (2 rho)", omega, least_omega);
  return {13 * sampling_rate * sampling_rate * rho,
          std::min(log_inverse_rate / 4 / rho, std::numeric_limits<double>::max())};
}

}  // namespace dpbudget::concentrated
