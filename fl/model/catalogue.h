/// @file
/// The models by name.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// How names are written, a parameter of the model in capitals: softmax, logistic, linear, hinge:SMOOTHING,
/// mlp:HIDDEN_UNITS, cnn.
std::span<const std::string_view> model_names();

/// The model of that name for records like those of `dataset`: softmax, mlp and cnn for two classes or more, logistic
/// and hinge for two, linear for targets, cnn for images of 784 or 3072 pixel values. Networks work in float.
///
/// @param name     as in model_names; SMOOTHING is positive and finite, HIDDEN_UNITS in [1, 1000000]
/// @param dataset  only its width, its classes and whether it has targets count
/// @throws InvalidArgument naming model (with the names there are), smoothing, hidden_units or dataset (what the model
/// cannot take)
std::unique_ptr<Model> make_model(std::string_view name, const Dataset& dataset);

}  // namespace dpbudget::fl
