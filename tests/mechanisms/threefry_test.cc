#include "dpbudget/mechanisms/threefry.h"

#include <Random123/threefry.h>
#include <gtest/gtest.h>

#include <vector>

namespace dpbudget::mechanisms {
namespace {

constexpr std::uint64_t high_bit = std::uint64_t{1} << 63U, all_bits = ~std::uint64_t{0};
const ThreefrySequence threefry_sequences[] = {{{0, 0}, {0, 0, 0}},
                                               {{1, 5}, {2, 3, 4}},
                                               {{all_bits, high_bit}, {high_bit, all_bits, 12345678901234567}},
                                               {{all_bits, all_bits}, {all_bits, all_bits, all_bits}}};
// The number wraps around after the last two, at different places of a group.
const std::uint64_t first_blocks[] = {0, 7, high_bit - 3, all_bits - 10, all_bits - 2};

std::vector<std::uint64_t> expected_words(const ThreefrySequence& sequence, std::uint64_t first, std::size_t blocks) {
  const auto& [round, client, step] = sequence.counter;
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto block =
        r123::Threefry4x64()({{round, client, step, first + i}}, {{sequence.key[0], sequence.key[1], 0, 0}});
    words.insert(words.end(), block.begin(), block.end());
  }
  return words;
}

TEST(Threefry, IsRandom123s) {
  for (const ThreefrySequence& sequence : threefry_sequences)
    for (const std::uint64_t first : first_blocks)
      for (const std::size_t blocks : {0, 1, 7, 8, 21}) {
        std::vector<std::uint64_t> words(4 * blocks);
        threefry_blocks(sequence, first, words);
        EXPECT_EQ(words, expected_words(sequence, first, blocks));
      }
}

TEST(Threefry, HasTheSameWordsByEveryInstructionSet) {
  constexpr std::size_t groups = 3;
  for (const ThreefryVersion& version : threefry_versions())
    for (const ThreefrySequence& sequence : threefry_sequences)
      for (const std::uint64_t first : first_blocks) {
        std::vector<std::uint64_t> words(4 * threefry_group * groups + 1, 7);
        version.blocks(sequence, first, words.data(), groups);
        EXPECT_EQ(words.back(), 7U);
        words.pop_back();
        EXPECT_EQ(words, expected_words(sequence, first, threefry_group * groups)) << version.instructions;
      }
}

}  // namespace
}  // namespace dpbudget::mechanisms
