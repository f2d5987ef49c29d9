/// @file
/// What data are recognised by.
#pragma once

#include <cstdint>
#include <span>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// CRC-32 in the upper half and Adler-32 in the lower, over what was added, little-endian.
class Hash {
 public:
  Hash();

  void add(std::uint64_t word) { add(std::span(&word, 1)); }
  void add(const Dataset& dataset);

  /// @param values  numbers or characters
  template <class Value>
  void add(std::span<Value> values) {
    add_bytes(values.data(), values.size_bytes());
  }

  std::uint64_t value() const { return static_cast<std::uint64_t>(crc_) << 32 | adler_; }

 private:
  void add_bytes(const void* begin, std::size_t count);

  unsigned long crc_;
  unsigned long adler_;
};

}  // namespace dpbudget::fl
