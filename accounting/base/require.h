/// @file
/// Argument checks: a value outside its range is named, shown and refused.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dpbudget {

/// An argument outside its documented range.
struct InvalidArgument : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A question that no implemented theorem answers: an event or adjacency the accountant cannot take.
struct Unsupported : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// @throws InvalidArgument "noise_multiplier is -1, but must be positive and finite" unless `holds`.
/// Write the check so that NaN fails it: `0 < x`, never `!(x <= 0)`.
template <class Given>
void require(bool holds, std::string_view name, const Given& given, std::string_view allowed) {
  if (holds) return;
  std::ostringstream message;
  message << name << " is " << given << ", but must be " << allowed;
  throw InvalidArgument(message.str());
}

}  // namespace dpbudget
