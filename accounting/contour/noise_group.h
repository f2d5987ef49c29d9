/// @file
/// Moments of the losses of sampled Gaussians whose noises are near one another: few are computed, and the others
/// interpolated between them.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "dpbudget/accounting/contour/noise_interpolation.h"
#include "dpbudget/accounting/contour/sample_moments.h"

namespace dpbudget::contour {

/// count times a participation, at that rate, in `inside` samples of a Gaussian with that noise.
struct SampledNoise {
  double noise_multiplier = 1;  ///< in (0, inf)
  double noise_error = 0;       ///< bound on its relative error
  double inside = 1;            ///< a positive integer
  double participation = 1;     ///< in (0, 1]
  double count = 1;
};

/// The Gaussian's inverse variance.
inline double variance_of(const SampledNoise& noise) { return 1 / noise.noise_multiplier / noise.noise_multiplier; }

/// Sampled Gaussians whose noises are near one another.
class NoiseGroup {
 public:
  /// The logarithms of the members' variances spread by at most this much.
  static constexpr double widest_spread = 1;

  /// Whether they are so near, for all c up to `most_order`, that they can be interpolated, and have moments that one
  /// error is little for.
  static bool are_near(const SamplePair& pair, const std::vector<SampledNoise>& members, double most_order);

  /// @param members     not empty
  /// @param most_order  the largest c
  /// @param reach       the largest |s|
  /// @throws DoesNotConverge as SampleMoments does
  NoiseGroup(const SamplePair& pair, std::vector<SampledNoise> members, double most_order, double reach);

  /// What the group's members are at one order.
  struct AtOrder {
    SampleMoments::AtOrder rows;
    ExcessMoments moments;     // of the members; the error is that of all
    double amplification = 1;  // of errors of rows
    double interpolated = 0;   // error of interpolation and of rounded variances, over |z (z+1)|
    double rounded = 0;        // that of the interpolation's sums, over |z (z+1)|
  };
  AtOrder at(double c) const;

  /// M(c + is) - 1 of every member.
  /// @param s  as for SampleMoments
  /// @return a bound on the error of each
  double evaluate(const AtOrder& at, double s, std::vector<double>& real, std::vector<double>& imaginary);

  const std::vector<SampledNoise>& members() const { return members_; }
  /// How many exponentials one value takes, where sums over the nodes take as long as they.
  double cost(double reach) const {
    return moments_->nodes(reach) * (1 + (static_cast<double>(moments_->size()) - 1) * cost_of_sums);
  }
  bool is_interpolated() const { return interpolation_.has_value(); }

 private:
  // Where members are interpolated from, and how far they are off.
  struct Choice {
    std::size_t points = 0;  // fewer than there are members; 0 where so few are not enough
    NoiseEllipse ellipse{};
  };
  static Choice choice(const SamplePair& pair, const std::vector<SampledNoise>& members, double most_order);

  static constexpr double cost_of_sums = 0.125;  // of one more noise, at a node

  SamplePair pair_;
  std::vector<SampledNoise> members_;
  double noise_error_ = 0;
  double log_most_ = 0;  // of the variances, or a little more
  NoiseEllipse ellipse_{};
  std::optional<NoiseInterpolation> interpolation_;
  std::optional<SampleMoments> moments_;
  SampleMoments::Walk walk_;
  std::vector<double> row_real_;
  std::vector<double> row_imaginary_;
};

}  // namespace dpbudget::contour
