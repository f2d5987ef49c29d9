/// @file
/// Which pairs of data sets a guarantee makes indistinguishable.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace dpbudget {

/// Neighbouring data sets differ in one record (or in one client, where a plan says that the client is the unit).
enum class Adjacency {
  add_or_remove_one,  ///< one data set has a record more
  replace_one,        ///< same size, one record replaced by any other
  zero_out_one,       ///< same size, one record replaced by a null record that contributes nothing
};

inline constexpr std::array all_adjacencies = {Adjacency::add_or_remove_one, Adjacency::replace_one,
                                               Adjacency::zero_out_one};

/// As plans write it.
constexpr std::string_view to_string(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::add_or_remove_one:
      return "add_or_remove_one";
    case Adjacency::replace_one:
      return "replace_one";
    case Adjacency::zero_out_one:
      return "zero_out_one";
  }
  return "";
}

/// All names, as a message lists what is allowed.
inline constexpr std::string_view adjacency_choice = "add_or_remove_one, replace_one or zero_out_one";

/// @return nothing when `name` is not the name of an adjacency
constexpr std::optional<Adjacency> adjacency_named(std::string_view name) {
  for (const Adjacency adjacency : all_adjacencies)
    if (to_string(adjacency) == name) return adjacency;
  return std::nullopt;
}

}  // namespace dpbudget
