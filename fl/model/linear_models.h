/// @file
/// Convex models, linear in a record and the bias's 1. All start at zero, and are there for float and double.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// Softmax regression under cross-entropy, in nats: "softmax". The weight of feature f for class c is the parameter
/// f * classes + c, the bias the weight of one more feature, of value 1, the last.
/// @param features  at least 1
/// @param classes   at least 2
/// @throws InvalidArgument naming features or classes
template <class Scalar>
std::unique_ptr<Model> make_softmax(Eigen::Index features, int classes);

// The others have one weight per feature and a bias, the last parameter.

/// Logistic regression of labels 0 and 1: "logistic".
/// @param features  at least 1
/// @throws InvalidArgument naming features
template <class Scalar>
std::unique_ptr<Model> make_logistic(Eigen::Index features);

/// Least squares on targets, (1/2) (w.x + b - y)^2: "linear". The score is the mean of (w.x + b - y)^2.
/// @param features  at least 1
/// @throws InvalidArgument naming features
template <class Scalar>
std::unique_ptr<Model> make_linear(Eigen::Index features);

/// A linear support vector machine of labels 0 and 1, whose hinge loss is smoothed (SmoothedHingeLoss): "hinge:10" for
/// smoothing 10. The larger it is, the closer to the hinge loss, and the steeper its gradient changes.
/// @param features   at least 1
/// @param smoothing  positive and finite
/// @throws InvalidArgument naming features or smoothing
template <class Scalar>
std::unique_ptr<Model> make_hinge(Eigen::Index features, double smoothing);

extern template std::unique_ptr<Model> make_softmax<float>(Eigen::Index, int);
extern template std::unique_ptr<Model> make_softmax<double>(Eigen::Index, int);
extern template std::unique_ptr<Model> make_logistic<float>(Eigen::Index);
extern template std::unique_ptr<Model> make_logistic<double>(Eigen::Index);
extern template std::unique_ptr<Model> make_linear<float>(Eigen::Index);
extern template std::unique_ptr<Model> make_linear<double>(Eigen::Index);
extern template std::unique_ptr<Model> make_hinge<float>(Eigen::Index, double);
extern template std::unique_ptr<Model> make_hinge<double>(Eigen::Index, double);

}  // namespace dpbudget::fl
