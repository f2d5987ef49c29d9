/// @file
/// The privacy loss of any mechanism that is given by its hockey-stick profile.
#pragma once

#include <functional>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// The tails of a privacy loss L that is finite but for the masses at infinity. They are the profile and its slope:
/// delta(x) = p_above(x) + p_at_infinity - e^x q_above(x), and q_above(x) = -d delta / d e^x.
struct Profile {
  std::function<double(double)> p_above;  ///< P(x < L < inf), non-increasing in x
  std::function<double(double)> q_above;  ///< Q(x < L < inf)
  std::function<double(double)> p_below;  ///< P(L <= x), non-decreasing in x
  std::function<double(double)> q_below;  ///< Q(-inf < L <= x)
  double relative_error;                  ///< of each of the four where it is at least least_mass; in [0, 1e-3)
  double p_at_infinity = 0;
  double q_at_infinity = 0;
};

/// Cells between multiples of cut.step. A cell's mass is the difference of the smaller tail at its ends, and so may
/// lose digits: errors.mass says how many at worst. Cells that would lose more than the factor 1 +- 1e-3 are left out,
/// and the most they can hold is added to p_above and q_below. Where a mass is below least_mass, the barycentre is only
/// known to lie in its cell.
/// @throws InvalidArgument naming relative_error outside its range; Unsupported when 2^24 cells do not suffice
Pieces profile_pieces(const Profile& profile, const Cut& cut);

}  // namespace dpbudget::loss_distribution
