#pragma once

#include <cstdint>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// The random numbers of a test's `step`, which no test with another number draws.
inline Stream stream_of(std::uint64_t test, std::uint64_t step, Purpose purpose = Purpose::local_randomness) {
  return Stream({test, purpose, 0, 0, step});
}

}  // namespace dpbudget::mechanisms
