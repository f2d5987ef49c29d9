/// @file
/// Trained models, as files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dpbudget/fl/run/run.h"

namespace dpbudget::tools {

/// Writes the parameters in the model's own order, each to the last bit, and under which names they were trained.
/// @param more  what else the file says, an object
/// @throws CannotWrite naming --save-model
void save_model(const fl::SettledRun& run, const fl::Vector& parameters, nlohmann::json more, const std::string& file);

}  // namespace dpbudget::tools
