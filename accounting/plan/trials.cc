#include "dpbudget/accounting/plan/trials.h"

#include <fmt/format.h>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {

std::string to_text(const Trials& trials) {
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law))
    return poisson->mean.is_unknown() ? "poisson(?)" : fmt::format("poisson({})", poisson->mean.value());
  const auto& [eta, gamma] = std::get<Trials::NegativeBinomial>(trials.law);
  return eta == 1 ? fmt::format("geometric({})", gamma) : fmt::format("negative_binomial({}, {})", eta, gamma);
}

Trials geometric(double gamma) { return {Trials::NegativeBinomial{1, gamma}}; }

namespace ranges {

void mean_trials(double value) {
  // A search may round its end up.
  require(0 <= value && value <= max_mean_trials * (1 + 0x1p-40), "mean", value, "in [0, 1000000]");
}
void eta(double value) { require(-1 < value && value <= 100, "eta", value, "in (-1, 100]"); }
void gamma(double value) { require(1e-6 <= value && value < 1, "gamma", value, "in [1e-06, 1)"); }

void trials(const Trials& trials) {
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law)) {
    if (!poisson->mean.is_unknown()) mean_trials(poisson->mean.value());
    return;
  }
  const auto& law = std::get<Trials::NegativeBinomial>(trials.law);
  eta(law.eta);
  gamma(law.gamma);
}

}  // namespace ranges
}  // namespace dpbudget
