/// @file
/// Many random words at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dpbudget::mechanisms {

/// What a sequence of blocks has in common: the key but for its last two words, which are zero, and the counter but for
/// its last word, which is the block's number.
struct ThreefrySequence {
  std::array<std::uint64_t, 2> key;
  std::array<std::uint64_t, 3> counter;
};

/// The blocks from `first` on, of four words each, as r123::Threefry4x64 gives them one by one.
/// @param words  four times as many as there are to be blocks
void threefry_blocks(const ThreefrySequence& sequence, std::uint64_t first, std::span<std::uint64_t> words);

/// Blocks that are computed together.
inline constexpr std::size_t threefry_group = 8;

/// The same, compiled for some instruction set.
struct ThreefryVersion {
  std::string_view instructions;
  void (*blocks)(const ThreefrySequence& sequence, std::uint64_t first, std::uint64_t* words, std::size_t groups);
};

/// Those that this machine can run, the fastest last. All give the same words.
std::span<const ThreefryVersion> threefry_versions();

}  // namespace dpbudget::mechanisms
