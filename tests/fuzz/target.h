/// @file
/// What every fuzz target is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fuzz {

/// Ends the program with `what` as a finding, unless it `holds`.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Calls `read` with the input. What is refused by name is no finding, and any other exception is.
template <class Read>
int run(const Read& read, const std::uint8_t* data, std::size_t size) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const InvalidArgument&) {
  } catch (const Unsupported&) {
  }
  return 0;
}

}  // namespace dpbudget::fuzz

/// The head of a target's function, as DPBUDGET_FUZZ_TARGET(const std::string_view input) { ... }
#define DPBUDGET_FUZZ_TARGET(parameter)                                               \
  static void read_input(parameter);                                                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    return dpbudget::fuzz::run(read_input, data, size);                               \
  }                                                                                   \
  static void read_input(parameter)
