/// @file
/// Clipping in L2 norm: what bounds the sensitivity of a sum.
#pragma once

#include <Eigen/Core>

namespace dpbudget::mechanisms {

/// What a contribution is multiplied by so that its norm is at most `clip_norm`: 1 / max(1, norm / clip_norm).
///
/// @param norm       L2 norm of the contribution; finite, not negative
/// @param clip_norm  positive; +infinity clips nothing
/// @return in [0, 1]; the product's norm exceeds clip_norm by rounding at most, a few parts in 2^53
/// @throws InvalidArgument naming norm or clip_norm
/// @source Abadi et al. 2016, Algorithm 1; Noble, Bellet, Dieuleveut 2022, Algorithm 1
double clip_factor(double norm, double clip_norm);

/// Scales `value` in place by its clip_factor.
///
/// @param value  no coordinate is NaN or infinite
/// @param clip_norm  positive; +infinity clips nothing
/// @return the norm before clipping
/// @throws InvalidArgument naming norm (when a coordinate is not finite) or clip_norm
double clip(Eigen::Ref<Eigen::VectorXd> value, double clip_norm);

}  // namespace dpbudget::mechanisms
