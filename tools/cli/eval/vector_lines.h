/// @file
/// The files of reference vectors and of their schema, which the build puts into the program.
#pragma once

#include <span>
#include <string_view>

namespace dpbudget::tools {

std::span<const std::string_view> vectors_file();
std::span<const std::string_view> vectors_schema_file();

}  // namespace dpbudget::tools
