/// @file
/// Local steps by SGD, momentum or Adam.
#pragma once

#include <tuple>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// How a client steps along the gradients that it releases.
enum class Optimiser { sgd, momentum, adam };

}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::Optimiser> {
  static constexpr NameTable<fl::Optimiser, 3> all{
      {{fl::Optimiser::sgd, "sgd"}, {fl::Optimiser::momentum, "momentum"}, {fl::Optimiser::adam, "adam"}}};
};

}  // namespace dpbudget

namespace dpbudget::fl {

/// What a client's own optimiser reads of a run.
struct LocalOptimiserOptions {
  Optimiser optimiser = Optimiser::sgd;
  double momentum = 0.9;          ///< [beta_1] in [0, 1)
  double second_momentum = 0.99;  ///< [beta_2] in [0, 1)
  double adaptivity = 1e-3;       ///< [Adam's epsilon] positive

  static auto options() {
    using Self = LocalOptimiserOptions;
    constexpr Condition<Self> with_moments{
        [](const Self& chosen, const Settings& /*run*/) { return chosen.optimiser != Optimiser::sgd; },
        "with optimiser momentum or adam"};
    constexpr Condition<Self> with_adam{
        [](const Self& chosen, const Settings& /*run*/) { return chosen.optimiser == Optimiser::adam; },
        "with optimiser adam"};
    return std::tuple(
        option(&Self::optimiser, "optimiser", "local steps by sgd, momentum or adam"),
        option(&Self::momentum, "momentum", "beta_1 of momentum and Adam, in [0, 1)", range::momentum, with_moments),
        option(&Self::second_momentum, "second_momentum", "beta_2 of Adam, in [0, 1)", range::momentum, with_adam),
        option(&Self::adaptivity, "adaptivity", "Adam's epsilon", range::positive, with_adam));
  }
};

/// Moves a model along directions, one participation's, the moments starting at zero. Every step is post-processing of
/// the directions given.
class LocalOptimiser {
 public:
  LocalOptimiser(const LocalOptimiserOptions& options, Eigen::Index dimension);

  /// sgd: x -= eta g. momentum: m = beta_1 m + g, x -= eta m. adam: with the moments' bias taken off, x -= eta m /
  /// (sqrt(v) + pi).
  /// @source Qian 1999 (momentum); Kingma, Ba 2015, Algorithm 1 (Adam)
  void step(double step_size, const Vector& direction, Vector& model);

 private:
  LocalOptimiserOptions options_;
  double steps_ = 0;
  Vector first_;
  Vector second_;
};

}  // namespace dpbudget::fl
