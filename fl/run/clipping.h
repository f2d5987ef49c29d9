/// @file
/// How the norm is found that a record's gradient is clipped to.
#pragma once

#include <string_view>
#include <tuple>
#include <variant>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/run/option.h"

namespace dpbudget::fl {

/// It is the run's clip_norm throughout.
struct FixedClipping {
  static auto options() { return std::tuple(); }
  friend bool operator==(const FixedClipping&, const FixedClipping&) = default;
};

/// It starts at clip_norm and follows a private estimate of a quantile of the norms.
struct AdaptiveClipping {
  double quantile = 0.5;       ///< in (0, 1)
  double learning_rate = 0.2;  ///< positive, of a round
  double noise = 10;           ///< positive: noise multiplier of the number of norms below the threshold

  static auto options() {
    return std::tuple(
        option(&AdaptiveClipping::quantile, "clip_quantile", "quantile of the norms that C aims at", range::inside),
        option(&AdaptiveClipping::learning_rate, "clip_learning_rate", "rate at which C follows", range::positive),
        option(&AdaptiveClipping::noise, "clip_noise", "noise multiplier of the count of norms below C",
               range::positive)
            .for_plans());
  }
  friend bool operator==(const AdaptiveClipping&, const AdaptiveClipping&) = default;
};

/// It is the median of each batch, which is not private; clip_norm where that is 0.
struct MedianClipping {
  static auto options() { return std::tuple(); }
  friend bool operator==(const MedianClipping&, const MedianClipping&) = default;
};

/// Each tensor of the model's parameters is clipped by itself, to clip_norm over the root of their number: together
/// they are inside clip_norm.
struct PerTensorClipping {
  static auto options() { return std::tuple(); }
  friend bool operator==(const PerTensorClipping&, const PerTensorClipping&) = default;
};

/// How a gradient's norm is bounded.
using Clipping = std::variant<FixedClipping, AdaptiveClipping, MedianClipping, PerTensorClipping>;

}  // namespace dpbudget::fl

namespace dpbudget {

/// In the order of the variant, each with its defaults.
template <>
struct Names<fl::Clipping> {
  static constexpr NameTable<fl::Clipping, 4> all{{{fl::FixedClipping{}, "fixed"},
                                                   {fl::AdaptiveClipping{}, "adaptive"},
                                                   {fl::MedianClipping{}, "median"},
                                                   {fl::PerTensorClipping{}, "per_tensor"}}};
};

/// As the options call it.
constexpr std::string_view to_string(const fl::Clipping& clipping) {
  return Names<fl::Clipping>::all[clipping.index()].second;
}

}  // namespace dpbudget
