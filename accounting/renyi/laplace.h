/// @file
/// Rényi DP of the Laplace mechanism.
#pragma once

#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// Rényi divergence between Laplace densities of scale `scale` whose centres are 1 apart.
/// Adjacency: any; the scale is measured against that adjacency's sensitivity. One real number is released.
/// @param order  in [1, inf]; 1 is the Kullback-Leibler divergence, infinity the largest privacy loss 1 / scale
/// @param scale  Laplace scale divided by the sensitivity; in (0, inf)
/// @return nats, relative error below 1e-13, for orders near 1 and large scales too
/// @throws InvalidArgument naming the argument outside its range
/// @source Mironov 2017 (arXiv:1702.07476), Table II and Proposition 6
double laplace(double order, double scale);

/// @param scale  in (0, inf)
CurvePtr laplace_curve(double scale);

}  // namespace dpbudget::renyi
