/// @file
/// Layers (layers.h) below the density of a sampled Gaussian's tilted loss.
#pragma once

#include <vector>

#include "dpbudget/accounting/contour/layers.h"
#include "dpbudget/accounting/contour/sample_moments.h"

namespace dpbudget::contour {

/// What of the tilted loss's mass is spread out so that its characteristic function falls.
class DensityLayers {
 public:
  /// @param noise_multiplier  in (0, inf)
  /// @param c                 positive
  /// @param log_moment        log M(c)
  DensityLayers(const SamplePair& pair, double noise_multiplier, double c, double log_moment);

  /// @return a lower bound on 1 - |phi(t)| for all t >= s; s > 0
  double lost(double s) const;

 private:
  void add(double noise, double rate, double power, double from, double log_moment);

  std::vector<Layers> layers_;
};

}  // namespace dpbudget::contour
