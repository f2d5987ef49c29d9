/// @file
/// Outputs that could not be written.
#pragma once

#include <stdexcept>

namespace dpbudget {

/// An output that takes no more, or nothing at all: a full disk, a folder that is read only. What was asked for was in
/// order.
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace dpbudget
