#pragma once

#include <cstdint>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// The random numbers of a test's `step`, which no test with another number draws.
inline Stream stream_of(std::uint64_t test, std::uint64_t step) {
  return Stream({test, Purpose::local_randomness, 0, 0, step});
}

}  // namespace dpbudget::mechanisms
