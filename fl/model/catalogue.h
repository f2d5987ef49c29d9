/// @file
/// The models by name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// How names are written, a parameter of the model in capitals: softmax, logistic, linear, hinge:SMOOTHING,
/// mlp:HIDDEN_UNITS, cnn, and those that were added.
std::vector<std::string> model_names();

/// The model of that name for records like those of `dataset`: softmax, mlp and cnn for two classes or more, logistic
/// and hinge for two, linear for targets, cnn for images of 784 or 3072 pixel values.
///
/// @param name       as in model_names; SMOOTHING is positive and finite, HIDDEN_UNITS in [1, 1000000]
/// @param dataset    only its width, its classes and whether it has targets count
/// @param precision  what it computes in; left out, networks in single, the others in double
/// @throws InvalidArgument naming model (with the names there are), smoothing, hidden_units, precision (of a model that
/// has but the other) or dataset (what the model cannot take)
std::unique_ptr<Model> make_model(std::string_view name, const Dataset& dataset,
                                  std::optional<Precision> precision = std::nullopt);

/// Makes a model for records like those of `dataset`.
/// @param parameter  what follows the colon of the name; nothing where the name has none
/// @param precision  what is asked for; nothing where the model may choose. What a model does not have needs no check
///                   here
using ModelMaker = std::function<std::unique_ptr<Model>(std::optional<std::string_view> parameter, const Dataset&,
                                                        std::optional<Precision> precision)>;

/// Makes a model known, whoever wrote it. Call it before any thread makes one.
/// @param form  its name, with a colon and a word for its parameter where it takes one: "huber" or "huber:WIDTH"
/// @throws InvalidArgument naming model when there is one of that name
void add_model(std::string form, ModelMaker make);

}  // namespace dpbudget::fl
