/// @file
/// Enumerations whose values have names in ledgers, configurations and options.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace dpbudget {

/// Specialised for each such enumeration: `all` holds every value with its name.
template <class Choice>
struct Names;

/// Choices with their names.
template <class Choice, std::size_t count>
using NameTable = std::array<std::pair<Choice, std::string_view>, count>;

template <class Choice>
concept Named = requires { Names<Choice>::all.size(); };

/// The name of a choice.
template <Named Choice>
constexpr std::string_view to_string(Choice choice) {
  for (const auto& [value, name] : Names<Choice>::all)
    if (value == choice) return name;
  return "";
}

/// @return nothing when `name` is no value's name
template <Named Choice>
constexpr std::optional<Choice> choice_named(std::string_view name) {
  for (const auto& [value, known] : Names<Choice>::all)
    if (known == name) return value;
  return std::nullopt;
}

}  // namespace dpbudget
