/// @file
/// Composition: the distribution of a sum of independent losses, by Fourier transform under an exponential tilt.
#pragma once

#include <vector>

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/moments.h"
#include "dpbudget/accounting/loss_distribution/tilted.h"

namespace dpbudget::loss_distribution {

/// What a composition must be accurate for: losses near those that decide delta at one epsilon.
struct Focus {
  double order;      ///< of the tilt: masses are transformed as mass e^(order loss)
  double epsilon;    ///< delta is wanted from about here upwards
  double log_delta;  ///< and is about this
  double accuracy;   ///< share of delta that may be lost to wrapping, to mass beyond the window and to rounding
};

/// The mass at infinity of a composition, on the parts' side.
double infinite_mass(const std::vector<Part>& parts);

/// The focus at a given epsilon, with the saddle point's estimate of delta; or at a given delta, with Chernoff's
/// epsilon, which may be too large.
Focus focus_at_epsilon(const std::vector<Part>& parts, double epsilon, double accuracy);
/// The same where delta is given, and epsilon looked for.
Focus focus_at_delta(const std::vector<Part>& parts, double log_delta, double accuracy);

/// A tilt and a window for the focus: what wraps around it and what lies beyond stays below e^log_allowed, if at most
/// 2^22 points allow.
struct Setting {
  double order;
  Window window;
  double log_allowed;
  MomentTable moments;  ///< of the parts, that say so
};
/// @throws Unsupported when the window would hold more than 2^22 points
Setting setting_near(const std::vector<Part>& parts, const Focus& focus);

/// The composition of `parts`, on a window around the focus. Its delta is on the parts' side of the truth at every
/// epsilon from the window's first loss on (below, the upper side has dropped mass); near the focus its relative error
/// is that of rounding.
///
/// Wrapping around the window, mass beyond it and the rounding of the transforms are bounded and put on the
/// distribution's side (accounting/loss_distribution/proofs.md, 3.1 to 3.3).
/// @param parts    at least one, on the same mesh and side
/// @param setting  of `setting_near` for the same parts and focus
LossDistribution compose_near(const std::vector<Part>& parts, const Focus& focus, const Setting& setting);

}  // namespace dpbudget::loss_distribution
