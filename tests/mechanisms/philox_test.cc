#include "dpbudget/mechanisms/philox.h"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <vector>

namespace dpbudget::mechanisms {
namespace {

TEST(Philox, IsRandom123s) {
  const std::uint64_t high = std::uint64_t{1} << 63U;
  for (const PhiloxSequence& sequence :
       {PhiloxSequence{{0, 0}, {0, 0, 0}}, PhiloxSequence{{1, 5}, {2, 3, 4}},
        PhiloxSequence{{~std::uint64_t{0}, high}, {high, ~std::uint64_t{0}, 12345678901234567}}})
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0} - 10}) {
      std::vector<std::uint64_t> words(4 * 21);
      philox_blocks(sequence, first, words);
      for (std::size_t i = 0; i < 21; ++i) {
        const auto& [round, client, step] = sequence.counter;
        const auto expected =
            r123::Philox4x64()({{round, client, step, first + i}}, {{sequence.key[0], sequence.key[1]}});
        for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(words[4 * i + j], expected[j]);
      }
    }
}

}  // namespace
}  // namespace dpbudget::mechanisms
