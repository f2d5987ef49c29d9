/// @file
/// Where on the real axis contours are good: the integrand's saddle, and the bound that holds there.
#pragma once

#include "dpbudget/accounting/contour/transform.h"

namespace dpbudget::contour {

/// Where the integrand, 1 / (z (z+1)) taken in, has its saddle: the epsilon for which that is at c, and how sharp it
/// is.
struct Saddle {
  double log_moment;
  double epsilon;
  double curvature;
};

/// @param c  positive
Saddle saddle_at(const Transform& loss, double count, double c);

/// Where to look: a point of the real axis near which the contour is good, an epsilon and its log delta, the latter two
/// related by the saddle-point approximation.
struct Target {
  double c;
  double epsilon;
  double log_delta;
};

/// @param epsilon  below count times the largest loss
/// @param guess    of c, positive
Target saddle_for_epsilon(const Transform& loss, double count, double epsilon, double guess);

/// The same where delta is given, and epsilon looked for.
Target saddle_for_delta(const Transform& loss, double count, double log_delta);

/// Chernoff's bound on log delta: delta(e) <= c^c / (1+c)^(1+c) M(c) e^{-c e}.
double chernoff(const Transform& loss, double count, double c, double epsilon);

}  // namespace dpbudget::contour
