/// @file
/// Many random words at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace dpbudget::mechanisms {

/// What a sequence of blocks has in common: the key, and the counter without its last word, which is the block's
/// number.
struct PhiloxSequence {
  std::array<std::uint64_t, 2> key;
  std::array<std::uint64_t, 3> counter;
};

/// The blocks from `first` on, of four words each, as r123::Philox4x64 gives them one by one.
/// @param words  four times as many as there are to be blocks
void philox_blocks(const PhiloxSequence& sequence, std::uint64_t first, std::span<std::uint64_t> words);

}  // namespace dpbudget::mechanisms
