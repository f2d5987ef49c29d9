#include "dpbudget/mechanisms/threefry.h"

#include <Random123/threefry.h>

#include <cstring>

#include "dpbudget/accounting/base/instruction_sets.h"

namespace dpbudget::mechanisms {
namespace {

// Of words 0 and 1 of a block and of its words 2 and 3, in even rounds; odd ones exchange words 1 and 3.
constexpr int rotations[8][2] = {{R_64x4_0_0, R_64x4_0_1}, {R_64x4_1_0, R_64x4_1_1}, {R_64x4_2_0, R_64x4_2_1},
                                 {R_64x4_3_0, R_64x4_3_1}, {R_64x4_4_0, R_64x4_4_1}, {R_64x4_5_0, R_64x4_5_1},
                                 {R_64x4_6_0, R_64x4_6_1}, {R_64x4_7_0, R_64x4_7_1}};

// Word j of some blocks is in lane b of x[j] for block b.
template <class Lanes>
[[gnu::always_inline]] inline void twenty_rounds(const ThreefrySequence& sequence, Lanes (&x)[4]) {
  const std::uint64_t key[5] = {sequence.key[0], sequence.key[1], 0, 0,
                                SKEIN_KS_PARITY64 ^ sequence.key[0] ^ sequence.key[1]};
  x[0] += sequence.counter[0] + key[0];
  x[1] += sequence.counter[1] + key[1];
  x[2] += sequence.counter[2];
#pragma GCC unroll 20
  for (unsigned turn = 0; turn < 20; ++turn) {
    Lanes& first = x[turn % 2 == 0 ? 1 : 3];
    Lanes& second = x[turn % 2 == 0 ? 3 : 1];
    const int left = rotations[turn % 8][0], right = rotations[turn % 8][1];
    x[0] += first;
    first = (first << left | first >> (64 - left)) ^ x[0];
    x[2] += second;
    second = (second << right | second >> (64 - right)) ^ x[2];
    if (turn % 4 != 3) continue;
    const std::uint64_t added = turn / 4 + 1;
    x[0] += key[added % 5];
    x[1] += key[(added + 1) % 5];
    x[2] += key[(added + 2) % 5];
    x[3] += key[(added + 3) % 5] + added;
  }
}

// One after the other.
void blocks_anywhere(const ThreefrySequence& sequence, std::uint64_t first, std::span<std::uint64_t> words) {
  for (std::size_t i = 0; i < words.size(); i += 4, ++first) {
    std::uint64_t x[4] = {0, 0, 0, first};
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

[[gnu::target("avx2")]] void groups_avx2(const ThreefrySequence& sequence, std::uint64_t first, std::uint64_t* words,
                                         std::size_t groups) {
  for (std::size_t i = 0; i < 2 * groups; ++i, first += 4, words += 16) {
    Four x[4] = {{}, {}, {}, Four{0, 1, 2, 3} + first};
    twenty_rounds(sequence, x);
    // Pairs of words of blocks 0 and 2, of blocks 1 and 3, and then whole blocks.
    const Four low02 = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const Four low13 = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const Four high02 = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const Four high13 = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    const Four blocks[4] = {
        __builtin_shufflevector(low02, high02, 0, 1, 4, 5), __builtin_shufflevector(low13, high13, 0, 1, 4, 5),
        __builtin_shufflevector(low02, high02, 2, 3, 6, 7), __builtin_shufflevector(low13, high13, 2, 3, 6, 7)};
    std::memcpy(words, blocks, sizeof blocks);
  }
}

[[gnu::target("avx512f")]] void groups_avx512(const ThreefrySequence& sequence, std::uint64_t first,
                                              std::uint64_t* words, std::size_t groups) {
  for (std::size_t i = 0; i < groups; ++i, first += 8, words += 32) {
    Eight x[4] = {{}, {}, {}, Eight{0, 1, 2, 3, 4, 5, 6, 7} + first};
    twenty_rounds(sequence, x);
    // Pairs of words of the first and the last four blocks, and then two whole blocks each.
    const Eight low0 = __builtin_shufflevector(x[0], x[1], 0, 8, 1, 9, 2, 10, 3, 11);
    const Eight low4 = __builtin_shufflevector(x[0], x[1], 4, 12, 5, 13, 6, 14, 7, 15);
    const Eight high0 = __builtin_shufflevector(x[2], x[3], 0, 8, 1, 9, 2, 10, 3, 11);
    const Eight high4 = __builtin_shufflevector(x[2], x[3], 4, 12, 5, 13, 6, 14, 7, 15);
    const Eight blocks[4] = {__builtin_shufflevector(low0, high0, 0, 1, 8, 9, 2, 3, 10, 11),
                             __builtin_shufflevector(low0, high0, 4, 5, 12, 13, 6, 7, 14, 15),
                             __builtin_shufflevector(low4, high4, 0, 1, 8, 9, 2, 3, 10, 11),
                             __builtin_shufflevector(low4, high4, 4, 5, 12, 13, 6, 7, 14, 15)};
    std::memcpy(words, blocks, sizeof blocks);
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
  blocks_anywhere(sequence, first + groups * threefry_group, words.subspan(groups * group));
}

std::span<const ThreefryVersion> threefry_versions() { return std::span(all_versions).first(versions_here()); }

}  // namespace dpbudget::mechanisms
