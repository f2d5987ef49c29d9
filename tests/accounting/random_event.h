/// @file
/// Random event trees for property tests.
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <vector>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::testing {

/// A double in [low, high], spread evenly over the logarithm.
inline double log_uniform(double low, double high) {
  const int step = *rc::gen::inRange(0, 1000001);
  return low * std::pow(high / low, step / 1e6);
}

/// A tree of the given depth at most. With `sampling`, the sampling node that may occur: "poisson", "wor" or "" for
/// any.
inline Event random_event(int depth, const std::string& sampling) {
  const int kind = *rc::gen::inRange(0, depth == 0 ? 6 : 11);
  const auto inner = [&] { return random_event(depth - 1, sampling); };
  const auto rate = [&]() -> Rate {
    if (*rc::gen::arbitrary<bool>()) return log_uniform(1e-6, 1);
    // Enough for the shuffles below, of up to 3000 records.
    const auto population = static_cast<std::uint64_t>(*rc::gen::inRange(3000, 100000));
    return {static_cast<std::uint64_t>(*rc::gen::inRange(3000, static_cast<int>(population) + 1)), population};
  };
  switch (kind) {
    case 0:
      return Gaussian{log_uniform(0.3, 1e4)};
    case 1:
      return Laplace{log_uniform(0.3, 1e4)};
    case 2:
      return DiscreteGaussian{log_uniform(0.3, 1e4)};
    case 3: {
      const double epsilon = log_uniform(1e-6, 10);
      const auto categories = static_cast<std::uint64_t>(*rc::gen::inRange(2, 50));
      switch (*rc::gen::inRange(0, 6)) {
        case 0:
          return SubsetSelection{epsilon, categories};
        case 1:
          return Rappor{epsilon, categories};
        case 2:
          return UnaryEncoding{epsilon, categories};
        case 3:
          return HadamardResponse{epsilon, categories};
        default:
          return RandomizedResponse{epsilon, categories};
      }
    }
    case 4:
      return PureDp{log_uniform(1e-6, 10)};
    case 5:
      return DiscreteLaplace{log_uniform(0.1, 1e4)};
    case 6:
      return Repeated{static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000)), inner()};
    case 7:
      return Composed{{inner(), inner()}};
    case 8:
      return Participates{rate(), inner()};
    default:
      if (sampling == "poisson") return PoissonSampled{rate(), inner()};
      if (sampling == "wor") return SampledWithoutReplacement{rate(), inner()};
      if (kind == 9) return PoissonSampled{rate(), inner()};
      return *rc::gen::arbitrary<bool>() ? Event(Shuffled{static_cast<std::uint64_t>(*rc::gen::inRange(1, 1000)),
                                                          inner(), static_cast<std::uint64_t>(*rc::gen::inRange(1, 4))})
                                         : Event(SampledWithoutReplacement{rate(), inner()});
  }
}

}  // namespace dpbudget::testing
