/// @file
/// What the `?` of a plan stands for, by name.
#pragma once

#include <string_view>

#include "dpbudget/accounting/plan/fields.h"

namespace dpbudget {

/// As answers call it.
constexpr std::string_view to_string(UnknownKind kind) {
  switch (kind) {
    case UnknownKind::count:
      return "count";
    case UnknownKind::noise:
      return "noise";
    case UnknownKind::scale:
      return "scale";
    case UnknownKind::rate:
      return "rate";
    case UnknownKind::epsilon:
      return "epsilon";
    case UnknownKind::delta:
      return "delta";
    case UnknownKind::reports:
      return "reports";
    case UnknownKind::steps:
      return "steps";
    case UnknownKind::rho:
      return "rho";
    case UnknownKind::mu:
      return "mu";
    case UnknownKind::draws:
      return "draws";
    case UnknownKind::group:
      return "records";
  }
  return "";
}

/// Whether only integers can stand in its place.
constexpr bool is_whole(UnknownKind kind) {
  return kind == UnknownKind::count || kind == UnknownKind::reports || kind == UnknownKind::steps ||
         kind == UnknownKind::draws || kind == UnknownKind::group;
}

/// Whether it is the size of a batch or of a group, which is a whole number of 1 to `ranges::max_draws`.
constexpr bool is_size(UnknownKind kind) { return kind == UnknownKind::draws || kind == UnknownKind::group; }

/// Whether smaller values are safer.
constexpr bool is_cost(UnknownKind kind) {
  return kind != UnknownKind::noise && kind != UnknownKind::scale && kind != UnknownKind::reports &&
         kind != UnknownKind::steps;
}

}  // namespace dpbudget
