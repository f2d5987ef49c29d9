/// @file
/// Box and Muller's transform of random words into normal numbers, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dpbudget::mechanisms {

/// Two independent draws from N(0, 1): sqrt(-2 log u) times sine and cosine of an angle, where word 0 is the angle as a
/// fraction of a turn and word 1 is u, both of 64 bits, as r123::boxmuller takes them. Draws reach to 9.49, are never
/// infinite or NaN, and are the exact ones of their words, but that u is rounded to a double, to 3.03 ulp at most in
/// 6 million that were compared.
/// @source Box, Muller 1958, "A note on the generation of random normal deviates"
struct NormalPair {
  double first;
  double second;
};

/// The pair that these words are.
NormalPair box_muller(std::uint64_t angle, std::uint64_t radius);

/// Words 2k and 2k + 1 become draws 2k and 2k + 1, with the bits that `box_muller` of a pair gives.
/// @param words  an even number, as many as `draws`
void box_muller(std::span<const std::uint64_t> words, std::span<double> draws);

/// Words that are transformed together.
inline constexpr std::size_t box_muller_words = 16;

/// The same, compiled for some instruction set.
struct BoxMullerVersion {
  std::string_view instructions;
  NormalPair (*pair)(std::uint64_t angle, std::uint64_t radius);
  void (*transform)(const std::uint64_t* words, double* draws, std::size_t groups);  ///< of box_muller_words each
};

/// Those that this machine can run, the fastest last. All give the same bits.
std::span<const BoxMullerVersion> box_muller_versions();

}  // namespace dpbudget::mechanisms
