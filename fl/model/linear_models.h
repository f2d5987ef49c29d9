/// @file
/// Convex models of one weight per feature and a bias, the last parameter. All start at zero and work in double.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// Logistic regression of labels 0 and 1: "logistic".
/// @param features  at least 1
/// @throws InvalidArgument naming features
std::unique_ptr<Model> make_logistic(Eigen::Index features);

/// Least squares on targets, (1/2) (w.x + b - y)^2: "linear". The score is the mean of (w.x + b - y)^2.
/// @param features  at least 1
/// @throws InvalidArgument naming features
std::unique_ptr<Model> make_linear(Eigen::Index features);

/// A linear support vector machine of labels 0 and 1, whose hinge loss is smoothed (SmoothedHingeLoss): "hinge:10" for
/// smoothing 10. The larger it is, the closer to the hinge loss, and the steeper its gradient changes.
/// @param features   at least 1
/// @param smoothing  positive and finite
/// @throws InvalidArgument naming features or smoothing
std::unique_ptr<Model> make_hinge(Eigen::Index features, double smoothing);

}  // namespace dpbudget::fl
