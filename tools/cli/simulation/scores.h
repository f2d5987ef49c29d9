/// @file
/// What a model's score is, in words.
#pragma once

#include <string>

namespace dpbudget::tools {

/// Whether the score is the share of labels that are right, and not a squared error.
bool measures_accuracy(const std::string& model);

/// "test accuracy" or "test mean squared error".
std::string score_name(const std::string& model);

std::string loss_text(const std::string& model, double loss);
std::string score_text(const std::string& model, double score);

}  // namespace dpbudget::tools
