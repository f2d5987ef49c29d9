/// @file
/// Every option that any run reads, whoever declares it.
#pragma once

#include <string_view>
#include <vector>

#include "dpbudget/fl/run/option.h"

namespace dpbudget::fl {

/// What an option is to those who say the same of it.
struct OptionReading {
  OptionInfo info;
  std::vector<std::string_view> algorithms;  ///< none for one of a way to clip
};

/// An option under its key, with all who read it.
struct KnownOption {
  std::vector<OptionReading> readings;  ///< at least one, all of one type
  std::string_view clipping = {};       ///< the way to clip that reads it; empty: algorithms do

  const OptionInfo& info() const { return readings.front().info; }
};

/// Those of ways to clip, then those of algorithms; all in the order in which they are declared.
std::vector<KnownOption> known_options();

}  // namespace dpbudget::fl
