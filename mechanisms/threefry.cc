#include "dpbudget/mechanisms/threefry.h"

#include <Random123/threefry.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "dpbudget/accounting/base/instruction_sets.h"

namespace dpbudget::mechanisms {
namespace {

// Of words 0 and 1 of a block and of its words 2 and 3, in even rounds; odd ones exchange words 1 and 3.
constexpr int rotations[8][2] = {{R_64x4_0_0, R_64x4_0_1}, {R_64x4_1_0, R_64x4_1_1}, {R_64x4_2_0, R_64x4_2_1},
                                 {R_64x4_3_0, R_64x4_3_1}, {R_64x4_4_0, R_64x4_4_1}, {R_64x4_5_0, R_64x4_5_1},
                                 {R_64x4_6_0, R_64x4_6_1}, {R_64x4_7_0, R_64x4_7_1}};

template <class Lanes>
[[gnu::always_inline]] inline void rotate(Lanes& x, int left) {
  x = x << left | x >> (64 - left);
}

// Word j of some blocks is in lane b of x[g][j] for block b of group g. Groups take turns at each round, so that there
// is always something to do that need not wait.
template <class Lanes, std::size_t Groups>
[[gnu::always_inline]] inline void twenty_rounds(const ThreefrySequence& sequence, Lanes (&x)[Groups][4]) {
  const std::uint64_t key[5] = {sequence.key[0], sequence.key[1], 0, 0,
                                SKEIN_KS_PARITY64 ^ sequence.key[0] ^ sequence.key[1]};
  for (auto& group : x) {
    group[0] += sequence.counter[0] + key[0];
    group[1] += sequence.counter[1] + key[1];
    group[2] += sequence.counter[2];
  }
#pragma GCC unroll 20
  for (unsigned turn = 0; turn < 20; ++turn) {
    const int left = rotations[turn % 8][0], right = rotations[turn % 8][1];
#pragma GCC unroll 2
    for (std::size_t g = 0; g < Groups; ++g) {
      auto& [word0, word1, word2, word3] = x[g];
      Lanes& first = turn % 2 == 0 ? word1 : word3;
      Lanes& second = turn % 2 == 0 ? word3 : word1;
      word0 += first;
      rotate(first, left);
      first ^= word0;
      word2 += second;
      rotate(second, right);
      second ^= word2;
      if (turn % 4 != 3) continue;
      const std::uint64_t added = turn / 4 + 1;
      word0 += key[added % 5];
      word1 += key[(added + 1) % 5];
      word2 += key[(added + 2) % 5];
      word3 += key[(added + 3) % 5] + added;
    }
  }
}

// One after the other.
void blocks_anywhere(const ThreefrySequence& sequence, std::uint64_t first, std::span<std::uint64_t> words) {
  for (std::size_t i = 0; i < words.size(); i += 4, ++first) {
    std::uint64_t x[1][4] = {{0, 0, 0, first}};
    twenty_rounds(sequence, x);
    std::memcpy(&words[i], x, sizeof x);
  }
}

void groups_anywhere(const ThreefrySequence& sequence, std::uint64_t first, std::uint64_t* words, std::size_t groups) {
  blocks_anywhere(sequence, first, {words, 4 * threefry_group * groups});
}

#ifdef DPBUDGET_HAS_X86_VERSIONS
using Four [[gnu::vector_size(32)]] = std::uint64_t;
using Eight [[gnu::vector_size(64)]] = std::uint64_t;

// Rotations by whole bytes are permutations, which take one step and not three.
template <std::size_t Left, std::size_t... I>
[[gnu::always_inline]] inline void rotate_bytes(Four& x, std::index_sequence<I...>) {
  using Bytes [[gnu::vector_size(sizeof(Four))]] = char;
  Bytes bytes;
  std::memcpy(&bytes, &x, sizeof x);
  bytes = __builtin_shufflevector(bytes, bytes, (I / 8 * 8 + (I + 8 - Left) % 8)...);
  std::memcpy(&x, &bytes, sizeof x);
}

template <>
[[gnu::always_inline]] inline void rotate(Four& x, int left) {
  constexpr std::make_index_sequence<sizeof x> all;
  switch (left) {
    case 16:
      return rotate_bytes<2>(x, all);
    case 32:
      return rotate_bytes<4>(x, all);
    case 40:
      return rotate_bytes<5>(x, all);
    default:
      x = x << left | x >> (64 - left);
  }
}

[[gnu::target("avx2")]] void groups_avx2(const ThreefrySequence& sequence, std::uint64_t first, std::uint64_t* words,
                                         std::size_t groups) {
  for (std::size_t i = 0; i < groups; ++i, first += 8) {
    Four both[2][4] = {{{}, {}, {}, Four{0, 1, 2, 3} + first}, {{}, {}, {}, Four{4, 5, 6, 7} + first}};
    twenty_rounds(sequence, both);
#pragma GCC unroll 2
    for (const auto& x : both) {
      // Pairs of words of blocks 0 and 2, of blocks 1 and 3, and then whole blocks.
      const Four low02 = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
      const Four low13 = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
      const Four high02 = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
      const Four high13 = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
      const Four blocks[4] = {
          __builtin_shufflevector(low02, high02, 0, 1, 4, 5), __builtin_shufflevector(low13, high13, 0, 1, 4, 5),
          __builtin_shufflevector(low02, high02, 2, 3, 6, 7), __builtin_shufflevector(low13, high13, 2, 3, 6, 7)};
      // One by one: all at once would be copied there by way of the stack.
      for (const Four& block : blocks) {
        std::memcpy(words, &block, sizeof block);
        words += 4;
      }
    }
  }
}

[[gnu::target("avx512f")]] void groups_avx512(const ThreefrySequence& sequence, std::uint64_t first,
                                              std::uint64_t* words, std::size_t groups) {
  for (std::size_t i = 0; i < groups; ++i, first += 8) {
    Eight only[1][4] = {{{}, {}, {}, Eight{0, 1, 2, 3, 4, 5, 6, 7} + first}};
    twenty_rounds(sequence, only);
    const auto& x = only[0];
    // Pairs of words of the first and the last four blocks, and then two whole blocks each.
    const Eight low0 = __builtin_shufflevector(x[0], x[1], 0, 8, 1, 9, 2, 10, 3, 11);
    const Eight low4 = __builtin_shufflevector(x[0], x[1], 4, 12, 5, 13, 6, 14, 7, 15);
    const Eight high0 = __builtin_shufflevector(x[2], x[3], 0, 8, 1, 9, 2, 10, 3, 11);
    const Eight high4 = __builtin_shufflevector(x[2], x[3], 4, 12, 5, 13, 6, 14, 7, 15);
    const Eight blocks[4] = {__builtin_shufflevector(low0, high0, 0, 1, 8, 9, 2, 3, 10, 11),
                             __builtin_shufflevector(low0, high0, 4, 5, 12, 13, 6, 7, 14, 15),
                             __builtin_shufflevector(low4, high4, 0, 1, 8, 9, 2, 3, 10, 11),
                             __builtin_shufflevector(low4, high4, 4, 5, 12, 13, 6, 7, 14, 15)};
    for (const Eight& two : blocks) {
      std::memcpy(words, &two, sizeof two);
      words += 8;
    }
  }
}
#endif

constexpr ThreefryVersion all_versions[] = {
    {"any", groups_anywhere},
#ifdef DPBUDGET_HAS_X86_VERSIONS
    {"avx2", groups_avx2},
    {"avx512", groups_avx512},
#endif
};

}  // namespace

void threefry_blocks(const ThreefrySequence& sequence, std::uint64_t first, std::span<std::uint64_t> words) {
  static const auto fastest = threefry_versions().back().blocks;
  constexpr std::size_t group = 4 * threefry_group;
  const std::size_t groups = words.size() / group;
  fastest(sequence, first, words.data(), groups);
  first += groups * threefry_group;
  words = words.subspan(groups * group);
  // A group takes hardly longer than two blocks.
  if (words.size() <= 8) return blocks_anywhere(sequence, first, words);
  std::array<std::uint64_t, group> last;
  fastest(sequence, first, last.data(), 1);
  std::copy_n(last.begin(), words.size(), words.begin());
}

std::span<const ThreefryVersion> threefry_versions() { return std::span(all_versions).first(versions_here()); }

}  // namespace dpbudget::mechanisms
