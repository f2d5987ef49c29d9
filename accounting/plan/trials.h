/// @file
/// How often a mechanism is run of whose runs the best is kept.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "dpbudget/accounting/plan/quantity.h"

namespace dpbudget {

/// The law of a number of runs, drawn independently of all data.
struct Trials {
  /// Poisson of that mean; at 0 runs nothing that depends on data is released. mean in [0, 10^6].
  struct Poisson {
    Real mean;
    friend bool operator==(const Poisson&, const Poisson&) = default;
  };
  /// The truncated negative binomial: k >= 1 has probability proportional to (1 - gamma)^k times Gamma(k + eta) / k!.
  /// At eta 1 it is geometric, of mean 1 / gamma, at eta 0 logarithmic. eta in (-1, 100], gamma in [10^-6, 1).
  struct NegativeBinomial {
    double eta;
    double gamma;
    friend bool operator==(const NegativeBinomial&, const NegativeBinomial&) = default;
  };
  std::variant<Poisson, NegativeBinomial> law;
  friend bool operator==(const Trials&, const Trials&) = default;
};

/// As it stands in the language: poisson(mean), geometric(gamma) or negative_binomial(eta, gamma).
std::string to_text(const Trials& trials);

/// @param gamma  in [10^-6, 1)
Trials geometric(double gamma);

namespace ranges {

/// @throws InvalidArgument unless in [0, 10^6]
void mean_trials(double value);
/// @throws InvalidArgument unless in (-1, 100]
void eta(double value);
/// @throws InvalidArgument unless in [10^-6, 1)
void gamma(double value);
/// @throws InvalidArgument naming the first number outside its range; an unknown is in every one
void trials(const Trials& trials);

/// The largest mean of a Poisson number of runs.
inline constexpr double max_mean_trials = 1e6;

}  // namespace ranges
}  // namespace dpbudget
