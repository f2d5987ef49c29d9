/// @file
/// Reference vectors: inputs of the reference functions with their values to 25 digits, by the referee
/// (validation/referee/vectors.py), which shares no code with the library.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace dpbudget::tools {

/// The file, line by line: what it is, and then a vector a line.
std::span<const std::string_view> vector_lines();

/// What its first line says: {format, digits, seed, functions, vectors, not_stated}.
const nlohmann::json& vectors_head();

/// The JSON schema of a line.
std::string vectors_schema();

/// Of one function.
/// @throws InvalidArgument where there is none of that name; Unsupported where no statement fixes its value, with the
/// reason
std::span<const std::string_view> vectors_of(const std::string& function);

}  // namespace dpbudget::tools
