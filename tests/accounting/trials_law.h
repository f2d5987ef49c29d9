/// @file
/// How many runs there are, by its definition.
#pragma once

#include <cmath>
#include <functional>
#include <variant>

#include "dpbudget/accounting/plan/trials.h"

namespace dpbudget::testing {

/// G(s) = E s^K, from the textbook.
inline std::function<long double(long double)> generating(const Trials& trials) {
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law))
    return [mean = static_cast<long double>(poisson->mean.value())](long double s) { return std::exp(mean * (s - 1)); };
  const auto law = std::get<Trials::NegativeBinomial>(trials.law);
  const long double eta = law.eta;
  const long double gamma = law.gamma;
  if (eta == 0) return [=](long double s) { return std::log1p(-(1 - gamma) * s) / std::log(gamma); };
  return [=](long double s) { return (std::pow(1 - (1 - gamma) * s, -eta) - 1) / (std::pow(gamma, -eta) - 1); };
}

}  // namespace dpbudget::testing
