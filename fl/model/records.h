/// @file
/// What every model asks of its arguments.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string_view>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// @throws InvalidArgument naming `name` (parameters or out) unless the vector is as long as the model's dimension
void require_length(Eigen::Index length, std::string_view name, Eigen::Index dimension);

/// @throws InvalidArgument naming dataset unless each record has `features` features and one label, of `classes`
/// classes
void require_labelled(const Dataset& dataset, Eigen::Index features, int classes);

/// @throws InvalidArgument naming rows unless `row` is one of the data set's
void require_row(const Dataset& dataset, std::uint32_t row);

/// @param row  of the data set
/// @throws InvalidArgument naming label unless it is in [0, classes)
Eigen::Index label_at(const Dataset& dataset, std::uint32_t row);

}  // namespace dpbudget::fl
