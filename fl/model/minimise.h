/// @file
/// The least value of a strongly convex function, up to a gap that its gradient proves.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/heterogeneity.h"
#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// A smooth function; sets the gradient, of the parameters' length.
using Objective = std::function<double(const Vector& parameters, Vector& gradient)>;

/// Where a function is nearly least.
struct Minimum {
  Vector point;
  double value;
  double gap;  ///< that value less the least is at most this, |grad|^2 / (2 mu), but for the rounding of the gradient
  std::uint64_t steps;
};

/// Nesterov's accelerated gradient descent with backtracking and restarts (O'Donoghue and Candes 2015), until the gap
/// is at most `gap`, rounding ends the descent, or 5,000 steps have not narrowed the gap: Minimum::gap tells.
/// @param strong_convexity  mu of the function, positive and finite
/// @param gap               positive
/// @param most_steps        at least 1
/// @throws InvalidArgument naming the argument outside its range, or objective, when it is not finite at the start
Minimum minimise(const Objective& objective, Vector start, double strong_convexity, double gap,
                 std::uint64_t most_steps = 1000000);

/// F of heterogeneity.h at its minimum, from the model's own start.
/// @param regularisation  positive and finite
/// @throws InvalidArgument naming model unless it is convex, regularisation or gap; or what check(data) and the model
/// refuse
Minimum minimum(const Model& model, const FederatedData& data, ClientWeights weights, double regularisation,
                double gap);

/// Each client's own F_i at its minimum.
/// @throws InvalidArgument as above
std::vector<Minimum> client_minima(const Model& model, const FederatedData& data, double regularisation, double gap);

/// F and its gradient at a point.
/// @throws InvalidArgument as gradient_dissimilarity
double global_loss(const Model& model, const FederatedData& data, const Vector& parameters, ClientWeights weights,
                   double regularisation, Vector& gradient);

}  // namespace dpbudget::fl
